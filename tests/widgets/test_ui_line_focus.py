"""The line that has the focus in tables, lists and trees has a frame; a selected one without the focus has none."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QListWidget,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)
from pytestqt.qtbot import QtBot

from ui.common.data_table import DataTable, LineDelegate
from ui.common.theme import Theme


def _table() -> DataTable:
    table = DataTable(["VPN", "Latency"], {1}, "Candidates")
    table.setRowCount(3)
    for row in range(3):
        for column in range(2):
            table.cell(row, column).setText(f"{row} {column}")
    return table


def _list() -> QListWidget:
    result = QListWidget()
    result.addItems(["one", "two", "three"])
    result.setItemDelegate(LineDelegate(result))
    return result


def _tree() -> QTreeWidget:
    result = QTreeWidget()
    result.setColumnCount(2)
    result.addTopLevelItems([QTreeWidgetItem([f"{row}", "text"]) for row in range(3)])
    result.setItemDelegate(LineDelegate(result))
    return result


def _has_frame(view: QAbstractItemView, row: int, colour: str) -> bool:
    place = view.visualRect(view.model().index(row, 0))
    corner = view.viewport().mapTo(view, place.bottomLeft() + QPoint(place.width() // 2, 0))
    return view.grab().toImage().pixelColor(corner).name() == colour


@pytest.mark.parametrize("make", [_table, _list, _tree])
def test_the_line_with_the_focus_has_a_frame(qtbot: QtBot, theme: Theme, make: type[QAbstractItemView]) -> None:
    window = QWidget()
    theme.attach(window)
    qtbot.addWidget(window)
    view, elsewhere = make(), QPushButton("Next")
    for one in (view, elsewhere):
        one.setParent(window)
    elsewhere.move(0, 400)
    view.resize(300, 200)
    window.resize(400, 500)
    window.show()
    window.activateWindow()
    view.setCurrentIndex(view.model().index(0, 0))
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    accent = theme.colours.accent
    assert _has_frame(view, 0, accent)
    assert not _has_frame(view, 1, accent)
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert not _has_frame(view, 0, accent)
    assert _has_frame(view, 1, accent)
    elsewhere.setFocus()
    assert not _has_frame(view, 1, accent), "a selected line alone is tinted"


@pytest.mark.parametrize("is_fixed", [True, False])
def test_a_field_with_the_focus_has_a_frame_even_if_it_cannot_be_changed(
    qtbot: QtBot, theme: Theme, is_fixed: bool
) -> None:
    window = QWidget()
    theme.attach(window)
    qtbot.addWidget(window)
    field, elsewhere = QLineEdit("gateway.example", window), QPushButton("Next", window)
    field.setReadOnly(is_fixed)
    field.resize(200, 32)
    elsewhere.move(0, 100)
    window.resize(300, 200)
    window.show()
    window.activateWindow()

    def border() -> str:
        return field.grab().toImage().pixelColor(100, 0).name()

    field.setFocus()
    qtbot.waitUntil(lambda: border() == theme.colours.accent)
    elsewhere.setFocus()
    qtbot.waitUntil(lambda: border() != theme.colours.accent)
