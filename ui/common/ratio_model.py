"""Latencies of an adaptive comparison as ratios to the fastest: cycle by cycle, and with intervals after each round."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from app.domain.events import CycleEnded, RoundEnded
from app.domain.interim import InterimResult
from app.domain.solutions import BASELINE
from ui.common.candidate_rows import Key


@dataclass(frozen=True, slots=True)
class RoundRatio:
    """Ratio of one candidate after a round.

    Attributes:
        cycle: Cycles of this candidate until then.
        ratio: Its latency over that of the fastest.
        low: Lower end of the interval; None where two rounds are missing.
        high: Upper end.
    """

    cycle: int
    ratio: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class RatioCurve:
    """Ratios of one candidate.

    Attributes:
        key: The candidate.
        cycle: Numbers of its own cycles, from 1, shape (n,): not all candidates can be up together.
        ratio: Latency over that of the fastest, of all cycles so far, shape (n,).
        rounds: One per round that ended.
    """

    key: Key
    cycle: npt.NDArray[np.float64]
    ratio: npt.NDArray[np.float64]
    rounds: tuple[RoundRatio, ...]


@dataclass
class RatioModel:
    """Collects what cycles and rounds brought.

    Attributes:
        result: The newest interim result; None before the first round has ended.
    """

    result: InterimResult | None = None
    _logs: dict[Key, list[float]] = field(default_factory=dict)
    _rounds: dict[Key, list[RoundRatio]] = field(default_factory=dict)

    def take_cycle(self, event: CycleEnded) -> None:
        """Take a cycle; one that does not count is left out."""
        if not event.is_counted:
            return
        for key, value in event.block_ms:
            if key.solution != BASELINE:
                self._logs.setdefault((key.solution, key.suite), []).append(math.log(value))

    def take_round(self, event: RoundEnded) -> None:
        """Take an interim result."""
        self.result = event.result
        for one in event.result.candidates:
            key = (one.solution, one.suite)
            if one.ratio is not None:
                cycle = len(self._logs.get(key, ()))
                ratio = RoundRatio(cycle, one.ratio.value, one.ratio.low, one.ratio.high)
                self._rounds.setdefault(key, []).append(ratio)

    def curves(self) -> tuple[RatioCurve, ...]:
        """Return one curve per candidate that has a cycle, the one with the lowest latency first.

        The ratio at a cycle is that of the geometric means of as many cycles of each.
        """
        means = {key: _running_means(logs) for key, logs in self._logs.items()}
        lowest = np.full(max((values.size for values in means.values()), default=0), np.inf)
        for values in means.values():
            lowest[: values.size] = np.minimum(lowest[: values.size], values)
        curves = [
            RatioCurve(
                key,
                np.arange(1.0, values.size + 1),
                np.exp(values - lowest[: values.size]),
                tuple(self._rounds.get(key, ())),
            )
            for key, values in means.items()
        ]
        return tuple(sorted(curves, key=lambda curve: float(curve.ratio[-1])))


def _running_means(logs: list[float]) -> npt.NDArray[np.float64]:
    """Return the mean of all logarithms up to each."""
    return np.cumsum(logs) / np.arange(1, len(logs) + 1)
