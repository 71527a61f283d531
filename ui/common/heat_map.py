"""Heat map of one comparison of a study: a figure and a colour in each cell."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.ranking.heat_maps import HeatMap, HeatValue
from app.reports.heat_map_view import heat_text, percent_text, shown_pct
from app.wording.colours import HEAT_SCALE_PCT, heat_tint
from ui.common.accessible import Role, set_role
from ui.common.copying import enable_copying
from ui.common.data_table import LEFT, RIGHT, Index
from ui.common.texts import tr
from ui.common.theme import Theme, tabular
from ui.common.tips import set_tip

_VALUE = Qt.ItemDataRole.UserRole
_REVERSED = Qt.ItemDataRole.UserRole + 1
_DIAGONAL = Qt.ItemDataRole.UserRole + 2
_ROOM_PX = 18
"""Around a text."""
_LEAST_TEXT = "00"
"""No column is narrower than for this."""
_FRAME_PX = 2
_INSET_PX = 6


def _fill(painter: QPainter, place: QRect, value_pct: int | None, theme: Theme) -> None:
    """Draw the ground of a cell."""
    tint = heat_tint(value_pct)
    colour = QColor(tint.colour)
    colour.setAlphaF(tint.share)
    painter.fillRect(place, QColor(theme.colours.base))
    painter.fillRect(place, colour)
    painter.setPen(QColor(theme.colours.border))
    painter.drawRect(place.adjusted(0, 0, -1, -1))


class _HeatDelegate(QStyledItemDelegate):
    """Draws cells of the map in their colour, and a frame around pairs in the other order and the current cell."""

    def __init__(self, theme: Theme, view: QTableWidget) -> None:
        super().__init__(view)
        self._theme, self._view = theme, view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw a cell; the first column has the names of the rows."""
        colours, place = self._theme.colours, option.rect
        painter.save()
        painter.setFont(tabular(self._view.font()))
        text = str(index.data() or "")
        if index.column() == 0:
            painter.setPen(QColor(colours.text))
            painter.drawText(place.adjusted(_INSET_PX, 0, 0, 0), LEFT, text)
        elif index.data(_DIAGONAL):
            painter.fillRect(place, QColor(colours.raised))
        else:
            _fill(painter, place, index.data(_VALUE), self._theme)
            painter.setPen(QColor(colours.text))
            painter.drawText(place.adjusted(0, 0, -_INSET_PX, 0), RIGHT, text)
            if index.data(_REVERSED):
                painter.setPen(QPen(QColor(colours.text), 1, Qt.PenStyle.DashLine))
                painter.drawRect(place.adjusted(2, 2, -3, -3))
        if self._view.hasFocus() and self._view.currentIndex() == index:
            painter.setPen(QPen(QColor(colours.accent), _FRAME_PX))
            painter.drawRect(place.adjusted(1, 1, -2, -2))
        painter.restore()


