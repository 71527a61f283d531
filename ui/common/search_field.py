"""A field for what is searched; Esc empties it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit


class SearchField(QLineEdit):
    """A line to type in, with a button that empties it.

    Args:
        hint: What can be typed.
        name: For screen readers; empty for the hint.
    """

    def __init__(self, hint: str, name: str = "") -> None:
        super().__init__()
        self.setPlaceholderText(hint)
        self.setAccessibleName(name or hint)
        self.setClearButtonEnabled(True)

    def event(self, event: QEvent) -> bool:
        """Take Esc before the window's shortcut does, while there is something to clear."""
        is_escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if event.type() is QEvent.Type.ShortcutOverride and is_escape and self.text():
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Empty the field, where Esc was pressed."""
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)
