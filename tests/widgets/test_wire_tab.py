from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from sample_records import sample_record

from app.domain.results import CampaignRecord
from app.ranking import rank
from ui.result_data import prepare
from ui.theme import Theme
from ui.widgets.data_table import DataTable
from ui.widgets.result_tabs import ResultTabs


def shown(tabs: ResultTabs, record: CampaignRecord) -> tuple[list[str], list[DataTable]]:
    """Return the texts and tables of the tab."""
    tabs.show_data(prepare(record, rank(record)))
    nth = next(n for n in range(tabs.count()) if tabs.tabText(n) == "On the wire")
    page = tabs.widget(nth)
    return [one.text() for one in page.findChildren(QLabel) if one.text()], page.findChildren(DataTable)


@pytest.fixture
def tabs(qtbot: QtBot, theme: Theme) -> ResultTabs:
    made = ResultTabs(theme)
    qtbot.addWidget(made)
    return made


def test_every_candidate_says_what_the_wire_showed(tabs: ResultTabs) -> None:
    record = sample_record()
    texts, tables = shown(tabs, record)
    measured = {(one.key.solution, one.key.suite) for one in record.attempts if one.wire is not None}
    assert len(tables) == len(measured)
    for words in ("Protected. 10 of 10 marked frames", "Readable on purpose.", "Fails closed. ", "Fails open. "):
        assert any(text.startswith(words) for text in texts), words
    udp = next(table for table in tables if "OpenVPN" in table.accessibleName() and "UDP" in table.accessibleName())
    row = [udp.cell(6, column).text().replace("\u202f", "") for column in range(5)]
    assert row == ["1514", "2 (fragments)", "1631", "1597", "33"]


def test_where_nobody_looked_it_says_so(tabs: ResultTabs) -> None:
    record = sample_record()
    record = replace(record, attempts=tuple(replace(one, wire=None) for one in record.attempts))
    texts, tables = shown(tabs, record)
    assert texts == ["Nobody looked at the wire in this comparison."]
    assert tables == []
