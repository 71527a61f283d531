"""CPU of a hub over the time of a window, stacked, as in the report."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel

from app.domain.results import CpuUsage
from app.reports.hub_figure import PARTS, cpu_edges
from app.wording.colours import CPU_PART_COLOURS
from ui.common.sample_model import Floats
from ui.common.texts import pct, tr
from ui.common.theme import Theme
from ui.plots.axes import SecondsAxis
from ui.plots.base import PlotTable, ScopePlot
from ui.plots.export_rows import ExportRows
from ui.plots.hover import HoverSeries
from ui.plots.pens import plot_pen


class HubCpuPlot(ScopePlot):
    """User, system, interrupts and what a hypervisor took, in percent of all cores; the rest is idle.

    Args:
        solution: Title of the solution.
    """

    def __init__(self, theme: Theme, solution: str) -> None:
        self._areas: list[pg.PlotCurveItem] = []
        self._shares: Floats = np.empty((0, len(PARTS)))
        self._edges: tuple[Floats, Floats] = (np.empty(0), np.empty(0))
        name = tr("CPU of the hub, % of all cores: %1", solution)
        super().__init__(theme, name, axes={"bottom": SecondsAxis("bottom")})
        for colour in reversed(CPU_PART_COLOURS):
            area = pg.PlotCurveItem([0, 1], [0], fillLevel=0, brush=QColor(colour), stepMode="center")
            self.addItem(area)
            self._areas.append(area)
        self.restyle()
        self.set_y_range(0, 100)

    def restyle(self) -> None:
        """Take the scheme's colours."""
        super().restyle()
        for area in self._areas:
            area.setPen(plot_pen(self._theme.colours.text, 1))

    def draw(self, cpu: Sequence[CpuUsage]) -> None:
        """Show one value per interval, in order; at least one."""
        begins, ends = cpu_edges(cpu)
        self._edges = np.array(begins), np.array(ends)
        self._shares = np.array([[getattr(one, field) for _, field in PARTS] for one in cpu])
        sums = np.cumsum(self._shares, axis=1)
        for area, column in zip(self._areas, reversed(range(len(PARTS))), strict=True):
            area.setData(np.array([*begins, ends[-1]]), sums[:, column])
        self.set_x_range(0, ends[-1])
        self.hover.refresh()

    def hover_series(self) -> list[HoverSeries]:
        """Return the sum of the shares of each interval."""
        half = self._shares.sum(axis=1) / 2
        return [HoverSeries((self._edges[0] + self._edges[1]) / 2, half, self._text, half_height=half)]

    def _text(self, nth: int) -> str:
        return "\n".join((f"{self._edges[1][nth]:.0f} s", *map(" ".join, self._parts(nth))))

    def _parts(self, nth: int) -> list[tuple[str, str]]:
        shares = [float(one) for one in self._shares[nth]]
        names = [*_names(), tr("idle")]
        return list(zip(names, map(pct, (*shares, max(0.0, 100.0 - sum(shares)))), strict=True))

    def figures(self) -> PlotTable:
        """Return the shares of each interval."""
        rows = [
            (f"{self._edges[1][nth]:.0f} s", *(text for _, text in self._parts(nth)))
            for nth in range(len(self._shares))
        ]
        return PlotTable((tr("Time"), *_names(), tr("idle")), tuple(rows))

    def export_rows(self) -> ExportRows:
        """Return the shares of each interval."""
        ends = zip(*self._edges, self._shares, strict=True)
        rows = tuple((float(begin), float(end), *map(float, shares)) for begin, end, shares in ends)
        return ExportRows(("from_s", "to_s", *(field for _, field in PARTS)), rows)


class HubCpuKey(QLabel):
    """Legend of the colours."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.RichText)
        parts = zip(CPU_PART_COLOURS, _names(), strict=True)
        self.setText("&nbsp; ".join(f'<span style="color:{colour}">■</span> {name}' for colour, name in parts))


def _names() -> list[str]:
    return [tr(name) for name, _ in PARTS]
