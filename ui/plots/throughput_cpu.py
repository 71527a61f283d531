"""Throughput per second and CPU of both hosts while a candidate is measured."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel

from app.wording.colours import CPU_SHADES_DARK, CPU_SHADES_LIGHT, series_style
from ui.common.basics import ElidedLabel
from ui.common.sample_model import Floats
from ui.common.texts import mbit_s, pct, tr
from ui.common.theme import Theme
from ui.plots.axes import SecondsAxis
from ui.plots.base import PlotTable, ScopePlot
from ui.plots.export_rows import Cell, ExportRows
from ui.plots.hover import HoverSeries
from ui.plots.pens import nice_top, plot_pen

_NO_RATES: Floats = np.empty((0, 2))


def _directions() -> dict[str, str]:
    return {"a_to_b": tr("A→B"), "b_to_a": tr("B→A")}


def _rate_text(direction: str, data: Floats, nth: int) -> str:
    return f"{direction}, {data[nth, 0]:.0f} s\n{mbit_s(float(data[nth, 1]))}"


def cpu_shades(theme: Theme) -> tuple[str, str, str]:
    """Return the colours of softirq (drawn first, as the sum of all), system and user."""
    return CPU_SHADES_DARK if theme.is_dark else CPU_SHADES_LIGHT


class ThroughputPlot(ScopePlot):
    """TCP throughput per second, one line per direction (B to A dashed)."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, tr("Throughput, Mbit/s"), axes={"bottom": SecondsAxis("bottom")})
        self.newest = ElidedLabel()
        """The newest figure of each direction; shown below the plot."""
        self._curves = {name: pg.PlotDataItem(symbol="o", symbolSize=5, symbolPen=None) for name in _directions()}
        for curve in self._curves.values():
            self.addItem(curve)
        self._rows: Mapping[str, Floats] = {}
        self.set_x_range(0, 3)
        self.set_y_range(0, 1)
        self.show_scale(is_there=False)

    def draw(self, solution: str, rows: Mapping[str, Floats], seconds: int) -> None:
        """Show what was measured so far.

        Args:
            solution: Chooses the colour.
            rows: (seconds, Mbit/s) per direction, shape (n, 2).
            seconds: How long one direction takes.
        """
        self._rows = rows
        colour = series_style(solution).colour
        parts = []
        top = 0.0
        for name, text in _directions().items():
            data = rows[name]
            pen = plot_pen(colour)
            if name == "b_to_a":
                pen.setDashPattern([4.0, 2.0])
            self._curves[name].setPen(pen)
            self._curves[name].setSymbolBrush(colour)
            self._curves[name].setData(data[:, 0], data[:, 1])
            if len(data):
                top = max(top, float(data[:, 1].max()))
                stroke = "\u2504" if name == "b_to_a" else "\u2501"
                parts.append(f"{stroke} {text} {float(data[-1, 1]):.0f}")
        self.set_x_range(0, max(1, seconds))
        self.set_y_range(0, nice_top(1.1 * top))
        self.show_scale(is_there=bool(parts))
        self.newest.setText("  ".join(parts))
        self.hover.refresh()

    def hover_series(self) -> list[HoverSeries]:
        """Return the throughput of each second and direction."""
        return [
            HoverSeries(data[:, 0], data[:, 1], partial(_rate_text, text, data))
            for name, text in _directions().items()
            if len(data := self._rows.get(name, _NO_RATES))
        ]

    def figures(self) -> PlotTable:
        """Return the throughput of each second and direction."""
        rows = [
            (text, f"{second:.0f} s", mbit_s(rate))
            for name, text in _directions().items()
            for second, rate in self._rows.get(name, ())
        ]
        return PlotTable((tr("Direction"), tr("Time"), tr("Throughput")), tuple(rows))

    def export_rows(self) -> ExportRows:
        """Return the throughput of each second and direction."""
        rows = [
            (name, float(second), float(rate)) for name in _directions() for second, rate in self._rows.get(name, ())
        ]
        return ExportRows(("direction", "at_s", "throughput_mbit_s"), tuple(rows))


