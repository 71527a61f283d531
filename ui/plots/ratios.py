"""Ratio of each candidate's latency to the fastest while an adaptive comparison runs, with its interval per round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pyqtgraph as pg

from app.wording.colours import series_style
from app.wording.local_forms import decimal
from ui.common.candidate_rows import Key
from ui.common.ratio_model import RatioCurve, RoundRatio
from ui.common.texts import count, tr
from ui.common.theme import Theme
from ui.plots.base import EndLabel, PlotTable
from ui.plots.hover import HoverSeries, interval_text
from ui.plots.pens import plot_pen, solution_pen, solution_symbol
from ui.plots.shown import CandidatePlot, Shown

_BEAM_CYCLES = 0.5
_LEAST_TOP = 1.2
_LEAST_CYCLES = 10
_MOST_RATIO = 20.0
"""Intervals of two rounds may be very wide; the axis does not follow them further."""


class _Series:
    def __init__(self, plot: CandidatePlot, key: Key, nth_suite: int) -> None:
        style = series_style(key[0])
        self.line = pg.PlotCurveItem(pen=solution_pen(key[0], nth_suite))
        self.bars = pg.ErrorBarItem(x=np.empty(0), y=np.empty(0), beam=_BEAM_CYCLES, pen=plot_pen(style.colour))
        self.dots = pg.ScatterPlotItem(size=8, pen=None, brush=style.colour, symbol=solution_symbol(key[0]))
        self.items = (self.line, self.bars, self.dots)
        for item in self.items:
            plot.addItem(item)

    def draw(self, curve: RatioCurve) -> None:
        self.line.setData(curve.cycle, curve.ratio)
        x = np.array([float(one.cycle) for one in curve.rounds])
        y = np.array([one.ratio for one in curve.rounds])
        self.dots.setData(x, y)
        known = [one for one in curve.rounds if one.low is not None and one.high is not None]
        self.bars.setData(
            x=np.array([float(one.cycle) for one in known]),
            y=np.array([one.ratio for one in known]),
            top=np.array([(one.high or one.ratio) - one.ratio for one in known]),
            bottom=np.array([one.ratio - (one.low or one.ratio) for one in known]),
        )


class RatioPlot(CandidatePlot):
    """One line per candidate over the cycles, a point with its interval after each round."""

    def __init__(self, theme: Theme, shown: Shown | None = None) -> None:
        super().__init__(
            theme,
            shown,
            tr("Latency over that of the fastest, with 95 % intervals"),
            tr("cycles"),
            tr("times the fastest"),
            label_room_px=156,
        )
        self._series: dict[Key, _Series] = {}
        self._titles: dict[Key, tuple[str, int]] = {}
        self._curves: tuple[RatioCurve, ...] = ()
        self._drawn: list[RatioCurve] = []
        self.set_x_range(0, _LEAST_CYCLES)
        self.set_y_range(0.9, _LEAST_TOP)
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
        for curve in self._curves:
            self._draw_curve(curve)
        self.show_scale(is_there=bool(drawn))
        if drawn:
            self._fit_axes(drawn)
        self.set_end_labels([self._end_label(curve) for curve in drawn])

    def _draw_curve(self, curve: RatioCurve) -> None:
        if curve.key not in self._series:
            self._series[curve.key] = _Series(self, curve.key, self._titles[curve.key][1])
        self._series[curve.key].draw(curve)
        for item in self._series[curve.key].items:
            item.setVisible(self.shown.is_shown(curve.key))

    def _fit_axes(self, drawn: Sequence[RatioCurve]) -> None:
        tops = [float(curve.ratio[-1]) for curve in drawn]
        tops += [one.high for curve in drawn for one in curve.rounds[-1:] if one.high is not None]
        lows = [one.low for curve in drawn for one in curve.rounds[-1:] if one.low is not None]
        last = max(float(curve.cycle[-1]) for curve in drawn)
        self.set_x_range(0, max(_LEAST_CYCLES, last))
        top = max(_LEAST_TOP, 1.05 * min(_MOST_RATIO, max(tops)))
        self.set_y_range(max(0.0, min(0.95, 0.97 * min(lows, default=1.0))), top)

    def redraw(self) -> None:
        """Draw the curves once more."""
        self.draw(self._curves)

    def _end_label(self, curve: RatioCurve) -> EndLabel:
        title, nth = self._titles[curve.key]
        style = series_style(curve.key[0], nth)
        return EndLabel(title, style.colour, bool(style.dash), float(curve.cycle[-1]), float(curve.ratio[-1]))

    def hover_series(self) -> list[HoverSeries]:
        """Return the ratios after the rounds, then those after the cycles between them."""
        after_rounds = [
            HoverSeries(
                np.array([float(one.cycle) for one in curve.rounds]),
                np.array([one.ratio for one in curve.rounds]),
                partial(self._round_text, curve),
            )
            for curve in self._drawn
        ]
        return after_rounds + [
            HoverSeries(curve.cycle, curve.ratio, partial(self._cycle_text, curve)) for curve in self._drawn
        ]

    def _round_text(self, curve: RatioCurve, nth: int) -> str:
        one = curve.rounds[nth]
        lines = [
            self._titles[curve.key][0],
            tr("after round %1, %2 cycles").replace("%1", count(nth + 1)).replace("%2", count(one.cycle)),
            tr("%1 times the fastest").replace("%1", decimal(one.ratio, 3)),
        ]
        if one.low is not None and one.high is not None:
            ends = interval_text(decimal(one.low, 3), decimal(one.high, 3))
            lines.append(tr("95 % interval: %1").replace("%1", ends))
        return "\n".join(lines)

    def _cycle_text(self, curve: RatioCurve, nth: int) -> str:
        lines = (
            self._titles[curve.key][0],
            tr("after %1 cycles").replace("%1", count(int(curve.cycle[nth]))),
            tr("%1 times the fastest").replace("%1", decimal(curve.ratio[nth], 3)),
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


def _interval(one: RoundRatio) -> str:
    if one.low is None or one.high is None or one.low == one.ratio == one.high:
        return "–"
    return f"{decimal(one.low, 2)}–{decimal(one.high, 2)}"
