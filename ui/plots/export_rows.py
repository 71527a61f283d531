"""Figures of a plot for other programs: plain numbers, with their units in the headers."""

from __future__ import annotations

import math
from dataclasses import dataclass

from app.domain.ranking import Estimate, Ratio
from ui.common.sample_model import Curve

Cell = str | int | float | None

CURVE_COLUMNS = ("frame_bytes", "mean_ms", "p5_ms", "p95_ms", "replies")
"""Columns of a point of a curve over frame size."""

WEIGHTED_COLUMNS = ("weighted_latency_ms", "low_ms", "high_ms", "rounds")
"""Columns of a weighted latency with the 95 % interval of its mean."""

_DIGITS = 9
"""Significant digits of a number: µs of a time in seconds of three years."""


@dataclass(frozen=True, slots=True)
class ExportRows:
    """All figures that a plot shows.

    Attributes:
        headers: One per column, in English, with the unit.
        rows: As many cells each; None and NaN where there is no figure.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def plain(cell: Cell) -> str:
    """Return a cell as other programs read it: with a point in every language, empty where there is no figure."""
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        return ""
    return f"{cell:.{_DIGITS}g}" if isinstance(cell, float) else str(cell)


def estimate_cells(estimate: Estimate) -> tuple[float, float | None, float | None, int]:
    """Return mean, low and high end of its interval, and rounds."""
    low, high = estimate.ci or (None, None)
    return estimate.mean, low, high, estimate.rounds


def ratio_cells(ratio: Ratio) -> tuple[float, float | None, float | None]:
    """Return a ratio, low and high end of its interval."""
    low, high = ratio.interval or (None, None)
    return ratio.value, low, high


def curve_cells(curve: Curve) -> list[tuple[Cell, ...]]:
    """Return the cells of `CURVE_COLUMNS` for each point of a curve."""
    columns = (curve.frame_bytes, curve.mean_ms, curve.p5_ms, curve.p95_ms, curve.replies)
    return [tuple(map(float, cells)) for cells in zip(*columns, strict=True)]
