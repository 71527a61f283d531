"""Runs of a study that measure times again: what is resumed, what remains, and the notice that a lab has gone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from window_driver import Driver

from app.domain.conditions import ConditionCheck, MeasuredCondition, Quantity
from app.domain.errors import HostUnreachable
from app.domain.topology import Topology
from app.domain.transfers import TransferResult, of_solutions
from app.ranking.published_transfers import TRANSFER_BYTES
from app.ranking.study_parts import SATCOM, cells_of
from app.storage.study_results import StudyResults
from ui.studies.studies_page import StudiesPage
from ui.studies.study_dialog import StudyDialog

QUICK = cells_of("quick")
_OLD_S = 900.0
"""Times of the earlier run are longer, new ones shorter."""
_MEASURED = 4


@pytest.fixture
def page(driver: Driver) -> StudiesPage:
    """The page with a time of an earlier run in each cell of the first part."""
    old = StudyResults(SATCOM, "lab:practice", "1.0", TRANSFER_BYTES)
    for nth, cell in enumerate(QUICK, start=1):
        old = old.with_result(TransferResult(cell, _OLD_S + nth, TRANSFER_BYTES, topology=Topology.ROUTED_NODES))
    driver.services.study_stored["lab:practice"] = old
    driver.window.show_area("studies")
    return driver.page(StudiesPage)


@pytest.fixture
def runs(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of transfers that each run of the study made."""
    made: list[int] = []
    run_study: Callable[..., StudyResults] = driver.services.run_study

    def counted(*args: Any, on_result: Callable[[TransferResult], None], **rest: Any) -> StudyResults:
        made.append(0)

        def on_one(result: TransferResult) -> None:
            made[-1] += 1
            on_result(result)

        return run_study(*args, on_result=on_one, **rest)

    monkeypatch.setattr(driver.services, "run_study", counted)
    return made


def start_afresh(driver: Driver, page: StudiesPage) -> None:
    driver.click(page.begin)
    dialog = driver.dialog()
    assert isinstance(dialog, StudyDialog)
    assert dialog.is_fresh
    dialog.accept()
    driver.until(lambda: not dialog.isVisible())


def old_times(driver: Driver) -> int:
    """Return how many cells still have the time of the earlier run."""
    return sum(seconds > _OLD_S for seconds in driver.services.study_stored["lab:practice"].times_s().values())


def measured(page: StudiesPage) -> str:
    return page.tabs.parts.item(0, _MEASURED).text()


def test_a_run_afresh_that_was_stopped_keeps_old_times_and_goes_on_with_their_cells(
    driver: Driver, page: StudiesPage, runs: list[int]
) -> None:
    driver.services.study_pauses_after = 3
    start_afresh(driver, page)
    driver.until(lambda: page.progress is not None and page.progress.done == 3)
    assert page.view is not None
    assert len(page.view.own_s) == len(QUICK)
    assert not page.view.results.done().issuperset(QUICK)
    assert driver.window.current.cancel()
    driver.dialog().accept()
    driver.until(lambda: not page.is_running)
    driver.idle()
    assert old_times(driver) == 5, "the others remain"
    assert measured(page) == "3 of 8"
    driver.services.study_pauses_after = None
    driver.services.study_gate.set()
    driver.click(page.notice.action("Resume"))
    driver.until(lambda: page.notice.text == "The part is measured.")
    assert runs == [3, 5]
    assert old_times(driver) == 0
    assert measured(page) == "8 of 8"


def test_a_run_afresh_that_was_stopped_is_gone_on_with_by_measure_as_well(
    driver: Driver, page: StudiesPage, runs: list[int]
) -> None:
    driver.services.study_gate.clear()
    start_afresh(driver, page)
    driver.until(lambda: bool(runs))
    driver.click(page.busy._cancel)
    driver.until(lambda: not page.is_running)
    driver.idle()
    assert old_times(driver) == 8
    assert measured(page) == "0 of 8"
    driver.services.study_gate.set()
    driver.click(page.begin)
    dialog = driver.dialog()
    assert isinstance(dialog, StudyDialog)
    assert dialog.estimate.text().startswith("8 of 8 transfers, about ")
    dialog.accept()
    driver.until(lambda: page.notice.text == "The part is measured.")
    assert runs == [0, 8]
    assert old_times(driver) == 0


