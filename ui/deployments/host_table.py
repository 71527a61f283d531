"""A table with one column per host."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent

from ui.common.data_table import DataTable
from ui.common.texts import plain_tip, tr

SideRow = tuple[str, str, str]
"""Name, value on A, value on B."""


class SidesTable(DataTable):
    """Table with a column for each host.

    Args:
        name: For screen readers.
    """

    def __init__(self, name: str) -> None:
        super().__init__([name, "A", "B"], (), name)
        self.size_by_contents(1, 2)
        self.setWordWrap(True)

    def show_sides(self, label_a: str, label_b: str, rows: Sequence[SideRow]) -> None:
        """Show facts of both hosts, by the names that people call them."""
        self.setHorizontalHeaderLabels([self.accessibleName(), f"A  {label_a}".rstrip(), f"B  {label_b}".rstrip()])
        if self.rowCount() != len(rows):
            self.setRowCount(len(rows))
        for nth, texts in enumerate(rows):
            for column, text in enumerate(texts):
                cell = self.cell(nth, column)
                if cell.text() != text:
                    cell.setText(text)
                    cell.setToolTip(plain_tip(text) if column else "")
        self._keep_names_whole()
        self.resizeRowsToContents()

    def changeEvent(self, event: QEvent) -> None:
        """Fit the columns to larger names of the hosts."""
        super().changeEvent(event)
        self._keep_names_whole()

    def _keep_names_whole(self) -> None:
        """Scroll sideways where the columns would be narrower than the names of the hosts."""
        header = self.horizontalHeader()
        header.setMinimumSectionSize(max(header.sectionSizeFromContents(side).width() for side in (1, 2)))

    def text(self, what: str) -> tuple[str, str]:
        """Return the values of a fact on A and on B."""
        nth = next(row for row in range(self.rowCount()) if self.cell(row, 0).text() == what)
        return self.cell(nth, 1).text(), self.cell(nth, 2).text()


def yes_no(is_so: bool) -> str:  # noqa: FBT001 - the value is all there is
    """Return a word."""
    return tr("yes") if is_so else tr("no")
