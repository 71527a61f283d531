"""Keys that work on every page of the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QKeySequence, QShortcut

if TYPE_CHECKING:
    from ui.shell.window import MainWindow

_ZOOM = 1.1


def add_shortcuts(window: MainWindow) -> None:
    """Let the keys move between pages, cancel, zoom and close."""
    theme = window.context.theme
    for keys, action in (
        ("Alt+Right", window.go_next),
        ("Alt+Left", window.show_previous),
        ("Esc", window.cancel),
        ("Ctrl++", lambda: theme.zoom(_ZOOM)),
        ("Ctrl+-", lambda: theme.zoom(1 / _ZOOM)),
        ("Ctrl+0", lambda: theme.zoom(0)),
        (QKeySequence(QKeySequence.StandardKey.Quit).toString() or "Ctrl+Q", window.close),
    ):
        QShortcut(QKeySequence(keys), window, action)
