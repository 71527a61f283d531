"""Round-trip times of a deployed tunnel while it is monitored."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC
from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from app.deployment.monitor_log import MonitorSample
from app.wording.colours import series_style
from app.wording.local_forms import decimal, short_decimal
from ui.common.sample_model import Floats
from ui.common.texts import ms, pct, tr
from ui.common.theme import Theme
from ui.plots.axes import RttAxis
from ui.plots.base import EndLabel, PlotTable, ScopePlot
from ui.plots.export_rows import ExportRows
from ui.plots.hover import HoverSeries
from ui.plots.pens import log_floor, nice_top, plot_pen

_LEAST_SPAN_S = 60.0
_MOST_ROWS = 200
"""The table of the figures has no more; the newest come first. What is saved has all."""


class MinutesAxis(pg.AxisItem):  # type: ignore[misc] # pyqtgraph has no types
    """An axis of seconds before the last status check, in words; that one has its time, since it may be long ago."""

    last = ""
    """Time of the last status check."""

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:  # noqa: ARG002
        """Return seconds or minutes."""
        return [
            ""
            if value > 0
            else self.last
            if value == 0
            else f"{short_decimal(value)} s"
            if abs(value) < 120
            else f"{short_decimal(value / 60)} min"
            for value in values
        ]


def _rtts_of(samples: Sequence[MonitorSample], host: int) -> Floats:
    """Return one host's round-trip times in ms; not a number where nothing answered."""
    return np.array([math.nan if one.rtt_ms[host] is None else one.rtt_ms[host] for one in samples])


class RttHistoryPlot(ScopePlot):
    """One line per host; where nothing answered there is a gap and a mark at the bottom."""

    def __init__(self, theme: Theme) -> None:
        axis = MinutesAxis("bottom")
        super().__init__(
            theme,
            tr("RTT in ms while monitored"),
            axes={"bottom": axis, "left": RttAxis("left", is_log=False)},
            label_room_px=88,
        )
        self._axis = axis
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
        last = samples[-1].at
        at_s = self._at_s = np.array([(one.at - last).total_seconds() for one in samples])
        self._axis.last = f"{last.astimezone():%H:%M:%S}"
        self._axis.picture = None  # its range may be that of before, and its texts are kept with it
        self._axis.update()
        rtts = self._rtts = [_rtts_of(samples, host) for host in range(2)]
        for nth, rtt in enumerate(rtts):
            self._draw_host(nth, rtt)
        seen = np.concatenate(rtts)
        seen = seen[~np.isnan(seen)]
        top = nice_top(1.3 * float(seen.max())) if seen.size else 1.0
        lost = np.all([np.isnan(rtt) for rtt in rtts], axis=0)
        self._lost.setPen(plot_pen(self._theme.colours.bad))
        low, high = (log_floor(float(seen.min())), math.log10(top)) if self.is_log and seen.size else (0.0, top)
        self._lost.setData(at_s[lost], np.full(int(lost.sum()), low + 0.04 * (high - low)))
        self.set_x_range(min(-_LEAST_SPAN_S, float(at_s[0])), 0)
        self.set_y_range(low, high)
        self.set_end_labels([self._end_label(nth, rtt) for nth, rtt in enumerate(rtts) if not math.isnan(rtt[-1])])

    def _draw_host(self, nth: int, rtt: Floats) -> None:
        colour = series_style(self._solution).colour
        pen = plot_pen(colour)
        if nth:
            pen.setStyle(Qt.PenStyle.DashLine)
        curve = self._curves[nth]
        curve.setPen(pen)
        curve.setSymbolBrush(colour)
        if np.isnan(rtt).all():
            curve.setData([], [])  # pyqtgraph warns of points that are nowhere
        else:
            curve.setData(self._at_s, self.scaled(rtt))

    def _end_label(self, nth: int, rtt: Floats) -> EndLabel:
        name = f"{'AB'[nth]} {decimal(rtt[-1], 2)}"
        return EndLabel(name, series_style(self._solution).colour, bool(nth), 0.0, float(self.scaled(rtt)[-1]))

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
            lines.append(tr("loss %1", pct(one.loss_pct)))
        return "\n".join(lines)

    def figures(self) -> PlotTable:
        """Return the round-trip times of both hosts, the newest first; a dash is shown for a missing reply."""
        rows = [
            (f"{one.at.astimezone():%H:%M:%S}", *(ms(rtt) for rtt in one.rtt_ms))
            for one in reversed(self._samples[-_MOST_ROWS:])
        ]
        return PlotTable((tr("Time"), "A", "B"), tuple(rows))

    def export_rows(self) -> ExportRows:
        """Return all status checks in the order of time."""
        rows = tuple((one.at.astimezone(UTC).isoformat(), *one.rtt_ms, one.loss_pct) for one in self._samples)
        return ExportRows(("at", "a_rtt_ms", "b_rtt_ms", "loss_pct"), rows)
