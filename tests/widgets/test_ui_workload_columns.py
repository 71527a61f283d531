"""Columns of workloads in the ranking of the results page: shown, ticked, ordered by."""

from __future__ import annotations

from typing import cast

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.domain.results import CampaignRecord
from app.probes.workloads import WORKLOADS
from app.ranking import rank
from support.made_up_workload import MADE_UP, made_up_record
from support.sample_records import sample_record
from ui.common.theme import Theme
from ui.plots.result_data import prepare
from ui.results.ranking_order import NAME, YOURS
from ui.results.ranking_table import RankingTable

JOBS = YOURS + 1


@pytest.fixture(name="record")
def made_up(monkeypatch: pytest.MonkeyPatch) -> CampaignRecord:
    """A comparison with a workload that is registered for this test alone."""
    monkeypatch.setitem(cast("dict[str, object]", WORKLOADS), MADE_UP.name, MADE_UP)
    return made_up_record()


@pytest.fixture(name="table")
def shown(qtbot: QtBot, theme: Theme, record: CampaignRecord) -> RankingTable:
    """Its ranking in a wide window."""
    table = RankingTable(theme)
    qtbot.addWidget(table)
    table.resize(3000, 400)
    table.show()
    table.show_data(prepare(record, rank(record)))
    return table


def column(table: RankingTable, nth: int) -> list[str]:
    return [table.cell(row, nth).text() for row in range(table.rowCount())]


def head(table: RankingTable, nth: int) -> str:
    item = table.horizontalHeaderItem(nth)
    assert item is not None
    return item.text()


def test_the_main_figure_has_a_column_that_the_table_can_be_ordered_by(table: RankingTable) -> None:
    assert head(table, JOBS) == "Jobs, jobs/min"
    assert not table.isColumnHidden(JOBS)
    by_rank = column(table, NAME)
    figures = dict(zip(by_rank, column(table, JOBS), strict=True))
    assert sorted(figures.values()) == sorted(["10.0", "20.0", "30.0"] + ["–"] * (len(figures) - 3))
    table.sort_by(JOBS, Qt.SortOrder.DescendingOrder)
    assert column(table, JOBS)[:4] == ["30.0", "20.0", "10.0", "–"]
    assert head(table, JOBS).startswith("Jobs, jobs/min ")
    assert "Jobs, jobs/min" in table.accessibleDescription()
    table.sort_by(None)
    assert column(table, NAME) == by_rank, "the ranks do not depend on it"


def test_where_there_is_no_room_it_is_hidden_until_the_user_ticks_it(table: RankingTable) -> None:
    action = next(one for one in table.actions() if one.text() == "Column: Made-up work")
    assert action.isChecked()
    table.resize(500, 400)
    assert table.isColumnHidden(JOBS)
    assert not action.isChecked()
    action.trigger()
    assert not table.isColumnHidden(JOBS)
    assert action.isChecked()
    table.resize(480, 400)
    assert not table.isColumnHidden(JOBS), "the user wants to see it"
    action.trigger()
    table.resize(3000, 400)
    assert table.isColumnHidden(JOBS)


def test_a_comparison_without_workloads_has_no_such_column(table: RankingTable) -> None:
    table.sort_by(JOBS)
    record = sample_record(rounds=2)
    table.show_data(prepare(record, rank(record)))
    assert table.columnCount() == JOBS
    assert not any(one.text().startswith("Column:") for one in table.actions())
