"""The hub's study and that with nodes in the window: plan, run, stop, resume, results, files."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_studies import own_application_result, own_hub_result, own_node_result
from layout_checks import layout_faults
from PySide6.QtWidgets import QTableWidget
from window_driver import Driver

from app.domain.errors import HostUnreachable
from app.domain.hub_study import HubKind
from app.ranking.application_study import APPLICATION_STUDY, application_cells
from app.ranking.hub_study import HUB_STUDY, hub_cells, published_rates
from app.ranking.node_study import NODE_STUDY, node_settings
from app.ranking.study_parts import SATCOM
from app.ranking.workloads import AT_LEAST
from app.storage.lab_results import ApplicationResults, HubResults, NodeResults
from ui.studies.studies_page import StudiesPage
from ui.studies.study_dialog import LabStudyDialog

PAIR = "lab:practice"
QUICK = hub_cells(is_quick=True)


def chosen(driver: Driver, study: str) -> StudiesPage:
    driver.window.show_area("studies")
    page = driver.page(StudiesPage)
    page.studies.setCurrentText(study)
    driver.idle()
    return page


def start(driver: Driver, page: StudiesPage) -> None:
    driver.click(page.begin)
    dialog = driver.dialog()
    assert isinstance(dialog, LabStudyDialog)
    dialog.accept()
    driver.until(lambda: not dialog.isVisible())


def texts(table: QTableWidget, row: int) -> list[str]:
    return [table.item(row, column).text() for column in range(table.columnCount())]


def store_hub(driver: Driver, within_s: int | None = None) -> None:
    found = HubResults(HUB_STUDY, PAIR, "quick", "1")
    for cell in hub_cells(is_quick=True, within_s=within_s):
        found = found.with_result(own_hub_result(cell))
    driver.services.lab_stored[HUB_STUDY, PAIR, "quick"] = found


def store_nodes(driver: Driver) -> None:
    found = NodeResults(NODE_STUDY, PAIR, "quick", "1")
    for number in (1, 2, 3):
        for one in node_settings():
            found = found.with_result(own_node_result(one.name, number))
    driver.services.lab_stored[NODE_STUDY, PAIR, "quick"] = found


@pytest.mark.parametrize("study", [HUB_STUDY, NODE_STUDY, APPLICATION_STUDY])
def test_a_run_is_planned_stopped_and_resumed(driver: Driver, study: str) -> None:
    page, services = chosen(driver, study), driver.services
    total = int(page.lab.parts.item(0, 1).text())
    assert page.state.text().startswith(f"quick, {PAIR}: 0 of {total} measurements · about ")
    assert not page.report.isEnabled()
    assert page.lab.hint.text() == "Not measured yet."
    services.study_pauses_after = 2
    start(driver, page)
    driver.until(lambda: page.progress is not None and page.progress.done == 2)
    driver.until(lambda: f"2 of {total} measurements · about " in page.busy.text)
    assert driver.window.is_studying
    assert not page.begin.isEnabled()
    assert not page.studies.isEnabled()
    assert page.lab.parts.item(0, 2).text() == f"2 of {total}"
    assert driver.window.current.cancel()
    driver.dialog().accept()
    driver.until(lambda: not page.is_running)
    assert page.notice.text == "The study was stopped. It can be resumed."
    services.study_pauses_after = None
    services.study_gate.set()
    driver.click(page.notice.action("Resume"))
    driver.until(lambda: page.notice.text == "The part is measured.")
    assert page.lab.parts.item(0, 2).text() == f"{total} of {total}"
    assert page.report.isEnabled()
    order = ["refuse_lab_study", "refuse_if_in_use", "discover"]
    calls = [one for one in services.calls if one in order]
    assert calls == order * 2


def test_own_figures_of_a_hub_are_beside_the_published_ones_with_its_cpu(driver: Driver, tmp_path: Path) -> None:
    store_hub(driver)
    page = chosen(driver, HUB_STUDY)
    published = published_rates()[0]
    table = page.lab.figures.tables[0]
    row = next(found for nth in range(table.rowCount()) if (found := texts(table, nth))[3] != "–")
    assert row[2:5] == [f"{AT_LEAST}31.6", "25", "the clients' CPU"]
    assert (
        f"{published.title}: {AT_LEAST}31.6 key exchanges per second of 8 clients; study: 25 of "
        in page.lab.lines.text()
    )
    maps = page.lab.maps.view
    assert not maps.own.isHidden()
    assert maps.choice.currentText() == "Key exchanges per second"
    assert maps.own_title.text() == f"Own, {PAIR}"
    assert "lower bounds: " in maps.lines.text()
    assert page.lab.tabs.isTabVisible(2)
    page.lab.tabs.setCurrentIndex(2)
    driver.lay_out()
    (first, *_) = page.lab.cpu.plots
    rows = first.figures().rows
    assert (len(rows), rows[59][0]) == (60, "60 s")
    assert first.figures().headers[1:] == ("user", "system", "interrupts", "taken by the hypervisor", "idle")
    page.lab.parts.setCurrentCell(1, 0)
    driver.idle()
    assert page.lab.hint.isVisibleTo(page.lab.hint.parentWidget()), "the other part has no results"
    assert maps.own.isHidden()
    assert not page.report.isEnabled()
    page.lab.parts.setCurrentCell(0, 0)
    page.write(tmp_path / "hub.json")
    driver.until(lambda: "Report saved." in page.notice.text)
    assert f'"study": "{HUB_STUDY}"' in (tmp_path / "hub.json").read_text(encoding="utf-8")


def test_who_sees_mac_addresses_of_nodes_and_what_became_of_the_order(driver: Driver, tmp_path: Path) -> None:
    store_nodes(driver)
    page = chosen(driver, NODE_STUDY)
    figures, hops = page.lab.figures.tables
    assert texts(figures, 0)[:2] == [node_settings()[0].title, "3"]
    assert texts(hops, 0)[2:] == ["visible", "visible", "accepted", "accepted"]
    assert texts(hops, 3)[2:] == ["hidden", "hidden", "refused", "refused"]
    assert "in 3 of 3 rounds" in page.lab.lines.text()
    assert not page.lab.tabs.isTabVisible(2), "no hub"
    maps = page.lab.maps.view
    assert [maps.choice.itemText(nth) for nth in range(maps.choice.count())] == ["Throughput", "Latency"]
    assert maps.published.item(1, 3).text() == "−50"
    assert maps.published.item(0, 2).text() == "+"
    assert maps.own.item(0, 2).text().endswith("*"), "own MACsec is behind, the study's ahead"
    page.write(tmp_path / "nodes.html")
    driver.until(lambda: "Report saved." in page.notice.text)
    assert node_settings()[0].title in (tmp_path / "nodes.html").read_text(encoding="utf-8")


def test_applications_are_beside_the_published_range_of_shares(driver: Driver, tmp_path: Path) -> None:
    found = ApplicationResults(APPLICATION_STUDY, PAIR, "quick", "1")
    for cell in application_cells("quick"):
        found = found.with_result(own_application_result(cell))
    driver.services.lab_stored[APPLICATION_STUDY, PAIR, "quick"] = found
    page = chosen(driver, APPLICATION_STUDY)
    (figures,) = page.lab.figures.tables
    assert texts(figures, 0) == ["geo", "CUBIC", "none", "none", "4.10", "71.5", "3.70", "0.60", "44", "40–60", "0.98"]
    assert texts(figures, 2)[2:5] == ["wireguard", "B", "3.50"]
    assert "3 of 3 cells within 40–60 %" in page.lab.lines.text()
    assert not page.lab.tabs.isTabVisible(2), "no hub"
    assert not page.lab.tabs.isTabVisible(page.lab.tabs.indexOf(page.lab.maps)), "no figures are published"
    page = chosen(driver, HUB_STUDY)
    assert page.lab.tabs.isTabVisible(page.lab.tabs.indexOf(page.lab.maps))
    page = chosen(driver, APPLICATION_STUDY)
    assert not page.lab.tabs.isTabVisible(page.lab.tabs.indexOf(page.lab.maps))
    driver.window.resize(1024, 700)
    page.lab.tabs.setCurrentIndex(1)
    driver.lay_out()
    assert layout_faults(driver.window) == []
    page.write(tmp_path / "applications.html")
    driver.until(lambda: "Report saved." in page.notice.text)
    assert ">wireguard</td>" in (tmp_path / "applications.html").read_text(encoding="utf-8")


def test_the_time_of_a_restart_is_chosen_and_shown_with_each_result(driver: Driver) -> None:
    store_hub(driver)
    page, total, restarts = chosen(driver, HUB_STUDY), len(QUICK), sum(cell.kind is HubKind.RECOVERY for cell in QUICK)
    assert page.within.isVisibleTo(page)
    assert page.within.box.value() == 30
    assert page.lab.parts.item(0, 2).text() == f"{total} of {total}"
    page.within.box.setValue(60)
    assert page.lab.parts.item(0, 2).text() == f"{total - restarts} of {total}", "those with 30 s are no answer"
    assert f"{total - restarts} of {total} measurements" in page.state.text()
    driver.click(page.begin)
    dialog = driver.dialog()
    assert isinstance(dialog, LabStudyDialog)
    assert "clients have 60 s to be back" in dialog._text.text()
    assert dialog.estimate.text().startswith(f"{restarts} of {total} measurements, about ")
    driver.services.study_gate.clear()
    dialog.accept()
    driver.until(lambda: page.is_running)
    assert not page.within.box.isEnabled()
    driver.services.study_gate.set()
    driver.until(lambda: page.notice.text == "The part is measured.")
    assert page.within.box.isEnabled()
    assert page.lab.parts.item(0, 2).text() == f"{total} of {total}"
    table = page.lab.figures.tables[0]
    rows = [texts(table, nth) for nth in range(table.rowCount())]
    kinds = [row[1] for row in rows if "after a restart" in row[1]]
    assert kinds == [f"clients back within {nth_s} s after a restart of the hub" for nth_s in (30, 60) for _ in "ab"]
    assert "24 of 24 clients were back within 60 s" in page.lab.lines.text()
    page.within.box.setValue(61)
    driver.click(page.begin)
    driver.dialog().reject()
    page = chosen(driver, NODE_STUDY)
    assert not page.within.isVisibleTo(page), "it restarts no hub"


def test_the_time_that_stored_restarts_have_is_suggested_until_another_one_is_chosen(driver: Driver) -> None:
    store_hub(driver, within_s=75)
    page = chosen(driver, HUB_STUDY)
    assert page.within.box.value() == 75
    assert page.lab.parts.item(0, 2).text() == f"{len(QUICK)} of {len(QUICK)}"
    page.within.box.setValue(20)
    page = chosen(driver, SATCOM)
    assert not page.within.isVisibleTo(page)
    page = chosen(driver, HUB_STUDY)
    assert page.within.box.value() == 20
    driver.window.resize(1024, 700)
    driver.lay_out()
    assert layout_faults(driver.window) == []


def test_failures_are_named_and_a_lost_host_can_be_resumed(driver: Driver) -> None:
    page, services = chosen(driver, HUB_STUDY), driver.services
    services.lab_failures = {QUICK[1]: "The hub did not come up."}
    services.faults["run_lab_study"] = HostUnreachable("gateway-b cannot be reached.", hint="Is it on?")
    start(driver, page)
    driver.until(lambda: "gateway-b cannot be reached." in page.notice.text)
    driver.click(page.notice.action("Resume"))
    driver.until(lambda: "Some measurements failed" in page.notice.text)
    assert f"{QUICK[1].title}: The hub did not come up." in page.lab.lines.text()
    assert page.lab.parts.item(0, 2).text() == f"{len(QUICK) - 1} of {len(QUICK)}"


def test_what_is_whole_is_measured_afresh_and_nothing_is_clipped(driver: Driver) -> None:
    store_hub(driver)
    page = chosen(driver, HUB_STUDY)
    driver.click(page.begin)
    dialog = driver.dialog()
    assert isinstance(dialog, LabStudyDialog)
    assert dialog.is_fresh
    assert dialog.estimate.text().startswith(f"{len(QUICK)} of {len(QUICK)} measurements, about ")
    assert layout_faults(dialog) == []
    dialog.reject()
    driver.window.resize(1024, 700)
    for nth in range(page.lab.tabs.count()):
        page.lab.tabs.setCurrentIndex(nth)
        driver.lay_out()
        assert layout_faults(driver.window) == [], page.lab.tabs.tabText(nth)
