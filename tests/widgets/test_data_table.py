"""Columns of a table share its width by what they need."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ui.common.data_table import DataTable
from ui.common.theme import Theme

FRAME, SENT, MEAN, REMARK = range(4)
_ROOMY_PX = 900


@pytest.fixture
def table(qtbot: QtBot, theme: Theme) -> DataTable:
    assert theme is not None, "the style of the window is on"
    made = DataTable(("Frame", "Sent", "Mean of all of the rounds", "Remark"), range(3), "Latency")
    qtbot.addWidget(made)
    made.setRowCount(1)
    for column, text in enumerate(("1 514 B", "1 000", "12.34 ms", "fragmented on the way, and put together again")):
        made.cell(0, column).setText(text)
    made.fit((SENT,))
    made.show()
    _resize(made, _ROOMY_PX)
    return made


def _resize(table: DataTable, width_px: int) -> None:
    table.resize(width_px + table.width() - table.viewport().width(), 200)
    for _ in range(3):
        QApplication.processEvents()
    assert table.viewport().width() == width_px


def _shown(table: DataTable) -> list[int]:
    return [nth for nth in range(table.columnCount()) if not table.isColumnHidden(nth)]


def _check_headers(table: DataTable) -> None:
    header = table.horizontalHeader()
    for nth in _shown(table):
        assert header.sectionSize(nth) >= header.sectionSizeFromContents(nth).width(), nth
    assert header.length() == table.viewport().width(), "nothing is left over, and nothing out of sight"


def test_in_a_wide_table_every_text_is_whole(table: DataTable) -> None:
    assert _shown(table) == [FRAME, SENT, MEAN, REMARK]
    assert all(table.columnWidth(nth) >= table.sizeHintForColumn(nth) for nth in _shown(table))
    _check_headers(table)


def test_words_yield_first_and_figures_never(table: DataTable) -> None:
    whole = sum(table._natural_px(nth) for nth in range(4))
    _resize(table, whole - 60)
    assert _shown(table) == [FRAME, SENT, MEAN, REMARK]
    assert table.columnWidth(REMARK) < table.sizeHintForColumn(REMARK)
    assert all(table.columnWidth(nth) >= table.sizeHintForColumn(nth) for nth in (FRAME, SENT, MEAN))
    _check_headers(table)


def test_a_spare_column_is_hidden_where_the_rest_has_no_room_and_returns(table: DataTable) -> None:
    least = sum(table._least_px(nth) for nth in range(4))
    _resize(table, least - 10)
    assert _shown(table) == [FRAME, MEAN, REMARK]
    _check_headers(table)
    _resize(table, _ROOMY_PX)
    assert _shown(table) == [FRAME, SENT, MEAN, REMARK]


def test_longer_figures_are_given_room(table: DataTable) -> None:
    table.cell(0, FRAME).setText("1 514 B and 22 B of headers, sent at once")
    table.share_width()
    assert table.columnWidth(FRAME) >= table.sizeHintForColumn(FRAME)
    _check_headers(table)


def test_a_column_without_entries_leaves_its_room_to_others(table: DataTable) -> None:
    former = table.columnWidth(MEAN)
    table.set_column_unused(SENT, is_unused=True)
    assert _shown(table) == [FRAME, MEAN, REMARK]
    assert table.columnWidth(MEAN) > former
    _check_headers(table)
