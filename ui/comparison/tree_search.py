"""A field that shows only those lines of a tree that hold its words."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QWidget

from ui.common.basics import button, label, row
from ui.common.search_field import SearchField
from ui.common.texts import tr

_WAS_OPEN = Qt.ItemDataRole.UserRole + 9


class TreeSearch(QWidget):
    """The field, and how many lines are shown. While something is typed, folds with hits are open.

    Args:
        tree: Whose lines are hidden and shown.
        hint: What can be typed.
    """

    filtered = Signal()
    """Other lines are hidden now."""

    def __init__(self, tree: QTreeWidget, hint: str) -> None:
        super().__init__()
        self._tree = tree
        self._is_searching = False
        self.field = _TreeSearchField(tree, hint)
        self.field.textChanged.connect(self._filter)
        self.field.returnPressed.connect(self._to_first)
        self.hits = label("", "muted", is_wrapping=False)
        self.hits.setVisible(False)
        self.untick = button(tr("&Untick all"), on_click=self._untick, tip=tr("Begin the choice from nothing"))
        self.setLayout(row((self.field, 1), self.hits, self.untick))

    def _untick(self) -> None:
        """Take every tick away, those of hidden lines too."""
        for item in every_item(self._tree):
            if item.checkState(0) is Qt.CheckState.Checked:
                item.setCheckState(0, Qt.CheckState.Unchecked)

    def begin_anew(self) -> None:
        """The tree holds other lines."""
        self._is_searching = False
        self._filter()

    def _filter(self) -> None:
        words = self.field.text().casefold().split()
        with QSignalBlocker(self._tree):
            if words and not self._is_searching:
                for item in every_item(self._tree):
                    item.setData(0, _WAS_OPEN, item.isExpanded())
            hits = sum(_show(item, words, "") for item in _children(self._tree.invisibleRootItem()))
            if self._is_searching and not words:
                for item in every_item(self._tree):
                    item.setExpanded(bool(item.data(0, _WAS_OPEN)))
        self._is_searching = bool(words)
        self.hits.setText(tr("%1 found", hits))
        self.hits.setVisible(bool(words))
        self.filtered.emit()
        current = self._tree.currentItem()
        if current is not None and not current.isHidden():
            self._tree.scrollToItem(current)

    def _to_first(self) -> None:
        first = next((item for item in every_item(self._tree) if item.childCount() == 0 and not item.isHidden()), None)
        if first is not None:
            self._tree.setCurrentItem(first)
            self._tree.setFocus(Qt.FocusReason.OtherFocusReason)


class _TreeSearchField(SearchField):
    """Down leads into the tree."""

    def __init__(self, tree: QTreeWidget, hint: str) -> None:
        super().__init__(hint)
        self._tree = tree

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Prefer that key."""
        if event.key() == Qt.Key.Key_Down:
            self._tree.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            super().keyPressEvent(event)


def _show(item: QTreeWidgetItem, words: list[str], above: str) -> int:
    """Show an item if it or anything below it is a hit; return how many hits there are."""
    text = f"{above} {' '.join(item.text(column) for column in range(item.columnCount()))}".casefold()
    below = _children(item)
    hits = sum(_show(one, words, text) for one in below) if below else int(all(word in text for word in words))
    item.setHidden(hits == 0)
    if below and words:
        item.setExpanded(hits > 0)
    return hits


def _children(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    children = (item.child(nth) for nth in range(item.childCount()))
    return [one for one in children if one is not None]


def every_item(tree: QTreeWidget) -> list[QTreeWidgetItem]:
    """Return every item, from top to bottom."""
    return [one for item in _children(tree.invisibleRootItem()) for one in with_children(item)]


def with_children(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    """Return an item and every one below it, from top to bottom."""
    return [item, *(one for child in _children(item) for one in with_children(child))]
