"""Lines of tables, trees and lists that read the same, or that cannot be copied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget

from ui.common.copying import _lines, line_text


def shown_views(window: QWidget) -> list[QAbstractItemView]:
    """Return the tables, trees and lists that are visible in a window."""
    views = window.findChildren(QAbstractItemView)
    return [one for one in views if one.isVisible() and one.window() is window and not isinstance(one, QHeaderView)]


def line_faults(window: QWidget) -> Iterator[str]:
    """Yield the faults of all lines that are visible in a window, as sentences."""
    for view in shown_views(window):
        yield from (f"{view.accessibleName()}: more than one line is {line!r}" for line in _alike(view))
        if not any(action.text() == "Copy all" for action in view.actions()):
            yield f"{view.accessibleName()}: lines cannot be copied"


def _alike(view: QAbstractItemView) -> list[str]:
    """Return the lines that are there more than once below the same line."""

    def place(index: QModelIndex) -> str:
        above = index.parent()
        return f"{place(above)}{line_text(view, above)}/" if above.isValid() else ""

    found = Counter(place(index) + line_text(view, index) for index in _lines(view))
    return [line for line, number in found.items() if number > 1]
