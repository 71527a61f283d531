"""A table of figures: right-aligned columns with tabular numerals, whole lines selected, no grid."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QTableWidget,
    QTableWidgetItem,
    QTreeView,
)

from ui.common.copying import enable_copying
from ui.common.texts import plain_tip
from ui.common.theme import tabular
from ui.common.tips import set_tip

Index = QModelIndex | QPersistentModelIndex
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
SORT_ARROWS = {Qt.SortOrder.AscendingOrder: "\u25b4", Qt.SortOrder.DescendingOrder: "\u25be"}
"""Behind the name of the column by which a table is ordered."""
_FRAME_PX = 2
_WORD_EM = 8
"""Least width of a column of words, in heights of its letters, where its texts are longer."""
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class LineDelegate(QStyledItemDelegate):
    """Draws a frame around the current line while its view has the focus, and none around single cells.

    Args:
        view: The view, whose whole lines are selected.
    """

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        view.selectionModel().currentChanged.connect(lambda *_indexes: view.viewport().update())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw a cell."""
        option.state &= ~QStyle.StateFlag.State_HasFocus
        super().paint(painter, option, index)
        view = self.parent()
        if isinstance(view, QAbstractItemView) and view.hasFocus():
            current = view.currentIndex()
            if current.isValid() and current.siblingAtColumn(0) == index.sibling(index.row(), 0):
                _frame(painter, option, _columns(view), index.column())


def _columns(view: QAbstractItemView) -> list[int]:
    """Return the visible columns from the left."""
    header = view.horizontalHeader() if isinstance(view, QTableView) else None
    header = view.header() if isinstance(view, QTreeView) else header
    if header is None:
        return [0]
    columns = [header.logicalIndex(nth) for nth in range(header.count())]
    return [column for column in columns if not header.isSectionHidden(column)]


def _frame(painter: QPainter, option: QStyleOptionViewItem, columns: Sequence[int], column: int) -> None:
    """Draw a cell's part of the frame around its line."""
    place, colour = option.rect, option.palette.color(QPalette.ColorRole.Accent)
    edges = [place.adjusted(0, 0, 0, _FRAME_PX - place.height()), place.adjusted(0, place.height() - _FRAME_PX, 0, 0)]
    if column == columns[0]:
        edges.append(place.adjusted(0, 0, _FRAME_PX - place.width(), 0))
    if column == columns[-1]:
        edges.append(place.adjusted(place.width() - _FRAME_PX, 0, 0, 0))
    for edge in edges:
        painter.fillRect(edge, colour)


def make_lines(table: QTableView, name: str) -> None:
    """Make a table one of whole lines that can be selected and copied, without a grid.

    Args:
        name: For screen readers.
    """
    table.setItemDelegate(LineDelegate(table))
    table.verticalHeader().setVisible(False)
    table.horizontalHeader().setHighlightSections(False)
    table.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
    table.setAccessibleName(name)
    enable_copying(table)


