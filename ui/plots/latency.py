"""Round-trip time over frame size: one curve per candidate with its 5 to 95 % band."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import pyqtgraph as pg

from app.wording.colours import series_style
from ui.common.candidate_rows import Key
from ui.common.sample_model import Curve, Floats
from ui.common.texts import count, ms, tr
from ui.common.theme import Theme
from ui.plots.axes import RttAxis, SizesAxis
from ui.plots.base import PlotTable
from ui.plots.export_rows import CURVE_COLUMNS, ExportRows, curve_cells
from ui.plots.hover import HoverSeries
from ui.plots.pens import solution_brush, solution_pen, solution_symbol
from ui.plots.shown import CandidatePlot, Shown, point_lines

_MARKER_PX = 8
_MOST_BANDS = 3
"""More bands over each other are indistinguishable."""


class _Band:
    def __init__(self, plot: CandidatePlot, key: Key, nth_suite: int) -> None:
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

    def show(self, *, is_shown: bool) -> None:
        for item in (self.middle, self.dots):
            item.setVisible(is_shown)

    def draw(self, curve: Curve, scaled: Callable[[Floats], Floats]) -> None:
        x = np.log10(curve.frame_bytes)
        self.low.setData(x, scaled(curve.p5_ms))
        self.high.setData(x, scaled(curve.p95_ms))
        self.middle.setData(x, scaled(curve.mean_ms))
        self.dots.setData(x, scaled(curve.mean_ms))


class LatencyPlot(CandidatePlot):
    """The main plot.

    Args:
        sizes: Frame sizes in bytes, ascending.
        shown: Candidates to show; None for a choice of its own.
    """

    def __init__(self, theme: Theme, sizes: Sequence[int] = (), shown: Shown | None = None) -> None:
        self._sizes_axis = SizesAxis()
        super().__init__(
            theme,
            shown,
            tr("RTT by frame size: mean, 5th to 95th percentile"),
            tr("frame size in bytes"),
            tr("round-trip time in ms"),
            axes={"left": RttAxis("left", is_log=True), "bottom": self._sizes_axis},
        )
        self._bands: dict[Key, _Band] = {}
        self._curves: tuple[Curve, ...] = ()
        self._drawn: list[Curve] = []
        self._highlighted: Key | None = None
        self._most_bands = _MOST_BANDS
        self._titles: dict[Key, tuple[str, int]] = {}
        self.set_sizes(sizes)

    def set_sizes(self, sizes: Sequence[int]) -> None:
        """Take the frame sizes of a campaign."""
        self._sizes_axis.sizes = tuple(sizes)
        low, high = np.log10(min(sizes, default=60)), np.log10(max(sizes, default=1514))
        self.set_x_range(float(low) - 0.08, float(high))
        self._rest_y()
        self.show_scale(is_there=False)

    def set_candidates(self, titles: Mapping[Key, tuple[str, int]]) -> None:
        """Take label and position among its solution's suites for each candidate; forgets earlier curves."""
        self._titles = dict(titles)
        for band in self._bands.values():
            for item in (band.fill, band.low, band.high, band.middle, band.dots):
                self.removeItem(item)
        self._bands.clear()
        self._curves, self._drawn = (), []
        self._highlighted = None
        self.set_end_labels(())
        self.shown.set_candidates(titles)

    def highlight(self, key: Key | None, *, most_bands: int = _MOST_BANDS) -> None:
        """Show the band of this candidate; with at most so many candidates all have theirs."""
        self._highlighted, self._most_bands = key, most_bands
        for other, band in self._bands.items():
            is_shown = self.shown.is_shown(other)
            band.show_band(is_shown=is_shown and (other == key or len(self._drawn) <= most_bands))
            band.show(is_shown=is_shown)

    def draw(self, curves: Sequence[Curve]) -> None:
        """Show these curves."""
        self._curves = tuple(curve for curve in curves if curve.key in self._titles)
        drawn = self._drawn = [curve for curve in self._curves if self.shown.is_shown(curve.key)]
        for curve in self._curves:
            if curve.key not in self._bands:
                self._bands[curve.key] = _Band(self, curve.key, self._titles[curve.key][1])
            self._bands[curve.key].draw(curve, self.scaled)
        self.highlight(self._highlighted, most_bands=self._most_bands)
        self.show_scale(is_there=bool(drawn))
        if not drawn:
            self._rest_y()
            self.set_end_labels(())
            return
        self.fit_ms(min(float(curve.p5_ms.min()) for curve in drawn), max(float(curve.p95_ms.max()) for curve in drawn))
        self.set_end_labels([self.curve_label(self._titles, curve) for curve in drawn])

    def redraw(self) -> None:
        """Draw the curves once more."""
        self.draw(self._curves)

    def _rest_y(self) -> None:
        """Show a range of the vertical axis while there is no curve."""
        self.set_y_range(-1 if self.is_log else 0, 1)

    def hover_series(self) -> list[HoverSeries]:
        """Return each candidate's means."""
        return [
            HoverSeries(np.log10(curve.frame_bytes), self.scaled(curve.mean_ms), partial(self._point_text, curve))
            for curve in self._drawn
        ]

    def _point_text(self, curve: Curve, nth: int) -> str:
        return "\n".join((self._titles[curve.key][0], *point_lines(curve, nth)))

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

    def export_rows(self) -> ExportRows:
        """Return mean, band and number of replies of each candidate at each frame size."""
        rows = [(self._titles[curve.key][0], *cells) for curve in self._drawn for cells in curve_cells(curve)]
        return ExportRows(("candidate", *CURVE_COLUMNS), tuple(rows))
