"""Noise of real round-trip times, recorded on a practice lab, for comparisons whose true ratios are known.

The file has one array per condition of the computer. `quiet`: short jobs of others ran beside the lab (load averages of
4.5 to 6.3 on two CPUs, the lab's own included). Shape: rounds, cycles, targets, requests of a block (sizes in the order
of FRAME_BYTES); round-trip times in µs. The targets are the bare link, WireGuard, OpenVPN over UDP and over TCP, and
tinc, all up side by side, and set up anew in each round, on two virtual machines of Debian 13. Recorded with
`support/record_rtts.py`.

What a target's samples are divided by is that target's own level over the whole recording. What is left is how real
samples, blocks, episodes of load and set-ups scatter; candidates made of it are equal on average.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from app.domain.profiles import BLOCK_PINGS, FRAME_BYTES
from app.ranking.blocks import block_value_ms, middle_mean

FILE = Path(__file__).parents[1] / "unit/ranking/recorded/rtts.npz"
LOST = 65_535
"""In place of a round-trip time where no reply came; longer times are written as one less."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """Noise of recorded round-trip times; implements `Noise`.

    Attributes:
        name: Name of the scenario.
        condition: Name of the recording in the file.
    """

    name: str
    condition: str

    @property
    def block_pings(self) -> tuple[int, ...]:
        """Requests of a block by size."""
        return BLOCK_PINGS

    def start(self, rng: np.random.Generator, count: int) -> RecordedCourse:
        """Begin a comparison: the bare link is the recorded one, the others are the recorded VPNs in random order."""
        noise = factors(self.condition)
        vpns = noise.shape[2] - 1
        drawn = [1 + rng.permutation(vpns) for _ in range(-(-(count - 1) // vpns))]
        return RecordedCourse(noise, rng, [0, *(int(one) for part in drawn for one in part)][:count])


class RecordedCourse:
    """One comparison; implements `Course`. Each round of it is a recorded one, drawn at random.

    Candidates beyond the number of recorded VPNs get blocks of another recorded round.
    """

    def __init__(self, noise: npt.NDArray[np.float64], rng: np.random.Generator, targets: Sequence[int]) -> None:
        self._noise, self._rng, self._targets = noise, rng, targets
        self._rounds: list[int] = []
        self._first = 0
        self.set_up()

    def set_up(self) -> None:
        """Begin a round."""
        rounds, cycles, targets, _ = self._noise.shape
        self._rounds = [int(self._rng.integers(rounds)) for _ in range(1 + len(self._targets) // (targets - 1))]
        self._first = int(self._rng.integers(cycles))

    def block(self, candidate: int, cycle: int, clock_s: float) -> npt.NDArray[np.float64]:
        """Return the factors of one block; the recording does not know the simulated time."""
        _, cycles, targets, _ = self._noise.shape
        round_ = self._rounds[max(0, candidate - 1) // (targets - 1)]
        block: npt.NDArray[np.float64] = self._noise[round_, (self._first + cycle) % cycles, self._targets[candidate]]
        return block


@cache
def factors(condition: str) -> npt.NDArray[np.float64]:
    """Return a recording with each target divided by its level; infinite where no reply came."""
    with np.load(FILE) as file:
        rtt_us = file[condition].astype(np.float64)
    rtt_us[rtt_us >= LOST] = math.inf
    levels_us = [1_000 * _level_ms(rtt_us[:, :, target]) for target in range(rtt_us.shape[2])]
    made: npt.NDArray[np.float64] = rtt_us / np.array(levels_us)[:, np.newaxis]
    return made


def _level_ms(rtt_us: npt.NDArray[np.float64]) -> float:
    """Return the mean of a target's round values, on the logarithmic scale as decisions are made."""
    return math.exp(math.fsum(_round_log(one) for one in rtt_us) / len(rtt_us))


def _round_log(rtt_us: npt.NDArray[np.float64]) -> float:
    sizes = np.cumsum(BLOCK_PINGS)[:-1]
    values = [block_value_ms([part[np.isfinite(part)] for part in np.split(one, sizes)], FRAME_BYTES) for one in rtt_us]
    return middle_mean([math.log(value) for value in values if value is not None])
