"""The plots of a comparison that has ended: distribution, throughput against latency, CPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QColor, QFontMetrics

from app.domain.ranking import Estimate
from app.ranking.frontier import frontier
from app.ranking.titles import in_lines
from app.wording.colours import series_style
from app.wording.local_forms import decimal
from ui.common.candidate_rows import Key
from ui.common.texts import NONE, count, mbit_s, ms, pct, tr
from ui.common.theme import Theme
from ui.plots.axes import LogAxis, RttAxis
from ui.plots.base import EndLabel, PlotTable
from ui.plots.hover import HoverSeries, interval_text
from ui.plots.pens import plot_pen, solution_pen, solution_symbol
from ui.plots.result_data import CpuBar, Floats, ResultData
from ui.plots.shown import CandidatePlot, Shown
from ui.plots.throughput_cpu import cpu_shades

_TICK_GAP_PX = 16
_HALF_BAR = 0.17
_TAIL = 0.995
"""The axis ends at this fraction of the slowest candidate: single outliers would press everything else together."""


_SHARES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
"""Shares of the replies in the table of the distribution."""


@dataclass(frozen=True, slots=True)
class _Cdf:
    """Distribution of one candidate's round-trip times, frames of one size."""

    name: str
    frame_bytes: int
    replies: int
    fractions: Floats
    rtt_ms: Floats

    def at(self, share: float) -> float:
        """Return the time in ms within which a share of the replies came."""
        return float(np.interp(share, self.fractions, self.rtt_ms))

    def text(self, nth: int) -> str:
        """Return the figures of a quantile."""
        share, time = f"{decimal(100 * self.fractions[nth], 2)} %", ms(float(self.rtt_ms[nth]))
        lines = (
            self.name,
            tr("%1 bytes").replace("%1", count(self.frame_bytes)),
            tr("%1 of the replies within %2").replace("%1", share).replace("%2", time),
            tr("5th to 95th percentile: %1").replace("%1", interval_text(ms(self.at(0.05)), ms(self.at(0.95)))),
            tr("%1 replies").replace("%1", count(self.replies)),
        )
        return "\n".join(lines)


class CdfPlot(CandidatePlot):
    """Cumulative distribution of the replies' round-trip times."""

    def __init__(self, theme: Theme, shown: Shown | None = None) -> None:
        super().__init__(
            theme,
            shown,
            tr("Cumulative distribution of RTT"),
            tr("round-trip time in ms"),
            tr("share in %"),
            axes={"bottom": RttAxis("bottom", is_log=True)},
            label_room_px=156,
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
            _Cdf(data.names[key][0], size, data.replies[key, size], data.fractions, values)
            for (key, size), values in data.cdfs.items()
            if size == frame_bytes and self.shown.is_shown(key)
        ]
        drawn: list[tuple[Key, Floats]] = [
            (key, self.scaled(values))
            for (key, size), values in data.cdfs.items()
            if size == frame_bytes and self.shown.is_shown(key)
        ]
        if not drawn:
            self.set_end_labels(())
            return
        tail = round(_TAIL * (len(data.fractions) - 1))
        low = min(float(x[0]) for _, x in drawn)
        high = max(float(x[tail]) for _, x in drawn)
        for key, x in drawn:
            self.addItem(pg.PlotCurveItem(x, 100 * data.fractions, pen=solution_pen(key[0], data.names[key][1])))
        around = 0.02 if self.is_log else 0.02 * (high - low)
        self.set_x_range(low - around, high + around)
        order = sorted(drawn, key=lambda pair: float(np.median(pair[1])))
        heights = np.linspace(88, 30, len(order)) if len(order) > 1 else np.array([50.0])
        labels = []
        for (key, x), height in zip(order, heights, strict=True):
            style = series_style(key[0], data.names[key][1])
            at = float(np.interp(height / 100, data.fractions, x))
            labels.append(EndLabel(data.names[key][0], style.colour, bool(style.dash), at, float(height)))
        self.set_end_labels(labels)

    def redraw(self) -> None:
        """Draw the distributions once more."""
        if self._data is not None:
            self.draw(self._data, self._frame_bytes)

    def hover_series(self) -> list[HoverSeries]:
        """Return the quantiles of each candidate."""
        return [HoverSeries(self.scaled(one.rtt_ms), 100 * one.fractions, one.text) for one in self._shown]

    def figures(self) -> PlotTable:
        """Return within which time which share of each candidate's replies came."""
        rows = [(one.name, *(ms(one.at(share)) for share in _SHARES)) for one in self._shown]
        return PlotTable((tr("Candidate"), *(f"{100 * share:.0f} %" for share in _SHARES)), tuple(rows))


