"""Replies of each candidate in the order of sending, with rounds and outages: one small figure for each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from app.domain.ranking import Ranking
from app.domain.results import CampaignRecord, CandidateId
from app.ranking.sample_history import (
    LEAST_DRAWN_MS,
    Floats,
    SampleHistory,
    SampleOutage,
    history_sizes,
    sample_history,
)
from app.ranking.sample_words import history_note
from app.reports.drawing import new_axes, plain_log_ticks, settings
from app.reports.figure_data import history_data
from app.reports.figures import MARKERS, Drawn
from app.reports.labels import styles
from app.reports.svg import FigureTheme, to_svg
from app.reports.text import clean
from app.wording.colours import SeriesStyle
from app.wording.language import tr
from app.wording.numbers import grouped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_STROKES = 200
"""Strokes of a figure, roughly: one in 1.6 points of its width. More would touch, and make reports large."""
MOST_SHADES = 60
"""Outages that are shaded. Where there are more, the shortest ones are marks at the bottom, at most one by stroke."""
_HEIGHT_IN = 1.9
_HEAD_IN = 0.13
"""Room above the axes for the numbers of rounds."""
_LETTER_PT = 5.5
"""Width of a letter, on average."""
_SHADE_ALPHA = 0.4
_BAND_ALPHA = 0.35
_LEAST_SHADE_SHARE = 0.006
"""A shade is at least this part of the figure's width, some 2 points."""
_MARGIN = 0.01
"""Part of the samples that the axis goes on at the left and at the right."""
_MARK_HEIGHT = 0.06
"""Height of a mark at the bottom, as a part of the axes'."""

Line = Sequence[tuple[float, float]]


def draw_histories(record: CampaignRecord, ranking: Ranking, theme: FigureTheme) -> dict[CandidateId, Drawn]:
    """Draw the samples of each candidate that has some, of its smallest frame size, as the window does at first.

    Args:
        theme: Colours of the place of the figures.
    """
    line_styles = styles([(one.solution, one.suite) for one in record.plan.candidates])
    drawn = {}
    with settings():
        for nth, one in enumerate(ranking.results, start=1):
            key = one.solution, one.suite
            attempts = record.attempts_of(key)
            for size in history_sizes(attempts)[:1]:
                history = sample_history(attempts, size, record.started_at)
                if history is not None:
                    drawn[key] = _drawn(f"time{nth}", one.title, history, line_styles[key], theme)
    return drawn


def _drawn(name: str, title: str, history: SampleHistory, style: SeriesStyle, theme: FigureTheme) -> Drawn:
    text = tr("Round-trip times of {title} in the order of sending, {size}-byte frames, outages shaded")
    description = text.format(title=clean(title), size=history.frame_bytes)
    return Drawn(
        name,
        tr("Over time: {size}-byte frames").format(size=history.frame_bytes),
        " ".join((history_note(history), *_how_to_read(history))),
        to_svg(history_figure(history, style, theme), name=name, description=description, theme=theme),
        history_data(history),
    )


def _how_to_read(history: SampleHistory) -> list[str]:
    """Return what is drawn, and what is not."""
    merged = _merged(history)
    parts = [tr("Dots are replies, the larger mark is the median of a round.")]
    if merged > 1:
        text = tr(
            "The line is the median of every {number} requests in a row, the band goes from the fastest to the slowest "
            "of them, and the mark is the median of a round."
        )
        parts = [text.format(number=grouped(merged))]
    if history.at_s is not None and len(history.by_round()) > 1:
        parts.append(tr("The time between rounds is left out."))
    shaded = _shaded(history)
    if len(shaded) < len(history.outages):
        text = tr("Outages of {number} requests and more are shaded, shorter ones are marked at the bottom.")
        parts.append(text.format(number=grouped(1 + max(one.requests for one in set(history.outages) - set(shaded)))))
    elif shaded:
        parts.append(tr("Outages are shaded."))
    return parts


