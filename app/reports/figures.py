"""The figures of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from app.domain.profiles import FRAME_BYTES
from app.domain.ranking import CandidateResult, LatencySummary, Ranking
from app.domain.results import CampaignRecord, CandidateId
from app.ranking.frontier import frontier
from app.ranking.pictures import Distribution, cpu_bars, distributions, drawn_results, ratio_rows
from app.ranking.titles import in_lines, short_titles
from app.reports.bars import cpu_figure, throughput_figure
from app.reports.drawing import draw_end_labels, height_for, new_axes, plain_log_ticks, room_for, settings
from app.reports.figure_data import (
    FigureData,
    cdf_data,
    cpu_data,
    frontier_data,
    latency_data,
    ratio_data,
    throughput_data,
)
from app.reports.labels import shortened, styles
from app.reports.ratio_figures import FrontierMark, frontier_figure, ratios_figure
from app.reports.svg import FigureTheme, to_svg
from app.reports.text import clean
from app.wording.colours import Marker, SeriesStyle
from app.wording.language import tr

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = {
    Marker.CIRCLE: "o",
    Marker.SQUARE: "s",
    Marker.TRIANGLE: "^",
    Marker.TRIANGLE_DOWN: "v",
    Marker.TRIANGLE_LEFT: "<",
    Marker.TRIANGLE_RIGHT: ">",
    Marker.DIAMOND: "D",
    Marker.PENTAGON: "p",
    Marker.HEXAGON: "h",
    Marker.STAR: "*",
    Marker.PLUS: "P",
    Marker.CROSS: "X",
    Marker.NARROW: "d",
    Marker.BAR: "_",
    Marker.ARROW: "2",
    Marker.CROSSHAIR: "+",
    Marker.ARROW_DOWN: "1",
    Marker.ARROW_RIGHT: "4",
    Marker.ARROW_LEFT: "3",
    Marker.BOW_TIE: r"$\bowtie$",
}
"""Names of matplotlib."""

_ROOM_FOR_NAMES = 1.6
"""The axis of a distribution goes on beyond its tail by this factor: names are right of their curves."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure with its words.

    Attributes:
        name: Letters, for ids.
        title: Above it.
        caption: Below it: how to read it.
        svg: The figure.
        data: Its numbers.
    """

    name: str
    title: str
    caption: str
    svg: str
    data: FigureData


@dataclass(frozen=True, slots=True)
class Series:
    """One candidate in a figure."""

    label: str
    style: SeriesStyle
    result: CandidateResult


def draw_figures(record: CampaignRecord, ranking: Ranking, theme: FigureTheme) -> tuple[Drawn, ...]:
    """Draw everything that there are figures for.

    Args:
        theme: Colours of the place of the figures.

    Returns:
        The figures in their order; fewer if there is nothing to draw.
    """
    series = _series(record, ranking)
    drawn: list[Drawn] = []
    with settings():
        if any(summary.mean_ms is not None for one in series for summary in one.result.latency):
            drawn.append(_latency(series, theme))
            drawn += _ratios(series, ranking, theme)
            found = distributions(record)
            drawn += [_cdf(found, series, size, theme) for size in _cdf_sizes(series)]
        if any(one.result.throughput_mbit_s for one in series):
            drawn.append(_throughput(series, theme))
            drawn += _frontier(series, ranking, theme)
        if cpu_bars(record, ranking):
            drawn.append(_cpu(record, series, ranking, theme))
    return tuple(drawn)


def _series(record: CampaignRecord, ranking: Ranking) -> tuple[Series, ...]:
    line_styles = styles([(one.solution, one.suite) for one in record.plan.candidates])
    names = short_titles(record.plan.candidates)
    return tuple(
        Series(in_lines(shortened(clean(names[one.solution, one.suite]))), line_styles[one.solution, one.suite], one)
        for one in drawn_results(ranking)
    )


def _latency(series: Sequence[Series], theme: FigureTheme) -> Drawn:
    labels = [one.label for one in series]
    figure, axes = new_axes(theme, right=room_for(labels), height_in=height_for(labels))
    ends: list[tuple[float, float, Series]] = []
    for one in series:
        points = [each for each in one.result.latency if each.mean_ms is not None]
        if points:
            _draw_latency(axes, one, points)
            ends.append((points[-1].frame_bytes, points[-1].mean_ms or 0.0, one))
    axes.set_xscale("log")
    axes.set_yscale("log")
    ticks = sorted({each.frame_bytes for one in series for each in one.result.latency})
    axes.set_xticks(ticks, labels=_tick_labels(ticks))
    axes.minorticks_off()
    plain_log_ticks(axes)
    axes.set_xlabel(tr("Ethernet frame, bytes"))
    axes.set_ylabel(tr("round-trip time, ms"))
    draw_end_labels(axes, [(x, y, one.label, one.style.colour) for x, y, one in ends], theme)
    description = tr("Mean round-trip time over frame size, one line for each candidate")
    return Drawn(
        "latency",
        tr("Latency over frame size"),
        tr("Lines are means, bands hold the middle 90 % of all replies. Lower is better; the scale is logarithmic."),
        to_svg(figure, name="latency", description=description, theme=theme),
        latency_data([one.result for one in series]),
    )


def _draw_latency(axes: Axes, one: Series, points: Sequence[LatencySummary]) -> None:
    sizes = [each.frame_bytes for each in points]
    low, high = [each.p5_ms or 0.0 for each in points], [each.p95_ms or 0.0 for each in points]
    axes.fill_between(sizes, low, high, color=one.style.colour, alpha=0.16, linewidth=0)
    means = [each.mean_ms or 0.0 for each in points]
    axes.plot(sizes, means, marker=MARKERS[one.style.marker], markersize=4, label=one.label, **_line(one.style))


def _tick_labels(ticks: Sequence[int]) -> list[str]:
    """Label those ticks of a logarithmic axis that have room, beginning with the largest."""
    labels = [""] * len(ticks)
    above = float("inf")
    for index in reversed(range(len(ticks))):
        if ticks[index] * 1.6 <= above:
            labels[index], above = str(ticks[index]), ticks[index]
    return labels


def _line(style: SeriesStyle) -> dict[str, Any]:
    dashes: dict[str, Any] = {"dashes": style.dash} if style.dash else {}
    return {"color": style.colour, "linewidth": 1.6, **dashes}


def _cdf_sizes(series: Sequence[Series]) -> list[int]:
    """The smallest and the largest size that any candidate carried: what control traffic and bulk data feel."""
    sizes = sorted({each.frame_bytes for one in series for each in one.result.latency if each.received})
    return sorted({sizes[0], sizes[-1]}) if sizes else []


def _cdf(
    found: Mapping[tuple[CandidateId, int], Distribution], series: Sequence[Series], size: int, theme: FigureTheme
) -> Drawn:
    figure, axes = new_axes(theme, right=0.97)
    pairs = [(one, found.get(((one.result.solution, one.result.suite), size))) for one in series]
    curves = [(one, made) for one, made in pairs if made is not None]
    for one, made in curves:
        axes.plot(made.rtt_ms, 100.0 * made.shares, **_line(one.style))
    axes.set_xscale("log")
    plain_log_ticks(axes, which="x")
    low = min(float(made.rtt_ms[0]) for _, made in curves)
    axes.set_xlim(low * 0.95, max(made.tail_ms() for _, made in curves) * _ROOM_FOR_NAMES)
    axes.set_ylim(0, 102)
    axes.set_xlabel(tr("round-trip time, ms"))
    axes.set_ylabel(tr("requests answered within that time, %"))
    _label_steps(axes, [(made.rtt_ms, 100.0 * made.shares, one) for one, made in curves], theme)
    lightest = tr(" Most industrial control traffic is of this size.") if size == min(FRAME_BYTES) else ""
    description = tr("Share of requests answered within a time, frames of {size} bytes").format(size=size)
    return Drawn(
        f"cdf{size}",
        tr("How many replies are in time: {size}-byte frames").format(size=size),
        tr("Further left and steeper is better; a lost request never arrives.") + lightest,
        to_svg(figure, name=f"cdf{size}", description=description, theme=theme),
        cdf_data(
            (one.result.title, made, sum(each.sent for each in one.result.latency if each.frame_bytes == size))
            for one, made in pairs
        ),
    )


def _label_steps(
    axes: Axes, curves: Sequence[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], Series]], theme: FigureTheme
) -> None:
    """Write each name right of its own curve, every one at another height."""
    from matplotlib.patheffects import withStroke

    order = sorted(curves, key=lambda curve: float(np.median(curve[0])))
    for number, (times_ms, heights, one) in enumerate(order):
        share = 0.9 - 0.8 * number / max(1, len(order) - 1) if len(order) > 1 else 0.5
        index = int(share * (len(times_ms) - 1))
        place = (float(times_ms[index]), float(heights[index]))
        axes.plot(*place, marker=MARKERS[one.style.marker], markersize=5, color=one.style.colour)
        axes.annotate(
            one.label,
            place,
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            color=theme.ink,
            linespacing=0.95,
            path_effects=[withStroke(linewidth=3, foreground=theme.paper)],
        )


def _throughput(series: Sequence[Series], theme: FigureTheme) -> Drawn:
    rows = [(one.label, one.style.colour, one.result.throughput_mbit_s) for one in series]
    description = tr("TCP throughput in both directions, one pair of bars for each candidate")
    return Drawn(
        "throughput",
        tr("TCP throughput"),
        tr("Mean over rounds in each direction; whiskers are 95 % intervals. Longer is better."),
        to_svg(throughput_figure(rows, theme), name="throughput", description=description, theme=theme),
        throughput_data((one.result.title, one.result.throughput_mbit_s) for one in series),
    )


def _ratios(series: Sequence[Series], ranking: Ranking, theme: FigureTheme) -> list[Drawn]:
    by_key = {(one.result.solution, one.result.suite): one for one in series}
    found = [(by_key.get((one.solution, one.suite)), ratio) for one, ratio in ratio_rows(ranking)]
    rows = [(one, ratio) for one, ratio in found if one is not None]
    if len(rows) < 2:
        return []
    drawn = [(one.label, one.style.colour, MARKERS[one.style.marker], ratio) for one, ratio in rows]
    caption = tr(
        "Medians of all frame sizes together; whiskers are 95 % intervals, widened for the number of pairs that were "
        "not distinguished. Lower is better."
    )
    description = tr("Latency of each candidate over that of the fastest, with its interval")
    svg = to_svg(ratios_figure(drawn, theme), name="ratios", description=description, theme=theme)
    data = ratio_data((one.result.title, ratio) for one, ratio in rows)
    return [Drawn("ratios", tr("Latency over that of the fastest"), caption, svg, data)]


def _frontier(series: Sequence[Series], ranking: Ranking, theme: FigureTheme) -> list[Drawn]:
    by_key = {(one.result.solution, one.result.suite): one for one in series}
    points = [one for one in frontier(ranking) if (one.result.solution, one.result.suite) in by_key]
    if not points:
        return []
    marks = []
    for point in points:
        one = by_key[point.result.solution, point.result.suite]
        figures = point.latency.mean, point.throughput_mbit_s, point.result.is_dominated is False
        marks.append(FrontierMark(one.label, one.style.colour, MARKERS[one.style.marker], *figures))
    caption = tr(
        "Upper left is better; ring: no other candidate that may be recommended is better in something and worse in "
        "nothing. Both scales are logarithmic."
    )
    description = tr("Throughput of each candidate against its weighted latency")
    svg = to_svg(frontier_figure(marks, theme), name="frontier", description=description, theme=theme)
    data = frontier_data((one.result.title, one) for one in points)
    return [Drawn("frontier", tr("Throughput against latency"), caption, svg, data)]


def _cpu(record: CampaignRecord, series: Sequence[Series], ranking: Ranking, theme: FigureTheme) -> Drawn:
    by_key: dict[CandidateId, dict[str, tuple[float, float, float]]] = {}
    for bar in cpu_bars(record, ranking):
        by_key.setdefault(bar.key, {})[bar.side] = bar.parts_pct
    usages = [by_key.get((one.result.solution, one.result.suite), {}) for one in series]
    rows = [(one.label, one.style.colour, found) for one, found in zip(series, usages, strict=True)]
    description = tr("CPU of both hosts in user space, kernel and interrupts, for each candidate")
    return Drawn(
        "cpu",
        tr("CPU during throughput"),
        tr("All cores of a host together are 100 %. Read it beside the throughput: who carries more works more."),
        to_svg(cpu_figure(rows, theme), name="cpu", description=description, theme=theme),
        cpu_data((one.result.title, found) for one, found in zip(series, usages, strict=True)),
    )
