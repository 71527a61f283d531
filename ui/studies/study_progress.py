"""Progress of a run of a study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from ui.common.texts import count, duration, tr

F = TypeVar("F")
"""Form in which a study's results are shown."""


@dataclass(frozen=True, slots=True)
class StudyProgress(Generic[F]):
    """Progress of a run.

    Attributes:
        pair: Name of the pair, and what its nodes are where they are no namespaces.
        part: Name of the part.
        amount: Numbers `%1` of `%2` in words.
        done: Number of measurements of this run that have ended.
        total: Number of measurements of this run.
        left_s: Predicted time of the others, in s.
        fraction: Share of the predicted time that has passed, 0 to 1.
        found: All results so far; None before the first one of this run.
    """

    pair: str
    part: str
    amount: str
    done: int
    total: int
    left_s: float
    fraction: float
    found: F | None = None

    @property
    def text(self) -> str:
        """Return it in words."""
        done = self.amount.replace("%1", count(self.done)).replace("%2", count(self.total))
        return f"{done} · {tr('about %1 left').replace('%1', duration(self.left_s))}"
