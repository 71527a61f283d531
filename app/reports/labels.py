"""Colours, dashes and lengths of names in figures, and where labels go so that none covers another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from app.wording.colours import SeriesStyle, series_style

CandidateId = tuple[str, str]
"""Solution and suite."""

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


def spread(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move positions apart as little as possible so that each has its room.

    Neighbours that are too close form a block around the mean of where they want to be; blocks that touch merge.

    Args:
        positions: Where the labels want to be, in any order.
        gap: Least distance between two of them.
        low: Lowest place.
        high: Highest place.

    Returns:
        Places in the order of `positions`. If there is no room for all, they are spread evenly from low to high.
    """
    if len(positions) > 1 and gap * (len(positions) - 1) > high - low:
        gap = (high - low) / (len(positions) - 1)
    order = sorted(range(len(positions)), key=lambda index: positions[index])
    blocks: list[list[int]] = []
    for index in order:
        blocks.append([index])
        while len(blocks) > 1 and _start(blocks[-1], positions, gap, low, high) < (
            _start(blocks[-2], positions, gap, low, high) + gap * len(blocks[-2])
        ):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    places = [0.0] * len(positions)
    for block in blocks:
        start = _start(block, positions, gap, low, high)
        for offset, index in enumerate(block):
            places[index] = start + gap * offset
    return places


def _start(block: Sequence[int], positions: Sequence[float], gap: float, low: float, high: float) -> float:
    centre = sum(positions[index] for index in block) / len(block)
    length = gap * (len(block) - 1)
    return min(max(centre - length / 2, low), high - length)
