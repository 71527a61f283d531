"""How far a census is and how long it will still take."""

from __future__ import annotations

import time
from collections.abc import Callable

from app.domain.census import CensusItem, OptionResult, OptionStatus
from app.domain.events import CensusSink, Progress

GUESS_S = 4.0
"""What an option takes, in seconds, until one has been tried."""

RECENT = 12
"""So many of the latest options say how long the next ones will take."""


class CensusMeter:
    """Counts options, and predicts from the latest ones.

    Args:
        total: Options in the plan.
        done: How many have a result already.
        emit: Gets Progress events.
        clock: Monotonic seconds.
    """

    def __init__(self, total: int, done: int, emit: CensusSink, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._done = done
        self._emit = emit
        self._clock = clock
        self._began_s = clock()
        self._took_s: list[float] = []

    def begin(self, item: CensusItem) -> None:
        """An option begins."""
        self._tell(f"{item.solution}: {item.name}")

    def end(self, item: CensusItem, result: OptionResult, *, is_new: bool) -> None:
        """An option ended.

        Args:
            item: Which one.
            result: What became of it.
            is_new: Whether it had no result before.
        """
        self._done += is_new
        if result.status is not OptionStatus.NOT_RUN:
            self._took_s = [*self._took_s, result.took_s][-RECENT:]
        self._tell(f"{item.solution}: {item.name}: {result.status}")

    def _tell(self, text: str) -> None:
        each_s = sum(self._took_s) / len(self._took_s) if self._took_s else GUESS_S
        self._emit(
            Progress(
                fraction=min(1.0, self._done / self._total) if self._total else 1.0,
                elapsed_s=self._clock() - self._began_s,
                left_s=max(0, self._total - self._done) * each_s,
                text=text,
            )
        )
