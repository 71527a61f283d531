"""Latencies of an adaptive comparison as ratios to the fastest: cycle by cycle, and with intervals after each round."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from app.domain.events import CycleEnded, RoundEnded
from app.domain.interim import InterimResult
from app.wording.colours import BASELINE_SOLUTION
from ui.common.candidate_rows import Key


@dataclass(frozen=True, slots=True)
class RoundRatio:
    """Ratio of one candidate after a round.

    Attributes:
        cycle: Cycles that were made until then.
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
        cycle: Numbers of cycles, from 1, shape (n,).
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
    _cycles: int = 0
    _logs: dict[Key, list[tuple[int, float]]] = field(default_factory=dict)
    _rounds: dict[Key, list[RoundRatio]] = field(default_factory=dict)

    def take_cycle(self, event: CycleEnded) -> None:
        """Take a cycle; one that does not count is left out."""
        if not event.is_counted:
            return
        values = {
            (key.solution, key.suite): value for key, value in event.block_ms if key.solution != BASELINE_SOLUTION
        }
        if not values:
            return
        self._cycles += 1
        for key, value in values.items():
            self._logs.setdefault(key, []).append((self._cycles, math.log(value)))

    def take_round(self, event: RoundEnded) -> None:
        """Take an interim result."""
        self.result = event.result
        for one in event.result.candidates:
            if one.ratio is not None:
                ratio = RoundRatio(self._cycles, one.ratio.value, one.ratio.low, one.ratio.high)
                self._rounds.setdefault((one.solution, one.suite), []).append(ratio)

    def curves(self) -> tuple[RatioCurve, ...]:
        """Return one curve per candidate that has a cycle, the one with the lowest latency first.

        The ratio at a cycle is that of the geometric means of all cycles up to it.
        """
        means = {key: _running_means(logs) for key, logs in self._logs.items()}
        if not means:
            return ()
        lowest = np.full(self._cycles + 1, np.inf)
        for number, values in means.values():
            lowest[number] = np.minimum(lowest[number], values)
        curves = [
            RatioCurve(
                key, number.astype(np.float64), np.exp(values - lowest[number]), tuple(self._rounds.get(key, ()))
            )
            for key, (number, values) in means.items()
        ]
        return tuple(sorted(curves, key=lambda curve: float(curve.ratio[-1])))


def _running_means(logs: list[tuple[int, float]]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return numbers of cycles, and the mean of all logarithms up to each."""
    numbers = np.array([number for number, _ in logs], dtype=np.int64)
    values = np.array([value for _, value in logs])
    return numbers, np.cumsum(values) / np.arange(1, values.size + 1)
