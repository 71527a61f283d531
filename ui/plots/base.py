"""Base of all plots: colours of the scheme, quiet axes, labels at the right ends of curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGuiApplication, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QSizePolicy

from app.wording.colours import Marker, series_style
from ui.common.accessible import Role, set_role
from ui.common.basics import ElidedLabel
from ui.common.texts import tr
from ui.common.theme import Theme
from ui.plots.spreading import spread

pg.setConfigOptions(antialias=True, useOpenGL=False)

_LABEL_GAP_PX = 8
_LINE_WIDTH_PX = 2.0
_LABEL_PT = 9.0
_NUMBER_EM = 2.6
_SECONDS_EM = 3.2
"""Width of a number on an axis, in heights of its letters."""
_LEAST_PX = (104, 80)
_GROUND_ALPHA = 190
_MOST_ROOM = 0.65
"""Labels take at most this part of a plot's width."""
_ROOM_FOR_ONE_LINE = 0.45
"""Labels have one line each where they take no more of a plot's width than this."""


def _letters_px(axis: pg.AxisItem) -> float:
    """Return the height of an axis's numbers."""
    return QFontMetricsF(axis.style["tickFont"] or QGuiApplication.font()).height()


class LogAxis(pg.AxisItem):  # type: ignore[misc] # pyqtgraph has no types
    """An axis for data that are decadic logarithms; ticks are at 1, 2 and 5 of every decade."""

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N803
        """Return tick positions: as many as there is room for."""
        if not math.isfinite(minVal) or not math.isfinite(maxVal) or maxVal - minVal <= 0:
            return []
        decades = range(math.floor(minVal), math.ceil(maxVal) + 1)
        per_decade_px = size / (maxVal - minVal)
        steps = (1, 2, 5) if per_decade_px > 60 else (1, 3) if per_decade_px > 40 else (1,)
        if maxVal - minVal < 0.7:
            steps = (1, 1.5, 2, 3, 4, 5, 6, 7, 8)  # type: ignore[assignment]
        values = [decade + math.log10(step) for decade in decades for step in steps]
        return [(1.0, [value for value in values if minVal <= value <= maxVal])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:  # noqa: ARG002
        """Return the numbers of the logarithms."""
        return [f"{10**value:.0f}" if value >= 2 else f"{10**value:.3g}" for value in values]


class SecondsAxis(pg.AxisItem):  # type: ignore[misc] # pyqtgraph has no types
    """A time axis whose ticks carry their unit; there are as many as have room beside each other."""

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N803
        """Return whole seconds in steps of 1, 2 or 5."""
        if not math.isfinite(minVal) or not math.isfinite(maxVal) or maxVal <= minVal or size <= 0:
            return []
        per_tick = _SECONDS_EM * _letters_px(self) * (maxVal - minVal) / size
        decades = (10.0**power for power in range(7))
        step = next((decade * one for decade in decades for one in (1, 2, 5) if decade * one >= per_tick), 1e7)
        first, last = math.ceil(minVal / step), math.floor(maxVal / step)
        return [(step, [nth * step for nth in range(first, last + 1)])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:  # noqa: ARG002
        """Return seconds."""
        return [f"{value:g} s" for value in values]


class SizesAxis(pg.AxisItem):  # type: ignore[misc] # the same
    """An axis for logarithms of frame sizes, with ticks at the probed ones; numbers that would touch are left out."""

    def __init__(self) -> None:
        super().__init__("bottom")
        self.sizes: tuple[int, ...] = ()

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N803
        """Return the frame sizes that have room for their number."""
        per_px = (maxVal - minVal) / max(1.0, size)
        kept: list[float] = []
        for value in sorted(map(math.log10, self.sizes), reverse=True):
            if not kept or kept[-1] - value > _NUMBER_EM * _letters_px(self) * per_px:
                kept.append(value)
        return [(1.0, kept[::-1])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:  # noqa: ARG002
        """Return whole bytes."""
        return [f"{10**value:.0f}" for value in values]


@dataclass(frozen=True, slots=True)
class EndLabel:
    """A label at the right end of a curve.

    Attributes:
        text: Its text.
        colour: Of the curve, `#rrggbb`; empty where there is no piece of it before the text.
        is_dashed: Whether the curve is.
        x: End of the curve, in data.
        y: The same.
    """

    text: str
    colour: str
    is_dashed: bool
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class PlotTable:
    """The figures of a plot as text.

    Attributes:
        headers: One per column.
        rows: As many texts each.
        texts: So many columns at the left hold words; the others hold figures.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: int = 1


class ScopePlot(pg.PlotWidget):  # type: ignore[misc] # the same
    """A plot that follows the colour scheme. It neither zooms nor scrolls by accident.

    Args:
        theme: Colours.
        name: For people and screen readers; `framed` puts it above the plot.
        x_label: What the horizontal axis says, with unit; empty where the name says it.
        y_label: What the vertical axis says, with unit; empty where the name says it.
        axes: Axis items to use instead of the usual ones.
        label_room_px: Room for labels at the right ends.
    """

    def __init__(
        self,
        theme: Theme,
        name: str,
        x_label: str = "",
        y_label: str = "",
        *,
        axes: dict[str, pg.AxisItem] | None = None,
        label_room_px: int = 0,
    ) -> None:
        super().__init__(axisItems=axes or {}, enableMenu=False)
        set_role(self, Role.Chart)
        self._theme = theme
        self.name = name
        self.heading = plot_heading(name)
        self._labels = {"bottom": x_label, "left": y_label}
        self._label_room_px = label_room_px
        self._end_items: list[pg.TextItem] = []
        self._end_labels: tuple[EndLabel, ...] = ()
        self._x_range = (0.0, 1.0)
        self.hideButtons()
        self.setMouseEnabled(x=False, y=False)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(", ".join(text for text in (name, x_label, y_label) if text))
        self.setAccessibleDescription(tr("The button above shows these figures as a table."))
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.view_box: pg.ViewBox = self.getPlotItem().getViewBox()
        self.view_box.setDefaultPadding(0.0)
        self.view_box.disableAutoRange()
        theme.changed.connect(self.restyle)
        self.restyle()

    def restyle(self) -> None:
        """Take the scheme's colours."""
        colours = self._theme.colours
        item = self.getPlotItem()
        self.setBackground(colours.base)
        scale = self._theme.text_scale
        self.setMinimumSize(*(round(scale * px) for px in _LEAST_PX))
        for side, text in self._labels.items():
            axis = item.getAxis(side)
            axis.setPen(QColor(colours.border))
            axis.setTextPen(QColor(colours.muted))
            if text:
                axis.setLabel(text, color=colours.muted, **{"font-size": f"{self.small_pt():.1f}pt"})
            axis.setStyle(tickFont=self.small_font())
            axis.setStyle(tickLength=-4, tickTextOffset=4, hideOverlappingLabels=True)
            axis.enableAutoSIPrefix(False)  # noqa: FBT003 - pyqtgraph has it so
        item.showGrid(x=False, y=True, alpha=0.14)
        self.set_end_labels(self._end_labels)

    def small_font(self) -> QFont:
        """Return the font of numbers and notes in the plot."""
        font = QFont(QGuiApplication.font())
        font.setPointSizeF(self.small_pt())
        return font

    def small_pt(self) -> float:
        """Return the size of numbers and notes in the plot, in points."""
        return self._theme.text_scale * _LABEL_PT

    def figures(self) -> PlotTable:
        """Return what the plot shows, as text; the headers are there before the first figure."""
        raise NotImplementedError

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the room for the labels."""
        super().resizeEvent(event)
        if hasattr(self, "_end_items"):
            self.set_end_labels(self._end_labels)

    def set_x_range(self, low: float, high: float) -> None:
        """Show x from low to high, with room for labels beyond."""
        self._x_range = (low, high)
        width_px = max(1.0, self.view_box.width())
        room_px = self._room_px()
        extra = (high - low) * room_px / max(1.0, width_px - room_px)
        self.view_box.setXRange(low, high + extra, padding=0)

    def set_y_range(self, low: float, high: float) -> None:
        """Show y from low to high."""
        self.view_box.setYRange(low, high, padding=0)

    def show_scale(self, *, is_there: bool) -> None:
        """Show the numbers of the vertical axis; without data they would mean nothing."""
        self.getPlotItem().getAxis("left").setStyle(showValues=is_there)

    def set_end_labels(self, labels: Sequence[EndLabel]) -> None:
        """Place these labels at the right ends of the curves without overlap."""
        self._end_labels = tuple(labels)
        while len(self._end_items) < len(labels):
            item = pg.TextItem(anchor=(0, 0.5))
            item.setZValue(100)
            self.addItem(item, ignoreBounds=True)
            self._end_items.append(item)
        ground = QColor(self._theme.colours.base)
        ground.setAlpha(_GROUND_ALPHA)
        self.set_x_range(*self._x_range)
        for item, wanted in zip(self._end_items, labels, strict=False):
            item.fill = pg.mkBrush(ground)
            item.setHtml(self._label_html(wanted))
        for nth, item in enumerate(self._end_items):
            item.setVisible(nth < len(labels))
        self._place_labels()

    def _label_px(self, text: str) -> float:
        """Return the width that a label takes in one line, with its piece of the curve and what is around it."""
        return QFontMetricsF(self.small_font()).horizontalAdvance(f"\u2501 {text}") + 3 * _LABEL_GAP_PX

    def _room_px(self) -> float:
        """Return the room for labels: as much as their lines need where the plot is wide, else the usual room."""
        width_px = max(1.0, float(self.view_box.width()))
        usual_px = min(self._theme.text_scale * self._label_room_px, width_px * _MOST_ROOM)
        longest_px = max((self._label_px(one.text) for one in self._end_labels), default=0.0)
        return max(usual_px, longest_px) if longest_px <= width_px * _ROOM_FOR_ONE_LINE else usual_px

    def _lines(self, text: str) -> list[str]:
        """Return a label in lines that have room; a word that is longer has a line of its own."""
        lines: list[str] = []
        for word in text.split():
            if lines and self._label_px(f"{lines[-1]} {word}") <= self._room_px():
                lines[-1] += f" {word}"
            else:
                lines.append(word)
        return lines

    def _label_html(self, wanted: EndLabel) -> str:
        stroke = "\u2504" if wanted.is_dashed else "\u2501"
        sample = f'<span style="color:{wanted.colour}"><b>{stroke}</b></span> ' if wanted.colour else ""
        words = "<br>".join(map(_escape, self._lines(wanted.text)))
        text = f'<span style="color:{self._theme.colours.text}">{words}</span>'
        return f'<span style="font-size:{self.small_pt():.1f}pt">{sample}{text}</span>'

    def _place_labels(self) -> None:
        if not self._end_labels:
            return
        pixel_x, pixel_y = self.view_box.viewPixelSize()
        gap = _LABEL_GAP_PX * abs(pixel_x)
        heights = [0.86 * item.boundingRect().height() * abs(pixel_y) for item in self._end_items]
        low, high = self.view_box.viewRange()[1]
        order = sorted(range(len(self._end_labels)), key=lambda nth: self._end_labels[nth].y)
        columns: list[list[int]] = []  # labels above each other; others cannot touch
        width = max(item.boundingRect().width() for item in self._end_items) * abs(pixel_x)
        for nth in order:
            x = self._end_labels[nth].x
            column = next((c for c in columns if abs(self._end_labels[c[0]].x - x) < width), None)
            if column is None:
                columns.append([nth])
            else:
                column.append(nth)
        for column in columns:
            self._place_column(column, [heights[nth] for nth in column], (low, high), gap)

    def _place_column(
        self, column: Sequence[int], heights: Sequence[float], limits: tuple[float, float], gap: float
    ) -> None:
        below = [sum(heights[:nth]) + height / 2 for nth, height in enumerate(heights)]  # with all moved together
        wanted = [self._end_labels[nth].y - under for nth, under in zip(column, below, strict=True)]
        places = spread(wanted, 0.0, limits[0], limits[1] - sum(heights))
        for nth, y, under in zip(column, places, below, strict=True):
            self._end_items[nth].setPos(QPointF(self._end_labels[nth].x + gap, y + under))


def plot_pen(colour: str, width_px: float = _LINE_WIDTH_PX) -> QPen:
    """Return a pen that is as wide in logical pixels on every screen."""
    # The widths of cosmetic pens, as pyqtgraph makes them, count the screen's own pixels.
    pen: QPen = pg.mkPen(colour, width=width_px * QGuiApplication.instance().devicePixelRatio())  # type: ignore[union-attr]
    return pen


def solution_pen(solution: str, nth_suite: int = 0, width_px: float = _LINE_WIDTH_PX) -> QPen:
    """Return the pen of a candidate's curves."""
    style = series_style(solution, nth_suite)
    pen = plot_pen(style.colour, width_px)
    if style.dash:
        pen.setDashPattern([float(part) for part in style.dash])
    return pen


_SYMBOLS = {
    Marker.CIRCLE: "o",
    Marker.SQUARE: "s",
    Marker.TRIANGLE: "t1",
    Marker.TRIANGLE_DOWN: "t",
    Marker.TRIANGLE_LEFT: "t3",
    Marker.TRIANGLE_RIGHT: "t2",
    Marker.DIAMOND: "d",
    Marker.PENTAGON: "p",
    Marker.HEXAGON: "h",
    Marker.STAR: "star",
    Marker.PLUS: "+",
    Marker.CROSS: "x",
}
"""Names of pyqtgraph."""


def solution_symbol(solution: str) -> str:
    """Return the shape of a solution's points, as pyqtgraph calls it."""
    return _SYMBOLS[series_style(solution).marker]


def solution_brush(solution: str, alpha: int = 46) -> QColor:
    """Return the fill of a candidate's band."""
    colour = QColor(series_style(solution).colour)
    colour.setAlpha(alpha)
    return colour


def nice_top(value: float) -> float:
    """Return the next of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten, so that an axis does not twitch."""
    if not math.isfinite(value) or value <= 0:
        return 1.0
    decade = 10.0 ** math.floor(math.log10(value))
    return float(next(step * decade for step in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if step * decade >= value * 0.999))


def plot_heading(text: str) -> ElidedLabel:
    """Return the heading of a plot; where the plot is narrow, its tool tip has all of it."""
    heading = ElidedLabel(text)
    heading.setProperty("look", "strong")
    heading.setContentsMargins(8, 2, 8, 0)
    heading.setMinimumWidth(0)
    heading.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    return heading


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