@dataclass(frozen=True, slots=True)
class _Point:
    key: Key
    x: float
    y: float
    is_on_frontier: bool
    latency: Estimate
    throughput: Mapping[str, Estimate]


def _points(data: ResultData) -> list[_Point]:
    """Return latency in ms and the logarithm of throughput."""
    return [
        _Point(
            (one.result.solution, one.result.suite),
            one.latency.mean,
            float(np.log10(one.throughput_mbit_s)),
            one.is_on_frontier,
            one.latency,
            one.result.throughput_mbit_s,
        )
        for one in frontier(data.ranking)
    ]


def _estimate_text(estimate: Estimate, words: Callable[[float], str]) -> str:
    """Return a mean, with its interval where there is one."""
    if estimate.ci is None:
        return words(estimate.mean)
    ends = interval_text(words(estimate.ci[0]), words(estimate.ci[1]))
    return f"{words(estimate.mean)} ({tr('95 % interval: %1').replace('%1', ends)})"


class FrontierPlot(CandidatePlot):
    """Throughput against weighted latency; Pareto-optimal candidates are ringed."""

    def __init__(self, theme: Theme, shown: Shown | None = None) -> None:
        super().__init__(
            theme,
            shown,
            tr("Throughput vs. latency (upper left is better; ring: no other is better in both)"),
            tr("weighted latency in ms"),
            tr("throughput in Mbit/s"),
            axes={"bottom": RttAxis("bottom", is_log=True), "left": LogAxis("left")},
            label_room_px=156,
        )
        self._items: list[object] = []
        self._rows: tuple[tuple[str, ...], ...] = ()
        self._points: list[_Point] = []
        self._data: ResultData | None = None

    def draw(self, data: ResultData) -> None:
        """Show every candidate with both figures."""
        for old in self._items:
            self.removeItem(old)
        self._items.clear()
        self._data = data
        self.shown.set_candidates(data.names)
        points = self._points = [point for point in _points(data) if self.shown.is_shown(point.key)]
        self._rows = tuple(
            (
                data.names[point.key][0],
                NONE if data.result(point.key).is_unprotected else tr("yes") if point.is_on_frontier else tr("no"),
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
            if point.is_on_frontier:
                ring = pg.ScatterPlotItem([x], [point.y], size=18, pen=plot_pen(style.colour), brush=None)
                self._add(ring)
            self._add(
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

    def _add(self, item: object) -> None:
        self._items.append(item)
        self.addItem(item)

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
            tr("weighted latency %1").replace("%1", _estimate_text(point.latency, ms)),
            *(f"{directions[name]}: {_estimate_text(one, mbit_s)}" for name, one in point.throughput.items()),
            tr("1 round") if rounds == 1 else tr("%1 rounds").replace("%1", count(rounds)),
        )
        return "\n".join(lines)

    def figures(self) -> PlotTable:
        """Return both figures of each candidate, and whether another one beats it in both."""
        headers = tr("Candidate"), tr("Pareto-optimal"), tr("Weighted latency"), tr("Throughput")
        return PlotTable(headers, self._rows, texts=2)


class CpuBarsPlot(CandidatePlot):
    """CPU of both hosts during throughput, stacked."""

    def __init__(self, theme: Theme, shown: Shown | None = None) -> None:
        super().__init__(
            theme,
            shown,
            tr("CPU during throughput tests (100 % = all cores)"),
            tr("% of all cores"),
            "",
            label_room_px=16,
        )
        self._items: list[object] = []
        self._data: ResultData | None = None
        self._bars: list[tuple[CpuBar, float]] = []

    def restyle(self) -> None:
        """Take the scheme's colours."""
        super().restyle()
        if hasattr(self, "_data"):
            self.redraw()

    def redraw(self) -> None:
        """Draw the bars once more."""
        if self._data is not None:
            self.draw(self._data)

    def draw(self, data: ResultData) -> None:
        """Show one bar per candidate and host."""
        self._data = data
        self.shown.set_candidates(data.names)
        for old in self._items:
            self.removeItem(old)
        self._items.clear()
        self._bars = []
        ticks = []
        heights: dict[Key, float] = {}
        outline = plot_pen(self._theme.colours.text, 1)  # neighbouring shades alone are too alike
        for bar in self._drawn(data):
            base = heights.setdefault(bar.key, -float(len(heights)))
            y = base + (0.21 if bar.side == "a" else -0.21)
            self._bars.append((bar, y))
            left = 0.0
            shares = (bar.user_pct, bar.system_pct, bar.softirq_pct)
            for share, colour in zip(shares, reversed(cpu_shades(self._theme)), strict=True):
                item = pg.BarGraphItem(
                    x0=[left],
                    y0=[y - _HALF_BAR],
                    width=[share],
                    height=[2 * _HALF_BAR],
                    brush=QColor(colour),
                    pen=outline,
                )
                self._add(item)
                left += share
            text = pg.TextItem(f"{bar.side.upper()}  {left:.0f} %", color=self._theme.colours.text, anchor=(0, 0.5))
            text.setFont(self.small_font())
            text.setPos(left + 0.5, y)
            self._add(text)
        for key, y in heights.items():
            ticks.append((y, in_lines(data.names[key][0])))
        axis = self.getPlotItem().getAxis("left")
        axis.setTicks([ticks])
        letters = QFontMetrics(self.small_font())
        lines = [line for _, name in ticks for line in name.splitlines()]
        axis.setWidth(_TICK_GAP_PX + max((letters.horizontalAdvance(line) for line in lines), default=0))
        self.set_x_range(0, 108)
        self.set_y_range(-len(heights) + 0.4, 1.1)
        self._key(data)

    def hover_series(self) -> list[HoverSeries]:
        """Return the bars."""
        return [
            HoverSeries(
                np.array([total / 2]),
                np.array([y]),
                partial(self._bar_text, bar),
                half_width=np.array([total / 2]),
                half_height=np.array([_HALF_BAR]),
            )
            for bar, y in self._bars
            for total in (bar.user_pct + bar.system_pct + bar.softirq_pct,)
        ]

    def _drawn(self, data: ResultData) -> list[CpuBar]:
        return [bar for bar in data.cpu if self.shown.is_shown(bar.key)]

    def _bar_text(self, bar: CpuBar, _nth: int) -> str:
        shares = (bar.user_pct, bar.system_pct, bar.softirq_pct)
        parts = zip((tr("user"), tr("system"), tr("softirq"), tr("Sum")), (*shares, sum(shares)), strict=True)
        title = self._data.names[bar.key][0] if self._data is not None else ""
        lines = (
            f"{title}, {bar.side.upper()}",
            *(f"{name} {pct(share)}" for name, share in parts),
            tr("1 round") if bar.rounds == 1 else tr("%1 rounds").replace("%1", count(bar.rounds)),
        )
        return "\n".join(lines)

    def figures(self) -> PlotTable:
        """Return the shares of each candidate and host."""
        data = self._data
        names = data.names if data is not None else {}
        rows = [
            (names[bar.key][0], bar.side.upper(), *(pct(share) for share in (*shares, sum(shares))))
            for bar in (self._drawn(data) if data is not None else ())
            for shares in ((bar.user_pct, bar.system_pct, bar.softirq_pct),)
        ]
        headers = tr("Candidate"), tr("Host"), tr("user"), tr("system"), tr("softirq"), tr("Sum")
        return PlotTable(headers, tuple(rows), texts=2)

    def _key(self, data: ResultData) -> None:
        if not self._drawn(data):
            return
        names = (tr("user"), tr("system"), tr("softirq"))
        shades = tuple(reversed(cpu_shades(self._theme)))
        html = " &nbsp; ".join(
            f'<span style="color:{shade}">■</span> <span style="color:{self._theme.colours.text}">{name}</span>'
            for name, shade in zip(names, shades, strict=True)
        )
        text = pg.TextItem(html=f'<span style="font-size:{self.small_pt():.1f}pt">{html}</span>', anchor=(1, 0.5))
        text.setPos(107, 0.68)
        self._add(text)

    def _add(self, item: object) -> None:
        self._items.append(item)
        self.addItem(item)
