"""The plots of a comparison that has ended: distribution, and throughput against latency."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg

from app.domain.hosts import DIRECTIONS
from app.domain.ranking import Estimate
from app.ranking.frontier import frontier
from app.ranking.pictures import Distribution
from app.wording.colours import series_style
from app.wording.local_forms import decimal
from ui.common.candidate_rows import Key
from ui.common.texts import NONE, count, mbit_s, ms, tr
from ui.common.theme import Theme
from ui.plots.axes import LogAxis, RttAxis
from ui.plots.base import EndLabel, PlotTable
from ui.plots.export_rows import WEIGHTED_COLUMNS, ExportRows, estimate_cells
from ui.plots.hover import HoverSeries, estimate_text, interval_text
from ui.plots.pens import plot_pen, solution_pen, solution_symbol
from ui.plots.result_data import ResultData
from ui.plots.shown import CandidatePlot, ItemsPlot, Shown

_SHARES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
"""Shares of the requests in the table of the distribution."""

_FRONTIER_COLUMNS = ("candidate", "is_dominated", *WEIGHTED_COLUMNS, *(f"{name}_mbit_s" for name in DIRECTIONS))


def _within(found: Distribution, share: float) -> str:
    """Return the time within which a share of the requests was answered."""
    time_ms = found.within_ms(share)
    return NONE if time_ms is None else ms(time_ms)


@dataclass(frozen=True, slots=True)
class _Cdf:
    """Distribution of one candidate's round-trip times, frames of one size."""

    key: Key
    name: str
    frame_bytes: int
    found: Distribution

    def text(self, nth: int) -> str:
        """Return the figures of a point of the curve."""
        found = self.found
        share, time = f"{decimal(100 * found.shares[nth], 2)} %", ms(float(found.rtt_ms[nth]))
        lines = (
            self.name,
            tr("%1 bytes", count(self.frame_bytes)),
            tr("%1 of the requests answered within %2", share, time),
            tr("5th to 95th percentile: %1", interval_text(_within(found, 0.05), _within(found, 0.95))),
            tr("%1 requests, %2 replies", count(found.sent), count(found.replies)),
        )
        return "\n".join(lines)


class CdfPlot(CandidatePlot):
    """Share of the requests that were answered within a time; a lost one never is."""

    def __init__(self, theme: Theme, shown: Shown | None = None) -> None:
        super().__init__(
            theme,
            shown,
            tr("Cumulative distribution of RTT"),
            tr("round-trip time in ms"),
            tr("requests answered in %"),
            axes={"bottom": RttAxis("bottom", is_log=True)},
        )
        self._shown: list[_Cdf] = []
        self._data: ResultData | None = None
        self._frame_bytes = 0
        self.set_y_range(0, 101)

    def draw(self, data: ResultData, frame_bytes: int) -> None:
        """Show one frame size."""
        self._data, self._frame_bytes = data, frame_bytes
        self.shown.set_candidates(data.names)
        for item in list(self.getPlotItem().curves):
            self.removeItem(item)
        self._shown = [
            _Cdf(key, data.names[key][0], size, found)
            for (key, size), found in data.cdfs.items()
            if size == frame_bytes and self.shown.is_shown(key)
        ]
        if not self._shown:
            self.set_end_labels(())
            return
        for one in self._shown:
            pen = solution_pen(one.key[0], data.names[one.key][1])
            self.addItem(pg.PlotCurveItem(self.scaled(one.found.rtt_ms), 100 * one.found.shares, pen=pen))
        low = float(self.scaled(np.array([min(float(one.found.rtt_ms[0]) for one in self._shown)]))[0])
        high = float(self.scaled(np.array([max(one.found.tail_ms() for one in self._shown)]))[0])
        around = 0.02 if self.is_log else 0.02 * (high - low)
        self.set_x_range(low - around, high + around)
        order = sorted(self._shown, key=lambda one: float(np.median(one.found.rtt_us)))
        heights = np.linspace(88, 30, len(order)) if len(order) > 1 else np.array([50.0])
        labels = []
        for one, height in zip(order, heights, strict=True):
            style = series_style(one.key[0], data.names[one.key][1])
            reached = min(float(height), 100 * float(one.found.shares[-1]))
            at = float(np.interp(reached / 100, one.found.shares, self.scaled(one.found.rtt_ms)))
            labels.append(EndLabel(one.name, style.colour, bool(style.dash), at, reached))
        self.set_end_labels(labels)

    def redraw(self) -> None:
        """Draw the distributions once more."""
        if self._data is not None:
            self.draw(self._data, self._frame_bytes)

    def hover_series(self) -> list[HoverSeries]:
        """Return the quantiles of each candidate."""
        return [HoverSeries(self.scaled(one.found.rtt_ms), 100 * one.found.shares, one.text) for one in self._shown]

    def figures(self) -> PlotTable:
        """Return within which time which share of each candidate's requests was answered."""
        rows = [(one.name, *(_within(one.found, share) for share in _SHARES)) for one in self._shown]
        return PlotTable((tr("Candidate"), *(f"{100 * share:.0f} %" for share in _SHARES)), tuple(rows))

    def export_rows(self) -> ExportRows:
        """Return every point of the curves."""
        rows = [
            (one.name, one.frame_bytes, 100 * float(share), float(rtt_ms))
            for one in self._shown
            for share, rtt_ms in zip(one.found.shares, one.found.rtt_ms, strict=True)
        ]
        return ExportRows(("candidate", "frame_bytes", "answered_pct", "rtt_ms"), tuple(rows))


