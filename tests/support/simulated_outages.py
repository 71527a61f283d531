"""Outages in simulated comparisons: of the link, which hit any candidate, and of a tunnel, which are its own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from support.simulated_campaigns import Course, Noise

FEWEST_LOST, MOST_LOST = 3, 60
"""Requests in a row that are lost, as far as a block has so many. Source: our choice; at 10 ms apart 60 take 0.6 s, and
ping waits for the end of a longer outage within one frame size, of whose requests only these are kept."""


@dataclass(frozen=True, slots=True)
class WithOutages:
    """Noise with outages; implements `Noise`. All else is the noise's own, with the same numbers.

    Attributes:
        noise: The noise.
        link_every_s: Mean time from one outage of the link to the next, in seconds; infinite for none.
        own: Share of a candidate's blocks in which its tunnel drops out, by its position; 0 is the bare link.
    """

    noise: Noise
    link_every_s: float = math.inf
    own: Mapping[int, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the noise."""
        return self.noise.name

    @property
    def block_pings(self) -> tuple[int, ...]:
        """Requests of a block by size."""
        return self.noise.block_pings

    def start(self, rng: np.random.Generator, count: int) -> OutageCourse:
        """Begin a comparison of so many candidates."""
        (own,) = rng.spawn(1)  # takes no number from the noise
        return OutageCourse(self, self.noise.start(rng, count), own)


class OutageCourse:
    """One comparison; implements `Course`."""

    def __init__(self, kind: WithOutages, course: Course, rng: np.random.Generator) -> None:
        self._kind, self._course, self._rng = kind, course, rng
        self._next_s = self._after(0.0)

    def set_up(self) -> None:
        """Begin a round."""
        self._course.set_up()

    def block(self, candidate: int, cycle: int, clock_s: float) -> npt.NDArray[np.float64]:
        """Return the factors of one block; those of lost requests are infinite."""
        factors = self._course.block(candidate, cycle, clock_s)
        drops_out = self._rng.random() < self._kind.own.get(candidate, 0.0)
        if drops_out or clock_s >= self._next_s:
            factors = self._cut(factors, cycle)
        while clock_s >= self._next_s:
            self._next_s = self._after(self._next_s)
        return factors

    def _after(self, since_s: float) -> float:
        every_s = self._kind.link_every_s
        return since_s + self._rng.exponential(every_s) if math.isfinite(every_s) else math.inf

    def _cut(self, factors: npt.NDArray[np.float64], cycle: int) -> npt.NDArray[np.float64]:
        """Return the factors with some in a row, in the order of sending, that are lost."""
        pings = self._kind.block_pings
        first = sum(pings[: cycle % len(pings)])  # each cycle begins with another size
        sent = np.roll(factors, -first)
        lost = int(self._rng.integers(FEWEST_LOST, min(MOST_LOST, sent.size - 1) + 1))
        begin = int(self._rng.integers(0, sent.size - lost + 1))
        sent[begin : begin + lost] = math.inf
        return np.roll(sent, first)
