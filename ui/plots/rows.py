"""Plots with a row for each candidate, the first one above, and their names beside the rows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QFontMetrics

from app.ranking.titles import in_lines
from ui.plots.shown import ItemsPlot

_TICK_GAP_PX = 16


class RowsPlot(ItemsPlot):
    """A plot whose rows have names, in one line each where two have no room."""

    def has_low_rows(self, rows: int) -> bool:
        """Return whether so many rows have no room for two lines each."""
        return float(self.view_box.height()) / rows < 2 * QFontMetrics(self.small_font()).height()

    def write_names(self, names: Sequence[str], *, is_low: bool) -> int:
        """Write names beside the rows; return the width that they take, in pixels.

        Args:
            is_low: Whether each has one line.
        """
        ticks = [(-float(nth), name if is_low else in_lines(name)) for nth, name in enumerate(names)]
        axis = self.getPlotItem().getAxis("left")
        axis.setTicks([ticks])
        letters = QFontMetrics(self.small_font())
        lines = [line for _, name in ticks for line in name.splitlines()]
        width_px = _TICK_GAP_PX + max((letters.horizontalAdvance(line) for line in lines), default=0)
        axis.setWidth(width_px)
        return width_px
