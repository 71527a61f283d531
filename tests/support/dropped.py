"""Files that are dropped on a widget."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

_HOW = (Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)


def drop(target: QWidget, *urls: QUrl | Path) -> bool:
    """Drop files or addresses; return whether the drag was accepted."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(url)) if isinstance(url, Path) else url for url in urls])
    return drop_data(target, data)


def drop_data(target: QWidget, data: QMimeData) -> bool:
    """Drag something over a widget and let go of it there; return whether the drag was accepted."""
    action, button, keys = _HOW
    enter = QDragEnterEvent(QPoint(5, 5), action, data, button, keys)
    enter.ignore()
    QApplication.sendEvent(target, enter)
    if enter.isAccepted():  # a drop goes to the target of the drag
        QApplication.sendEvent(target, QDropEvent(QPoint(5, 5), action, data, button, keys))
    return enter.isAccepted()
