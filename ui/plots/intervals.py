"""Ratios of candidates with their intervals, one line each: to the fastest, or of a later to an earlier comparison."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QColor, QResizeEvent

from app.domain.ranking import Ratio
from app.wording.colours import series_style
from app.wording.local_forms import decimal
from ui.common.candidate_rows import Key
from ui.common.texts import NONE, count, tr
from ui.common.theme import Theme
from ui.plots.axes import RatioAxis
from ui.plots.base import PlotTable
from ui.plots.export_rows import ExportRows, ratio_cells
from ui.plots.hover import HoverSeries, interval_text
from ui.plots.pens import plot_pen, solution_symbol
from ui.plots.rows import RowsPlot
from ui.plots.shown import Shown

_FIGURE_PX = 56
_MARKER_PX = 10
_BEAM = 0.3
_AROUND = 0.08
"""Room beside the outermost interval, as a part of what all of them span."""


class IntervalPlot(RowsPlot):
    """A point with its 95 % interval for each candidate, and a line at 1.

    Args:
        theme: Colours.
        name: For people and screen readers.
        x_label: What the ratios are.
        shown: Candidates to show; None for a choice of its own.
    """

    def __init__(self, theme: Theme, name: str, x_label: str, shown: Shown | None = None) -> None:
        axes = {"bottom": RatioAxis("bottom", is_log=False)}
        super().__init__(theme, shown, name, x_label, "", axes=axes, label_room_px=_FIGURE_PX)
        self._names: dict[Key, tuple[str, int]] = {}
        self._ratios: dict[Key, Ratio] = {}
        self._rounds: dict[Key, tuple[int, ...]] = {}
        self._x_label = x_label
        self._is_low = False
        self.show_scale(is_there=False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Write names into one line where two have no room."""
        super().resizeEvent(event)
        rows = self._rows() if hasattr(self, "_ratios") else []
        if rows and self.has_low_rows(len(rows)) != self._is_low:
            self._name_rows(rows)

    def redraw(self) -> None:
        """Draw the ratios once more."""
        self.draw(self._names, self._ratios, self._rounds)

    def draw(
        self, names: Mapping[Key, tuple[str, int]], ratios: Mapping[Key, Ratio], rounds: Mapping[Key, tuple[int, ...]]
    ) -> None:
        """Show ratios.

        Args:
            names: Label and position among its solution's suites, by candidate.
            ratios: Those of the candidates that have one, from top to bottom.
            rounds: How many rounds each is of, by candidate; of two comparisons both numbers.
        """
        self._names, self._ratios, self._rounds = dict(names), dict(ratios), dict(rounds)
        self.begin(names)
        rows = self._rows()
        self.show_scale(is_there=bool(rows))
        if not rows:
            return
        self.add(pg.InfiniteLine(self._place(1.0), pen=plot_pen(self._theme.colours.muted, 1)))
        for nth, (key, ratio) in enumerate(rows):
            self._draw_row(-float(nth), key, ratio)
        ends = [end for _, one in rows for end in (one.low, one.value, one.high) if end is not None]
        low, high = self._place(min(1.0, *ends)), self._place(max(1.0, *ends))
        around = max(0.01, _AROUND * (high - low))
        self.set_x_range(low - around if self.is_log else max(0.0, low - around), high + around)
        self.set_y_range(-len(rows) + 0.4, 0.6)
        self._name_rows(rows)
        self.hover.refresh()

    def _rows(self) -> list[tuple[Key, Ratio]]:
        return [(key, one) for key, one in self._ratios.items() if self.shown.is_shown(key)]

    def _place(self, ratio: float) -> float:
        """Return the place of a ratio on the axis."""
        return float(self.scaled(np.array([ratio]))[0])

    def _draw_row(self, y: float, key: Key, ratio: Ratio) -> None:
        colour = series_style(key[0]).colour
        x = self._place(ratio.value)
        if ratio.low is not None and ratio.high is not None:
            half = {"left": np.array([x - self._place(ratio.low)]), "right": np.array([self._place(ratio.high) - x])}
            pen = plot_pen(colour)
            self.add(pg.ErrorBarItem(x=np.array([x]), y=np.array([y]), beam=_BEAM, pen=pen, **half))
        dot = pg.ScatterPlotItem([x], [y], size=_MARKER_PX, pen=None, brush=colour, symbol=solution_symbol(key[0]))
        dot.setZValue(10)
        self.add(dot)
        text = pg.TextItem(f"  {decimal(ratio.value, 2)}", color=self._theme.colours.text, anchor=(0, 0.5))
        text.setFont(self.small_font())
        text.setPos(self._place(max(ratio.value, ratio.high or 0.0)), y)
        self.add(text)

    def _name_rows(self, rows: list[tuple[Key, Ratio]]) -> None:
        self.getPlotItem().getAxis("left").setTextPen(QColor(self._theme.colours.text))
        self._is_low = self.has_low_rows(len(rows))
        self.write_names([self._names[key][0] for key, _ in rows], is_low=self._is_low)

    def hover_series(self) -> list[HoverSeries]:
        """Return the ratios; an interval belongs to its point."""
        series = []
        for nth, (key, ratio) in enumerate(self._rows()):
            at = self._place(ratio.value)
            low = at if ratio.low is None else self._place(ratio.low)
            high = at if ratio.high is None else self._place(ratio.high)
            half = np.array([max(at - low, high - at)])
            x, y = np.array([at]), np.array([-float(nth)])
            series.append(HoverSeries(x, y, partial(self._text, key), half_width=half))
        return series

    def _text(self, key: Key, _nth: int) -> str:
        ratio = self._ratios[key]
        lines = [self._names[key][0], f"{self._x_label}: {decimal(ratio.value, 3)}"]
        if ratio.interval is not None:
            ends = interval_text(*(decimal(end, 3) for end in ratio.interval))
            lines.append(tr("95 % interval: %1", ends))
        match self._rounds.get(key, ()):
            case (1,):
                lines.append(tr("1 round"))
            case (rounds,):
                lines.append(tr("%1 rounds", count(rounds)))
            case (before, after):
                lines.append(tr("%1 and %2 rounds", count(before), count(after)))
        return "\n".join(lines)

    def figures(self) -> PlotTable:
        """Return each ratio with its interval."""
        rows = tuple((self._names[key][0], decimal(one.value, 3), _interval(one)) for key, one in self._rows())
        return PlotTable((tr("Candidate"), self._x_label, tr("95 % interval")), rows)

    def export_rows(self) -> ExportRows:
        """Return each ratio with its interval."""
        rows = tuple((self._names[key][0], *ratio_cells(one)) for key, one in self._rows())
        return ExportRows(("candidate", "ratio", "low", "high"), rows)


def _interval(ratio: Ratio) -> str:
    return NONE if ratio.interval is None else "–".join(decimal(end, 3) for end in ratio.interval)
