"""Base of all plots: colours of the scheme, quiet axes, labels at the right ends of curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from html import escape

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGuiApplication, QMouseEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QSizePolicy, QWidget

from ui.common.accessible import Role, set_role
from ui.common.basics import ElidedLabel
from ui.common.sample_model import Floats
from ui.common.texts import tr
from ui.common.theme import Theme
from ui.plots.axes import ScaleAxis
from ui.plots.export_rows import ExportRows
from ui.plots.hover import Hover, HoverPlot
from ui.plots.spreading import spread
from ui.plots.zoom import Zoom

pg.setConfigOptions(antialias=True, useOpenGL=False)

_LABEL_GAP_PX = 8
_LABEL_PT = 9.0
_LEAST_PX = (104, 80)
_GROUND_ALPHA = 190
_MOST_ROOM = 0.65
"""Labels take at most this part of a plot's width."""
_ROOM_FOR_ONE_LINE = 0.45
"""Labels have one line each where they take no more of a plot's width than this."""
_MARGIN_PX = 4.0
"""Around the text of a label. Source: Qt, QTextDocument::documentMargin."""
_OVERLAP = 0.86
"""Labels above each other share a part of their margins."""

_LEAST_COLUMN_PX = 120
"""Width of a label below which two beside each other say too little."""


class _Fit(IntEnum):
    """Room that labels take; what does not fit in a low plot takes less."""

    USUAL = 0
    NO_MARGIN = 1
    ONE_LINE = 2
    TWO_COLUMNS = 3
    OVERLAPPING = 4


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


