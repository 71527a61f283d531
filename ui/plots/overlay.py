"""Round-trip time over frame size of two comparisons in one plot: the earlier one thin, the later one thick."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import pyqtgraph as pg

from app.wording.colours import series_style
from ui.common.candidate_rows import Key
from ui.common.sample_model import Curve
from ui.common.texts import count, ms, tr
from ui.common.theme import Theme
from ui.plots.axes import RttAxis, SizesAxis
from ui.plots.base import PlotTable
from ui.plots.export_rows import CURVE_COLUMNS, ExportRows, curve_cells
from ui.plots.hover import HoverSeries
from ui.plots.pens import plot_pen, solution_pen, solution_symbol
from ui.plots.shown import ItemsPlot, Shown, point_lines

_WIDTHS_PX = (1.0, 2.5)
_MARKER_PX = 8


class OverlayPlot(ItemsPlot):
    """Means of two comparisons; what was measured only once is shown as well.

    Args:
        theme: Colours.
        shown: Candidates to show; None for a choice of its own.
    """

    def __init__(self, theme: Theme, shown: Shown | None = None) -> None:
        self._sizes_axis = SizesAxis()
        super().__init__(
            theme,
            shown,
            tr("Mean RTT by frame size: earlier thin, later thick"),
            tr("frame size in bytes"),
            tr("round-trip time in ms"),
            axes={"left": RttAxis("left", is_log=True), "bottom": self._sizes_axis},
        )
        self._names: dict[Key, tuple[str, int]] = {}
        self._curves: tuple[tuple[Curve, ...], ...] = ((), ())
        self._times = ("", "")

    def redraw(self) -> None:
        """Draw the curves once more."""
        self.draw(self._names, self._curves, self._times)

    def draw(
        self, names: Mapping[Key, tuple[str, int]], curves: Sequence[tuple[Curve, ...]], times: tuple[str, str]
    ) -> None:
        """Show two comparisons.

        Args:
            names: Label and position among its solution's suites, by candidate.
            curves: Those of the earlier comparison, and of the later one.
            times: What each comparison is called, in the same order.
        """
        self._names, self._curves, self._times = dict(names), tuple(curves), times
        self.begin(names)
        drawn = self._drawn()
        for nth, curve in drawn:
            self._draw_curve(nth, curve)
        self.show_scale(is_there=bool(drawn))
        self._show_all([curve for _, curve in drawn])
        last = {curve.key: curve for _, curve in drawn}  # the later one where there are both
        self.set_end_labels([self.curve_label(self._names, curve) for curve in last.values()])

    def _drawn(self) -> list[tuple[int, Curve]]:
        return [(nth, one) for nth, some in enumerate(self._curves) for one in some if self.shown.is_shown(one.key)]

    def _draw_curve(self, nth: int, curve: Curve) -> None:
        solution, suite = curve.key[0], self._names[curve.key][1]
        x, y = np.log10(curve.frame_bytes), self.scaled(curve.mean_ms)
        line = pg.PlotCurveItem(x, y, pen=solution_pen(solution, suite, _WIDTHS_PX[nth]))
        colour = series_style(solution).colour
        brush = colour if nth else self._theme.colours.base
        dots = pg.ScatterPlotItem(
            x, y, size=_MARKER_PX, pen=plot_pen(colour, 1), brush=brush, symbol=solution_symbol(solution)
        )
        self.add(line)
        self.add(dots)

    def _show_all(self, drawn: Sequence[Curve]) -> None:
        if not drawn:
            return
        sizes = np.unique(np.concatenate([curve.frame_bytes for curve in drawn]))
        self._sizes_axis.sizes = tuple(int(size) for size in sizes)
        self.set_x_range(float(np.log10(sizes[0])) - 0.08, float(np.log10(sizes[-1])))
        self.fit_ms(
            min(float(curve.mean_ms.min()) for curve in drawn), max(float(curve.mean_ms.max()) for curve in drawn)
        )

    def hover_series(self) -> list[HoverSeries]:
        """Return the means of both comparisons, the later ones first."""
        return [
            HoverSeries(np.log10(curve.frame_bytes), self.scaled(curve.mean_ms), self._texts(nth, curve))
            for nth, curve in reversed(self._drawn())
        ]

    def _texts(self, nth: int, curve: Curve) -> Callable[[int], str]:
        return partial(self._text, self._times[nth], curve)

    def _text(self, time: str, curve: Curve, nth: int) -> str:
        return "\n".join((self._names[curve.key][0], time, *point_lines(curve, nth)))

    def figures(self) -> PlotTable:
        """Return both means of each candidate at each frame size."""
        means: dict[tuple[Key, int], list[str]] = {}
        for nth, curve in self._drawn():
            for size, mean in zip(curve.frame_bytes, curve.mean_ms, strict=True):
                means.setdefault((curve.key, round(float(size))), ["–", "–"])[nth] = ms(float(mean))
        order = {key: nth for nth, key in enumerate(self._names)}
        places = sorted(means, key=lambda place: (order[place[0]], place[1]))
        rows = tuple((self._names[key][0], f"{count(size)} B", *means[key, size]) for key, size in places)
        return PlotTable((tr("Candidate"), tr("Frame size"), *(self._times if any(self._times) else ("A", "B"))), rows)

    def export_rows(self) -> ExportRows:
        """Return mean, band and number of replies of each candidate at each frame size, in both comparisons."""
        rows = [
            (self._names[curve.key][0], ("earlier", "later")[nth], *cells)
            for nth, curve in self._drawn()
            for cells in curve_cells(curve)
        ]
        return ExportRows(("candidate", "comparison", *CURVE_COLUMNS), tuple(rows))
