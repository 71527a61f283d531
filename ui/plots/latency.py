"""Round-trip time over frame size: one curve per candidate with its 5 to 95 % band."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pyqtgraph as pg

from app.wording.colours import series_style
from ui.common.candidate_rows import Key
from ui.common.sample_model import Curve
from ui.common.texts import count, ms, tr
from ui.common.theme import Theme
from ui.plots.axes import LogAxis, SizesAxis
from ui.plots.base import EndLabel, PlotTable, ScopePlot
from ui.plots.hover import HoverSeries, interval_text
from ui.plots.pens import solution_brush, solution_pen, solution_symbol

_MARKER_PX = 8
_MOST_BANDS = 3
"""More bands over each other are indistinguishable."""


class _Band:
    def __init__(self, plot: LatencyPlot, key: Key, nth_suite: int) -> None:
        solution = key[0]
        self.low = pg.PlotCurveItem(pen=None)
        self.high = pg.PlotCurveItem(pen=None)
        self.fill = pg.FillBetweenItem(self.low, self.high, brush=solution_brush(solution))
        self.fill.setZValue(1)
        pen = solution_pen(solution, nth_suite)
        self.middle = pg.PlotCurveItem(pen=pen)
        self.middle.setZValue(10)
        self.dots = pg.ScatterPlotItem(
            size=_MARKER_PX, pen=None, brush=series_style(solution).colour, symbol=solution_symbol(solution)
        )
        self.dots.setZValue(11)
        for item in (self.low, self.high, self.fill, self.middle, self.dots):
            plot.addItem(item)

    def show_band(self, *, is_shown: bool) -> None:
        for item in (self.low, self.high, self.fill):
            item.setVisible(is_shown)

    def draw(self, curve: Curve) -> None:
        x = np.log10(curve.frame_bytes)
        self.low.setData(x, np.log10(curve.p5_ms))
        self.high.setData(x, np.log10(curve.p95_ms))
        self.middle.setData(x, np.log10(curve.mean_ms))
        self.dots.setData(x, np.log10(curve.mean_ms))


class LatencyPlot(ScopePlot):
    """The main plot.

    Args:
        sizes: Frame sizes in bytes, ascending.
    """

    def __init__(self, theme: Theme, sizes: Sequence[int] = ()) -> None:
        self._sizes_axis = SizesAxis()
        super().__init__(
            theme,
            tr("RTT by frame size: mean, 5th to 95th percentile"),
            tr("frame size in bytes"),
            tr("round-trip time in ms"),
            axes={"left": LogAxis("left"), "bottom": self._sizes_axis},
            label_room_px=156,
        )
        self._bands: dict[Key, _Band] = {}
        self._drawn: list[Curve] = []
        self._highlighted: Key | None = None
        self._titles: dict[Key, tuple[str, int]] = {}
        self.set_sizes(sizes)

    def set_sizes(self, sizes: Sequence[int]) -> None:
        """Take the frame sizes of a campaign."""
        self._sizes_axis.sizes = tuple(sizes)
        low, high = np.log10(min(sizes, default=60)), np.log10(max(sizes, default=1514))
        self.set_x_range(float(low) - 0.08, float(high))
        self.set_y_range(-1, 1)
        self.show_scale(is_there=False)

    def set_candidates(self, titles: Mapping[Key, tuple[str, int]]) -> None:
        """Take label and position among its solution's suites for each candidate; forgets earlier curves."""
        self._titles = dict(titles)
        for band in self._bands.values():
            for item in (band.fill, band.low, band.high, band.middle, band.dots):
                self.removeItem(item)
        self._bands.clear()
        self._drawn = []
        self._highlighted = None
        self.set_end_labels(())

    def highlight(self, key: Key | None, *, most_bands: int = _MOST_BANDS) -> None:
        """Show the band of this candidate; with at most so many candidates all have theirs."""
        self._highlighted = key
        for other, band in self._bands.items():
            band.show_band(is_shown=other == key or len(self._bands) <= most_bands)

    def draw(self, curves: Sequence[Curve]) -> None:
        """Show these curves."""
        drawn = self._drawn = [curve for curve in curves if curve.key in self._titles]
        for curve in drawn:
            if curve.key not in self._bands:
                self._bands[curve.key] = _Band(self, curve.key, self._titles[curve.key][1])
            self._bands[curve.key].draw(curve)
        self.highlight(self._highlighted)
        self.show_scale(is_there=bool(drawn))
        if not drawn:
            return
        low = min(float(curve.p5_ms.min()) for curve in drawn)
        high = max(float(curve.p95_ms.max()) for curve in drawn)
        self.set_y_range(_down(np.log10(low)), _up(np.log10(high)))
        self.set_end_labels(
            [
                EndLabel(
                    self._titles[curve.key][0],
                    series_style(curve.key[0]).colour,
                    bool(series_style(curve.key[0], self._titles[curve.key][1]).dash),
                    float(np.log10(curve.frame_bytes[-1])),
                    float(np.log10(curve.mean_ms[-1])),
                )
                for curve in drawn
            ]
        )

    def hover_series(self) -> list[HoverSeries]:
        """Return each candidate's means."""
        return [
            HoverSeries(np.log10(curve.frame_bytes), np.log10(curve.mean_ms), partial(self._point_text, curve))
            for curve in self._drawn
        ]

    def _point_text(self, curve: Curve, nth: int) -> str:
        low, high = ms(float(curve.p5_ms[nth])), ms(float(curve.p95_ms[nth]))
        lines = (
            self._titles[curve.key][0],
            tr("%1 bytes").replace("%1", count(round(float(curve.frame_bytes[nth])))),
            tr("mean %1").replace("%1", ms(float(curve.mean_ms[nth]))),
            tr("5th to 95th percentile: %1").replace("%1", interval_text(low, high)),
            tr("%1 replies").replace("%1", count(int(curve.replies[nth]))),
        )
        return "\n".join(lines)

    def figures(self) -> PlotTable:
        """Return mean and band of each candidate at each frame size."""
        rows = [
            (
                self._titles[curve.key][0],
                f"{count(round(size))} B",
                *(ms(float(values[nth])) for values in (curve.mean_ms, curve.p5_ms, curve.p95_ms)),
            )
            for curve in self._drawn
            for nth, size in enumerate(curve.frame_bytes)
        ]
        return PlotTable((tr("Candidate"), tr("Frame size"), tr("Mean RTT"), "5 %", "95 %"), tuple(rows))


def _down(log_value: float) -> float:
    """Return a little below, in steps of a fifth of a decade, so that the axis rests."""
    return float(np.floor((log_value - 0.02) * 5) / 5)


def _up(log_value: float) -> float:
    return float(np.ceil((log_value + 0.02) * 5) / 5)
