"""Agreement of own times with the satellite study in the window."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.domain.topology import Topology
from app.domain.transfers import TransferResult
from app.ranking.published_transfers import published_transfers
from app.reports.study_view import MOST_NAMED, study_view
from app.storage.study_results import StudyResults
from ui.studies.agreement_view import AgreementView


def test_pairs_that_are_not_named_are_counted_with_the_place_of_all(qtbot: QtBot) -> None:
    cells = tuple(cell for cell in published_transfers() if cell.condition == "geo" and cell.congestion == "bbr2")
    results = StudyResults("satcom-2021", "lab:x", "1.0", 30_000_000)
    for cell in cells:
        seconds = 1_000.0 - published_transfers()[cell]
        one = TransferResult(cell, seconds, 30_000_000, 3, "bbr", topology=Topology.ROUTED_NODES)
        results = results.with_result(one)
    view = AgreementView()
    qtbot.addWidget(view)
    found = study_view(results, cells)
    view.show_view(found)
    lines = view.against.text().splitlines()
    more = len(found.agreement.against) - MOST_NAMED
    assert more > 0
    assert lines[MOST_NAMED:] == [f"• and {more} more: JSON has all, each heat map lists its own"]