class HeatTable(QTableWidget):
    """Rows and columns are the cells of the comparison, numbered alike.

    Args:
        theme: Colours.
        is_own: Whether it shows own figures; else the published ones.
    """

    fitted = Signal()
    """It may have another size."""

    def __init__(self, theme: Theme, *, is_own: bool) -> None:
        super().__init__(0, 0)
        self._is_own = is_own
        self.setItemDelegate(_HeatDelegate(theme, self))
        self.verticalHeader().setVisible(False)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setMinimumSectionSize(1)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectItems)
        self.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        for policy in (self.setVerticalScrollBarPolicy, self.setHorizontalScrollBarPolicy):
            policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # the page around it scrolls
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Own differences") if is_own else tr("Published differences"))
        enable_copying(self)
        theme.changed.connect(self.viewport().update)

    def show_map(self, found: HeatMap) -> None:
        """Show a map."""
        self.setRowCount(len(found.names))
        self.setColumnCount(len(found.names) + 1)
        self._name_column(0, found.head, "")
        for nth, one in enumerate(found.names, start=1):
            self._name_column(nth, str(nth), one)
            name = f"{nth} {one}"
            self._item(nth - 1, 0).setText(name.replace(", ", "\n"))
            self._item(nth - 1, 0).setData(Qt.ItemDataRole.AccessibleTextRole, name)
        for row in range(len(found.names)):
            for column in range(len(found.names)):
                self._show_cell(found, row, column)
        self.fit()

    def _show_cell(self, found: HeatMap, row: int, column: int) -> None:
        rows = found.own if self._is_own else found.published
        item, is_diagonal = self._item(row, column + 1), row == column
        item.setText(heat_text(found, row, column, is_own=self._is_own))
        item.setData(_VALUE, shown_pct(rows[row][column]))
        item.setData(_REVERSED, self._is_own and not is_diagonal and found.is_reversed(row, column))
        item.setData(_DIAGONAL, is_diagonal)
        sentence = "" if is_diagonal else self._sentence(found, row, column)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, sentence)
        set_tip(item, sentence)

    def _sentence(self, found: HeatMap, row: int, column: int) -> str:
        """Return what a cell means, for screen readers and tool tips."""
        value = (found.own if self._is_own else found.published)[row][column]
        text = self._nothing() if value is None else _difference(value, is_speed=found.is_speed)
        text = text.replace("%1", found.names[column]).replace("%2", found.names[row])
        is_reversed = self._is_own and value is not None and found.is_reversed(row, column)
        return f"{text}; {tr('other order than in the study')}" if is_reversed else text

    def _nothing(self) -> str:
        if self._is_own:
            return tr("%1 and %2: one of both has no own figure")
        return tr("%1 and %2: the study does not say which is better")

    def _name_column(self, column: int, text: str, name: str) -> None:
        header = QTableWidgetItem(text)
        header.setTextAlignment(RIGHT if column else LEFT)
        if name:
            header.setData(Qt.ItemDataRole.AccessibleTextRole, f"{text} {name}")
            set_tip(header, name)
        self.setHorizontalHeaderItem(column, header)

    def _item(self, row: int, column: int) -> QTableWidgetItem:
        found = self.item(row, column)
        if found is None:
            found = QTableWidgetItem()
            self.setItem(row, column, found)
        return found

    def changeEvent(self, event: QEvent) -> None:
        """Fit it to larger texts."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.fit()

    def showEvent(self, event: QShowEvent) -> None:
        """Fit it in the current style of the window."""
        super().showEvent(event)
        self.fit()

    def fit(self) -> None:
        """Be as large as the texts of all cells need."""
        header, letters = self.horizontalHeader(), self.fontMetrics()
        for column in range(self.columnCount()):
            lines = (line for row in range(self.rowCount()) for line in self._item(row, column).text().split("\n"))
            wanted_px = max(map(letters.horizontalAdvance, (*lines, _LEAST_TEXT))) + _ROOM_PX
            header.resizeSection(column, max(wanted_px, header.sectionSizeFromContents(column).width()))
        names = [self._item(row, 0).text() for row in range(self.rowCount())]
        height = max((name.count("\n") + 1 for name in names), default=1)
        for row in range(self.rowCount()):
            self.setRowHeight(row, height * letters.lineSpacing() + _INSET_PX)
        frame_px = 2 * self.frameWidth() + 2
        height_px = header.sizeHint().height() + sum(map(self.rowHeight, range(self.rowCount())))
        self.setFixedSize(header.length() + frame_px, height_px + frame_px)
        self.fitted.emit()


def _difference(value: HeatValue, *, is_speed: bool) -> str:
    """Return a difference in words; `%1` is the column, `%2` the row."""
    if value.order == 0 or value.percent == 0:
        return tr("%1 is as fast as %2") if is_speed else tr("%1 is as good as %2")
    if value.percent is None:
        return tr("%1 is ahead of %2") if value.order > 0 else tr("%1 is behind %2")
    if is_speed:
        text = tr("%1 is faster than %2 by %3 %") if value.order > 0 else tr("%1 is slower than %2 by %3 %")
    else:
        text = tr("%1 is better than %2 by %3 %") if value.order > 0 else tr("%1 is worse than %2 by %3 %")
    return text.replace("%3", str(abs(value.percent)))


class HeatScale(QWidget):
    """Legend: colours from slower to faster, each with its figure."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        set_role(self, Role.Graphic)
        self._theme = theme
        self.setAccessibleName(tr("Colours from orange, slower, to blue, faster"))
        self._fit()
        theme.changed.connect(self.update)

    def changeEvent(self, event: QEvent) -> None:
        """Fit it to larger texts."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        letters = self.fontMetrics()
        self._step_px = max(letters.horizontalAdvance(percent_text(value)) for value in HEAT_SCALE_PCT) + _ROOM_PX
        self.setFixedSize(len(HEAT_SCALE_PCT) * self._step_px, letters.height() + _INSET_PX)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the steps."""
        painter = QPainter(self)
        for nth, value in enumerate(HEAT_SCALE_PCT):
            place = QRect(nth * self._step_px, 0, self._step_px, self.height())
            _fill(painter, place, value, self._theme)
            painter.setPen(QColor(self._theme.colours.text))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, percent_text(value))
        painter.end()