def test_what_is_stored_of_other_vpns_is_shown_behind_the_study_and_is_not_left(
    driver: Driver, page: StudiesPage
) -> None:
    added = [one for one in of_solutions(QUICK, ("fastd",)) if one.solution == "fastd"]
    failed = TransferResult(added[1], None, 0, message="It did not end.", topology=Topology.ROUTED_NODES)
    stored = driver.services.study_stored["lab:practice"]
    timed = TransferResult(added[0], 31.5, TRANSFER_BYTES, topology=Topology.ROUTED_NODES)
    driver.services.study_stored["lab:practice"] = stored.with_result(timed).with_result(failed)
    start_afresh(driver, page)
    driver.until(lambda: page.notice.text == "The part is measured.")
    driver.idle()
    assert measured(page) == "8 of 8"
    assert page.view is not None
    assert page.view.cells == (*QUICK, *added)
    times = page.tabs.times
    rows = [[times.item(row, column).text() for column in range(2, 6)] for row in range(times.rowCount())]
    assert rows[8:] == [["fastd", "none", "31.5", "–"], ["fastd", "B", "failed", "–"]]
    assert times.item(9, 4).toolTip() == "It did not end."


@pytest.mark.parametrize("call", ["discover", "run_study"])
def test_a_run_afresh_that_failed_before_it_could_begin_is_resumed_as_one(
    driver: Driver, page: StudiesPage, runs: list[int], call: str
) -> None:
    driver.services.faults[call] = HostUnreachable("gateway-b cannot be reached.", hint="Is it on?")
    start_afresh(driver, page)
    driver.until(lambda: "gateway-b cannot be reached." in page.notice.text)
    driver.idle()
    assert old_times(driver) == 8
    driver.click(page.notice.action("Resume"))
    driver.until(lambda: page.notice.text == "The part is measured.")
    assert runs[-1] == 8
    assert old_times(driver) == 0


def test_resuming_in_a_lab_that_has_gone_says_so_until_it_runs_again(
    driver: Driver, page: StudiesPage, runs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    services = driver.services
    services.faults["run_study"] = HostUnreachable("gateway-b cannot be reached.", hint="Is it on?")
    start_afresh(driver, page)
    driver.until(lambda: "gateway-b cannot be reached." in page.notice.text)
    driver.idle()
    before = services.pairs

    def with_another_lab() -> tuple[Any, ...]:
        return tuple(
            replace(one, pair=replace(one.pair, name="lab:other")) if one.pair.is_lab else one for one in before()
        )

    monkeypatch.setattr(services, "pairs", with_another_lab)
    page.take_pairs()  # as the lab menu does when a lab has ended
    driver.idle()
    driver.click(page.notice.action("Resume"))
    driver.idle()
    assert page.notice.text == "lab:practice is not running. Start it in the lab menu at the top right."
    assert not page.is_running
    assert len(runs) == 1
    monkeypatch.setattr(services, "pairs", before)
    page.take_pairs()
    driver.idle()
    driver.click(page.notice.action("Resume"))
    driver.until(lambda: page.notice.text == "The part is measured.")
    assert runs == [0, 8]
    assert old_times(driver) == 0


def test_a_cell_whose_condition_was_missed_is_not_measured_with_the_reason(driver: Driver) -> None:
    check = ConditionCheck(Quantity.RTT, "", 500.0, 40.0, 490.0, 510.0, is_met=False)
    link = MeasuredCondition("geo", datetime(2026, 11, 28, tzinfo=UTC), (check,))
    found = StudyResults(SATCOM, "lab:practice", "1.0", TRANSFER_BYTES)
    for cell in QUICK[:7]:
        found = found.with_result(TransferResult(cell, _OLD_S, TRANSFER_BYTES, topology=Topology.ROUTED_NODES))
    missed = TransferResult(QUICK[7], None, 0, message="No.", measured_condition=link, is_condition_missed=True)
    driver.services.study_stored["lab:practice"] = found.with_result(missed)
    driver.window.show_area("studies")
    page = driver.page(StudiesPage)
    assert page.tabs.times.item(7, 4).text() == "not measured"
    assert page.tabs.times.item(7, 4).toolTip() == "No."
    assert "Not measured (–): 8 " in page.tabs.maps.view.lines.text()
    assert "• Bare link, geo, CUBIC: not as asked for" in page.tabs.agreement.links.text()
    assert page.tabs.parts.item(0, _MEASURED).text() == "7 of 8"


def test_progress_counts_what_is_of_another_suite_than_todays(driver: Driver) -> None:
    services, some = driver.services, StudyResults(SATCOM, "lab:practice", "1.0", TRANSFER_BYTES)
    for cell in QUICK[:3]:
        some = some.with_result(TransferResult(cell, _OLD_S, TRANSFER_BYTES, topology=Topology.ROUTED_NODES))
    services.study_stored["lab:practice"], services.other_suites = some, set(QUICK[:2])
    services.study_gate.clear()
    driver.window.show_area("studies")
    page = driver.page(StudiesPage)
    driver.click(page.begin)
    driver.dialog().accept()
    driver.until(lambda: page.progress is not None and page.progress.total == 7)
    services.study_gate.set()
    driver.until(lambda: page.notice.text == "The part is measured.")
