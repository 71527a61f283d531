"""Keys that work on every page of the window."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu

if TYPE_CHECKING:
    from ui.shell.navigator import Navigator

_ZOOM = 1.1


def menu_action(window: Navigator, menu: QMenu, text: str, keys: str, act: Callable[[], object]) -> QAction:
    """Add an entry to a menu, whose keys work while the menu is closed as well."""
    action = QAction(text, window)
    action.setShortcut(QKeySequence(keys))
    action.triggered.connect(lambda: act())  # noqa: PLW0108 - `triggered` carries an argument
    window.addAction(action)
    menu.addAction(action)
    return action


def add_shortcuts(window: Navigator) -> None:
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
