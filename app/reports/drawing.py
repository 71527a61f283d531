"""Shared parts of all figures: size, axes, labels at the end of each curve."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from app.reports.labels import stacked
from app.reports.svg import FigureTheme
from app.wording.numbers import with_local_sign

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH_IN = 5.2
HEIGHT_IN = 3.5
_BELOW_IN = 0.47
"""Height of what is below the axes."""
_AROUND_IN = _BELOW_IN + 0.1
"""Height of that and of what is above the axes."""
LABEL_GAP_PT = 11.5
"""Least distance between the baselines of two labels."""

_LETTER_PT = 5.5
"""Width of a letter, on average. Source: DejaVu Sans at 9 points; a wide one has more, a narrow one less."""
_TO_ITS_LEFT = {"relpos": (0.0, 0.5)}
"""A line ends at the middle of its label's left side, and crosses no label."""

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


def key_above(axes: Axes, handles: Sequence[Artist], theme: FigureTheme) -> None:
    """Put a key above the axes, in one line."""
    axes.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=len(handles),
        frameon=False,
        labelcolor=theme.ink,
        fontsize=8,
        handlelength=1.2,
        borderaxespad=0.2,
    )


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
    below = _BELOW_IN / height_in
    axes = figure.add_axes((left, below, right - left, 1 - _AROUND_IN / height_in))
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


def height_for(labels: Sequence[str]) -> float:
    """Return the height of a figure in inches that has room for these labels above each other."""
    return max(HEIGHT_IN, _AROUND_IN + sum(_height_pt(label) for label in labels) / 72.0)


def _height_pt(label: str) -> float:
    return LABEL_GAP_PT * (label.count("\n") + 1)


def _width_pt(label: str) -> float:
    return _LETTER_PT * max(map(len, label.splitlines()), default=0) + 2 * LABEL_GAP_PT


def _columns(starts: Sequence[float], widths: Sequence[float]) -> list[list[int]]:
    """Return which labels have others above or below them; those of different columns cannot touch."""
    columns: list[list[int]] = []
    end = 0.0
    for nth in sorted(range(len(starts)), key=lambda nth: starts[nth]):
        if columns and starts[nth] < end:
            columns[-1].append(nth)
        else:
            columns.append([nth])
            end = starts[nth]
        end = max(end, starts[nth] + widths[nth])
    return columns


def plain_log_ticks(axes: Axes, which: str = "y") -> None:
    """Number a logarithmic axis at 1, 2 and 5 of every decade, without exponents."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axis = axes.yaxis if which == "y" else axes.xaxis
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: with_local_sign(f"{value:g}")))
    axis.set_minor_locator(NullLocator())


def draw_value(axes: Axes, place: tuple[float, float], text: str, theme: FigureTheme, gap_pt: float = 4) -> None:
    """Write a value right of the end of its bar or interval, which is at `place` in data."""
    axes.annotate(text, place, xytext=(gap_pt, 0), textcoords="offset points", va="center", color=theme.ink, fontsize=8)


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
    places = [0.0] * len(points)
    for column in _columns([float(start[0]) for start in starts], [_width_pt(name) for _, _, name in points]):
        wanted, heights = [float(starts[nth][1]) for nth in column], [_height_pt(points[nth][2]) for nth in column]
        stack = stacked(wanted, heights, box.y0 * points_per_px, box.y1 * points_per_px)
        for nth, place in zip(column, stack, strict=True):
            places[nth] = place
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
    heights = [_height_pt(name) for _, _, name, _ in ends]
    places = stacked(wanted, heights, box.y0 * points_per_px, box.y1 * points_per_px)
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
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "linewidth": 1.0,
                "shrinkA": 1,
                "shrinkB": 3,
                **_TO_ITS_LEFT,
            },
        )
