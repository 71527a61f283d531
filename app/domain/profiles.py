"""Profiles: how much of what a comparison measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

FRAME_BYTES: tuple[int, ...] = (60, 128, 256, 512, 1024, 1400, 1514)
"""Ethernet frame sizes in bytes without FCS. Source: Lackorzynski, Köpsell, Strufe 2019, Table I."""

FRAME_WEIGHTS: tuple[float, ...] = (0.35, 0.30, 0.10, 0.10, 0.05, 0.05, 0.05)
"""Weight of each size in the weighted latency; they sum to 1. Source: the same table."""


class ProfileName(StrEnum):
    """Names of the profiles."""

    ADAPTIVE = "adaptive"
    QUICK = "quick"
    STANDARD = "standard"
    PAPER = "paper"
    CUSTOM = "custom"


@dataclass(frozen=True, slots=True)
class Profile:
    """Amounts of a profile.

    Attributes:
        name: Its name.
        pings: Echo requests per frame size; of an adaptive profile the most in a round without repeats.
        seconds: Seconds of TCP per direction; of an adaptive profile in its first round only.
        rounds: How often every candidate is measured; of an adaptive profile at most.
        frame_bytes: Frame sizes in bytes.
        block_pings: Echo requests of a block by frame size; empty where candidates are measured in turn.
        budget_s: Seconds after which an adaptive comparison ends; None for a fixed number of rounds.
    """

    name: ProfileName
    pings: int
    seconds: int
    rounds: int
    frame_bytes: tuple[int, ...] = FRAME_BYTES
    block_pings: tuple[int, ...] = ()
    budget_s: float | None = None

    @property
    def is_adaptive(self) -> bool:
        """Whether candidates are measured in interleaved blocks until the order is known."""
        return bool(self.block_pings)


BLOCK_PINGS: tuple[int, ...] = (70, 60, 20, 20, 10, 10, 10)
"""Echo requests of a block per size: as FRAME_WEIGHTS, so that the block's mean is the study's weighted latency."""

GOOD_CYCLES = 6
"""Undisturbed cycles of a round: the root of the product of two ratios, which is 6.4.

Building and removing tunnels takes as long as 4.6 cycles, and on a quiet practice lab the variance between blocks is 9
times that between set-ups (6 % and 2 %). Source: Kalibera and Jones, ISMM 2013.
"""

CHECK_BLOCKS = 5
"""Blocks of the bare link and of one candidate before and after the others are up, in the side-by-side check.

Source: our choice.
"""

MOST_CYCLES = 12
"""Cycles of a round, disturbed ones included. Source: our choice."""

ADAPTIVE_PROFILE = Profile(
    ProfileName.ADAPTIVE,
    pings=MOST_CYCLES * BLOCK_PINGS[0],
    seconds=2,
    rounds=8,
    block_pings=BLOCK_PINGS,
    budget_s=300.0,
)
"""Interleaved blocks, round after round, until the order is known or five minutes of measuring have passed."""

PROFILES: Mapping[ProfileName, Profile] = {
    ProfileName.ADAPTIVE: ADAPTIVE_PROFILE,
    ProfileName.QUICK: Profile(ProfileName.QUICK, pings=200, seconds=3, rounds=1),
    ProfileName.STANDARD: Profile(ProfileName.STANDARD, pings=2_000, seconds=10, rounds=3),
    ProfileName.PAPER: Profile(ProfileName.PAPER, pings=10_000, seconds=10, rounds=3),
}

DEMO_PROFILE = replace(ADAPTIVE_PROFILE, budget_s=120.0)
"""Profile of the demonstration: two minutes of measuring at most, two rounds of three VPNs on a quiet computer."""
