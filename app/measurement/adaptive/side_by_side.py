"""Check that candidates may be measured while others are up: their idle tunnels must not change a latency."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

MOST_MOVED = 0.05
"""If idle tunnels change a latency by more than this share, one is up at a time. Source: our choice."""

CHECK_BLOCKS = 5
"""Blocks before, and after the others are up."""

_ERRORS_BEYOND_CHANCE = 2.0
"""A change counts from so many standard errors on: five blocks scatter by several percent of themselves."""

ONE_AT_A_TIME = "Candidates were measured with one tunnel at a time"
"""Begin of the doubt that every attempt of such a comparison has; resuming knows it by that."""


@dataclass(frozen=True, slots=True)
class Moved:
    """Change of a latency when the others came up: its ratio, and the standard error of the ratio's logarithm."""

    title: str
    ratio: float
    error: float

    @property
    def is_too_much(self) -> bool:
        """Whether it is more than 5 %, and more than chance."""
        change = abs(math.log(self.ratio))
        return change > math.log(1.0 + MOST_MOVED) and change > _ERRORS_BEYOND_CHANCE * self.error

    def sentence(self) -> str:
        """Return the change as a sentence."""
        percent = (self.ratio - 1.0) * 100.0
        return f"The latency of {self.title} changed by {percent:+.0f} % when the other tunnels came up."


def moved(title: str, before_ms: Sequence[float | None], after_ms: Sequence[float | None]) -> Moved:
    """Compare block values in ms before and after the others came up; values that are missing are left out."""
    logs = [[math.log(value) for value in values if value] for values in (before_ms, after_ms)]
    if min(map(len, logs)) < 2:
        return Moved(title, 1.0, math.inf)
    variance = sum(statistics.variance(values) / len(values) for values in logs)
    return Moved(title, math.exp(statistics.median(logs[1]) - statistics.median(logs[0])), math.sqrt(variance))
