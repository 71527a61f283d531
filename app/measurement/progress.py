"""Progress of a campaign, and the estimate of its remaining time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence

from app.domain.events import Progress
from app.domain.results import AttemptKey

TICK_S = 0.5
"""Shortest interval between two progress events, in seconds."""

_ALMOST = 0.97

_PACE_FROM = 0.05
"""From this share of an attempt's probing on, its own pace corrects what is left of it."""

_CLEANUP_SHARE = 0.1
"""Share of an attempt's time, roughly; it comes after the probes."""

_LEAST_LEFT_SHARE = 0.03
"""A part that takes longer than predicted keeps so much of its prediction as left."""


class Meter:
    """Base of the meters of a campaign: emits progress, though not too often. May be called from any thread.

    Of an attempt it only takes note that there is progress; its kinds say what else follows from it.

    Args:
        emit: Gets progress.
        clock: Monotonic seconds.
    """

    def __init__(self, emit: Callable[[Progress], None], clock: Callable[[], float]) -> None:
        self._emit = emit
        self._clock = clock
        self._lock = threading.Lock()
        self._text = ""
        self._fraction = 0.0
        self._last_s = float("-inf")

    def begin(self, position: int, text: str) -> None:
        """An attempt begins."""
        del position, text

    def end(self, position: int, *, is_typical: bool, text: str = "") -> None:
        """An attempt ended; its duration says something about others where it is typical."""
        del position, is_typical, text
        self.tick()

    def drop(self) -> None:
        """The attempt that began does not count; it will begin again."""
        self.tick()

    def probed(self, fraction: float) -> None:
        """So much of the running attempt's probing is done, from 0 to 1."""
        del fraction
        self.tick()

    def report(self, text: str) -> None:
        """Change the line that says what is happening."""
        with self._lock:
            self._text = text
        self.tick()

    def tick(self, *, is_urgent: bool = False) -> None:
        """Emit progress, unless it was emitted just now."""
        with self._lock:
            now_s = self._clock()
            if not is_urgent and now_s - self._last_s < TICK_S:
                return
            self._last_s = now_s
            progress = self._progress(now_s)
        self._emit(progress)

    def _progress(self, now_s: float) -> Progress:
        """Return how far it is; the lock is held."""
        raise NotImplementedError


class ProgressMeter(Meter):
    """Corrects predicted durations by those measured. May be called from any thread.

    Args:
        predicted: All attempts of the campaign in order, with predicted seconds of each.
        done: Positions that need not be run (any more).
        emit: Gets Progress events.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        predicted: Sequence[tuple[AttemptKey, float]],
        done: frozenset[int],
        emit: Callable[[Progress], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._predicted_s: Mapping[int, float] = {key.position: max(0.1, seconds) for key, seconds in predicted}
        self._candidates = {key.position: (key.solution, key.suite) for key, _ in predicted}
        super().__init__(emit, clock)
        self._done = set(done)
        self._took_s: dict[int, float] = {}
        self._current: int | None = None
        self._current_began_s = 0.0
        self._probing_began_s = 0.0
        self._probed = 0.0

    def begin(self, position: int, text: str) -> None:
        """An attempt begins."""
        with self._lock:
            self._current, self._current_began_s, self._text = position, self._clock(), text
            self._done.discard(position)
            self._probed = 0.0
        self.tick(is_urgent=True)

    def end(self, position: int, *, is_typical: bool, text: str = "") -> None:
        """An attempt ended.

        Args:
            is_typical: Whether its duration tells something about others (it completed).
            text: Line that says how; empty keeps the one before.
        """
        with self._lock:
            if is_typical:
                self._took_s[position] = self._clock() - self._current_began_s
            self._done.add(position)
            self._current = None
            self._text = text or self._text
        self.tick(is_urgent=True)

    def drop(self) -> None:
        """The attempt that began does not count; it will begin again."""
        with self._lock:
            self._current = None
        self.tick(is_urgent=True)

    def probed(self, fraction: float) -> None:
        """So much of the running attempt's probing is done, from 0 to 1."""
        with self._lock:
            if fraction <= 0.0 or self._probing_began_s < self._current_began_s:
                self._probing_began_s = self._clock()
            self._probed = fraction
        self.tick()

    def _progress(self, now_s: float) -> Progress:
        expected_s = self._expected_s()
        if self._current is not None:
            expected_s[self._current] = self._current_s(expected_s[self._current], now_s)
        total_s = sum(expected_s.values())
        passed_s = sum(expected_s[position] for position in self._done)
        if self._current is not None:
            passed_s += min(now_s - self._current_began_s, _ALMOST * expected_s[self._current])
        # A correction must not turn the bar back.
        self._fraction = max(self._fraction, min(1.0, passed_s / total_s) if total_s else 1.0)
        return Progress(
            fraction=self._fraction,
            left_s=max(0.0, total_s - passed_s),
            text=self._text,
        )

    def _current_s(self, expected_s: float, now_s: float) -> float:
        """Return how long the running attempt will take in all, judged by the pace of its probes."""
        passed_s = now_s - self._current_began_s
        if self._probed < _PACE_FROM:
            return expected_s
        probing_s = now_s - self._probing_began_s
        by_pace_s = passed_s + probing_s * (1.0 - self._probed) / self._probed + _CLEANUP_SHARE * expected_s
        return by_pace_s * self._probed + expected_s * (1.0 - self._probed)

    def _expected_s(self) -> dict[int, float]:
        """Return seconds per attempt: as measured, as the same candidate took before, or as predicted and corrected."""
        factor = 1.0
        if self._took_s:
            factor = sum(self._took_s.values()) / sum(self._predicted_s[position] for position in self._took_s)
        of_candidate: dict[tuple[str, str], list[float]] = {}
        for position, seconds in self._took_s.items():
            of_candidate.setdefault(self._candidates[position], []).append(seconds)
        expected: dict[int, float] = {}
        for position, predicted_s in self._predicted_s.items():
            same = of_candidate.get(self._candidates[position])
            if position in self._took_s:
                expected[position] = self._took_s[position]
            elif same:
                expected[position] = sum(same) / len(same)
            else:
                expected[position] = predicted_s * factor
        return expected


class BudgetMeter(Meter):
    """Meter of an adaptive comparison: its prediction is corrected after each round, and what is left follows from it.

    Args:
        left_s: Predicted seconds of the whole.
        emit: Gets progress.
    """

    def __init__(self, left_s: float, emit: Callable[[Progress], None]) -> None:
        super().__init__(emit, time.monotonic)
        self._began_s = self._predicted_at_s = self._clock()
        self._predicted_s = max(1.0, left_s)

    def expect(self, left_s: float) -> None:
        """Take another prediction of the seconds that are left."""
        with self._lock:
            self._predicted_at_s, self._predicted_s = self._clock(), max(0.0, left_s)
        self.tick(is_urgent=True)

    def _progress(self, now_s: float) -> Progress:
        left_s = self._predicted_s - (now_s - self._predicted_at_s)
        left_s = max(left_s, _LEAST_LEFT_SHARE * self._predicted_s)
        passed_s = now_s - self._began_s
        total_s = passed_s + left_s
        # A correction must not turn the bar back.
        self._fraction = max(self._fraction, passed_s / total_s if total_s > 0 else 1.0)
        return Progress(self._fraction, left_s, self._text)