def _merged(history: SampleHistory) -> int:
    """Return how many samples in a row one stroke is of."""
    return -(-history.rtt_ms.size // MOST_STROKES)


def _shaded(history: SampleHistory) -> tuple[SampleOutage, ...]:
    """Return the outages that are shaded: the longest, and of those that are equally long all or none."""
    sizes = sorted((one.requests for one in history.outages), reverse=True)
    least = sizes[MOST_SHADES] + 1 if len(sizes) > MOST_SHADES else 1
    return tuple(one for one in history.outages if one.requests >= least)


def history_figure(history: SampleHistory, style: SeriesStyle, theme: FigureTheme) -> Figure:
    """Draw the samples of one candidate: some `MOST_STROKES` strokes of them, and at most `MOST_SHADES` shades."""
    figure, axes = new_axes(theme, right=0.96, height_in=_HEIGHT_IN)
    box = axes.get_position()
    axes.set_position((box.x0, box.y0, box.width, box.height - _HEAD_IN / _HEIGHT_IN))
    count = history.rtt_ms.size
    axes.set_xlim(0.5 - _MARGIN * count, 0.5 + (1 + _MARGIN) * count)
    axes.grid(visible=False, axis="x")
    _draw_outages(axes, history, theme)
    numbered = _draw_rounds(axes, history, theme)
    _draw_replies(axes, history, style)
    _draw_medians(axes, [history.by_round()[nth][1] for nth in numbered], history, style)
    axes.set_ylabel(tr("round-trip time, ms"))
    return figure


def _strokes(history: SampleHistory) -> tuple[Floats, Floats]:
    """Return the strokes of the replies, each of `_merged` samples of one round; those without a reply have none.

    Returns:
        Middle of each one's requests, counted from 1, and its fastest, median and slowest reply in ms, shape (3, n).
    """
    merged = _merged(history)
    spans = [
        (first, min(first + merged, places.stop))
        for _, places in history.by_round()
        for first in range(places.start, places.stop, merged)
    ]
    seen = [(first, after) for first, after in spans if not np.isnan(history.rtt_ms[first:after]).all()]
    middles = np.asarray([(first + 1 + after) / 2 for first, after in seen], np.float64)
    heights = [np.nanquantile(history.rtt_ms[first:after], (0, 0.5, 1)) for first, after in seen]
    return middles, np.asarray(heights, np.float64).reshape(-1, 3).T


def _draw_replies(axes: Axes, history: SampleHistory, style: SeriesStyle) -> None:
    x, rtt_ms = _strokes(history)
    if not x.size:
        axes.set_yticks([])
        return
    low, middle, high = np.maximum(rtt_ms, LEAST_DRAWN_MS)
    _scale_heights(axes, float(low.min()), float(high.max()))
    merged = _merged(history)
    patch = {"alpha": _BAND_ALPHA, "linewidth": 1.6} if merged > 1 else {"linewidth": 2.2, "capstyle": "round"}
    bars = [((at, one), (at, other)) for at, one, other in zip(x, low, high, strict=True)]
    _draw_lines(axes, bars, "replies", edgecolor=style.colour, **patch)
    if merged > 1:
        rounds = history.rounds[np.minimum(x.astype(int), history.rounds.size) - 1]
        breaks = np.flatnonzero((np.diff(x) > merged) | (np.diff(rounds) > 0)) + 1
        lines = [line.tolist() for line in np.split(np.column_stack((x, middle)), breaks)]
        _draw_lines(axes, lines, "medians", edgecolor=style.colour, linewidth=1.2)


def _draw_medians(axes: Axes, rounds: Sequence[slice], history: SampleHistory, style: SeriesStyle) -> None:
    """Mark the medians of rounds, which are given by the places of their samples."""
    answered = [places for places in rounds if not np.isnan(history.rtt_ms[places]).all()]
    axes.plot(
        [(places.start + 1 + places.stop) / 2 for places in answered],
        [max(float(np.nanmedian(history.rtt_ms[places])), LEAST_DRAWN_MS) for places in answered],
        marker=MARKERS[style.marker],
        markersize=6,
        color=style.colour,
        linestyle="none",
    )


def _scale_heights(axes: Axes, low: float, high: float) -> None:
    """Number a logarithmic axis that is an inch high."""
    from matplotlib.ticker import LogLocator, MaxNLocator

    axes.set_yscale("log")
    room = max(1.01, (high / low) ** 0.08)
    axes.set_ylim(low / room, high * room)
    plain_log_ticks(axes)
    if high / low < 8:
        axes.yaxis.set_major_locator(MaxNLocator(4))
    elif high / low > 50:
        axes.yaxis.set_major_locator(LogLocator(numticks=5))


def _draw_outages(axes: Axes, history: SampleHistory, theme: FigureTheme) -> None:
    """Shade outages from the bottom to the top, and mark the strokes with those that are too many to be shaded."""
    least = (1 + 2 * _MARGIN) * history.rtt_ms.size * _LEAST_SHADE_SHARE
    shaded = _shaded(history)
    areas = []
    for one in shaded:
        middle, half = (one.first + one.last) / 2 + 1, max(one.last - one.first + 1, least) / 2
        left, right = middle - half, middle + half
        areas.append(((left, 0), (left, 1), (right, 1), (right, 0)))
    patch = {"fill": True, "facecolor": theme.bad, "alpha": _SHADE_ALPHA, "linewidth": 0}
    _draw_lines(axes, areas, "outages", is_up=True, **patch)
    merged = _merged(history)
    marked = {(one.first + one.last) // 2 // merged for one in set(history.outages) - set(shaded)}
    marks = [
        ((merged * at + (merged + 1) / 2, 0), (merged * at + (merged + 1) / 2, _MARK_HEIGHT)) for at in sorted(marked)
    ]
    _draw_lines(axes, marks, "losses", is_up=True, edgecolor=theme.bad, linewidth=1.2)


def _draw_rounds(axes: Axes, history: SampleHistory, theme: FigureTheme) -> list[int]:
    """Draw a line before each round but the first, its number above, and below when it began or requests.

    Returns:
        Which rounds are marked, from 0: all, or as many as there is room for.
    """
    from matplotlib.ticker import MaxNLocator

    found = history.by_round()
    starts = [places.start + 0.5 for _, places in found]
    names = [f"{tr('Round')} {number}" for number, _ in found]
    if len(_with_room(axes, starts, names)) < len(names):
        names = [str(number) for number, _ in found]
    numbered = _with_room(axes, starts, names)
    lines = [((starts[nth], 0), (starts[nth], 1)) for nth in numbered[1:]]
    _draw_lines(axes, lines, "rounds", is_up=True, edgecolor=theme.ink, linewidth=0.8, linestyle=(0, (3, 2)))
    above = axes.get_xaxis_transform()
    for nth in numbered:
        place, gap_pt = (starts[nth], 1), (1, 2)
        axes.annotate(
            names[nth], place, gap_pt, xycoords=above, textcoords="offset points", color=theme.ink, fontsize=8
        )
    if history.at_s is None:
        axes.xaxis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True))
        axes.xaxis.set_major_formatter(lambda value, _: grouped(round(value)) if value == round(value) else "")
        axes.set_xlabel(tr("request, in order"))
    else:
        times = [grouped(round(history.at_s[places][0])) for _, places in found]
        shown = _with_room(axes, starts, times, left=0.5)
        axes.set_xticks([starts[nth] for nth in shown], labels=[times[nth] for nth in shown])
        axes.set_xlabel(tr("requests in order, with the seconds since the comparison began"))
    return numbered


