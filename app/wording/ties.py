"""Meaning of a shared rank in words."""

from __future__ import annotations

from app.domain.profiles import Profile
from app.wording.language import tr

_LEAST_TESTED = 2
"""Rounds without which there is no test."""


def tie_note(profile: Profile, rounds: int) -> str:
    """Return what the sign of equality beside a rank means, for a profile and the rounds that were completed."""
    if rounds < _LEAST_TESTED:
        return tr("= tied: one round cannot tell a difference from chance.")
    note = tr("= tied: the difference is not significant")
    if not profile.is_adaptive:
        return f"{note}."
    return tr("{note}; after few rounds a stricter level than that of the 95 % intervals applies.").format(note=note)
