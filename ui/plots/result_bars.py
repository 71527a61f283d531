"""Bars of a comparison that has ended: throughput in both directions, and CPU of both hosts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QColor, QFontMetrics, QResizeEvent

from app.domain.ranking import Estimate
from app.ranking.pictures import CpuBar, drawn_results
from app.wording.colours import series_style
from app.wording.local_forms import local_figure
from ui.common.candidate_rows import Key
from ui.common.texts import count, mbit_s, pct, tr
from ui.common.theme import Theme
from ui.plots.base import PlotTable
from ui.plots.export_rows import ExportRows, estimate_cells
from ui.plots.hover import HoverSeries, estimate_text
from ui.plots.pens import nice_top, plot_pen
from ui.plots.result_data import ResultData
from ui.plots.rows import RowsPlot
from ui.plots.shown import Shown

_NOTE_MARGINS_PX = 24
"""Around a figure, and beside the plot."""
_MOST_NOTE = 0.6
"""Part of the width that a figure may take."""
_HALF_BAR = 0.17
_OFFSET = 0.21
_DIRECTIONS = (("a_to_b", "A→B", 1.0), ("b_to_a", "B→A", 0.55))
"""Direction, its name, and how strong its colour is: as in reports."""
_STRENGTHS = (1.0, 0.6, 0.28)
"""Strength of the colours of user, system and interrupts."""


def mixed(ink: QColor, paper: QColor, strength: float) -> QColor:
    """Return a colour of so much strength on paper."""
    pairs = zip((ink.red(), ink.green(), ink.blue()), (paper.red(), paper.green(), paper.blue()), strict=True)
    return QColor(*(round(strength * one + (1 - strength) * other) for one, other in pairs))


class BarsPlot(RowsPlot):
    """A pair of bars per candidate, under each other."""

    def __init__(self, theme: Theme, shown: Shown | None, *words: str) -> None:
        super().__init__(theme, shown, *words, label_room_px=16)
        self._data: ResultData | None = None
        self._series: list[HoverSeries] = []
        self._notes: dict[Key, list[tuple[str, float, float]]] = {}
        self._written: list[tuple[str, float]] = []
        self._least_high = 1.0
        self._names_px = 0
        self._is_low = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Write the figures of both bars into one line where two have no room."""
        super().resizeEvent(event)
        if not hasattr(self, "_data"):
            return
        if self._are_low() != self._is_low:
            self.redraw()
        else:
            self._fit_notes()

    def _are_low(self) -> bool:
        return self.has_low_rows(max(1, len(self._notes)))

    def redraw(self) -> None:
        """Draw the bars once more."""
        if self._data is not None:
            self.draw(self._data)

    @property
    def names(self) -> Mapping[Key, tuple[str, int]]:
        """Titles of what is shown, as in `ResultData`; none before anything is."""
        return self._data.names if self._data is not None else {}

    def hover_series(self) -> list[HoverSeries]:
        """Return the bars."""
        return self._series

    def draw(self, data: ResultData) -> None:
        """Show a comparison."""
        self._data = data
        self.begin(data.names)
        self._series = []
        self._notes = {}
        self.draw_bars(data)
        self.hover.refresh()

    def draw_bars(self, data: ResultData) -> None:
        """Add what is shown of a comparison."""
        raise NotImplementedError

    def bar(self, colour: str, strength: float, left: float, width: float, y: float) -> None:
        """Add a bar, or a part of one."""
        brush = QColor(colour)
        brush.setAlphaF(strength)
        box = {"x0": [left], "y0": [y - _HALF_BAR], "width": [width], "height": [2 * _HALF_BAR]}
        self.add(pg.BarGraphItem(brush=brush, pen=plot_pen(self._theme.colours.base, 1), **box))

    def note(self, key: Key, text: str, x: float, y: float) -> None:
        """Add a figure at the end of a bar."""
        self._notes.setdefault(key, []).append((text, x, y))

    def _fit_notes(self) -> None:
        """Show so much beyond the bars that each figure at their ends has room."""
        letters, high = QFontMetrics(self.small_font()), self._least_high
        width_px = max(1.0, self.width() - self._names_px)  # the axis itself takes its new width later
        for text, x in self._written:
            part = (letters.horizontalAdvance(f" {text}") + _NOTE_MARGINS_PX) / width_px
            high = max(high, x / (1.0 - min(part, _MOST_NOTE)))
        self.set_x_range(0, high)

    def _write_notes(self, keys: list[Key]) -> None:
        self._is_low, self._written = self._are_low(), []
        for nth, key in enumerate(keys):
            notes = self._notes.get(key, [])
            if self._is_low and notes:
                words = ", ".join(text for text, _, _ in notes)
                notes = [(words, max(x for _, x, _ in notes), -float(nth))]
            for text, x, y in notes:
                item = pg.TextItem(f" {text}", color=self._theme.colours.text, anchor=(0, 0.5))
                item.setFont(self.small_font())
                item.setPos(x, y)
                self.add(item)
                self._written.append((text, x))

    def name_rows(self, data: ResultData, keys: list[Key], top: float, high: float) -> None:
        """Write the candidates' names beside their bars, the first one above, and the figures of these.

        Args:
            data: The comparison.
            keys: Candidates.
            top: Upper end of the vertical axis.
            high: Least end of the horizontal axis.
        """
        self._write_notes(keys)
        self._names_px = self.write_names([data.names[key][0] for key in keys], is_low=self._is_low)
        self.set_y_range(-len(keys) + 0.4, top)
        self._least_high = high
        self._fit_notes()


