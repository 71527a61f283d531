"""Round-trip times of a deployed tunnel while it is monitored."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import Qt

from app.deployment.monitor_log import MonitorSample
from app.wording.colours import series_style
from app.wording.local_forms import decimal, short_decimal
from ui.common.texts import ms, pct, tr
from ui.common.theme import Theme
from ui.plots.axes import RttAxis
from ui.plots.base import EndLabel, PlotTable, ScopePlot
from ui.plots.hover import HoverSeries
from ui.plots.pens import log_floor, nice_top, plot_pen

_LEAST_SPAN_S = 60.0
_MOST_ROWS = 200
"""The table of the figures has no more; the newest come first."""


Floats = npt.NDArray[np.float64]


class MinutesAxis(pg.AxisItem):  # type: ignore[misc] # pyqtgraph has no types
    """An axis of seconds before now, in words."""

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:  # noqa: ARG002
        """Return seconds or minutes."""
        return [
            ""
            if value > 0
            else tr("now")
            if value == 0
            else f"{short_decimal(value)} s"
            if abs(value) < 120
            else f"{short_decimal(value / 60)} min"
            for value in values
        ]


class RttHistoryPlot(ScopePlot):
    """One line per host; where nothing answered there is a gap and a mark at the bottom."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(
            theme,
            tr("RTT in ms while monitored"),
            axes={"bottom": MinutesAxis("bottom"), "left": RttAxis("left", is_log=False)},
            label_room_px=88,
        )
        self._curves = [pg.PlotDataItem(connect="finite", symbol="o", symbolSize=4, symbolPen=None) for _ in range(2)]
        self._lost = pg.ScatterPlotItem(symbol="x", size=9)
        for item in (*self._curves, self._lost):
            self.addItem(item)
        self._solution = ""
        self._samples: Sequence[MonitorSample] = ()
        self._at_s = np.empty(0)
        self._rtts: list[Floats] = []
        self.set_x_range(-_LEAST_SPAN_S, 0)
        self.set_y_range(0, 1)
        self.show_scale(is_there=False)

    def draw(self, solution: str, samples: Sequence[MonitorSample]) -> None:
        """Show status checks.

        Args:
            solution: Chooses the colour.
            samples: In order of time.
        """
        self._solution, self._samples = solution, samples
        self.show_scale(is_there=any(rtt is not None for one in samples for rtt in one.rtt_ms))
        if not samples:
            for item in (*self._curves, self._lost):
                item.setData([], [])
            self._rtts = []
            self.set_end_labels(())
            return
        now = samples[-1].at
        at_s = np.array([(one.at - now).total_seconds() for one in samples])
        colour = series_style(solution).colour
        rtts = [np.array([math.nan if one.rtt_ms[n] is None else one.rtt_ms[n] for one in samples]) for n in range(2)]
        self._at_s, self._rtts = at_s, rtts
        labels = []
        for nth, (curve, rtt) in enumerate(zip(self._curves, rtts, strict=True)):
            pen = plot_pen(colour)
            if nth:
                pen.setStyle(Qt.PenStyle.DashLine)
            curve.setPen(pen)
            curve.setSymbolBrush(colour)
            if np.isnan(rtt).all():
                curve.setData([], [])  # pyqtgraph warns of points that are nowhere
                continue
            curve.setData(at_s, self.scaled(rtt))
            if not math.isnan(rtt[-1]):
                name = f"{'AB'[nth]} {decimal(rtt[-1], 2)}"
                labels.append(EndLabel(name, colour, bool(nth), 0.0, float(self.scaled(rtt)[-1])))
        seen = np.concatenate(rtts)
        seen = seen[~np.isnan(seen)]
        top = nice_top(1.3 * float(seen.max())) if seen.size else 1.0
        lost = np.all([np.isnan(rtt) for rtt in rtts], axis=0)
        self._lost.setPen(plot_pen(self._theme.colours.bad))
        low, high = (log_floor(float(seen.min())), math.log10(top)) if self.is_log and seen.size else (0.0, top)
        self._lost.setData(at_s[lost], np.full(int(lost.sum()), low + 0.04 * (high - low)))
        self.set_x_range(min(-_LEAST_SPAN_S, float(at_s[0])), 0)
        self.set_y_range(low, high)
        self.set_end_labels(labels)

    def redraw(self) -> None:
        """Draw the status checks once more."""
        self.draw(self._solution, self._samples)

    def hover_series(self) -> list[HoverSeries]:
        """Return the status checks of both hosts."""
        return [
            HoverSeries(self._at_s, self.scaled(rtt), partial(self._check_text, nth))
            for nth, rtt in enumerate(self._rtts)
        ]

    def _check_text(self, host: int, nth: int) -> str:
        one = self._samples[nth]
        lines = [f"{'AB'[host]}, {one.at.astimezone():%H:%M:%S}", ms(one.rtt_ms[host])]
        if one.loss_pct is not None:
            lines.append(tr("loss %1").replace("%1", pct(one.loss_pct)))
        return "\n".join(lines)

    def figures(self) -> PlotTable:
        """Return the round-trip times of both hosts, the newest first; a dash is shown for a missing reply."""
        rows = [
            (f"{one.at.astimezone():%H:%M:%S}", *(ms(rtt) for rtt in one.rtt_ms))
            for one in reversed(self._samples[-_MOST_ROWS:])
        ]
        return PlotTable((tr("Time"), "A", "B"), tuple(rows))