class DataTable(QTableWidget):
    """Columns with headers.

    Args:
        headers: One per column.
        figures: Columns that hold figures.
        name: For screen readers.
    """

    _widths_em: Mapping[int, float] = MappingProxyType({})
    _letters_px = 0
    _sooner_below_em: Mapping[int, int] = MappingProxyType({})

    def __init__(self, headers: Sequence[str], figures: Collection[int], name: str) -> None:
        super().__init__(0, len(headers))
        self._own_figures = self._figures = tuple(figures)
        self._second_rank: tuple[int, ...] = ()
        self._narrow_below_em = 0
        self._unused: set[int] = set()
        self._stretched: tuple[int, int] | None = None
        self._spare: tuple[int, ...] | None = None
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # suites differ at their ends
        for column, text in enumerate(headers):
            header = QTableWidgetItem(text)
            header.setTextAlignment(RIGHT if column in figures else LEFT)
            self.setHorizontalHeaderItem(column, header)
        make_lines(self, name)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)

    def set_more_figures(self, columns: Collection[int]) -> None:
        """Take columns that hold figures besides those it was made with; earlier ones of this kind are forgotten."""
        self._figures = (*self._own_figures, *columns)

    def set_tips(self, tips: dict[int, str]) -> None:
        """Explain columns."""
        for column, text in tips.items():
            header = self.horizontalHeaderItem(column)
            if header is not None:
                set_tip(header, text)

    def set_widths(self, widths_em: Mapping[int, float]) -> None:
        """Give columns a width to begin with, in heights of the table's letters; it follows their size."""
        self._widths_em = dict(widths_em)
        self._set_widths()

    def _set_widths(self) -> None:
        for column, em in self._widths_em.items():
            self.horizontalHeader().resizeSection(column, round(em * self.fontMetrics().height()))

    def changeEvent(self, event: QEvent) -> None:
        """Fit the rows to larger texts."""
        super().changeEvent(event)
        height_px = self.fontMetrics().height()
        if height_px != self._letters_px:
            self._letters_px = height_px
            self._set_widths()
            self._hide_columns()
            self.share_width()

    def hide_where_narrow(self, columns: Collection[int], below_em: int) -> None:
        """Hide columns of second rank where the table is narrower than so many heights of its letters."""
        self._second_rank, self._narrow_below_em = tuple(columns), below_em
        self._hide_columns()

    def hide_sooner(self, below_em: Mapping[int, int]) -> None:
        """Hide some columns of second rank in wider tables already: a width in heights of letters for each."""
        self._sooner_below_em = dict(below_em)
        self._hide_columns()

    def leave_shown(self, column: int) -> None:
        """Hide a column of second rank at no width any more."""
        self._second_rank = tuple(one for one in self._second_rank if one != column)

    def set_column_unused(self, column: int, *, is_unused: bool) -> None:
        """Hide a column without entries, whatever the width."""
        (self._unused.add if is_unused else self._unused.discard)(column)
        self.setColumnHidden(column, is_unused)
        self._hide_columns()
        self.share_width()

    def _hide_columns(self) -> None:
        if self._spare is None:  # else `_share_by_need` does it
            for column in self._second_rank:
                self.setColumnHidden(column, self._is_left_out(column))

    def _is_left_out(self, column: int) -> bool:
        """Whether a column has no entries, or is of second rank in a table as narrow as this one is."""
        least_em = self._sooner_below_em.get(column, self._narrow_below_em) if column in self._second_rank else 0
        return column in self._unused or self.width() < least_em * self.fontMetrics().height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide what there is no room for."""
        self._hide_columns()
        super().resizeEvent(event)
        self.share_width()

    def size_by_contents(self, *stretched: int) -> None:
        """Make columns as wide as their contents, but for some that share what room is left."""
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        for column in stretched:
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)

    def stretch(self, column: int, least_em: int) -> None:
        """Give a column what room the others leave, but so many heights of its letters: then the table is scrolled."""
        self._stretched = column, least_em
        self.horizontalHeader().setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)

    def fit(self, spare: Sequence[int] = ()) -> None:
        """Give each column what its header and its figures need, and share what is left.

        Columns of words become narrower where there is little room.

        Args:
            spare: Columns that are hidden in turn until the rest has room.
        """
        self._spare = tuple(spare)
        self.share_width()

    def _share_by_need(self, spare: Sequence[int]) -> None:
        room_px = self.viewport().width()
        widths = {nth: self._least_px(nth) for nth in range(self.columnCount()) if not self._is_left_out(nth)}
        for column in spare:
            if sum(widths.values()) > room_px:
                widths.pop(column, None)
        words = sorted((nth for nth in widths if nth not in self._figures), key=self._natural_px)
        for place, column in enumerate(words):
            left_px = max(0, room_px - sum(widths.values()))
            widths[column] += min(max(0, self._natural_px(column) - widths[column]), left_px // (len(words) - place))
        share_px, rest_px = divmod(max(0, room_px - sum(widths.values())), max(1, len(widths)))
        for column in range(self.columnCount()):
            self.setColumnHidden(column, column not in widths)
        for column, width_px in widths.items():
            is_last = column == max(widths)
            self.horizontalHeader().resizeSection(column, width_px + share_px + (rest_px if is_last else 0))

    def _natural_px(self, column: int) -> int:
        """Return the width that shows the whole of a column's header and texts."""
        header = self.horizontalHeader()
        least_px = max(header.minimumSectionSize(), header.sectionSizeFromContents(column).width())
        return max(least_px, self.sizeHintForColumn(column))

    def _least_px(self, column: int) -> int:
        """Return the width that shows a column's header and its figures, or its words as far as they are short."""
        header_px = self.horizontalHeader().sectionSizeFromContents(column).width()
        natural_px = self._natural_px(column)
        if column in self._figures:
            return natural_px
        return min(natural_px, max(header_px, _WORD_EM * self.fontMetrics().height()))

    def share_width(self) -> None:
        """Share the width again where texts have changed: among all columns, or for the stretched one."""
        if self._spare is not None:
            self._share_by_need(self._spare)
            return
        if self._stretched is None:
            return
        column, least_em = self._stretched
        header, least = self.horizontalHeader(), least_em * self.fontMetrics().height()
        others = (nth for nth in range(header.count()) if nth != column and not self.isColumnHidden(nth))
        is_roomy = self.viewport().width() - sum(map(self.columnWidth, others)) >= least
        mode = QHeaderView.ResizeMode.Stretch if is_roomy else QHeaderView.ResizeMode.Fixed
        if header.sectionResizeMode(column) is not mode:
            header.setSectionResizeMode(column, mode)
        if not is_roomy:
            header.resizeSection(column, least)

    def show_row(self, row: int, texts: Iterable[str], *, has_tips: bool = False) -> None:
        """Show texts in a row, from its first cell on; as tool tips too, where they may have no room."""
        for column, text in enumerate(texts):
            self.cell(row, column).setText(text)
            if has_tips:
                self.cell(row, column).setToolTip(plain_tip(text))

    def show_rows(self, rows: Sequence[Iterable[str]], *, has_tips: bool = False) -> None:
        """Show texts in all rows; as tool tips too, where they may have no room."""
        self.setRowCount(len(rows))
        for nth, texts in enumerate(rows):
            self.show_row(nth, texts, has_tips=has_tips)

    def cell(self, row: int, column: int) -> QTableWidgetItem:
        """Return a cell's item, made where there is none."""
        found = self.item(row, column)
        if found is None:
            found = QTableWidgetItem()
            if column in self._figures:
                found.setTextAlignment(RIGHT)
                found.setFont(tabular(QFont()))  # of no size of its own: it follows the table's
            self.setItem(row, column, found)
        return found

    def height_for_all_px(self) -> int:
        """Return the height that shows every line."""
        return self.height_for_px(self.rowCount())

    def whole_lines_px(self, most_px: int) -> int:
        """Return the height that shows as many lines as have room, none of them cut."""
        line_px = max(1, self.rowHeight(0))
        return self.height_for_px(min(self.rowCount(), max(0, most_px - self.height_for_px(0)) // line_px))

    def height_for_px(self, lines: int) -> int:
        """Return the height that shows so many lines."""
        return self.horizontalHeader().sizeHint().height() + lines * self.rowHeight(0) + 6
