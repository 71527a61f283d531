"""Profile of a comparison from the options of a command line."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TypeVar

from app.cli.messages import BUDGET_NOT_ADAPTIVE, NUMBERS_ADAPTIVE
from app.cli.names import out_of_range
from app.domain.errors import InvalidOption
from app.domain.preferences import Preferences
from app.domain.profiles import PROFILES, Profile, ProfileName

N = TypeVar("N", int, float)


def chosen_profile(
    name: str,
    *,
    pings: int | None,
    seconds: int | None,
    rounds: int | None,
    budget_min: float | None = None,
    is_named: bool = True,
) -> Profile:
    """Return a profile with what was asked for replaced.

    Args:
        pings: Echo requests per frame size.
        seconds: Seconds of TCP per direction.
        rounds: Rounds.
        budget_min: Minutes of measuring of the profile adaptive.
        is_named: Whether the user named the profile; numbers change the profile quick where the default is adaptive.

    Raises:
        InvalidOption: A number is out of range.
    """
    profile = PROFILES[ProfileName(name)]
    if budget_min is not None:
        if not profile.is_adaptive or pings is not None or seconds is not None or rounds is not None:
            raise InvalidOption(BUDGET_NOT_ADAPTIVE())
        return replace(profile, budget_s=60.0 * _within("budget-min", budget_min, 0.0, 0.5, 600.0))
    if pings is None and seconds is None and rounds is None:
        return profile
    if profile.is_adaptive:
        if is_named:
            raise InvalidOption(NUMBERS_ADAPTIVE())
        profile = PROFILES[ProfileName.QUICK]
    return replace(
        profile,
        name=ProfileName.CUSTOM,
        pings=_within("pings", pings, profile.pings, 10, 1_000_000),
        seconds=_within("seconds", seconds, profile.seconds, 1, 3_600),
        rounds=_within("rounds", rounds, profile.rounds, 1, 100),
    )


def _within(option: str, value: N | None, default: N, low: N, high: N) -> N:
    if value is None:
        return default
    if not low <= value <= high:
        raise out_of_range(f"--{option}", value, low, high)
    return value


def profile_of(options: argparse.Namespace, preferences: Preferences) -> Profile:
    """Return the profile of a command line; without `--profile` that of the settings."""
    name = options.profile or preferences.profile.value
    return chosen_profile(
        name,
        pings=options.pings,
        seconds=options.seconds,
        rounds=options.rounds,
        budget_min=getattr(options, "budget_min", None),
        is_named=bool(options.profile),
    )
