"""Files and commands to read, search and copy."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QKeySequence, QShortcut, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from app.domain.results import PlannedItem
from app.wording.messages import local_text
from ui.common.basics import button, column, label, row
from ui.common.search_field import SearchField
from ui.common.texts import tr
from ui.common.theme import Theme, fixed_font


class CodeView(QWidget):
    """All files and commands of one candidate, with search and copying."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.search = SearchField(tr("Search (Ctrl+F)"), tr("Search in files and commands"))
        self.search.textChanged.connect(self._on_search)
        self.search.returnPressed.connect(self._next_hit)
        self.hits = label("", "muted", is_wrapping=False)
        self.copy = button(tr("&Copy all"), "copy", on_click=self._copy_all)
        self.view = QPlainTextEdit()
        self.view.setReadOnly(True)
        self.view.setTabChangesFocus(True)
        self.view.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.view.setFont(fixed_font())
        self.view.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.view.setAccessibleName(tr("Files and commands"))
        self.setLayout(column(row((self.search, 1), self.hits, self.copy), (self.view, 1)))
        QShortcut(QKeySequence.StandardKey.Find, self, self.search.setFocus)
        theme.changed.connect(self._on_search)

    def show_items(self, items: Sequence[PlannedItem], stories: Sequence[str] = ()) -> None:
        """Show files and commands in order, below what happened."""
        self.view.setPlainText("\n\n".join([*stories, "\n".join(_lines(items))]))
        self._emphasise()
        self._on_search()

    def show_text(self, text: str) -> None:
        """Show something else, for example a daemon's log."""
        self.view.setPlainText(text)
        self._on_search()

    def _emphasise(self) -> None:
        bold = QTextCharFormat()
        bold.setFontWeight(700)
        block = self.view.document().begin()
        while block.isValid():
            if block.text().startswith("▌"):
                cursor = QTextCursor(block)
                cursor.select(QTextCursor.SelectionType.LineUnderCursor)
                cursor.mergeCharFormat(bold)
            block = block.next()

    def _on_search(self) -> None:
        wanted = self.search.text()
        marks: list[QTextEdit.ExtraSelection] = []
        document: QTextDocument = self.view.document()
        cursor = document.find(wanted) if wanted else QTextCursor()
        colours = self._theme.colours
        while wanted and not cursor.isNull():
            mark = QTextEdit.ExtraSelection()
            mark.cursor = cursor
            mark.format.setBackground(QColor(colours.accent_soft))
            mark.format.setFontUnderline(True)
            marks.append(mark)
            cursor = document.find(wanted, cursor)
        self.view.setExtraSelections(marks)
        if not wanted:
            self.hits.setText("")
        else:
            self.hits.setText(tr("%1 found", len(marks)))
            if marks:
                self._next_hit(from_start=True)

    def _next_hit(self, *, from_start: bool = False) -> None:
        wanted = self.search.text()
        if not wanted:
            return
        if from_start:
            self.view.moveCursor(QTextCursor.MoveOperation.Start)
        if not self.view.find(wanted):
            self.view.moveCursor(QTextCursor.MoveOperation.Start)
            self.view.find(wanted)

    def _copy_all(self) -> None:
        QGuiApplication.clipboard().setText(self.view.toPlainText())


def _lines(items: Sequence[PlannedItem]) -> list[str]:
    kinds = {"file": tr("file"), "command": tr("command"), "undo": tr("rollback")}
    lines: list[str] = []
    for item in items:
        lines += [
            f"▌ {item.side.upper()}  {kinds.get(item.kind, item.kind)}  {local_text(item.title)}",
            *local_text(item.text).splitlines(),
            "",
        ]
    return lines
