"""Tables of an outcome under their headings; those with the same columns are filled again, not made anew."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from app.reports.outcome_table import OutcomeTable
from ui.common.basics import column, label
from ui.common.whole_table import WholeTable

_HEADING_LETTERS = 9
"""Longest line of a heading: columns are as wide as their figures need."""

_SHORT = re.compile(r" (?=(?:%|s|ms|B)(?: |$))")
"""Spaces before units and `B` of `A, B`, at which no line ends."""


class OutcomeTables(QWidget):
    """Headings and tables, one under the other."""

    def __init__(self) -> None:
        super().__init__()
        self._body = column()
        self.setLayout(self._body)
        self._shown: tuple[tuple[str, tuple[str, ...]], ...] = ()
        self._heads: list[QLabel] = []
        self.tables: list[WholeTable] = []

    def show_tables(self, tables: Sequence[OutcomeTable]) -> None:
        """Show tables instead of those before."""
        columns = tuple((one.title, one.headings) for one in tables)
        if columns != self._shown:
            self._make(tables)
            self._shown = columns
        for table, one in zip(self.tables, tables, strict=True):
            table.show_rows([tuple(map(_with_arrow, row)) for row in one.rows], has_tips=True)
        self.setVisible(bool(tables))

    def _make(self, tables: Sequence[OutcomeTable]) -> None:
        for widget in (*self._heads, *self.tables):
            self._body.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self._heads = [label(one.title, "heading") for one in tables]
        self.tables = [WholeTable(list(map(_heading, one.headings)), one.figures, one.title) for one in tables]
        for head, table in zip(self._heads, self.tables, strict=True):
            table.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideNone)  # it would cut off further lines
            table.fit()
            for widget in (head, table):
                self._body.addWidget(widget)
                widget.show()


def _heading(text: str) -> str:
    """Return a heading in sentence case, in several lines where it is long; a unit alone remains as it is."""
    bound = _SHORT.sub("\N{NO-BREAK SPACE}", _with_arrow(text))
    shown = "\n".join(textwrap.wrap(bound, _HEADING_LETTERS, break_long_words=False))
    return shown if len(shown) == 1 else f"{shown[:1].upper()}{shown[1:]}"


def _with_arrow(text: str) -> str:
    return text.replace("->", "→")
