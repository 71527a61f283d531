"""Texts that a window shows: labels, buttons, fields, tabs, headers and cells."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTabBar,
    QWidget,
)

_MOST_LINES = 60


def visible_texts(window: QWidget) -> Iterator[str]:
    """Return every text of the visible widgets of a window, and their tool tips; what was typed is not among them."""
    for widget in window.findChildren(QWidget):
        if widget.isVisible() and widget.window() is window:
            yield from filter(None, (*_own_texts(widget), widget.toolTip()))


def _own_texts(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QLabel | QAbstractButton):
        yield widget.text()
    elif isinstance(widget, QLineEdit):
        yield widget.placeholderText()
    elif isinstance(widget, QComboBox):
        yield from (widget.itemText(nth) for nth in range(widget.count()))
    elif isinstance(widget, QTabBar):
        yield from (widget.tabText(nth) for nth in range(widget.count()))
    elif isinstance(widget, QHeaderView) and widget.orientation() is Qt.Orientation.Horizontal:
        yield from (str(widget.model().headerData(nth, widget.orientation()) or "") for nth in range(widget.count()))
    elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
        yield from _cells(widget, QModelIndex())


def _cells(view: QAbstractItemView, parent: QModelIndex) -> Iterator[str]:
    model = view.model()
    for row in range(min(model.rowCount(parent), _MOST_LINES)):
        first, column = model.index(row, 0, parent), 0
        while (cell := first.siblingAtColumn(column)).isValid():
            yield str(cell.data() or "")
            column += 1
        yield from _cells(view, first)
