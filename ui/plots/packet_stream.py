"""The running probe's round-trip times of the last seconds, as they arrive."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt

from app.wording.colours import series_style
from app.wording.local_forms import decimal, short_decimal
from ui.common.sample_model import RECENT_S, Floats
from ui.common.texts import count, ms, tr
from ui.common.theme import Theme
from ui.plots.axes import RttAxis, SecondsAxis
from ui.plots.base import PlotTable, ScopePlot
from ui.plots.export_rows import ExportRows
from ui.plots.hover import HoverSeries, interval_text
from ui.plots.pens import log_floor, nice_top, plot_pen

_BUCKETS = 500
"""The plot is at most so many pixels wide in effect: more samples than that are drawn as lines from least to most."""


class ArrivingPlot(ScopePlot):
    """Samples over the last seconds; what lies above the axis is clipped, and counted in words."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(
            theme,
            tr("Live RTT (ms), last 10 s"),
            axes={"bottom": SecondsAxis("bottom"), "left": RttAxis("left", is_log=False)},
        )
        self._samples = pg.PlotCurveItem(connect="pairs", antialias=False)
        self.addItem(self._samples)
        self._note = pg.TextItem(anchor=(1, 0))
        self.addItem(self._note, ignoreBounds=True)
        self.set_x_range(-RECENT_S, 0)
        self.set_y_range(0, 1)
        self.show_scale(is_there=False)
        self._solution = ""
        self._recent = (np.empty(0), np.empty(0))
        self._drawn = (np.empty(0), np.empty(0), np.empty(0))
        self._frame_bytes: int | None = None

    def draw(self, solution: str, at_s: Floats, rtt_ms: Floats, frame_bytes: int | None = None) -> None:
        """Show samples.

        Args:
            solution: Chooses the colour.
            at_s: Seconds relative to now, ascending, shape (n,).
            rtt_ms: In ms, NaN where lost, shape (n,).
            frame_bytes: Size that is probed now; None if it is not known.
        """
        self._recent = at_s, rtt_ms
        self._frame_bytes = frame_bytes
        self._note.setFont(self.small_font())
        seen = ~np.isnan(rtt_ms)
        at_s, rtt_ms = at_s[seen], rtt_ms[seen]
        if solution != self._solution:
            self._solution = solution
            pen = plot_pen(series_style(solution).colour)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            self._samples.setPen(pen)
        self.show_scale(is_there=bool(rtt_ms.size))
        if not rtt_ms.size:
            self._drawn = (np.empty(0), np.empty(0), np.empty(0))
            self._samples.setData([], [])
            self._note.setText(tr("no pings in progress"), color=self._theme.colours.muted)
            self._note.setPos(QPointF(0, self.view_box.viewRange()[1][1]))
            return
        top = nice_top(1.6 * float(np.percentile(rtt_ms, 98)))
        bottom = float(rtt_ms.min())
        if self.is_log:
            self.set_y_range(log_floor(bottom), math.log10(top))
        else:
            self.set_y_range(0, top)
        above = int((rtt_ms > top).sum())
        x, low, high = buckets(at_s, np.minimum(rtt_ms, top), -RECENT_S, 0.0, _BUCKETS)
        self._drawn = x, low, high
        xs, ys = np.repeat(x, 2), np.column_stack((low, high)).ravel()
        ys = self.scaled(ys)
        least = 0.004 * (self.view_box.viewRange()[1][1] - self.view_box.viewRange()[1][0])
        ys[1::2] += np.where(ys[1::2] - ys[::2] < least, least, 0.0)  # a line of no length would not be drawn
        self._samples.setData(xs, ys)
        self._note.setText(
            tr("%1 above %2 ms", above, short_decimal(top)) if above else "",
            color=self._theme.colours.muted,
        )
        self._note.setPos(QPointF(0, math.log10(top) if self.is_log else top))
        self.hover.refresh()

    def redraw(self) -> None:
        """Draw the samples once more."""
        self.draw(self._solution, *self._recent, self._frame_bytes)

    def hover_series(self) -> list[HoverSeries]:
        """Return the samples, those of a fiftieth of a second together."""
        x, low, high = self._drawn
        low, high = self.scaled(low), self.scaled(high)
        return [HoverSeries(x, (low + high) / 2, self._point_text, half_height=(high - low) / 2)]

    def _point_text(self, nth: int) -> str:
        x = float(self._drawn[0][nth])
        at_s, rtt_ms = self._recent
        half_s = RECENT_S / _BUCKETS / 2
        values = rtt_ms[(at_s >= x - half_s) & (at_s < x + half_s)]
        seen = values[~np.isnan(values)]
        lines = [tr("%1 s ago", decimal(-x, 2))]
        if self._frame_bytes is not None:
            lines.append(tr("%1 bytes", count(self._frame_bytes)))
        if seen.size:
            least, most = ms(float(seen.min())), ms(float(seen.max()))
            lines.append(most if seen.size == 1 else interval_text(least, most))
        lines.append(tr("1 reply") if seen.size == 1 else tr("%1 replies", count(int(seen.size))))
        return "\n".join(lines)

    def figures(self) -> PlotTable:
        """Return replies, losses, median and slowest of each of the last seconds."""
        at_s, rtt_ms = self._recent
        rows = []
        for second in range(int(RECENT_S)):
            values = rtt_ms[(at_s <= -second) & (at_s > -second - 1)]
            seen = values[~np.isnan(values)]
            median, most = np.percentile(seen, (50, 100)) if seen.size else (None, None)
            rows.append(
                (f"{-second} … {-second - 1} s", count(seen.size), count(values.size - seen.size), ms(median), ms(most))
            )
        return PlotTable((tr("Time"), tr("Replies"), tr("Lost"), tr("Median RTT"), tr("Most")), tuple(rows))

    def export_rows(self) -> ExportRows:
        """Return every sample of the last seconds; one without a time was lost."""
        at_s, rtt_ms = self._recent
        rows = tuple((float(at), float(rtt)) for at, rtt in zip(at_s, rtt_ms, strict=True))
        return ExportRows(("at_s", "rtt_ms"), rows)


def buckets(x: Floats, y: Floats, low: float, high: float, number: int) -> tuple[Floats, Floats, Floats]:
    """Return (x, least y, most y) of every bucket that holds a sample; nothing extreme is lost by it.

    Args:
        x: Ascending, shape (n,).
        y: Shape (n,).
        low: Left end of the first bucket.
        high: Right end of the last one.
        number: How many buckets.

    Returns:
        Three arrays of one shape.
    """
    places = np.clip(((x - low) / (high - low) * number).astype(np.int64), 0, number - 1)
    starts = np.flatnonzero(np.diff(places, prepend=-1))
    if not starts.size:
        empty = np.empty(0)
        return empty, empty, empty
    return (
        low + (places[starts] + 0.5) * (high - low) / number,
        np.minimum.reduceat(y, starts),
        np.maximum.reduceat(y, starts),
    )
