"""Progress of an adaptive comparison: time passed, and time left as the rounds so far predict it."""

from __future__ import annotations

import time
from collections.abc import Callable

from app.domain.events import Progress
from app.measurement.progress import Meter

_LEAST_LEFT_SHARE = 0.03
"""A part that takes longer than predicted keeps so much of its prediction as left."""


class BudgetMeter(Meter):
    """Meter whose prediction is corrected after each round, by which alone the time that is left follows.

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
