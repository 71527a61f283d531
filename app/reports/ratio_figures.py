"""Figures of candidates against each other: ratios to the fastest, and throughput against latency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.domain.ranking import Ratio
from app.reports.bars import bar_axes
from app.reports.drawing import draw_beside, draw_value, new_axes, plain_log_ticks
from app.reports.svg import FigureTheme
from app.wording.language import tr
from app.wording.numbers import figure as number
from app.wording.numbers import with_local_sign

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_AROUND = 0.08
_ROOM_FOR_NAMES = 2.5
"""The axis of latencies goes on beyond the slowest by this factor: names are right of their points."""


@dataclass(frozen=True, slots=True)
class FrontierMark:
    """A point with what it is called and how it is drawn.

    Attributes:
        label: Name beside it.
        colour: `#rrggbb`.
        marker: Shape, as matplotlib calls it.
        latency_ms: Weighted latency.
        throughput_mbit_s: Mean of both directions.
        has_ring: Whether no other candidate that may be recommended outdoes it.
    """

    label: str
    colour: str
    marker: str
    latency_ms: float
    throughput_mbit_s: float
    has_ring: bool


def ratios_figure(rows: Sequence[tuple[str, str, str, Ratio]], theme: FigureTheme) -> Figure:
    """Draw a point with its interval for each candidate, and a line at 1.

    Args:
        rows: Per candidate its name, colour, shape of its point, and ratio.
        theme: Colours.

    Returns:
        The figure.
    """
    figure, axes = bar_axes([name for name, _, _, _ in rows], theme)
    axes.axvline(1.0, color=theme.ink, linewidth=0.8)
    for y, (_, colour, marker, ratio) in enumerate(rows):
        end = ratio.value
        if ratio.low is not None and ratio.high is not None:
            axes.plot((ratio.low, ratio.high), (y, y), color=colour, linewidth=1.6)
            end = ratio.high
        axes.plot(ratio.value, y, marker=marker, markersize=6, color=colour)
        draw_value(axes, (end, y), number(ratio.value), theme, gap_pt=5)
    ends = [end for *_, one in rows for end in (one.low, one.value, one.high) if end is not None]
    low, high = min(1.0, *ends), max(1.0, *ends)
    around = max(0.01, _AROUND * (high - low))
    axes.set_xlim(max(0.0, low - around), high + 2 * around)
    axes.xaxis.set_major_formatter(lambda value, _: with_local_sign(f"{value:g}"))
    axes.set_xlabel(tr("latency, times the fastest"))
    return figure


def frontier_figure(marks: Sequence[FrontierMark], theme: FigureTheme) -> Figure:
    """Draw throughput over latency, both logarithmic, with a ring around those that no other one outdoes."""
    figure, axes = new_axes(theme, right=0.97)
    for one in marks:
        place = one.latency_ms, one.throughput_mbit_s
        if one.has_ring:
            axes.plot(*place, marker="o", markersize=12, color=one.colour, fillstyle="none")
        axes.plot(*place, marker=one.marker, markersize=6, color=one.colour)
    axes.set_xscale("log")
    axes.set_yscale("log")
    x, y = [one.latency_ms for one in marks], [one.throughput_mbit_s for one in marks]
    axes.set_xlim(min(x) * 0.8, max(x) * _ROOM_FOR_NAMES)
    axes.set_ylim(min(y) * 0.7, max(y) * 1.4)
    plain_log_ticks(axes)
    plain_log_ticks(axes, which="x")
    axes.set_xlabel(tr("weighted latency, ms"))
    axes.set_ylabel(tr("throughput, Mbit/s"))
    draw_beside(axes, [(one.latency_ms, one.throughput_mbit_s, one.label) for one in marks], theme)
    return figure
