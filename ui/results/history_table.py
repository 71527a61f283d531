"""Table of the history: comparisons, censuses and deployments, one line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStyleOptionViewItem, QTableWidget

from app.domain.history import EntryKind, HistoryEntry, Winner, under_condition
from ui.common.data_table import SORT_ARROWS, DataTable, Index, LineDelegate
from ui.common.swatch import swatch_icon
from ui.common.texts import plain_tip, tr
from ui.common.theme import Theme
from ui.results.history_order import DATE, MEASURED, NOTE, PAIR, PROFILE, TEXTS, WHAT, WINNER, matching, ordered

_ICONS = {EntryKind.COMPARISON: "compare", EntryKind.CENSUS: "table", EntryKind.DEPLOYMENT: "deployment"}
_ROOMY_EM, _LEAST_EM = 70, 54
"""In a narrower table the profile gives way to winner and note, in a still narrower one the number of candidates."""
_MEASURED_ROWS = 100
_HAS_NO_WINNER = Qt.ItemDataRole.UserRole
_LEAST_NOTE_EM = 7
_PAIRS_SHARE, _NOTES_SHARE = 0.18, 0.4
"""Most of the table's width for a pair's name, and of the width that winner and note have together for a note."""


class _EndDelegate(LineDelegate):
    """Shortens texts at their end."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Take the style of a cell."""
        super().initStyleOption(option, index)
        option.textElideMode = Qt.TextElideMode.ElideRight


class _WinnerDelegate(_EndDelegate):
    """Keeps the words that there is no winner, and of a winner the end of its name, where suites differ."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Take the style of a cell."""
        super().initStyleOption(option, index)
        if not index.data(_HAS_NO_WINNER):
            option.textElideMode = Qt.TextElideMode.ElideMiddle