def _with_room(axes: Axes, starts: Sequence[float], texts: Sequence[str], left: float = 0.0) -> list[int]:
    """Return which texts have room beside those before them.

    Args:
        starts: Their places in data, ascending.
        texts: What is written there.
        left: Part of each that is left of its place.
    """
    low, high = axes.get_xlim()
    per_pt = (high - low) / (axes.get_window_extent().width * 72 / axes.figure.dpi)
    shown: list[int] = []
    free = -math.inf
    for nth, (at, text) in enumerate(zip(starts, texts, strict=True)):
        width = _LETTER_PT * (len(text) + 1) * per_pt
        if at - left * width >= free:
            shown.append(nth)
            free = at + (1 - left) * width
    return shown


def _draw_lines(axes: Axes, lines: Sequence[Line], gid: str, *, is_up: bool = False, **patch: Any) -> None:
    """Draw lines through their points as one path, which is a tenth as long in a file as one for each.

    Args:
        lines: x in data; y in data, or with `is_up` from 0 at the bottom to 1 at the top.
        gid: Its id in the figure.
        patch: Properties of the patch.
    """
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    if not lines:
        return
    codes = [Path.LINETO if nth else Path.MOVETO for line in lines for nth in range(len(line))]
    path = Path(list(chain.from_iterable(lines)), codes)
    path.should_simplify = False  # it would drop lines without a length, which are dots
    place = {"transform": axes.get_xaxis_transform()} if is_up else {}
    axes.add_patch(PathPatch(path, **{"gid": gid, "fill": False, "zorder": 1.5 if is_up else 2.0} | place | patch))
