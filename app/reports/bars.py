"""Bars: throughput in both directions, CPU in its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from app.domain.ranking import Estimate
from app.reports.drawing import draw_value, key_above, new_axes
from app.reports.svg import FigureTheme
from app.wording.language import mark, tr
from app.wording.numbers import figure as number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BAR = 0.36
_DIRECTIONS = (("a_to_b", "A→B", -0.2, 1.0), ("b_to_a", "B→A", 0.2, 0.55))
_PARTS = ((mark("user"), 1.0), (mark("system"), 0.6), (mark("interrupts"), 0.28))


def throughput_figure(rows: Sequence[tuple[str, str, Mapping[str, Estimate]]], theme: FigureTheme) -> Figure:
    """Draw horizontal bars of throughput.

    Args:
        rows: Per candidate its name, colour, and estimates in Mbit/s by direction.

    Returns:
        The figure.
    """
    figure, axes = bar_axes([name for name, _, _ in rows], theme)
    highest = max((one.ci[1] if one.ci else one.mean for _, _, found in rows for one in found.values()), default=0.0)
    for position, (_, colour, found) in enumerate(rows):
        for direction, arrow, offset, alpha in _DIRECTIONS:
            estimate = found.get(direction)
            if estimate is None:
                continue
            y = position + offset
            axes.barh(y, estimate.mean, _BAR, color=colour, alpha=alpha)
            end = estimate.mean
            if estimate.ci is not None:
                axes.plot(estimate.ci, (y, y), color=theme.ink, linewidth=1.0)
                end = estimate.ci[1]
            draw_value(axes, (end, y), f"{arrow} {number(estimate.mean)}", theme)
    axes.set_xlim(0, highest * 1.25 or 1.0)
    axes.set_xlabel("Mbit/s")
    return figure


def cpu_figure(rows: Sequence[tuple[str, str, Mapping[str, tuple[float, float, float]]]], theme: FigureTheme) -> Figure:
    """Draw horizontal bars of CPU, stacked from user, system and interrupts.

    Args:
        rows: Per candidate its name, colour, and percentages by `a` and `b`.

    Returns:
        The figure.
    """
    figure, axes = bar_axes([name for name, _, _ in rows], theme, head=0.3)
    for position, (_, colour, found) in enumerate(rows):
        for side, offset in (("a", -0.2), ("b", 0.2)):
            left = 0.0
            for (_, alpha), part in zip(_PARTS, found.get(side, ()), strict=False):
                axes.barh(position + offset, part, _BAR, left=left, color=colour, alpha=alpha)
                left += part
            if side in found:
                draw_value(axes, (left, position + offset), f"{side.upper()} {number(left, 2)} %", theme)
    axes.set_xlim(0, 118)
    axes.set_xticks([0, 20, 40, 60, 80, 100])
    axes.set_xlabel(tr("CPU, % of all cores"))
    _key(axes, theme)
    return figure


def _key(axes: Axes, theme: FigureTheme) -> None:
    """Name the parts from dark to light above the bars."""
    from matplotlib.patches import Patch

    patches = [Patch(color=theme.ink, alpha=alpha, label=tr(name), linewidth=0) for name, alpha in _PARTS]
    key_above(axes, patches, theme)


def bar_axes(names: Sequence[str], theme: FigureTheme, head: float = 0.0) -> tuple[Figure, Axes]:
    """Return a figure with a line for each name from top to bottom, at 0, 1, 2 and so on.

    Args:
        names: Left of the lines.
        theme: Colours.
        head: Inches above that are free for a key.
    """
    height_in = 0.62 + head + 0.44 * max(1, len(names))
    longest = max((len(line) for name in names for line in name.splitlines()), default=1)
    figure, axes = new_axes(theme, left=min(0.45, 0.05 + 0.0145 * longest), right=0.98, height_in=height_in)
    if head:
        box = axes.get_position()
        axes.set_position((box.x0, box.y0, box.width, box.height - head / height_in))
    axes.set_yticks(range(len(names)), labels=list(names))
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    return figure, axes
