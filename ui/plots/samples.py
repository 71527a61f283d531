"""Round-trip times of one candidate in the order of sending, with outages as shaded spans."""

from __future__ import annotations

from itertools import compress

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QColor

from app.ranking.sample_history import LEAST_DRAWN_MS, Floats, SampleHistory, SampleOutage
from app.ranking.sample_words import lasted_text, outage_text
from app.wording.colours import series_style
from ui.common.texts import NONE, count, ms, plain_tip, tr
from ui.common.theme import Theme
from ui.plots.axes import RttAxis
from ui.plots.base import PlotTable, ScopePlot
from ui.plots.export_rows import ExportRows
from ui.plots.hover import HoverSeries
from ui.plots.pens import log_ceiling, log_floor, nice_top

_DOT_PX = 4
_EXPORTED = ("round", "request", "block_began_s", "rtt_ms")
_MOST_SPANS = 200
"""Outages that are shaded; the ones with the most requests. The table has all."""
_ALPHA = 70
_LEAST_SPAN_SHARE = 0.003
"""A span is at least this part of the plot's width."""


class SamplesPlot(ScopePlot):
    """A dot for each reply; where none came the plot is shaded, with what is known of the duration as tool tip."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(
            theme,
            tr("RTT in the order of sending, outages shaded"),
            " ",
            tr("round-trip time in ms"),
            axes={"left": RttAxis("left", is_log=True)},
        )
        self._dots = pg.ScatterPlotItem(size=_DOT_PX, pen=None)
        self.addItem(self._dots)
        self._spans: list[pg.LinearRegionItem] = []
        self._solution = ""
        self._history: SampleHistory | None = None
        self.set_y_range(-1, 1)
        self.show_scale(is_there=False)

    @property
    def tips(self) -> list[str]:
        """Tool tips of the shaded spans, in the order of time."""
        return [span.toolTip() for span in self._spans]

    def draw(self, solution: str, history: SampleHistory | None) -> None:
        """Show the samples of a candidate.

        Args:
            solution: Chooses the colour.
            history: Its samples; None for none.
        """
        self._solution, self._history = solution, history
        for span in self._spans:
            self.removeItem(span)
        self._spans = []
        seen = history.rtt_ms[~np.isnan(history.rtt_ms)] if history is not None else np.empty(0)
        self.show_scale(is_there=bool(seen.size))
        if history is None:
            self._dots.setData([], [])
            return
        words = tr("seconds since the comparison began") if history.at_s is not None else tr("request, in order")
        self._labels["bottom"] = words
        self.restyle()
        answered = ~np.isnan(history.rtt_ms)
        self._dots.setData(
            history.x[answered],
            self.scaled(self._drawn(history.rtt_ms[answered])),
            brush=QColor(series_style(solution).colour),
        )
        low, high = float(history.x[0]), float(history.x[-1])
        room = 0.02 * max(high - low, 1.0)
        self.set_x_range(low - room, high + room)
        self._show_heights(seen)
        self._shade(history, _LEAST_SPAN_SHARE * (high - low + 2 * room))

    def _show_heights(self, seen: Floats) -> None:
        if not seen.size:
            self.set_y_range(-1 if self.is_log else 0, 1)
        elif self.is_log:
            self.set_y_range(log_floor(float(self._drawn(seen).min())), log_ceiling(float(self._drawn(seen).max())))
        else:
            self.set_y_range(0, nice_top(1.02 * float(seen.max())))

    def _drawn(self, rtt_ms: Floats) -> Floats:
        """Return round-trip times as the axis can have them."""
        return np.maximum(rtt_ms, LEAST_DRAWN_MS) if self.is_log else rtt_ms

    def _shade(self, history: SampleHistory, least: float) -> None:
        colour = QColor(self._theme.colours.bad)
        colour.setAlpha(_ALPHA)
        longest = sorted(history.outages, key=lambda one: -one.requests)[:_MOST_SPANS]
        for one in sorted(longest, key=lambda one: one.first):
            left, right = _ends(history, one)
            middle, half = (left + right) / 2, max(right - left, least) / 2
            ends = (middle - half, middle + half)
            span = pg.LinearRegionItem(ends, brush=colour, pen=pg.mkPen(None), movable=False)
            span.setZValue(-10)
            span.setToolTip(plain_tip(outage_text(one)))
            self.addItem(span, ignoreBounds=True)
            self._spans.append(span)

    def redraw(self) -> None:
        """Draw the samples once more."""
        self.draw(self._solution, self._history)

    def hover_series(self) -> list[HoverSeries]:
        """Return the replies."""
        if self._history is None:
            return []
        return [HoverSeries(self._history.x, self.scaled(self._drawn(self._history.rtt_ms)), self._sample_text)]

    def _sample_text(self, nth: int) -> str:
        if self._history is None:
            return ""
        number = tr("request %1, round %2", count(nth + 1), self._history.rounds[nth])
        return f"{number}\n{ms(float(self._history.rtt_ms[nth]))}"

    def figures(self) -> PlotTable:
        """Return the outages: what is drawn in dots are thousands of figures."""
        found = self._history.outages if self._history is not None else ()
        rows = [
            (
                str(one.round),
                f"{count(one.first + 1)} – {count(one.last + 1)}",
                count(one.requests),
                lasted_text(one) or NONE,
            )
            for one in found
        ]
        return PlotTable((tr("Round"), tr("Requests"), tr("Without a reply"), tr("Duration")), tuple(rows))

    def export_rows(self) -> ExportRows:
        """Return the samples of all requests that were sent, in that order."""
        found = self._history
        if found is None:
            return ExportRows(_EXPORTED, ())
        times = found.at_s if found.at_s is not None else np.full(found.rtt_ms.size, np.nan)
        numbers = range(1, found.rtt_ms.size + 1)
        rows = zip(found.rounds.tolist(), numbers, times.tolist(), found.rtt_ms.tolist(), strict=True)
        return ExportRows(_EXPORTED, tuple(compress(rows, found.is_sent.tolist())))


def _ends(history: SampleHistory, one: SampleOutage) -> tuple[float, float]:
    """Return between which places an outage is shaded."""
    if history.at_s is None:
        return one.first + 0.5, one.last + 1.5
    return float(history.at_s[one.first]), float(history.at_s[one.last])