@dataclass(frozen=True, slots=True)
class _Point:
    key: Key
    x: float
    y: float
    is_dominated: bool | None
    latency: Estimate
    throughput: Mapping[str, Estimate]


def _points(data: ResultData) -> list[_Point]:
    """Return latency in ms and the logarithm of throughput."""
    return [
        _Point(
            (one.result.solution, one.result.suite),
            one.latency.mean,
            float(np.log10(one.throughput_mbit_s)),
            one.result.is_dominated,
            one.latency,
            one.result.throughput_mbit_s,
        )
        for one in frontier(data.ranking)
    ]


class FrontierPlot(ItemsPlot):
    """Throughput against weighted latency; candidates that the recommendation calls Pareto-optimal are ringed."""

    def __init__(self, theme: Theme, shown: Shown | None = None) -> None:
        super().__init__(
            theme,
            shown,
            tr("Throughput vs. latency (upper left is better)"),
            tr("weighted latency in ms"),
            "Mbit/s",
            axes={"bottom": RttAxis("bottom", is_log=True), "left": LogAxis("left")},
        )
        self._rows: tuple[tuple[str, ...], ...] = ()
        self._points: list[_Point] = []
        self._data: ResultData | None = None

    def draw(self, data: ResultData) -> None:
        """Show every candidate with both figures."""
        self._data = data
        self.begin(data.names)
        points = self._points = [point for point in _points(data) if self.shown.is_shown(point.key)]
        self._rows = tuple(
            (
                data.names[point.key][0],
                NONE if point.is_dominated is None else tr("no") if point.is_dominated else tr("yes"),
                ms(point.x),
                mbit_s(10**point.y),
            )
            for point in points
        )
        if not points:
            self.set_end_labels(())
            return
        labels = []
        xs = [float(x) for x in self.scaled(np.array([point.x for point in points]))]
        for point, x in zip(points, xs, strict=True):
            style = series_style(point.key[0], data.names[point.key][1])
            if point.is_dominated is False:
                ring = pg.ScatterPlotItem([x], [point.y], size=18, pen=plot_pen(style.colour), brush=None)
                self.add(ring)
            self.add(
                pg.ScatterPlotItem(
                    [x],
                    [point.y],
                    size=11,
                    pen=None,
                    brush=style.colour,
                    symbol=solution_symbol(point.key[0]),
                )
            )
            labels.append(EndLabel(data.names[point.key][0], style.colour, bool(style.dash), x, point.y))
        ys = [point.y for point in points]
        around = 0.1 if self.is_log else 0.1 * max(xs)
        self.set_x_range(max(0.0, min(xs) - around) if not self.is_log else min(xs) - around, max(xs) + around)
        self.set_y_range(min(ys) - 0.15, max(ys) + 0.15)
        self.set_end_labels(labels)

    def redraw(self) -> None:
        """Draw the candidates once more."""
        if self._data is not None:
            self.draw(self._data)

    def hover_series(self) -> list[HoverSeries]:
        """Return the candidates."""
        x = self.scaled(np.array([point.x for point in self._points]))
        return [HoverSeries(x, np.array([point.y for point in self._points]), self._point_text)]

    def _point_text(self, nth: int) -> str:
        point = self._points[nth]
        directions = {"a_to_b": tr("A→B"), "b_to_a": tr("B→A")}
        rounds = point.latency.rounds
        lines = (
            self._rows[nth][0],
            tr("weighted latency %1", estimate_text(point.latency, ms)),
            *(f"{directions[name]}: {estimate_text(one, mbit_s)}" for name, one in point.throughput.items()),
            tr("1 round") if rounds == 1 else tr("%1 rounds", count(rounds)),
        )
        return "\n".join(lines)

    def figures(self) -> PlotTable:
        """Return both figures of each candidate, and whether it has a ring."""
        headers = tr("Candidate"), tr("Pareto-optimal"), tr("Weighted latency"), tr("Throughput")
        return PlotTable(headers, self._rows, texts=2)

    def export_rows(self) -> ExportRows:
        """Return the figures of each candidate with their interval, and whether another candidate outdoes it."""
        data = self._data
        if data is None:
            return ExportRows(_FRONTIER_COLUMNS, ())
        words = {None: None, True: "yes", False: "no"}
        rows = [
            (
                data.names[point.key][0],
                words[point.is_dominated],
                *estimate_cells(point.latency),
                *(point.throughput[name].mean if name in point.throughput else None for name in DIRECTIONS),
            )
            for point in self._points
        ]
        return ExportRows(_FRONTIER_COLUMNS, tuple(rows))


def ring_words() -> str:
    """Return the meaning of a ring around a candidate, the same as in reports."""
    return tr("Ring: no other candidate that may be recommended is better in something and worse in nothing.")
