"""A log that grows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QPlainTextEdit

from app.domain.events import LogLevel, LogLine
from ui.live_model import MAX_LOG_LINES
from ui.texts import tr
from ui.theme import fixed_font


class LogView(QPlainTextEdit):
    """Lines of a campaign; follows the end unless somebody has scrolled up."""

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setFont(fixed_font())
        self.setMaximumBlockCount(MAX_LOG_LINES)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setAccessibleName(tr("Log"))
        self.setPlaceholderText(tr("What happens on the hosts will stand here."))

    def append_lines(self, lines: Sequence[LogLine]) -> None:
        """Add lines in one go."""
        if not lines:
            return
        words = {LogLevel.INFO: "", LogLevel.WARNING: tr("warning: "), LogLevel.ERROR: tr("error: ")}
        self.appendPlainText("\n".join(words[line.level] + line.text for line in lines))
