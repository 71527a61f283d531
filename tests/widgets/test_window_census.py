"""The page that tries every cipher: live, stopped, gone on with, read later, filtered, written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from window_driver import Driver

from app.domain.errors import HostUnreachable
from app.domain.solutions import OptionKind
from app.policy.messages import SLOW_LATENCY
from support.message_checks import shows
from ui.census.census_dialog import CensusDialog
from ui.census.census_page import CensusPage
from ui.census.option_table import KIND, LATENCY, NAME, SOLUTION, STATE, VERDICT


def page_of(driver: Driver) -> CensusPage:
    driver.window.show_area("census")
    return driver.page(CensusPage)


def column(page: CensusPage, nth: int) -> list[str]:
    model = page.table.filter
    return [model.index(row, nth).data() for row in range(model.rowCount())]


def state_of(page: CensusPage, name: str) -> str:
    return column(page, STATE)[column(page, NAME).index(name)]


def start(driver: Driver, page: CensusPage) -> None:
    driver.click(page.begin)
    dialog = driver.dialog()
    dialog.accept()
    driver.until(lambda: not dialog.isVisible())


def whole(driver: Driver) -> CensusPage:
    page = page_of(driver)
    start(driver, page)
    driver.until(lambda: bool(driver.services.census_records) and not page.is_running)
    driver.idle()
    return page


def test_before_any_census_there_is_a_pair_to_choose_and_nothing_else(driver: Driver) -> None:
    page = page_of(driver)
    assert driver.window.top.census.isChecked()
    assert page.pairs.count() == 2
    assert page.begin.isEnabled()
    assert page.before.isVisible()
    assert "about a second of TCP" in page.before.text(), "how heavy it is, before the button is pressed"
    assert not page.table.isVisible()
    assert not page.report.isEnabled()


def test_the_table_fills_while_options_are_tried(driver: Driver) -> None:
    page = page_of(driver)
    driver.services.census_gate.clear()
    start(driver, page)
    driver.until(lambda: page.table.filter.rowCount() == 8)
    assert set(column(page, STATE)) == {"not tried"}
    driver.until(lambda: "left" in page.busy.text)
    driver.services.census_gate.set()
    driver.until(lambda: not page.is_running)
    assert state_of(page, "AES-256-GCM") == "works"
    assert state_of(page, "AES-128-CFB1") == "works, slow"
    assert state_of(page, "none") == "unprotected"
    assert state_of(page, "SHAKE128") == "fails"
    assert column(page, VERDICT)[column(page, NAME).index("BF-CBC")] == "Insecure"
    assert column(page, NAME)[6] == "RSA-SHA256  = SHA256"
    triple = [page.triples.item(0, nth).text() for nth in range(7)]
    assert triple[:6] == ["OpenVPN over UDP", "6", "1", "1", "0", "8"], "what is counted adds up to all options"
    assert triple[6] == "0 of 57 to 94, on 5 platforms", "the published figures are beside it"
    assert "HP ProDesk: 0 of 57 failed" in page.triples.item(0, 6).toolTip()
    assert page.shown.text() == "8 of 8 options"
    assert set(column(page, SOLUTION)) == {"OpenVPN over UDP"}
    assert [page.solution.itemText(nth) for nth in range(2)] == ["all VPNs", "OpenVPN over UDP"]


def test_filters_sorting_and_what_was_reported(driver: Driver) -> None:
    page = whole(driver)
    page.kind.setCurrentIndex(page.kind.findData(OptionKind.MAC))
    assert column(page, NAME) == ["SHA256", "RSA-SHA256  = SHA256", "SHAKE128"]
    assert page.shown.text() == "3 of 8 options"
    page.state.setCurrentIndex(page.state.findData("fails"))
    assert column(page, NAME) == ["SHAKE128"]
    page.table.selectRow(0)
    assert "segmentation fault" in page.explanation.text()
    page.kind.setCurrentIndex(0)
    page.state.setCurrentIndex(0)
    page.solution.setCurrentIndex(page.solution.findData("openvpn-udp"))
    assert page.shown.text() == "8 of 8 options"
    page.search.setText("over udp insecure works")
    assert column(page, NAME) == ["AES-128-CFB1", "BF-CBC"]
    page.search.clear()
    page.table.sortByColumn(LATENCY, Qt.SortOrder.DescendingOrder)
    assert column(page, NAME)[:2] == ["SHAKE128", "AES-128-CFB1"]
    page.table.selectRow(1)
    assert shows(page.explanation.text(), SLOW_LATENCY.text)
    assert "RFC 8221" in page.explanation.text()


def test_stopped_and_gone_on_with(driver: Driver) -> None:
    page = page_of(driver)
    driver.services.census_gate.clear()
    start(driver, page)
    driver.until(lambda: page.table.filter.rowCount() == 8)
    assert driver.window.current.cancel()
    driver.dialog().accept()
    driver.until(lambda: not page.is_running)
    driver.idle()
    assert "cancelled" in page.notice.text
    driver.services.census_gate.set()
    driver.services.census_stops_at = "none"
    driver.click(page.begin)
    dialog = driver.dialog()
    assert isinstance(dialog, CensusDialog)
    assert dialog.resume is not None
    assert dialog.resume.isChecked()
    assert dialog.yes.text() == "Resume"
    dialog.accept()
    driver.until(lambda: "stays away" in page.notice.text)
    assert state_of(page, "none") == "not tried"
    driver.click(page.notice.action("Resume"))
    driver.until(lambda: len(driver.services.census_records[1].results) == 8)
    driver.idle()
    assert list(driver.services.census_records) == [1], "it was the same census all the time"
    assert "not tried" not in column(page, STATE)


def test_an_earlier_census_is_shown_at_once_and_can_be_written(driver: Driver, tmp_path: Path) -> None:
    whole(driver)
    driver.window.show_welcome()
    page = page_of(driver)
    assert page.table.filter.rowCount() == 8
    assert page.past.count() == 2
    assert page.past.itemText(1).endswith(", complete")
    assert page.report.isEnabled()
    page.write(tmp_path / "census.html")
    driver.idle()
    assert driver.services.written == [tmp_path / "census.html"]
    assert str(tmp_path / "census.html") in page.notice.text


def test_own_hosts_are_loaded_only_after_a_question(driver: Driver) -> None:
    page = page_of(driver)
    page.pairs.setCurrentIndex(1)
    driver.click(page.begin)
    question = driver.dialog()
    assert not page.is_running
    question.reject()
    driver.idle()
    assert "run_census" not in driver.services.calls


def test_hosts_that_cannot_be_reached_are_reported_and_the_button_comes_back(driver: Driver) -> None:
    page = page_of(driver)
    driver.services.faults["discover"] = HostUnreachable("gateway-b does not answer.", hint="Look at its cable.")
    driver.click(page.begin)
    driver.until(lambda: "does not answer" in page.notice.text)
    assert page.begin.isEnabled()


def test_closing_the_window_asks_first_and_stops_the_census(driver: Driver) -> None:
    page = page_of(driver)
    driver.services.census_gate.clear()
    start(driver, page)
    driver.until(lambda: page.table.filter.rowCount() == 8)
    driver.window.close()
    question = driver.dialog()
    assert "census" in question.windowTitle() + " ".join(
        child.text() for child in question.findChildren(type(page.title))
    )
    question.accept()
    driver.until(lambda: driver.services.is_closed)
    assert not driver.services.census_records[1].is_complete


def test_counts_of_many_solutions_leave_most_of_the_page_to_the_options(driver: Driver) -> None:
    page = whole(driver)
    plan = page._plan
    assert plan is not None
    many = replace(plan, solutions=tuple(f"solution-{nth}" for nth in range(8)))
    page._take(many, {}, {})
    driver.until(lambda: page.table.height() > 1.3 * page.triples.height())


def test_before_anything_is_tried_the_number_and_the_time_are_reported(driver: Driver) -> None:
    page = page_of(driver)
    driver.click(page.begin)
    dialog = driver.dialog()
    assert isinstance(dialog, CensusDialog)
    assert dialog.estimate.text() == "8 options, about 32 s"
    assert dialog.boxes["openvpn-udp"].text() == "OpenVPN over UDP: 8 options"
    assert "run_census" not in driver.services.calls
    dialog.boxes["openvpn-udp"].setChecked(False)
    assert not dialog.yes.isEnabled()
    dialog.boxes["openvpn-udp"].setChecked(True)
    dialog.pings.setValue(5)
    assert dialog.options().pings == 5
    dialog.reject()
    driver.until(page.begin.isEnabled)
    assert "run_census" not in driver.services.calls


def _stopped_half_way(driver: Driver) -> tuple[CensusPage, CensusDialog]:
    """Return the page, and the question that it asks once a census has stopped after four of eight options."""
    page = page_of(driver)
    driver.services.census_stops_at = "none"
    start(driver, page)
    driver.until(lambda: "stays away" in page.notice.text)
    driver.idle()
    driver.click(page.begin)
    dialog = driver.dialog()
    assert isinstance(dialog, CensusDialog)
    return page, dialog


def test_resuming_says_what_is_left_and_changes_nothing_else(driver: Driver) -> None:
    page, dialog = _stopped_half_way(driver)
    assert dialog.resume is not None
    assert dialog.resume.text() == "Resume the census that was stopped: 4 of 8 options are left"
    assert dialog.estimate.text().startswith("4 options, about ")
    choices = [*dialog.boxes.values(), *dialog.kinds.values(), dialog.pings]
    assert not any(one.isEnabled() for one in choices), "another choice would be another census"
    assert "resume" in dialog.pings.toolTip()
    dialog.accept()
    driver.until(lambda: len(driver.services.census_records[1].results) == 8)
    driver.idle()
    assert list(driver.services.census_records) == [1]
    assert page.notice.text == ""


def test_a_census_that_was_stopped_can_be_begun_anew(driver: Driver) -> None:
    page, dialog = _stopped_half_way(driver)
    assert dialog.resume is not None
    dialog.resume.setChecked(False)
    assert dialog.estimate.text().startswith("8 options, about ")
    assert dialog.yes.text() == "Start"
    assert dialog.pings.isEnabled()
    dialog.accept()
    driver.until(lambda: 2 in driver.services.census_records)
    driver.idle()
    assert [len(driver.services.census_records[number].results) for number in (1, 2)] == [4, 8]
    assert page.shown.text() == "8 of 8 options"


def test_kinds_of_options_can_be_left_out(driver: Driver) -> None:
    page = page_of(driver)
    driver.click(page.begin)
    dialog = driver.dialog()
    assert isinstance(dialog, CensusDialog)
    assert dialog.resume is None
    for kind in (OptionKind.CIPHER, OptionKind.AEAD):
        dialog.kinds[kind].setChecked(False)
    assert dialog.estimate.text() == "3 options, about 12 s"
    dialog.accept()
    driver.until(lambda: page.table.filter.rowCount() == 3)
    driver.until(lambda: not page.is_running)
    assert set(column(page, KIND)) == {"MAC"}


def test_the_table_of_another_pair_says_so(driver: Driver) -> None:
    page = whole(driver)
    assert page.shown.text() == "8 of 8 options"
    page.pairs.setCurrentIndex(1)
    assert page.shown.text() == "8 of 8 options, lab:practice"


def test_the_empty_page_keeps_together(driver: Driver) -> None:
    driver.window.resize(1280, 800)
    page = page_of(driver)
    QApplication.processEvents()
    assert page.begin.mapTo(page, page.begin.rect().bottomLeft()).y() < 200


def test_back_leads_to_the_history_only_while_the_census_was_opened_there(driver: Driver) -> None:
    whole(driver)
    window = driver.window
    (number,) = driver.services.census_records
    window.show_area("history")
    history = window.current
    assert history is not None
    history.census_opened.emit(number)  # type: ignore[attr-defined]
    assert isinstance(window.current, CensusPage)
    window.show_previous()
    assert window.current is history
    history.census_opened.emit(number)  # type: ignore[attr-defined]
    window.show_welcome()
    window.top.area_asked.emit("census")
    assert isinstance(window.current, CensusPage)
    window.show_previous()
    assert window.current is not history
