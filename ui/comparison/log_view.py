"""A log that grows, with its level, and buttons that copy and save it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from PySide6.QtGui import QGuiApplication, QTextOption
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.domain.atomic import replace_file
from app.domain.events import LogLevel, LogLine
from app.wording.messages import local_text
from ui.common.basics import ChoiceBox, button, column, label_for, row
from ui.common.file_dialogs import ask_save
from ui.common.sample_model import MAX_LOG_LINES
from ui.common.texts import tr
from ui.common.theme import GRID, fixed_font

_SEVERITY = (LogLevel.INFO, LogLevel.WARNING, LogLevel.ERROR)


class LogView(QWidget):
    """Lines of a campaign with their time; follows the end unless the user has scrolled up."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[tuple[LogLevel, str]] = []
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setFont(fixed_font())
        self.text.setMaximumBlockCount(MAX_LOG_LINES)
        self.text.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.text.setAccessibleName(tr("Log"))
        self.text.setPlaceholderText(tr("Stages and messages of the comparison."))
        levels = zip((tr("everything"), tr("warnings and errors"), tr("errors")), _SEVERITY, strict=True)
        self.level = ChoiceBox(tr("Level"), levels)
        self.level.currentIndexChanged.connect(self._show_all)
        self.copy = button(tr("Copy"), "copy", on_click=self._copy)
        self.save = button(tr("Save…"), "report", on_click=self._ask_file)
        below = row(label_for(tr("Show"), self.level), self.level, 0, self.copy, self.save)
        self.setLayout(column((self.text, 1), below, margin_px=GRID))

    def toPlainText(self) -> str:
        """Return what is shown."""
        return self.text.toPlainText()

    def clear(self) -> None:
        """Forget all lines."""
        self._lines.clear()
        self.text.clear()

    def append_lines(self, lines: Sequence[LogLine]) -> None:
        """Add lines in one go, with the time of day."""
        if not lines:
            return
        words = {LogLevel.INFO: "", LogLevel.WARNING: tr("warning: "), LogLevel.ERROR: tr("error: ")}
        now = f"{datetime.now().astimezone():%H:%M:%S}"
        new = [(line.level, f"{now}  {words[line.level]}{local_text(line.text)}") for line in lines]
        self._lines = [*self._lines, *new][-MAX_LOG_LINES:]
        shown = self._chosen(new)
        if shown:
            self.text.appendPlainText(shown)

    def write(self, path: Path) -> None:
        """Write what is shown to a file; the log says where that failed."""
        try:
            replace_file(path, f"{self.toPlainText()}\n".encode())
        except OSError as error:
            text = tr("%1 cannot be written: %2.", path, error.strerror or "")
            self.append_lines([LogLine(LogLevel.ERROR, text)])

    def _chosen(self, lines: Sequence[tuple[LogLevel, str]]) -> str:
        least = self.level.currentIndex()
        return "\n".join(text for level, text in lines if _SEVERITY.index(level) >= least)

    def _show_all(self) -> None:
        self.text.setPlainText(self._chosen(self._lines))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.toPlainText())

    def _ask_file(self) -> None:
        ask_save(self, tr("Save the log"), {"log": ""}, self.write)
