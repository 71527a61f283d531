"""Figure of a hub's CPU over time: stacked from user, system, interrupts, taken by a hypervisor; the rest is idle."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from app.domain.results import CpuUsage
from app.reports.drawing import key_above, new_axes, settings
from app.reports.svg import FigureTheme, to_svg
from app.wording.colours import CPU_PART_COLOURS
from app.wording.language import mark, tr

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PARTS = (
    (mark("user"), "user_pct"),
    (mark("system"), "system_pct"),
    (mark("interrupts"), "softirq_pct"),
    (mark("taken by the hypervisor"), "steal_pct"),
)
"""Parts from below, with the field of `CpuUsage` that has each; what is left of 100 % is idle or waits for I/O."""

_HEIGHT_IN = 2.9
_HEAD_IN = 0.3
"""Height above the axes for the key."""


def cpu_edges(cpu: Sequence[CpuUsage]) -> tuple[list[float], list[float]]:
    """Return when each interval begins and ends, in s from the beginning; there is at least one."""
    ends = list(accumulate(one.seconds for one in cpu))
    return [0.0, *ends[:-1]], ends


def hub_figure(cpu: Sequence[CpuUsage], theme: FigureTheme) -> Figure:
    """Draw CPU over time, in % of all cores.

    Args:
        cpu: One value per interval, in order; at least one.
        theme: Colours.
    """
    from matplotlib.patches import Patch

    figure, axes = new_axes(theme, left=0.125, right=0.98, height_in=_HEIGHT_IN)
    box = axes.get_position()
    axes.set_position((box.x0, box.y0, box.width, box.height - _HEAD_IN / _HEIGHT_IN))
    _, ends = cpu_edges(cpu)
    below = [0.0] * len(cpu)
    for (_, field), colour in zip(PARTS, CPU_PART_COLOURS, strict=True):
        above = [low + getattr(one, field) for low, one in zip(below, cpu, strict=True)]
        axes.stairs(above, [0.0, *ends], baseline=below, fill=True, color=colour)
        below = above
    axes.set_xlim(0, ends[-1])
    axes.set_ylim(0, 100)
    axes.set_xlabel("s")
    axes.set_ylabel(tr("CPU, % of all cores"))
    handles = [
        Patch(color=colour, label=tr(name), linewidth=0)
        for (name, _), colour in zip(PARTS, CPU_PART_COLOURS, strict=True)
    ]
    key_above(axes, handles, theme)
    return figure


def hub_svg(cpu: Sequence[CpuUsage], theme: FigureTheme, *, name: str, description: str) -> str:
    """Return the figure as an SVG element.

    Args:
        cpu: One value per interval, in order; at least one.
        theme: Colours.
        name: Letters, for ids.
        description: What it shows, for people who do not see it.
    """
    with settings():
        return to_svg(hub_figure(cpu, theme), name=name, description=description, theme=theme)