class CpuPlot(ScopePlot):
    """CPU of one host, stacked: user, system, softirq. All cores together are 100 %.

    Args:
        side: `A` or `B`, shown before the total.
    """

    def __init__(self, theme: Theme, side: str) -> None:
        self._areas: list[pg.PlotCurveItem] = []
        self._rows: Floats = np.empty((0, 5))
        self._side = side
        name = tr("CPU of %1 in percent", side)
        super().__init__(theme, name, axes={"bottom": SecondsAxis("bottom")})
        self.total_pct: float | None = None
        for _ in range(3):
            area = pg.PlotCurveItem(fillLevel=0)
            self.addItem(area)
            self._areas.append(area)
        self.restyle()
        self.set_x_range(0, 10)
        self.set_y_range(0, 100)

    def restyle(self) -> None:
        """Take the scheme's colours."""
        super().restyle()
        for area, colour in zip(self._areas, cpu_shades(self._theme), strict=False):
            area.setBrush(QColor(colour))
            area.setPen(plot_pen(self._theme.colours.text, 1))

    def draw(self, rows: Floats) -> None:
        """Show what was measured so far: rows (seconds, user, system, softirq, steal), shape (n, 5)."""
        self._rows = rows
        if not len(rows):
            for area in self._areas:
                area.setData([], [])
            self.total_pct = None
            return
        x = rows[:, 0] if len(rows) > 1 else np.array([rows[0, 0], rows[0, 0] + 0.5])
        rows = rows if len(rows) > 1 else np.repeat(rows, 2, axis=0)
        sums = np.cumsum(rows[:, 1:4], axis=1)
        for area, column in zip(self._areas, (2, 1, 0), strict=True):
            area.setData(x, sums[:, column])
        self.set_x_range(float(x[0]), max(float(x[-1]), float(x[0]) + 10))
        self.total_pct = float(sums[-1, 2])
        self.hover.refresh()

    def hover_series(self) -> list[HoverSeries]:
        """Return the sum of the shares of each second."""
        sums = self._rows[:, 1:4].sum(axis=1)
        return [HoverSeries(self._rows[:, 0], sums / 2, self._shares_text, half_height=sums / 2)]

    def _shares_text(self, nth: int) -> str:
        second, *shares = (float(value) for value in self._rows[nth, :4])
        parts = zip((tr("user"), tr("system"), tr("softirq"), tr("Sum")), (*shares, sum(shares)), strict=True)
        lines = (f"{self._side}, {second:.0f} s", *(f"{name} {pct(share)}" for name, share in parts))
        return "\n".join(lines)

    def figures(self) -> PlotTable:
        """Return the shares of each second."""
        rows = [
            (self._side, f"{row[0]:.0f} s", *(pct(share) for share in (*row[1:4], row[1:4].sum())))
            for row in self._rows
        ]
        headers = tr("Host"), tr("Time"), tr("user"), tr("system"), tr("softirq"), tr("Sum")
        return PlotTable(headers, tuple(rows))

    def export_rows(self) -> ExportRows:
        """Return the shares of each second."""
        rows: list[tuple[Cell, ...]] = [(self._side, *map(float, row)) for row in self._rows]
        return ExportRows(("host", "at_s", "user_pct", "system_pct", "softirq_pct", "steal_pct"), tuple(rows))

    @property
    def words(self) -> str:
        """Side and newest total; empty without a figure."""
        return f"{self._side} {self.total_pct:.0f} %" if self.total_pct is not None else ""


class CpuKey(QLabel):
    """Legend of the shades."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setTextFormat(Qt.TextFormat.RichText)
        theme.changed.connect(self.restyle)
        self.restyle()

    def restyle(self) -> None:
        """Take the scheme's colours."""
        names = (tr("user"), tr("system"), tr("softirq"))
        shades = tuple(reversed(cpu_shades(self._theme)))
        self.setText(
            "&nbsp; ".join(
                f'<span style="color:{shade}">■</span> {name}' for shade, name in zip(shades, names, strict=True)
            )
        )