class ThroughputBarsPlot(BarsPlot):
    """Throughput in both directions with its 95 % intervals."""

    def __init__(self, theme: Theme, shown: Shown | None = None) -> None:
        super().__init__(theme, shown, tr("TCP throughput with 95 % intervals"), tr("throughput in Mbit/s"), "")

    def draw_bars(self, data: ResultData) -> None:
        """Show two bars per candidate."""
        found = self._rows()
        keys = list(dict.fromkeys(key for key, _, _, _ in found))
        highest = 0.0
        for key, arrow, strength, estimate in found:
            offset = _OFFSET if strength == _DIRECTIONS[0][2] else -_OFFSET
            y, end = offset - keys.index(key), estimate.mean
            self.bar(series_style(key[0]).colour, strength, 0.0, estimate.mean, y)
            if estimate.ci is not None:
                self.add(pg.PlotCurveItem(list(estimate.ci), [y, y], pen=plot_pen(self._theme.colours.text, 1)))
                end = estimate.ci[1]
            self.note(key, f"{arrow} {local_figure(estimate.mean)}", end, y)
            highest = max(highest, end)
            half = {"half_width": np.array([estimate.mean / 2]), "half_height": np.array([_HALF_BAR])}
            text = partial(self._text, data.names[key][0], arrow, estimate)
            self._series.append(HoverSeries(np.array([estimate.mean / 2]), np.array([y]), text, **half))
        self.name_rows(data, keys, 0.6, nice_top(1.25 * highest))

    def _rows(self) -> list[tuple[Key, str, float, Estimate]]:
        return [
            ((one.solution, one.suite), arrow, strength, one.throughput_mbit_s[name])
            for one in (drawn_results(self._data.ranking) if self._data is not None else ())
            if self.shown.is_shown((one.solution, one.suite))
            for name, arrow, strength in _DIRECTIONS
            if name in one.throughput_mbit_s
        ]

    def _text(self, title: str, arrow: str, estimate: Estimate, _nth: int) -> str:
        rounds = tr("1 round") if estimate.rounds == 1 else tr("%1 rounds", count(estimate.rounds))
        return f"{title}\n{arrow}: {estimate_text(estimate, mbit_s)}\n{rounds}"

    def figures(self) -> PlotTable:
        """Return the throughput of each candidate and direction."""
        rows = [(self.names[key][0], arrow, estimate_text(one, mbit_s)) for key, arrow, _, one in self._rows()]
        return PlotTable((tr("Candidate"), tr("Direction"), tr("Throughput")), tuple(rows), texts=2)

    def export_rows(self) -> ExportRows:
        """Return the throughput of each candidate and direction with its interval."""
        words = {arrow: name for name, arrow, _ in _DIRECTIONS}
        rows = [(self.names[key][0], words[arrow], *estimate_cells(one)) for key, arrow, _, one in self._rows()]
        headers = ("candidate", "direction", "throughput_mbit_s", "low_mbit_s", "high_mbit_s", "rounds")
        return ExportRows(headers, tuple(rows))


