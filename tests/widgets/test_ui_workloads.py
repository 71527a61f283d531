"""Tab of workloads on the results page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.domain.profiles import PROFILES, ProfileName
from app.domain.workloads import WorkloadResult
from app.ranking import rank
from app.wording import language
from app.wording.language import tr
from support.sample_records import sample_record
from ui.common.theme import Theme
from ui.plots.result_data import prepare
from ui.results.result_state import subtitle
from ui.results.result_tabs import ResultTabs


def test_the_tab_is_there_where_a_comparison_had_workloads_only(qtbot: QtBot, theme: Theme) -> None:
    record = sample_record(rounds=2)
    attempts = tuple(
        replace(one, workloads=(WorkloadResult("voice", {"mos": 4.2 + 0.01 * one.key.round}),))
        for one in record.attempts
    )
    called = replace(record, plan=replace(record.plan, workloads=("voice",)), attempts=attempts)
    tabs = ResultTabs(theme)
    qtbot.addWidget(tabs)
    tabs.show_data(prepare(called, rank(called)))
    view = tabs.workloads
    assert view is not None
    assert tabs.tabText(tabs.indexOf(view)) == tr("Workloads")
    assert view.table.cell(0, 0).text() == "Telephone call (G.711)"
    texts = [view.table.cell(0, column).text() for column in range(2, view.table.columnCount())]
    assert len(texts) == len(called.plan.candidates)
    assert any(text.endswith("*") for text in texts)
    assert "G.107" in view.notes.text()
    before = tabs.count()
    tabs.show_data(prepare(record, rank(record)))
    assert tabs.workloads is None
    assert tabs.count() == before - 1


def test_workloads_and_the_profile_are_named_in_the_language_of_the_window(
    qtbot: QtBot, theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language, "_CHOSEN", ["de"])
    record = sample_record(rounds=2)
    attempts = tuple(replace(one, workloads=(WorkloadResult("voice", {"mos-a-to-b": 4.2}),)) for one in record.attempts)
    profile = PROFILES[ProfileName.QUICK]
    called = replace(record, plan=replace(record.plan, workloads=("voice",), profile=profile), attempts=attempts)
    tabs = ResultTabs(theme)
    qtbot.addWidget(tabs)
    tabs.show_data(prepare(called, rank(called)))
    assert tabs.workloads is not None
    table = tabs.workloads.table
    titles = [table.cell(row, 1).text() for row in range(table.rowCount())]
    assert table.cell(0, 0).text() == "Telefongespräch (G.711)"
    assert "Mean Opinion Score von A nach B" in titles
    assert "De-Jitter-Puffer von 60 ms" in tabs.workloads.notes.text()
    assert ", schnell, " in subtitle(prepare(called, rank(called)))
