"""Collection of cyclic garbage, on the window's thread alone."""

from __future__ import annotations

import gc
import time

from PySide6.QtCore import QObject, QTimer

_EVERY_MS = 500
_WHOLE_EVERY_S = 30.0
"""All objects are gone through at most that often: it takes tens of milliseconds."""


class Collector(QObject):
    """Collects garbage in place of Python, which does so in whatever thread and wherever something is allocated.

    An object of Qt that is deleted in a worker thread holds a lock of Qt while it waits for the interpreter; the
    window's thread may hold the interpreter and wait for that lock. Both then wait for ever. Seen with PySide6 6.11 on
    Python 3.11: a worker ranked comparisons and collected what a closed page had left. The same lock is waited for
    where a collection begins within the destructor of another object. From the first collector on, the process
    collects from the event loop alone.

    Args:
        window: Lives as long as the collector.
    """

    _whole_s = 0.0

    def __init__(self, window: QObject) -> None:
        super().__init__(window)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    @classmethod
    def collect(cls) -> None:
        """Collect the oldest generation that is due."""
        counts, limits = gc.get_count(), gc.get_threshold()
        if counts[2] > limits[2] and time.monotonic() >= cls._whole_s + _WHOLE_EVERY_S:
            cls._whole_s = time.monotonic()
            gc.collect(2)
        elif counts[1] > limits[1]:
            gc.collect(1)
        elif counts[0] > limits[0]:
            gc.collect(0)
