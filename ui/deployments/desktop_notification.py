"""Notifications of the desktop, where it has a place for them."""

from __future__ import annotations

from html import escape

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

SHOWN_MS = 15_000


class Notifier:
    """Shows notifications through an icon in the system's tray; without a tray, the window asks for attention."""

    def __init__(self, window: QWidget, icon: QIcon) -> None:
        self._window = window
        self._icon = icon
        self._tray: QSystemTrayIcon | None = None

    @property
    def has_tray(self) -> bool:
        """Whether the desktop has a place for notifications."""
        return QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages()

    def notify(self, title: str, text: str) -> None:
        """Notify the user on the desktop.

        On a desktop with notifications over D-Bus the text may hold markup: text from a host is escaped.
        Source: Desktop Notifications Specification 1.2, section "Markup".
        """
        if self.has_tray:
            if self._tray is None:
                self._tray = QSystemTrayIcon(self._icon, self._window)
                self._tray.setToolTip(title)
            self._tray.show()
            self._tray.showMessage(title, escape(text, quote=False), QSystemTrayIcon.MessageIcon.Warning, SHOWN_MS)
        QApplication.alert(self._window)

    def rest(self) -> None:
        """Nothing is watched any more."""
        if self._tray is not None:
            self._tray.hide()
