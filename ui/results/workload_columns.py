"""Columns of the ranking with the main figure of each workload that was run. They decide no rank."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QTableWidgetItem

from app.ranking.workloads import WorkloadRow
from app.wording.messages import local_text
from ui.common.candidate_rows import Key
from ui.common.data_table import RIGHT, DataTable
from ui.common.texts import NONE, tr
from ui.common.tips import set_tip

_EACH_EM = 8
"""Room for one of them, in heights of letters."""


class WorkloadColumns:
    """One column per workload: shown where there is room, and wherever the user ticks it in the table's menu.

    Args:
        table: The ranking.
        first: Number of the first of these columns.

    Attributes:
        rows: Main figures, in the order of the columns.
        actions: Entries of the menu, by column.
    """

    def __init__(self, table: DataTable, first: int) -> None:
        self._table, self._first = table, first
        self._chosen: set[int] = set()
        self.rows: tuple[WorkloadRow, ...] = ()
        self.actions: dict[int, QAction] = {}

    @property
    def columns(self) -> range:
        """Their numbers."""
        return range(self._first, self._first + len(self.rows))

    @property
    def headers(self) -> tuple[str, ...]:
        """Their names, with units."""
        return tuple(one.heading for one in self.rows)

    @property
    def values(self) -> Mapping[int, Mapping[Key, float]]:
        """Mean of each candidate, by column."""
        means = ({key: cell.mean for key, cell in one.cells.items()} for one in self.rows)
        return dict(zip(self.columns, means, strict=True))

    @property
    def by_width(self) -> tuple[int, ...]:
        """Columns that the user has neither shown nor hidden."""
        return tuple(column for column in self.columns if column not in self._chosen)

    def least_em(self, base_em: int) -> dict[int, int]:
        """Return the width of the table below which each is hidden, in heights of letters."""
        return {column: base_em + (nth + 1) * _EACH_EM for nth, column in enumerate(self.columns)}

    def texts(self, key: Key) -> tuple[str, ...]:
        """Return the cells of a candidate."""
        cells = (one.cells.get(key) for one in self.rows)
        return tuple(NONE if cell is None else cell.mean_words for cell in cells)

    def show_rows(self, rows: tuple[WorkloadRow, ...]) -> None:
        """Make the columns of a comparison in place of those of the one before."""
        table = self._table
        for column, action in self.actions.items():
            table.set_column_unused(column, is_unused=False)
            table.removeAction(action)
            action.deleteLater()
        self.rows, self.actions, self._chosen = rows, {}, set()
        table.setColumnCount(self._first + len(rows))
        table.set_more_figures(self.columns)
        for column, one in zip(self.columns, rows, strict=True):
            head = QTableWidgetItem(one.heading)
            head.setTextAlignment(RIGHT)
            about = local_text(one.workload_title), local_text(one.kind.title)
            set_tip(head, tr("%1: %2. Mean over the rounds; it decides no rank.", *about))
            table.setHorizontalHeaderItem(column, head)
            action = QAction(tr("Column: %1", local_text(one.workload_title)), table)
            action.setCheckable(True)
            action.triggered.connect(lambda is_shown, column=column: self._choose(column, is_shown=is_shown))
            table.addAction(action)
            self.actions[column] = action

    def tick(self) -> None:
        """Tick the entries of those that are shown."""
        for column, action in self.actions.items():
            action.setChecked(not self._table.isColumnHidden(column))

    def _choose(self, column: int, *, is_shown: bool) -> None:
        self._chosen.add(column)
        self._table.leave_shown(column)
        self._table.set_column_unused(column, is_unused=not is_shown)
        self.tick()
