"""Size and place of the window: within the screen, and as it was left."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QEvent, QMargins, QObject, QPoint, QRect, QSettings, QSize, Qt, QTimer
from PySide6.QtWidgets import QMainWindow

PREFERRED = QSize(1280, 800)
SMALLEST = QSize(960, 640)
_ROOMY = QSize(1100, 720)
"""On a smaller screen the window is maximised."""

_USUAL_FRAME = QMargins(4, 36, 4, 4)
"""Borders that are assumed until the window manager has drawn its own."""

_KEY = "window/geometry"
_FRAME_CHECKS_MS = (0, 400)
"""The frame is known some time after the window is shown."""


def is_tight(available: QRect) -> bool:
    """Whether a screen is so small that the window should fill it."""
    return available.width() < _ROOMY.width() or available.height() < _ROOMY.height()


def fitted(wanted: QRect, available: QRect, frame: QMargins) -> QRect:
    """Return a window's rectangle, shrunk and moved until it lies within the screen together with its frame.

    Args:
        wanted: Without the frame.
        available: The screen without panels.
        frame: Borders and title bar.
    """
    room = available.marginsRemoved(frame)
    size = wanted.size().boundedTo(room.size())
    left = min(max(wanted.left(), room.left()), room.left() + room.width() - size.width())
    top = min(max(wanted.top(), room.top()), room.top() + room.height() - size.height())
    return QRect(QPoint(left, top), size)


class WindowGeometry(QObject):
    """Keeps a window within its screen, and remembers its geometry.

    Args:
        window: The window, before it is shown.
        memory: Where the geometry is stored.
    """

    def __init__(self, window: QMainWindow, memory: QSettings) -> None:
        super().__init__(window)
        self._window = window
        self._memory = memory
        window.installEventFilter(self)

    def restore(self) -> None:
        """Take the stored geometry, or a size that the screen has room for."""
        window, available = self._window, self._window.screen().availableGeometry()
        stored = self._memory.value(_KEY)
        if isinstance(stored, QByteArray) and window.restoreGeometry(stored):
            return
        room = available.marginsRemoved(_USUAL_FRAME)
        size = PREFERRED.boundedTo(room.size())
        centred = QRect(QPoint(0, 0), size)
        centred.moveCenter(room.center())
        window.setGeometry(fitted(centred, available, _USUAL_FRAME))
        if is_tight(available):
            window.setWindowState(window.windowState() | Qt.WindowState.WindowMaximized)

    def save(self) -> None:
        """Store the geometry."""
        self._memory.setValue(_KEY, self._window.saveGeometry())
        self._memory.sync()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit the window once it has a frame; store where it was when it is hidden."""
        if watched is self._window and event.type() is QEvent.Type.Show:
            for delay_ms in _FRAME_CHECKS_MS:
                QTimer.singleShot(delay_ms, self, self.fit)
        elif watched is self._window and event.type() is QEvent.Type.Hide:
            self.save()
        return False

    def fit(self) -> None:
        """Shrink and move the window into its screen."""
        window, available = self._window, self._window.screen().availableGeometry()
        minimum = SMALLEST.boundedTo(available.marginsRemoved(self._frame()).size())
        if window.minimumSize() != minimum:
            window.setMinimumSize(minimum)
        if not window.isVisible() or window.isMaximized() or window.isFullScreen():
            return
        wanted = fitted(window.geometry(), available, self._frame())
        if wanted != window.geometry():
            window.setGeometry(wanted)

    def _frame(self) -> QMargins:
        inner, outer = self._window.geometry(), self._window.frameGeometry()
        return QMargins(
            inner.left() - outer.left(),
            inner.top() - outer.top(),
            outer.right() - inner.right(),
            outer.bottom() - inner.bottom(),
        )
