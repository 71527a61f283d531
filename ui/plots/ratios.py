"""Ratio of each candidate's latency to the fastest while an adaptive comparison runs, with its interval per round."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import pyqtgraph as pg

from app.wording.colours import series_style
from app.wording.local_forms import decimal
from ui.common.candidate_rows import Key
from ui.common.ratio_model import RatioCurve, RoundRatio
from ui.common.sample_model import Floats
from ui.common.texts import count, tr
from ui.common.theme import Theme
from ui.plots.axes import RatioAxis
from ui.plots.base import EndLabel, PlotTable
from ui.plots.export_rows import Cell, ExportRows
from ui.plots.hover import HoverSeries, interval_text
from ui.plots.pens import plot_pen, solution_pen, solution_symbol
from ui.plots.shown import CandidatePlot, Shown, candidate_label

_LEAST_TOP = 1.2
_LEAST_CYCLES = 10
_MOST_RATIO = 20.0
"""Intervals of two rounds may be very wide; the axis does not follow them further."""
_GAP_PART = 0.012
"""Intervals after the same round are beside each other, by this part of what the horizontal axis shows."""
_ROUND_PART = 0.6
"""All of them together take at most this part of the cycles of a round."""
_BEAM_PART = 0.7
"""Width of the ends of an interval, as a part of the gap."""


class _RatioSeries:
    def __init__(self, plot: CandidatePlot, key: Key, nth_suite: int) -> None:
        style = series_style(key[0])
        self.line = pg.PlotCurveItem(pen=solution_pen(key[0], nth_suite))
        self.bars = pg.ErrorBarItem(x=np.empty(0), y=np.empty(0), beam=0, pen=plot_pen(style.colour))
        self.dots = pg.ScatterPlotItem(size=8, pen=None, brush=style.colour, symbol=solution_symbol(key[0]))
        self.items = (self.line, self.bars, self.dots)
        for item in self.items:
            plot.addItem(item)

    def draw(self, curve: RatioCurve, scaled: Callable[[Floats], Floats], shift: float, beam: float) -> None:
        """Draw a curve, its points after rounds so many cycles beside their places."""
        self.line.setData(curve.cycle, scaled(curve.ratio))
        self.dots.setData(_round_cycles(curve.rounds, shift), scaled(np.array([one.ratio for one in curve.rounds])))
        known = [one for one in curve.rounds if one.low is not None and one.high is not None]
        y = scaled(np.array([one.ratio for one in known]))
        low, high = (scaled(np.array(ends)) for ends in ([one.low for one in known], [one.high for one in known]))
        x = _round_cycles(known, shift)
        self.bars.setData(x=x, y=y, top=high - y, bottom=y - low, beam=beam)


def _round_cycles(rounds: Sequence[RoundRatio], shift: float) -> Floats:
    """Return the places of points: those with an interval are moved, the others are on their curve."""
    return np.array([one.cycle + (shift if _has_interval(one) else 0.0) for one in rounds])


def _has_interval(one: RoundRatio) -> bool:
    return one.low is not None and one.high is not None and one.low < one.high


class RatioPlot(CandidatePlot):
    """One line per candidate over the cycles, a point with its interval after each round."""

    def __init__(self, theme: Theme, shown: Shown | None = None) -> None:
        super().__init__(
            theme,
            shown,
            tr("Latency vs. the fastest, 95 % intervals"),
            tr("cycles"),
            tr("times the fastest"),
            axes={"left": RatioAxis("left", is_log=False)},
        )
        self._series: dict[Key, _RatioSeries] = {}
        self._titles: dict[Key, tuple[str, int]] = {}
        self._curves: tuple[RatioCurve, ...] = ()
        self._drawn: list[RatioCurve] = []
        self._shifts: dict[Key, float] = {}
        self.set_x_range(0, _LEAST_CYCLES)
        self._show_y(0.9, _LEAST_TOP)
        self.show_scale(is_there=False)

    def set_candidates(self, titles: Mapping[Key, tuple[str, int]]) -> None:
        """Take label and position among its solution's suites for each candidate; forgets earlier curves."""
        self._titles = dict(titles)
        for series in self._series.values():
            for item in series.items:
                self.removeItem(item)
        self._series.clear()
        self._curves, self._drawn = (), []
        self.shown.set_candidates(titles)
        self.set_end_labels(())
        self.show_scale(is_there=False)

    def draw(self, curves: Sequence[RatioCurve]) -> None:
        """Show these curves."""
        self._curves = tuple(curve for curve in curves if curve.key in self._titles)
        drawn = self._drawn = [curve for curve in self._curves if self.shown.is_shown(curve.key)]
        gap = self._spread_rounds(drawn)
        for curve in self._curves:
            self._draw_curve(curve, _BEAM_PART * gap)
        self.show_scale(is_there=bool(drawn))
        if drawn:
            self._fit_axes(drawn)
        else:
            self._show_y(0.9, _LEAST_TOP)
        self.set_end_labels([self._last_label(curve) for curve in drawn])

    def _spread_rounds(self, drawn: Sequence[RatioCurve]) -> float:
        """Give the points of each candidate a place of its own beside the end of a round; return the gap in cycles."""
        keys = {curve.key for curve in drawn if any(map(_has_interval, curve.rounds))}
        order = [key for key in self._titles if key in keys]
        if not order:
            self._shifts = {}
            return 0.0
        last = max(curve.cycle[-1] for curve in drawn)
        round_ = min(curve.rounds[-1].cycle / len(curve.rounds) for curve in drawn if curve.rounds)
        gap = min(_GAP_PART * max(_LEAST_CYCLES, float(last)), _ROUND_PART * round_ / len(order))
        self._shifts = {key: gap * (nth - (len(order) - 1) / 2) for nth, key in enumerate(order)}
        return gap

    def _draw_curve(self, curve: RatioCurve, beam: float) -> None:
        if curve.key not in self._series:
            self._series[curve.key] = _RatioSeries(self, curve.key, self._titles[curve.key][1])
        self._series[curve.key].draw(curve, self.scaled, self._shifts.get(curve.key, 0.0), beam)
        for item in self._series[curve.key].items:
            item.setVisible(self.shown.is_shown(curve.key))

    def _fit_axes(self, drawn: Sequence[RatioCurve]) -> None:
        tops = [float(curve.ratio[-1]) for curve in drawn]
        tops += [one.high for curve in drawn for one in curve.rounds[-1:] if one.high is not None]
        lows = [one.low for curve in drawn for one in curve.rounds[-1:] if one.low is not None]
        last = max(float(curve.cycle[-1]) for curve in drawn)
        self.set_x_range(0, max(_LEAST_CYCLES, last + self._beyond))
        top = max(_LEAST_TOP, 1.05 * min(_MOST_RATIO, max(tops)))
        self._show_y(min(0.95, 0.97 * min(lows, default=1.0)), top)

    @property
    def _beyond(self) -> float:
        """Cycles by which the points of a round are right of its end at most."""
        return max(self._shifts.values(), default=0.0)

    def _show_y(self, low: float, high: float) -> None:
        low = max(1 / _MOST_RATIO if self.is_log else 0.0, low)
        self.set_y_range(*self.scaled(np.array([low, high])))

    def redraw(self) -> None:
        """Draw the curves once more."""
        self.draw(self._curves)

    def _last_label(self, curve: RatioCurve) -> EndLabel:
        x, y = float(curve.cycle[-1]) + self._beyond, float(self.scaled(curve.ratio)[-1])
        return candidate_label(self._titles, curve.key, x, y)

    def hover_series(self) -> list[HoverSeries]:
        """Return the ratios after the rounds, then those after the cycles between them."""
        after_rounds = [
            HoverSeries(
                _round_cycles(curve.rounds, self._shifts.get(curve.key, 0.0)),
                self.scaled(np.array([one.ratio for one in curve.rounds])),
                partial(self._round_text, curve),
            )
            for curve in self._drawn
        ]
        return after_rounds + [
            HoverSeries(curve.cycle, self.scaled(curve.ratio), partial(self._cycle_text, curve))
            for curve in self._drawn
        ]

    def _round_text(self, curve: RatioCurve, nth: int) -> str:
        one = curve.rounds[nth]
        lines = [
            self._titles[curve.key][0],
            tr("after round %1, %2 cycles", count(one.number), count(one.cycle)),
            tr("%1 times the fastest", decimal(one.ratio, 3)),
        ]
        if one.low is not None and one.high is not None:
            ends = interval_text(decimal(one.low, 3), decimal(one.high, 3))
            lines.append(tr("95 % interval: %1", ends))
        return "\n".join(lines)

    def _cycle_text(self, curve: RatioCurve, nth: int) -> str:
        lines = (
            self._titles[curve.key][0],
            tr("after %1 cycles", count(int(curve.cycle[nth]))),
            tr("%1 times the fastest", decimal(curve.ratio[nth], 3)),
        )
        return "\n".join(lines)

    def figures(self) -> PlotTable:
        """Return the newest ratio of each candidate with its interval."""
        rows = [
            (
                self._titles[curve.key][0],
                decimal(curve.ratio[-1], 2),
                _interval(curve.rounds[-1]) if curve.rounds else "–",
                count(len(curve.rounds)),
                count(int(curve.cycle.size)),
            )
            for curve in self._drawn
        ]
        headers = (tr("Candidate"), tr("Times the fastest"), tr("95 % interval"), tr("Rounds"), tr("Cycles"))
        return PlotTable(headers, tuple(rows))

    def export_rows(self) -> ExportRows:
        """Return the ratio of each candidate after each cycle, and where a round ended that of the round."""
        rows: list[tuple[Cell, ...]] = []
        for curve in self._drawn:
            ended = {one.cycle: (one.number, one.ratio, one.low, one.high) for one in curve.rounds}
            rows += [
                (self._titles[curve.key][0], int(cycle), float(ratio), *ended.get(int(cycle), (None,) * 4))
                for cycle, ratio in zip(curve.cycle, curve.ratio, strict=True)
            ]
        headers = ("candidate", "cycle", "times_fastest", "round", "round_times_fastest", "round_low", "round_high")
        return ExportRows(headers, tuple(rows))


def _interval(one: RoundRatio) -> str:
    if one.low is None or one.high is None or one.low == one.ratio == one.high:
        return "–"
    return f"{decimal(one.low, 2)}–{decimal(one.high, 2)}"
