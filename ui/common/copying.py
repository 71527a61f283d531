"""Copying of whole lines from tables, trees and lists, with a context menu."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QTreeView

from ui.common.texts import tr


def enable_copying(view: QAbstractItemView) -> None:
    """Give a view `Copy line` (Ctrl+C) and `Copy all`: tab-separated, as spreadsheets take it."""
    line = QAction(tr("Copy line"), view)
    line.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
    line.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    line.triggered.connect(lambda: _to_clipboard(chosen_lines(view)))
    everything = QAction(tr("Copy all"), view)
    everything.triggered.connect(lambda: _to_clipboard(all_lines(view)))
    view.addActions([line, everything])
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)


def chosen_lines(view: QAbstractItemView) -> list[str]:
    """Return the selected lines from top to bottom, the current one where none is."""
    rows = {index.row(): index for index in view.selectionModel().selectedIndexes()}
    if len(rows) < 2 or isinstance(view, QTreeView):
        return [line_text(view, view.currentIndex())]
    return [line_text(view, rows[nth]) for nth in sorted(rows)]


def line_text(view: QAbstractItemView, index: QModelIndex) -> str:
    """Return the visible cells of a line, separated by tabs."""
    return (
        "\t".join(_clean(index.siblingAtColumn(column).data()) for column in _columns(view)) if index.isValid() else ""
    )


def all_lines(view: QAbstractItemView) -> list[str]:
    """Return the headers, where there are any, and every line that is not hidden."""
    model, lines = view.model(), [line_text(view, index) for index in _lines(view)]
    if _header(view) is None:
        return lines
    headers = [_clean(model.headerData(column, Qt.Orientation.Horizontal)) for column in _columns(view)]
    return ["\t".join(headers), *lines]


def _header(view: QAbstractItemView) -> QHeaderView | None:
    if isinstance(view, QTableView):
        return view.horizontalHeader()
    return view.header() if isinstance(view, QTreeView) else None


def _columns(view: QAbstractItemView) -> list[int]:
    header = _header(view)
    if header is None:
        return [0]
    return [column for column in range(header.count()) if not header.isSectionHidden(column)]


def _lines(view: QAbstractItemView) -> Iterable[QModelIndex]:
    model = view.model()
    if isinstance(view, QTreeView):
        index = model.index(0, 0)
        while index.isValid():
            yield index
            index = view.indexBelow(index)
    else:
        for row in range(model.rowCount()):
            if not (isinstance(view, QTableView) and view.isRowHidden(row)):
                yield model.index(row, 0)


def _clean(text: object) -> str:
    return " ".join(str(text or "").split())


def _to_clipboard(lines: Iterable[str]) -> None:
    text = "\n".join(line for line in lines if line)
    if text:
        QGuiApplication.clipboard().setText(text)
