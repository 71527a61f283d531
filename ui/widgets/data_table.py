"""A table of figures: right-aligned columns with tabular numerals, whole lines selected, no grid."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
)

from ui.theme import tabular

RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class LineDelegate(QStyledItemDelegate):
    """Draws no focus frame around single cells: the whole line is selected."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw a cell."""
        option.state &= ~QStyle.StateFlag.State_HasFocus
        super().paint(painter, option, index)


class DataTable(QTableWidget):
    """Columns with headers.

    Args:
        headers: One per column.
        figures: Columns that hold figures.
        name: For screen readers.
    """

    def __init__(self, headers: Sequence[str], figures: Collection[int], name: str) -> None:
        super().__init__(0, len(headers))
        self._figures = figures
        for column, text in enumerate(headers):
            header = QTableWidgetItem(text)
            header.setTextAlignment(RIGHT if column in figures else LEFT)
            self.setHorizontalHeaderItem(column, header)
        self.setItemDelegate(LineDelegate(self))
        self.verticalHeader().setVisible(False)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        self.setAccessibleName(name)

    def set_tips(self, tips: dict[int, str]) -> None:
        """Explain columns."""
        for column, text in tips.items():
            header = self.horizontalHeaderItem(column)
            if header is not None:
                header.setToolTip(text)

    def cell(self, row: int, column: int) -> QTableWidgetItem:
        """Return a cell's item, made where there is none."""
        found = self.item(row, column)
        if found is None:
            found = QTableWidgetItem()
            if column in self._figures:
                found.setTextAlignment(RIGHT)
                found.setFont(tabular(self.font()))
            self.setItem(row, column, found)
        return found

    def height_for_all_px(self) -> int:
        """Return the height that shows every line."""
        return self.horizontalHeader().sizeHint().height() + self.rowCount() * self.rowHeight(0) + 6
