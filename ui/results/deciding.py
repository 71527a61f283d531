"""The profile that would probably decide what a comparison left open."""

from __future__ import annotations

from dataclasses import replace

from app.domain.profiles import ADAPTIVE_PROFILE, Profile
from app.domain.ranking import Ranking
from app.ranking.choice import STANDARD_ROUNDS
from ui.common.texts import tr

_LONGEST_MIN = 240
"""Longer runs are for the terminal: a difference that small hardly matters."""


def deciding_profile(profile: Profile, ranking: Ranking) -> Profile | None:
    """Return the profile with which measuring again would probably decide; None where nothing is open, or none would.

    Args:
        profile: That of the comparison.
        ranking: What it found.
    """
    advice = ranking.recommendation
    if advice.solution is None or advice.is_clear:
        return None
    if profile.budget_s is None:
        return ADAPTIVE_PROFILE if ranking.rounds < STANDARD_ROUNDS else None
    minutes = advice.minutes_to_decide
    if minutes is None or profile.budget_s + 60 * minutes > 60 * _LONGEST_MIN:
        return None
    return replace(profile, budget_s=profile.budget_s + 60 * minutes)


def deciding_words(profile: Profile) -> tuple[str, str]:
    """Return the text and the tool tip of the button that measures again with this profile."""
    budget_min = f"{(profile.budget_s or 0) / 60:g}"
    text = tr("Measure again with &Adaptive")
    if profile.budget_s != ADAPTIVE_PROFILE.budget_s:
        text = tr("Measure again, &at most %1 min", budget_min)
    tip = tr("Round after round until the order is known, at most %1 min; nothing is measured before you start it")
    return text, tip.replace("%1", budget_min)
