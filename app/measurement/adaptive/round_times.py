"""Seconds of a round by part, from which the time of the next round is predicted."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from types import TracebackType
from typing import Generic, TypeVar

_T = TypeVar("_T")


class Part(StrEnum):
    """Parts of a round, in order."""

    INSPECTION = "inspection"
    CHECK = "side-by-side check"
    SET_UP = "set-up"
    WARM_UP = "warm-up"
    BLOCKS = "blocks"
    TCP = "TCP"
    RATE = "CPU at one rate"
    PACKETS = "packet tests"
    CLEANUP = "clean-up"


@dataclass
class RoundTimes:
    """Time of a round, by part.

    Attributes:
        clock: Monotonic seconds.
        seconds: By part; time of a part within another one does not count for the outer one.
        repeated_s: Seconds of blocks that were measured again; they are among those of the blocks.
    """

    clock: Callable[[], float] = time.monotonic
    seconds: dict[Part, float] = field(default_factory=lambda: defaultdict(float))
    repeated_s: float = 0.0
    _inner_s: float = field(default=0.0, init=False)

    @contextmanager
    def part(self, part: Part) -> Iterator[None]:
        """Count the time of a `with` block for a part."""
        before_s, self._inner_s, began_s = self._inner_s, 0.0, self.clock()
        try:
            yield
        finally:
            whole_s = self.clock() - began_s
            self.seconds[part] += whole_s - self._inner_s
            self._inner_s = before_s + whole_s

    def belongs_to(self, part: Part, since: Mapping[Part, float] | None = None) -> None:
        """Count it for one part: it was in vain.

        Args:
            since: Seconds by part that were not; None where all so far was in vain.
        """
        kept_s = dict(since or {})
        in_vain_s = sum(self.seconds.values()) - sum(kept_s.values())
        self.seconds.clear()
        self.seconds.update(kept_s)
        self.seconds[part] += in_vain_s

    def sentence(self, number: int) -> str:
        """Return the times as a line of a log."""
        total_s = sum(self.seconds.values())
        parts = ", ".join(f"{part} {self.seconds[part]:.1f}" for part in Part if self.seconds[part] >= 0.05)
        return f"Round {number} took {total_s:.1f} s: {parts}."


@dataclass
class TimedGroup(AbstractContextManager[_T], Generic[_T]):
    """A group of tunnels of which set-up and clean-up are timed.

    Attributes:
        group: Sets up and cleans up.
        times: Gets the seconds.
    """

    group: AbstractContextManager[_T]
    times: RoundTimes

    def __enter__(self) -> _T:
        with self.times.part(Part.SET_UP):
            return self.group.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        with self.times.part(Part.CLEANUP):
            return self.group.__exit__(kind, error, trace)
