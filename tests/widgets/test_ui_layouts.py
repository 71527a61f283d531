"""Rows, columns and splits that pages are made of."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from ui.common.basics import ChoiceBox, column, holder, row
from ui.common.data_table import DataTable
from ui.common.splits import split


def test_parts_of_a_row_have_their_stretches_and_gaps(qtbot: QtBot) -> None:
    first, second, inner = QWidget(), QWidget(), QWidget()
    layout = row((first, 2), 0, 16, (column(inner), 3), second, margin_px=(1, 2, 3, 4), spacing_px=5)
    made = holder(layout, "page")
    qtbot.addWidget(made)
    assert [layout.stretch(nth) for nth in range(layout.count())] == [2, 1, 0, 3, 0]
    assert layout.itemAt(2).minimumSize().width() == 16
    assert (layout.contentsMargins().left(), layout.contentsMargins().bottom(), layout.spacing()) == (1, 4, 5)
    assert made.property("variant") == "page"
    assert all(one.parentWidget() is made for one in (first, second, inner))


def test_two_parts_of_a_split_share_the_room_and_cannot_be_closed(qtbot: QtBot) -> None:
    first, second = QWidget(), QWidget()
    made = split(first, second, sizes_px=(100, 300), stretches=(0, 1), handle_px=12, is_vertical=True)
    qtbot.addWidget(made)
    assert made.orientation() is Qt.Orientation.Vertical
    assert made.handleWidth() == 12
    assert not made.childrenCollapsible()
    assert second.sizePolicy().verticalStretch() == 1
    made.resize(200, 412)
    made.show()
    assert made.sizes() == [100, 300]


def test_a_row_of_a_table_shows_its_texts_and_tips(qtbot: QtBot) -> None:
    table = DataTable(["What", "How much"], {1}, "Figures")
    qtbot.addWidget(table)
    table.setRowCount(2)
    table.show_row(0, ["a & b", "1.5"], has_tips=True)
    table.show_row(1, ["c"])
    assert [table.cell(0, column).text() for column in (0, 1)] == ["a & b", "1.5"]
    assert "a" in table.cell(0, 0).toolTip()
    assert (table.cell(1, 0).text(), table.cell(1, 0).toolTip(), table.cell(1, 1).text()) == ("c", "", "")


def test_other_entries_of_a_box_keep_the_choice_and_signal_nothing(qtbot: QtBot) -> None:
    box = ChoiceBox()
    qtbot.addWidget(box)
    box.setPlaceholderText("inspect the hosts first")
    signals: list[int] = []
    box.currentIndexChanged.connect(signals.append)
    box.offer([("64 bytes", 64), ("1514 bytes", 1514)])
    assert box.currentData() == 64, "the first one"
    box.offer([("64 bytes", 64), ("512 bytes", 512), ("1514 bytes", 1514)], 1514)
    assert box.currentData() == 1514
    box.offer([("64 bytes", 64), ("512 bytes", 512)], box.currentData())
    assert box.currentData() == 64, "it is not there any more"
    box.offer([])
    assert box.currentIndex() == -1
    assert signals == []