class ScopePlot(HoverPlot):
    """A plot that follows the colour scheme.

    The wheel zooms (on a page that scrolls only with Ctrl held down), dragging moves what is seen, a double click shows
    everything again. The point under the mouse has a label with its figures.

    Args:
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
        self._fit = _Fit.USUAL
        self._x_range = (0.0, 1.0)
        self.scale_axis = next((axis for axis in (axes or {}).values() if isinstance(axis, ScaleAxis)), None)
        self.hideButtons()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(", ".join(text for text in (name, x_label, y_label) if text))
        self.setAccessibleDescription(tr("The button above shows these figures as a table."))
        self.view_box = self.getPlotItem().getViewBox()
        self.view_box.setDefaultPadding(0.0)
        self.view_box.disableAutoRange()
        self.zoom = Zoom(self.view_box)
        self.hover = Hover(self)
        self.view_box.sigRangeChanged.connect(self._on_view)
        theme.changed.connect(self.restyle)
        self.restyle()

    def close(self) -> None:
        """Close it for good: nothing is drawn in it from now on, and it follows the theme no more."""
        if not self.closed:
            self._theme.changed.disconnect(self.restyle)
            super().close()

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
        self.hover.restyle(self._theme)
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
        """Return what the plot shows, as text for people; the headers are there before the first figure."""
        raise NotImplementedError

    def export_rows(self) -> ExportRows:
        """Return every figure that the plot shows, for other programs."""
        raise NotImplementedError

    def redraw(self) -> None:
        """Draw the newest figures once more: the scale or the choice of candidates is another one."""

    def set_log(self, *, is_log: bool) -> None:
        """Show round-trip times, or ratios, on a logarithmic or a linear axis."""
        if self.scale_axis is not None and self.scale_axis.is_log != is_log:
            self.scale_axis.is_log = is_log
            self.scale_axis.picture = None
            self.zoom.reset()
            self.redraw()

    @property
    def is_log(self) -> bool:
        """Whether the axis whose scale can be chosen is logarithmic."""
        return self.scale_axis is not None and self.scale_axis.is_log

    def scaled(self, values: Floats) -> Floats:
        """Return round-trip times in ms, or ratios, in the units of their axis."""
        return np.log10(values) if self.is_log else values

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show everything again."""
        super().mouseDoubleClickEvent(event)
        self.zoom.reset()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom; on a page that scrolls the wheel alone scrolls the page."""
        if _scrolls(self) and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
            return
        super().wheelEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Hide the figures of the point under the mouse."""
        super().leaveEvent(event)
        self.hover.leave()

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
        self.zoom.show_x(low, high + extra)

    def set_y_range(self, low: float, high: float) -> None:
        """Show y from low to high."""
        self.zoom.show_y(low, high)

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
        self.set_x_range(*self._x_range)
        self._fit = _Fit.USUAL
        self._fill_labels()
        self._place_labels()
        self.hover.refresh()

    def _fill_labels(self) -> None:
        """Write the labels, in as much room as fits."""
        ground = QColor(self._theme.colours.base)
        ground.setAlpha(_GROUND_ALPHA)
        for item, wanted in zip(self._end_items, self._end_labels, strict=False):
            item.fill = pg.mkBrush(ground)
            item.textItem.document().setDocumentMargin(_MARGIN_PX if self._fit is _Fit.USUAL else 0.0)
            item.setHtml(self._label_html(wanted))

    def _on_view(self) -> None:
        """Another part of the plot is seen."""
        self._place_labels()
        self.hover.refresh()

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

    def _elided(self, text: str) -> str:
        """Return a label in one line that has room, of which two columns share it."""
        room_px = self._room_px() / self._columns_beside() - self._label_px("")
        return QFontMetricsF(self.small_font()).elidedText(text, Qt.TextElideMode.ElideRight, room_px)

    def _columns_beside(self) -> int:
        """Return in how many columns labels are that begin at the same place: those of points have one each."""
        places = {one.x for one in self._end_labels}
        has_room = self._room_px() >= 2 * self._theme.text_scale * _LEAST_COLUMN_PX
        return 2 if self._fit >= _Fit.TWO_COLUMNS and len(places) == 1 and has_room else 1

    def _label_html(self, wanted: EndLabel) -> str:
        stroke = "\u2504" if wanted.is_dashed else "\u2501"
        sample = f'<span style="color:{wanted.colour}"><b>{stroke}</b></span> ' if wanted.colour else ""
        lines = self._lines(wanted.text) if self._fit < _Fit.ONE_LINE else [self._elided(wanted.text)]
        words = "<br>".join(escape(line, quote=False) for line in lines)
        text = f'<span style="color:{self._theme.colours.text}">{words}</span>'
        return f'<span style="font-size:{self.small_pt():.1f}pt">{sample}{text}</span>'

    def _place_labels(self) -> None:
        seen = [nth for nth, one in enumerate(self._end_labels) if self._is_seen(one)]
        for nth, item in enumerate(self._end_items):
            item.setVisible(nth in seen)
        if not seen:
            return
        low, high = self.view_box.viewRange()[1]
        columns, heights = self._columns(seen)
        while self._fit < _Fit.OVERLAPPING and any(sum(heights[nth] for nth in one) > high - low for one in columns):
            self._fit = _Fit(self._fit + 1)
            self._fill_labels()
            columns, heights = self._columns(seen)
        beside = self._columns_beside()
        for number, column in enumerate(columns):
            shift_px = number % beside * self._room_px() / beside
            self._place_column(column, [heights[nth] for nth in column], (low, high), shift_px)

    def _columns(self, seen: Sequence[int]) -> tuple[list[list[int]], list[float]]:
        """Return which labels are above each other, lowest first, and the height of each; others cannot touch."""
        pixel_x, pixel_y = (abs(one) for one in self.view_box.viewPixelSize())
        boxes = [item.boundingRect() for item in self._end_items]
        overlap = _OVERLAP if self._fit is _Fit.USUAL else 1.0
        width = max(boxes[nth].width() for nth in seen) * pixel_x
        columns: list[list[int]] = []
        for nth in sorted(seen, key=lambda nth: self._end_labels[nth].x):
            if columns and self._end_labels[nth].x - self._end_labels[columns[-1][-1]].x < width:
                columns[-1].append(nth)
            else:
                columns.append([nth])
        for column in columns:
            column.sort(key=lambda nth: self._end_labels[nth].y)
        beside = self._columns_beside()
        columns = [column[first::beside] for column in columns for first in range(beside)]
        return columns, [overlap * box.height() * pixel_y for box in boxes]

    def _is_seen(self, label: EndLabel) -> bool:
        """Return whether a label has a place: a user may have moved the end of its curve out of sight."""
        (left, right), (low, high) = self.view_box.viewRange()
        return not self.zoom.is_zoomed or (left <= label.x <= right and low <= label.y <= high)

    def _place_column(
        self, column: Sequence[int], heights: Sequence[float], limits: tuple[float, float], shift_px: float
    ) -> None:
        """Place labels above each other; where even one line each does not fit, they overlap evenly.

        Args:
            shift_px: Distance of the second of two columns from the first.
        """
        if not column:
            return
        low, high = limits
        if sum(heights) > high - low:
            most = max(heights)
            squeeze = max(0.0, (high - low - most) / max(sum(heights) - most, most / 2))
            heights = [squeeze * height for height in heights]
            low, high = low + (1.0 - squeeze) * most / 2, high - (1.0 - squeeze) * most / 2
        below = [sum(heights[:nth]) + height / 2 for nth, height in enumerate(heights)]  # with all moved together
        wanted = [self._end_labels[nth].y - under for nth, under in zip(column, below, strict=True)]
        right, pixel_x = self.view_box.viewRange()[0][1], abs(self.view_box.viewPixelSize()[0])
        gap = (_LABEL_GAP_PX + shift_px) * pixel_x
        places = spread(wanted, 0.0, low, high - sum(heights))
        for nth, y, under in zip(column, places, below, strict=True):
            x = self._end_labels[nth].x + gap
            if self.zoom.is_zoomed:  # the room beyond the curves may be out of sight
                x = min(x, right - self._end_items[nth].boundingRect().width() * pixel_x)
            self._end_items[nth].setPos(QPointF(x, y + under))


def plot_heading(text: str) -> ElidedLabel:
    """Return the heading of a plot; where the plot is narrow, its tool tip has all of it."""
    heading = ElidedLabel(text, "strong")
    heading.setContentsMargins(8, 2, 8, 0)
    heading.setMinimumWidth(0)
    heading.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    return heading


def _scrolls(widget: QWidget) -> bool:
    """Return whether a widget is on a page that can be scrolled now."""
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QAbstractScrollArea) and parent.verticalScrollBar().maximum() > 0:
            return True
        parent = parent.parentWidget()
    return False