class HistoryTable(DataTable):
    """One line per entry, newest first; several can be selected.

    A click on a header sorts by its column, a second one turns the order round.

    Attributes:
        entries: All entries, also those that the filter hides.
        shown: Entries from top to bottom.
    """

    def __init__(self, theme: Theme) -> None:
        headers = (tr("Date"), tr("Pair"), tr("What"), tr("Profile"), tr("Measured"), tr("Result"), tr("Note"))
        super().__init__(headers, (), tr("Comparisons, censuses and deployments"))
        self._headers, self._theme = headers, theme
        self.entries: tuple[HistoryEntry, ...] = ()
        self.shown: tuple[HistoryEntry, ...] = ()
        self._words = self._condition = ""
        self._sorting = (DATE, Qt.SortOrder.DescendingOrder)
        self.setSelectionMode(QTableWidget.SelectionMode.ExtendedSelection)
        self.set_tips(
            {
                MEASURED: tr("Candidates (options of a census) that failed, and that were measured of those planned"),
                WINNER: tr(
                    "The recommended VPN, or the one deployed; tied: the difference to another is not significant"
                ),
            }
        )
        header = self.horizontalHeader()
        header.setMinimumSectionSize(48)
        header.setSectionsClickable(True)
        header.setResizeContentsPrecision(_MEASURED_ROWS)
        header.sectionClicked.connect(self._on_header)
        self.size_by_contents(WINNER)
        for column in (PAIR, NOTE):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
        self.setItemDelegateForColumn(WINNER, _WinnerDelegate(self))
        self.setItemDelegateForColumn(NOTE, _EndDelegate(self))
        self.hide_where_narrow((PROFILE, MEASURED), _LEAST_EM)
        self.hide_sooner({PROFILE: _ROOMY_EM})
        self._mark_header()
        theme.changed.connect(self._fill)

    def show_entries(self, entries: Sequence[HistoryEntry]) -> None:
        """Show entries; keep the selection."""
        self.entries = tuple(entries)
        self._arrange()

    def take_winners(self, winners: Mapping[str, Winner]) -> None:
        """Show winners that were found meanwhile, by the keys of their comparisons."""
        self.show_entries([replace(one, winner=winners.get(one.key, one.winner)) for one in self.entries])

    def filter(self, words: str, condition: str = "") -> None:
        """Show only entries that have all of the words, see `matching`, and comparisons under this condition only."""
        self._words, self._condition = words, condition
        self._arrange()

    def sort_by(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column."""
        self._sorting = (column, order)
        self._mark_header()
        self._arrange()

    def chosen(self) -> tuple[HistoryEntry, ...]:
        """Return the entries of the selected lines, from top to bottom."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return tuple(self.shown[row] for row in rows if row < len(self.shown))

    def choose(self, keys: Sequence[str]) -> None:
        """Select the lines of these entries, the first line where there are none of them."""
        rows = [nth for nth, one in enumerate(self.shown) if one.key in keys] or [0] * bool(self.shown)
        selection = QItemSelection()
        for row in rows:
            selection.select(self.model().index(row, 0), self.model().index(row, NOTE))
        if rows:
            self.setCurrentCell(rows[0], 0, QItemSelectionModel.SelectionFlag.NoUpdate)
        self.selectionModel().select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def _arrange(self) -> None:
        keys = [one.key for one in self.chosen()]
        entries = under_condition(self.entries, self._condition) if self._condition else self.entries
        self.shown = ordered(matching(entries, self._words), *self._sorting)
        self._fill()
        self.choose(keys)

    def _fill(self) -> None:
        self.setRowCount(len(self.shown))
        for nth, one in enumerate(self.shown):
            for column, text_of in TEXTS.items():
                cell, text = self.cell(nth, column), text_of(one)
                cell.setText(text)
                tip = one.note if column == NOTE else f"{text} ({one.key})" if column == WHAT else text
                cell.setToolTip(plain_tip(tip))
                if column == WINNER:
                    cell.setData(_HAS_NO_WINNER, one.winner is not None and not one.winner.solution)
                cell.setData(Qt.ItemDataRole.DecorationRole, self._icon(one, column))

        self.set_column_unused(NOTE, is_unused=not any(one.note for one in self.entries))
        self._share_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share what room there is between winner and note."""
        super().resizeEvent(event)
        self._share_room()

    def _share_room(self) -> None:
        """Limit long names of pairs; the note has its share of what is left, the winner the rest."""
        whole = self.viewport().width()
        self._resize(PAIR, int(_PAIRS_SHARE * whole))
        others = [nth for nth in range(WINNER) if not self.isColumnHidden(nth)]
        used = sum(self.columnWidth(nth) if nth == PAIR else self._needed(nth) for nth in others)
        room = whole - used
        least = _LEAST_NOTE_EM * self.fontMetrics().height()
        self._resize(NOTE, max(int(_NOTES_SHARE * room), room - self._needed(WINNER), least))

    def _resize(self, column: int, most_px: int) -> None:
        least_px = self.horizontalHeader().sectionSizeHint(column)
        self.horizontalHeader().resizeSection(column, max(least_px, min(self._needed(column), most_px)))

    def _needed(self, column: int) -> int:
        return max(self.sizeHintForColumn(column), self.horizontalHeader().sectionSizeHint(column))

    def _icon(self, one: HistoryEntry, column: int) -> QIcon | None:
        if column == WHAT:
            return self._theme.icon(_ICONS[one.kind], "muted")
        if column == MEASURED and one.failed:
            return self._theme.icon("warning", "legacy") if one.measured else self._theme.icon("error", "bad")
        if column == WINNER and one.winner is not None and one.winner.solution:
            return swatch_icon(one.winner.solution)
        return None

    def _on_header(self, column: int) -> None:
        is_rising = self._sorting == (column, Qt.SortOrder.AscendingOrder)
        is_first = self._sorting[0] != column
        falls = is_rising or (is_first and column in (DATE, MEASURED))
        self.sort_by(column, Qt.SortOrder.DescendingOrder if falls else Qt.SortOrder.AscendingOrder)

    def _mark_header(self) -> None:
        """Write the way of sorting behind the column's name, as in the ranking."""
        sorted_by, order = self._sorting
        for nth, name in enumerate(self._headers):
            header = self.horizontalHeaderItem(nth)
            if header is not None:
                header.setText(f"{name} {SORT_ARROWS[order]}" if nth == sorted_by else name)
        way = tr("rising") if order is Qt.SortOrder.AscendingOrder else tr("falling")
        text = tr("Ordered by %1, %2", self._headers[sorted_by], way)
        self.setAccessibleDescription(text)
