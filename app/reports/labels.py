"""Colours, dashes and lengths of names in figures, and where labels go so that none covers another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

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

    The lower ends, each less the room of all labels below it, have to ascend: isotonic regression moves them least.

    Args:
        positions: Where their centres want to be, in any order.
        heights: Room that each needs.
        low: Lower end of the room for all.
        high: Upper end.

    Returns:
        Their centres in the order of `positions`.
    """
    from scipy.optimize import isotonic_regression

    if not positions:
        return []
    order = np.argsort(positions, kind="stable")
    rooms = np.array(heights)[order] * min(1.0, (high - low) / max(sum(heights), 1e-9))
    below = np.cumsum(rooms) - rooms
    starts = isotonic_regression(np.array(positions)[order] - rooms / 2 - below).x
    centres = np.empty(len(order))
    centres[order] = np.clip(starts, low, high - rooms.sum()) + below + rooms / 2
    found: list[float] = centres.tolist()
    return found
