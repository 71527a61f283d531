"""Colours, dashes and lengths of names in figures, and where labels go so that none covers another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.results import CandidateId
from app.wording.colours import SeriesStyle, series_style

_LONGEST_NAME = 54
"""Characters."""


def shortened(name: str) -> str:
    """Return a title, cut where it would leave no room for the figure."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def styles(candidates: Sequence[CandidateId]) -> dict[CandidateId, SeriesStyle]:
    """Return colour and dashes of every candidate; suites of one solution differ in their dashes."""
    seen: Counter[str] = Counter()
    found: dict[CandidateId, SeriesStyle] = {}
    for solution, suite in candidates:
        found[solution, suite] = series_style(solution, seen[solution])
        seen[solution] += 1
    return found


def stacked(positions: Sequence[float], heights: Sequence[float], low: float, high: float) -> list[float]:
    """Move labels apart as little as possible so that each has its room; where that is too little, all have less.

    Neighbours that are too close form a block around the mean of where they want to be; blocks that touch merge.

    Args:
        positions: Where their centres want to be, in any order.
        heights: Room that each needs.
        low: Lower end of the room for all.
        high: Upper end.

    Returns:
        Their centres in the order of `positions`.
    """
    squeeze = min(1.0, (high - low) / max(sum(heights), 1e-9))
    rooms = [squeeze * height for height in heights]
    blocks: list[_Block] = []
    for index in sorted(range(len(positions)), key=lambda index: positions[index]):
        blocks.append(_Block([index], positions[index] - rooms[index] / 2, rooms[index]))
        while len(blocks) > 1 and blocks[-1].within(low, high) < blocks[-2].within(low, high) + blocks[-2].height:
            upper = blocks.pop()
            blocks[-1] = blocks[-1].merged(upper)
    centres = [0.0] * len(positions)
    for block in blocks:
        start = block.within(low, high)
        for index in block.members:
            centres[index] = start + rooms[index] / 2
            start += rooms[index]
    return centres


@dataclass(frozen=True, slots=True)
class _Block:
    """Labels without a gap.

    Attributes:
        members: Their indices, from below.
        start: Where the lower end of the block would be at the mean of what its members want.
        height: Room of all together.
    """

    members: list[int]
    start: float
    height: float

    def within(self, low: float, high: float) -> float:
        """Return its lower end, between low and high."""
        return max(low, min(self.start, high - self.height))

    def merged(self, upper: _Block) -> _Block:
        """Return this block with the one above it."""
        wanted = len(self.members) * self.start + len(upper.members) * (upper.start - self.height)
        members = self.members + upper.members
        return _Block(members, wanted / len(members), self.height + upper.height)
