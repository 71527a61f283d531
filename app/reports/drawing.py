"""Shared parts of all figures: size, axes, labels at the end of each curve."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from app.reports.labels import spread
from app.reports.svg import FigureTheme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH_IN = 5.2
HEIGHT_IN = 3.5
LABEL_GAP_PT = 11.5
"""Least distance between the baselines of two labels."""

_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # names come from hosts and files; a $ is a $
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
}

_lock = threading.Lock()
"""matplotlib's settings are global, so only one thread draws at a time."""


@contextmanager
def settings() -> Iterator[None]:
    """Draw with the report's settings instead of those that a user may have in a matplotlibrc."""
    import matplotlib as mpl

    with _lock, mpl.rc_context(), warnings.catch_warnings():
        # Letters that the font lacks are drawn by the browser, which has others.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font", category=UserWarning)
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        yield


def new_axes(
    theme: FigureTheme, *, right: float, left: float = 0.125, height_in: float = HEIGHT_IN
) -> tuple[Figure, Axes]:
    """Return an empty figure with one pair of axes.

    Args:
        right: Where the axes end, as a share of the width; what is beyond is for labels.
        left: Where they begin.
        height_in: Height in inches.

    Returns:
        Figure and axes.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH_IN, height_in))
    figure.patch.set_visible(False)
    below = 0.47 / height_in
    axes = figure.add_axes((left, below, right - left, 1 - below - 0.1 / height_in))
    axes.patch.set_visible(False)
    axes.grid(visible=True, color=theme.muted, linewidth=0.6)
    axes.set_axisbelow(True)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(theme.ink)
        spine.set_linewidth(0.8)
    axes.tick_params(colors=theme.ink, which="both", length=3)
    axes.xaxis.label.set_color(theme.ink)
    axes.yaxis.label.set_color(theme.ink)
    return figure, axes


def room_for(labels: Sequence[str]) -> float:
    """Return where axes must end, as a share of the width, for these labels to fit right of them."""
    longest = max((len(line) for label in labels for line in label.splitlines()), default=0)
    return max(0.5, 0.93 - 0.0165 * longest)


def plain_log_ticks(axes: Axes, which: str = "y") -> None:
    """Number a logarithmic axis at 1, 2 and 5 of every decade, without exponents."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axis = axes.yaxis if which == "y" else axes.xaxis
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(NullLocator())


def draw_beside(axes: Axes, points: Sequence[tuple[float, float, str]], theme: FigureTheme) -> None:
    """Write names right of their points, moved up or down where one would cover another.

    Args:
        axes: Axes with their final limits.
        points: Per point x and y in data, and its name.
        theme: Colours.
    """
    figure = axes.figure
    points_per_px = 72.0 / figure.dpi
    box = axes.get_window_extent()
    starts = [axes.transData.transform((x, y)) * points_per_px for x, y, _ in points]
    lines = max((name.count("\n") + 1 for _, _, name in points), default=1)
    wanted = [float(start[1]) for start in starts]
    places = spread(wanted, LABEL_GAP_PT * lines, box.y0 * points_per_px, box.y1 * points_per_px)
    for (x, y, name), start, place in zip(points, starts, places, strict=True):
        axes.annotate(
            name,
            (x, y),
            xytext=(10, place - float(start[1])),
            textcoords="offset points",
            va="center",
            color=theme.ink,
            annotation_clip=False,
            linespacing=0.95,
        )


def draw_end_labels(axes: Axes, ends: Sequence[tuple[float, float, str, str]], theme: FigureTheme) -> None:
    """Write each curve's name at its right end, moved up or down so that none covers another.

    Args:
        axes: Axes with their final limits.
        ends: Per curve its last point (x, y in data), its name and its colour.
    """
    figure = axes.figure
    points_per_px = 72.0 / figure.dpi
    box = axes.get_window_extent()
    wanted = [float(axes.transData.transform((x, y))[1]) * points_per_px for x, y, _, _ in ends]
    lines = max((name.count("\n") + 1 for _, _, name, _ in ends), default=1)
    places = spread(wanted, LABEL_GAP_PT * lines, box.y0 * points_per_px, box.y1 * points_per_px)
    right = box.x1 * points_per_px
    for (x, y, name, colour), place in zip(ends, places, strict=True):
        start = axes.transData.transform((x, y)) * points_per_px
        axes.annotate(
            name,
            (x, y),
            xytext=(right + 12 - start[0], place - start[1]),
            textcoords="offset points",
            va="center",
            color=theme.ink,
            annotation_clip=False,
            linespacing=0.95,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 1.0, "shrinkA": 1, "shrinkB": 3},
        )