class CpuBarsPlot(BarsPlot):
    """CPU of both hosts during throughput, stacked."""

    def __init__(self, theme: Theme, shown: Shown | None = None) -> None:
        super().__init__(theme, shown, tr("CPU during throughput tests (100 % = all cores)"), tr("% of all cores"), "")

    def draw_bars(self, data: ResultData) -> None:
        """Show one bar per candidate and host."""
        drawn = self._drawn()
        keys = list(dict.fromkeys(bar.key for bar in drawn))
        for bar in drawn:
            y, left = (_OFFSET if bar.side == "a" else -_OFFSET) - keys.index(bar.key), 0.0
            for share, strength in zip(bar.parts_pct, _STRENGTHS, strict=True):
                self.bar(series_style(bar.key[0]).colour, strength, left, share, y)
                left += share
            self.note(bar.key, f"{bar.side.upper()}  {left:.0f} %", left, y)
            half = {"half_width": np.array([left / 2]), "half_height": np.array([_HALF_BAR])}
            text = partial(self._bar_text, bar)
            self._series.append(HoverSeries(np.array([left / 2]), np.array([y]), text, **half))
        self.name_rows(data, keys, 1.1, 108.0)
        if drawn:
            self._key()

    def _drawn(self) -> list[CpuBar]:
        return [bar for bar in (self._data.cpu if self._data is not None else ()) if self.shown.is_shown(bar.key)]

    def _bar_text(self, bar: CpuBar, _nth: int) -> str:
        names = (tr("user"), tr("system"), tr("softirq"), tr("Sum"))
        parts = zip(names, (*bar.parts_pct, sum(bar.parts_pct)), strict=True)
        lines = (
            f"{self.names[bar.key][0]}, {bar.side.upper()}",
            *(f"{name} {pct(share)}" for name, share in parts),
            tr("1 round") if bar.rounds == 1 else tr("%1 rounds", count(bar.rounds)),
        )
        return "\n".join(lines)

    def figures(self) -> PlotTable:
        """Return the shares of each candidate and host."""
        rows = [
            (self.names[bar.key][0], bar.side.upper(), *map(pct, (*bar.parts_pct, sum(bar.parts_pct))))
            for bar in self._drawn()
        ]
        headers = tr("Candidate"), tr("Host"), tr("user"), tr("system"), tr("softirq"), tr("Sum")
        return PlotTable(headers, tuple(rows), texts=2)

    def export_rows(self) -> ExportRows:
        """Return the shares of each candidate and host."""
        rows = [(self.names[bar.key][0], bar.side.upper(), *bar.parts_pct, bar.rounds) for bar in self._drawn()]
        return ExportRows(("candidate", "host", "user_pct", "system_pct", "softirq_pct", "rounds"), tuple(rows))

    def _key(self) -> None:
        """Name the parts from strong to faint above the bars."""
        ink, paper = QColor(self._theme.colours.text), QColor(self._theme.colours.base)
        parts = []
        for name, strength in zip((tr("user"), tr("system"), tr("softirq")), _STRENGTHS, strict=True):
            shade = mixed(ink, paper, strength).name()
            parts.append(f'<span style="color:{shade}">■</span> <span style="color:{ink.name()}">{name}</span>')
        html = f'<span style="font-size:{self.small_pt():.1f}pt">{" &nbsp; ".join(parts)}</span>'
        text = pg.TextItem(html=html, anchor=(1, 0.5))
        text.setPos(107, 0.68)
        self.add(text)
