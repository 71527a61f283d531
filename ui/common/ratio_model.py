"""Latencies of an adaptive comparison as ratios to the fastest: cycle by cycle, and with intervals after each round."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from app.domain.events import CycleEnded, RoundEnded
from app.domain.interim import InterimResult
from app.domain.ranking import Ratio
from app.domain.results import Attempt, AttemptKey, AttemptStatus
from app.domain.solutions import BASELINE
from app.ranking.blocks import counted_logs
from ui.common.candidate_rows import Key


@dataclass(frozen=True, slots=True)
class RoundRatio:
    """Ratio of one candidate after a round.

    Attributes:
        number: The comparison's round, from 1: a candidate may have joined late, or have left before.
        cycle: Cycles of this candidate until then.
        ratio: Its latency over that of the fastest.
        low: Lower end of the interval; None where two rounds are missing.
        high: Upper end.
    """

    number: int
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
        references: Candidates that are not compared: none of them is the fastest.
    """

    result: InterimResult | None = None
    references: frozenset[Key] = frozenset()
    _logs: dict[Key, dict[int, list[float]]] = field(default_factory=dict)
    _rounds: dict[Key, dict[int, Ratio]] = field(default_factory=dict)
    _failed: set[Key] = field(default_factory=set)

    def take_cycle(self, event: CycleEnded) -> None:
        """Take a cycle; one that does not count is left out."""
        if not event.is_counted:
            return
        for key, value in event.block_ms:
            if key.solution != BASELINE:
                rounds = self._logs.setdefault((key.solution, key.suite), {})
                rounds.setdefault(event.round, []).append(math.log(value))

    def take_attempt(self, attempt: Attempt) -> None:
        """Take the cycles of a round that ended: some that seemed good are known to be disturbed by later ones."""
        key = attempt.key
        if attempt.status is AttemptStatus.FAILED:
            self._failed.add((key.solution, key.suite))
        if key.solution == BASELINE or not attempt.blocks:
            return
        self._logs.setdefault((key.solution, key.suite), {})[key.round] = counted_logs(attempt)

    def forget(self, key: AttemptKey) -> None:
        """Forget the cycles of a round that is measured again."""
        self._failed.discard((key.solution, key.suite))
        self._logs.get((key.solution, key.suite), {}).pop(key.round, None)

    def take_round(self, event: RoundEnded) -> None:
        """Take an interim result."""
        self.result = event.result
        for one in event.result.candidates:
            if one.ratio is not None:
                self._rounds.setdefault((one.solution, one.suite), {})[event.result.round] = one.ratio

    def curves(self) -> tuple[RatioCurve, ...]:
        """Return one curve per candidate that has a cycle, the one with the lowest latency first.

        The ratio at a cycle is that of the geometric means of as many cycles of each. One with more cycles than others
        is divided by the lowest of their last as well: where candidates are up in turn, they have not left.
        """
        logs = {key: [log for number in sorted(rounds) for log in rounds[number]] for key, rounds in self._logs.items()}
        means = {key: _running_means(values) for key, values in logs.items() if values}
        compared = {key: values for key, values in means.items() if key not in self.references} or means
        most = max((values.size for values in means.values()), default=0)
        held = [self._held(key, values, most) for key, values in compared.items()]
        lowest = np.min(held, axis=0) if held else np.empty(0)
        known = np.isfinite(lowest)
        lowest[~known] = lowest[known][-1:]
        curves = [
            RatioCurve(
                key,
                np.arange(1.0, values.size + 1),
                np.exp(values - lowest[: values.size]),
                self._round_ratios(key),
            )
            for key, values in means.items()
        ]
        return tuple(sorted(curves, key=lambda curve: float(curve.ratio[-1])))

    def _held(self, key: Key, values: npt.NDArray[np.float64], number: int) -> npt.NDArray[np.float64]:
        """Return as many values as wanted: the last one again and again, infinite for a candidate that failed."""
        if key in self._failed:
            return np.pad(values, (0, number - values.size), constant_values=np.inf)
        return np.pad(values, (0, number - values.size), mode="edge")

    def _round_ratios(self, key: Key) -> tuple[RoundRatio, ...]:
        """Return the ratios after rounds; of rounds in which a candidate was not measured any more the newest."""
        logs = self._logs.get(key, {})
        found: dict[int, RoundRatio] = {}
        for number, ratio in sorted(self._rounds.get(key, {}).items()):
            cycle = sum(len(values) for round_, values in logs.items() if round_ <= number)
            found[cycle] = RoundRatio(number, cycle, ratio.value, ratio.low, ratio.high)
        return tuple(one for cycle, one in found.items() if cycle)


def _running_means(logs: list[float]) -> npt.NDArray[np.float64]:
    """Return the mean of all logarithms up to each."""
    return np.cumsum(logs) / np.arange(1, len(logs) + 1)
