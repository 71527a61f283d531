"""Meaning of a shared rank in words."""

from __future__ import annotations

from app.domain.results import Profile


def tie_note(profile: Profile) -> str:
    """Return what the sign of equality beside a rank means, for a profile."""
    note = "= tied: the difference is not significant"
    if not profile.is_adaptive:
        return f"{note}."
    return f"{note}; after few rounds a stricter level than that of the 95 % intervals applies."
