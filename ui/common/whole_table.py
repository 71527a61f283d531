"""A table that shows all its lines: the page around it scrolls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QEvent
from PySide6.QtGui import QShowEvent

from ui.common.data_table import DataTable


class WholeTable(DataTable):
    """A table as high as all its lines, in whatever style and size of texts the window has."""

    def show_rows(self, rows: Sequence[Iterable[str]], *, has_tips: bool = False) -> None:
        """Show texts in all rows."""
        super().show_rows(rows, has_tips=has_tips)
        self.fit_height()

    def showEvent(self, event: QShowEvent) -> None:
        """Fit it in the current style of the window."""
        super().showEvent(event)
        self.fit_height()

    def changeEvent(self, event: QEvent) -> None:
        """Fit it to larger texts."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.fit_height()

    def fit_height(self) -> None:
        """Be as high as all lines, with a scroll bar where the columns have no room."""
        self.share_width()
        is_scrolled = self.horizontalHeader().length() > self.viewport().width()
        bar_px = self.horizontalScrollBar().sizeHint().height() if is_scrolled else 0
        self.setFixedHeight(self.height_for_all_px() + bar_px)
