"""The page of studies: parts, a run that is stopped and resumed, own beside published figures, files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from dialog_tour import settle
from fake_studies import own_result
from layout_checks import layout_faults
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QColor
from PySide6.QtWidgets import QBoxLayout, QTableWidget
from window_driver import Driver

from app.domain.errors import HostUnreachable, InvalidFile
from app.ranking.published_transfers import TRANSFER_BYTES, published_transfers
from app.ranking.study_parts import PARTS, SATCOM, cells_of
from app.reports.messages import UNKNOWN_STUDY_KIND
from app.reports.study_report import study_to_html
from app.storage.messages import STUDY_UNREAD
from app.storage.study_results import StudyResults
from app.wording import language
from ui.common.heat_map import HeatTable
from ui.common.theme import Theme
from ui.studies.studies_page import StudiesPage
from ui.studies.study_dialog import StudyDialog

QUICK = cells_of("quick")
_MEASURED, _LEFT = 4, 6


def page_of(driver: Driver) -> StudiesPage:
    driver.window.show_area("studies")
    return driver.page(StudiesPage)


def results(pair: str = "lab:practice", part: str = "quick", most: int = 1_000) -> StudyResults:
    found = StudyResults(SATCOM, pair, "1.0", TRANSFER_BYTES).with_rtt("geo", 501.0)
    for cell in cells_of(part)[:most]:
        found = found.with_result(own_result(cell))
    return found


def start(driver: Driver, page: StudiesPage) -> None:
    driver.click(page.begin)
    dialog = driver.dialog()
    dialog.accept()
    driver.until(lambda: not dialog.isVisible())


def texts(table: QTableWidget, column: int) -> list[str]:
    return [table.item(row, column).text() for row in range(table.rowCount())]


def test_parts_say_how_long_they_take_and_what_is_measured(driver: Driver) -> None:
    driver.services.study_stored["lab:practice"] = results(most=3)
    page = page_of(driver)
    assert driver.window.top.studies.isChecked()
    assert driver.window.top.studies.toolTip() or driver.window.top.studies.text() == "Studies"
    parts = page.tabs.parts
    assert texts(parts, 1) == list(PARTS)
    assert texts(parts, _MEASURED) == [
        f"{done} of {len(cells_of(part))}" for part, done in zip(PARTS, (3, 3, 0, 3), strict=True)
    ]
    assert all("min" in text for text in texts(parts, _LEFT))
    assert page.state.text().startswith("quick, lab:practice: 3 of 8 transfers · about ")
    assert [page.pairs.itemText(nth) for nth in range(page.pairs.count())] == ["lab:practice"], "labs alone"
    parts.setCurrentCell(3, 0)
    driver.idle()
    assert page.tabs.times.rowCount() == len(cells_of("all"))
    assert page.tabs.maps.view.choice.count() == 12


def test_before_any_run_the_published_figures_are_there_and_nothing_can_be_saved(driver: Driver) -> None:
    page = page_of(driver)
    assert page.begin.isEnabled()
    assert not page.report.isEnabled()
    assert set(texts(page.tabs.times, 4)) == {"not measured"}
    assert texts(page.tabs.times, 5) == [f"{published_transfers()[cell]:.1f}" for cell in QUICK]
    assert page.tabs.maps.view.published.item(0, 2).text().startswith("−")
    assert page.tabs.maps.view.own.isHidden(), "the published map alone"
    assert "Not measured (–): 1 none, " in page.tabs.maps.view.lines.text()
    assert "too few cells" in page.tabs.agreement.goals.text()


def test_a_run_shows_results_as_they_come_and_is_stopped_and_resumed(driver: Driver) -> None:
    page, services = page_of(driver), driver.services
    services.study_pauses_after = 3
    start(driver, page)
    driver.until(lambda: page.progress is not None and page.progress.done == 3)
    driver.until(lambda: "3 of 8 transfers · about " in page.busy.text)
    assert texts(page.tabs.parts, _MEASURED)[0] == "3 of 8"
    assert texts(page.tabs.times, 4).count("not measured") == 5
    for control in (page.begin, page.report, page.pairs):
        assert not control.isEnabled()
        assert control.toolTip() == "Wait until the operation on this page has ended, or cancel it."
    assert driver.window.current.cancel()
    driver.dialog().accept()
    driver.until(lambda: not page.is_running)
    driver.idle()
    assert "The study was stopped." in page.notice.text
    assert len(services.study_stored["lab:practice"].times_s()) == 3
    services.study_pauses_after = None
    services.study_gate.set()
    driver.click(page.notice.action("Resume"))
    driver.until(lambda: page.notice.text == "The part is measured.")
    driver.idle()
    assert len(services.study_stored["lab:practice"].times_s()) == 8
    assert texts(page.tabs.parts, _MEASURED)[0] == "8 of 8"
    assert texts(page.tabs.parts, _LEFT)[0] == "nothing"
    assert services.calls.count("run_study") == 2
    assert (
        services.calls.index("refuse_if_in_use") < services.calls.index("discover") < services.calls.index("run_study")
    )


def test_the_cancel_button_of_the_progress_line_stops_a_run(driver: Driver) -> None:
    page = page_of(driver)
    driver.services.study_gate.clear()
    start(driver, page)
    driver.until(lambda: "run_study" in driver.services.calls)
    driver.click(page.busy._cancel)
    driver.until(lambda: not page.is_running)
    driver.idle()
    assert "The study was stopped. It can be resumed." in page.notice.text
    assert page.begin.isEnabled()


def test_another_part_can_be_read_while_one_is_measured(driver: Driver) -> None:
    page = page_of(driver)
    driver.services.study_pauses_after = 2
    start(driver, page)
    driver.until(lambda: page.progress is not None and page.progress.done == 2)
    page.tabs.parts.setCurrentCell(2, 0)
    driver.until(lambda: page.view is not None and page.view.cells == cells_of("loss"))
    assert page.is_running, "reading does not end the run"
    driver.services.study_pauses_after = None
    driver.services.study_gate.set()
    driver.until(lambda: not page.is_running)
    driver.idle()
    assert page.view is not None
    assert page.view.cells == cells_of("loss")
    assert len(driver.services.study_stored["lab:practice"].times_s()) == 8


def test_the_question_says_what_is_left_and_offers_to_measure_again(driver: Driver) -> None:
    driver.services.study_stored["lab:practice"] = results(most=6)
    page = page_of(driver)
    driver.click(page.begin)
    dialog = driver.dialog()
    assert isinstance(dialog, StudyDialog)
    assert dialog.estimate.text().startswith("2 of 8 transfers, about ")
    assert not dialog.is_fresh
    dialog.fresh.setChecked(True)
    assert dialog.estimate.text().startswith("8 of 8 transfers, about ")
    assert layout_faults(dialog) == []
    dialog.accept()
    driver.until(lambda: page.notice.text == "The part is measured.")
    page.notice.clear()
    driver.idle()
    driver.click(page.begin)
    dialog = driver.dialog()
    assert isinstance(dialog, StudyDialog)
    assert dialog.is_fresh
    assert not dialog.fresh.isEnabled(), "nothing else is left"
    dialog.reject()


def test_failed_transfers_are_named_with_their_reason(driver: Driver) -> None:
    driver.services.study_failures = {QUICK[2]: "The server closed the connection."}
    page = page_of(driver)
    start(driver, page)
    driver.until(lambda: "Some transfers failed." in page.notice.text)
    driver.idle()
    assert page.tabs.times.item(2, 4).text() == "failed"
    assert page.tabs.times.item(2, 4).toolTip() == "The server closed the connection."
    assert "Failed (–): 3 " in page.tabs.maps.view.lines.text()


def test_a_lost_host_is_an_error_with_a_way_to_resume(driver: Driver) -> None:
    page = page_of(driver)
    driver.services.faults["run_study"] = HostUnreachable("gateway-b cannot be reached.", hint="Is it on?")
    start(driver, page)
    driver.until(lambda: "gateway-b cannot be reached." in page.notice.text)
    driver.idle()
    driver.click(page.notice.action("Resume"))
    driver.until(lambda: page.notice.text == "The part is measured.")


def test_heat_maps_are_those_of_the_report(driver: Driver) -> None:
    driver.services.study_stored["lab:practice"] = results()
    page = page_of(driver)
    assert page.view is not None
    (found,) = page.view.comparisons
    maps = page.tabs.maps.view
    report = study_to_html(page.view.results, QUICK)
    for row in range(8):
        for column in range(8):
            own, published = (one.item(row, column + 1) for one in (maps.own, maps.published))
            assert (own.text() == "") is (row == column)
            assert own.text().endswith("*") is found.is_reversed(row, column)
            assert not published.text().endswith("*")
            if row != column:
                assert f">{own.text()}</td>" in report
                assert f">{published.text()}</td>" in report
    assert any(found.is_reversed(row, column) for row in range(8) for column in range(8))
    for line in maps.lines.text().splitlines():
        assert f"<li>{line}</li>" in report
    assert "Rank correlation: 0." in page.tabs.agreement.goals.text()
    assert "openvpn" in page.tabs.agreement.against.text()
    assert "• geo: " in page.tabs.agreement.advice.text()
    assert "geo: round trip 501 ms" in page.tabs.agreement.links.text()
    assert all(f"<li>{line[2:]}</li>" in report for line in page.tabs.agreement.links.text().splitlines())


def test_cells_of_a_heat_map_can_be_heard(driver: Driver) -> None:
    driver.services.study_stored["lab:practice"] = results()
    page = page_of(driver)
    page.tabs.setCurrentWidget(page.tabs.maps)
    settle()
    own = page.tabs.maps.view.own
    interface = QAccessible.queryAccessibleInterface(own)
    assert interface.role() is QAccessible.Role.Table
    assert interface.text(QAccessible.Text.Name) == "Own differences"
    assert page.view is not None
    (found,) = page.view.comparisons
    value = found.own[0][1].percent if found.own[0][1] is not None else None
    assert value is not None
    assert value < 0
    heard = own.item(0, 2).data(Qt.ItemDataRole.AccessibleTextRole)
    assert heard.startswith(f"openvpn-tcp is slower than none by {-value} %")
    assert own.item(1, 1).data(Qt.ItemDataRole.AccessibleTextRole).startswith("none is faster than openvpn-tcp by ")
    row, column = next((r, c) for r in range(8) for c in range(8) if r != c and found.is_reversed(r, c))
    assert own.item(row, column + 1).toolTip().endswith("; other order than in the study")
    assert own.horizontalHeaderItem(2).data(Qt.ItemDataRole.AccessibleTextRole) == "2 openvpn-tcp"


@pytest.mark.parametrize("scheme", [Qt.ColorScheme.Light, Qt.ColorScheme.Dark])
def test_faster_and_slower_have_different_colours_in_both_schemes(driver: Driver, scheme: Qt.ColorScheme) -> None:
    driver.window.context.theme.force(scheme)
    driver.services.study_stored["lab:practice"] = results()
    page = page_of(driver)
    driver.window.resize(1280, 800)
    page.tabs.setCurrentWidget(page.tabs.maps)
    settle()
    published = page.tabs.maps.view.published
    signs = set()
    for row in range(8):
        for column in range(1, 9):
            text = published.item(row, column).text()
            if text and abs(int(text.replace("−", "-"))) >= 10:
                colour = _ground(published, row, column)
                assert (colour.red() > colour.blue()) is text.startswith("−"), (row, column, text)
                signs.add(text.startswith("−"))
    assert signs == {True, False}


def _ground(table: HeatTable, row: int, column: int) -> QColor:
    """Return the colour of a cell in its left upper part, where no figure is."""
    place = table.visualItemRect(table.item(row, column))
    return table.viewport().grab(place).toImage().pixelColor(5, 5)


def test_maps_are_side_by_side_where_they_have_room(open_window: Callable[..., Driver], theme: Theme) -> None:
    driver = open_window()
    driver.services.study_stored["lab:practice"] = results()
    page = page_of(driver)
    page.tabs.setCurrentWidget(page.tabs.maps)
    maps = page.tabs.maps.view
    driver.window.resize(1600, 900)
    driver.until(lambda: maps.pair.direction() is QBoxLayout.Direction.LeftToRight)
    settle()
    assert maps.own.y() == maps.published.y()
    for scale in (1.25, 1.5):
        theme.zoom(0)
        theme.zoom(scale)
        driver.window.resize(1024, 700)
        driver.until(lambda: maps.pair.direction() is QBoxLayout.Direction.TopToBottom)
        settle()
        assert maps.own.x() == maps.published.x()
        assert page.tabs.maps.horizontalScrollBar().maximum() == 0
    driver.window.resize(1920, 1000)
    theme.zoom(0)
    driver.until(lambda: maps.pair.direction() is QBoxLayout.Direction.LeftToRight)


@pytest.mark.parametrize("code", ["en", "de"])
def test_a_small_window_with_larger_texts_hides_nothing(
    open_window: Callable[..., Driver], theme: Theme, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr(language, "_CHOSEN", [code])
    theme.zoom(1.25)
    driver = open_window()
    driver.services.study_stored["lab:practice"] = results(part="all", most=90)
    page = page_of(driver)
    driver.window.resize(1024, 700)
    page.tabs.parts.setCurrentCell(3, 0)
    driver.idle()
    for nth in range(page.tabs.count()):
        page.tabs.setCurrentIndex(nth)
        settle()
        assert driver.window.size().toTuple() == (1024, 700)
        assert layout_faults(driver.window) == [], page.tabs.tabText(nth)


def test_without_a_lab_stored_results_can_be_read_and_a_lab_be_started(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = driver.services
    with_lab = services.pairs
    monkeypatch.setattr(services, "pairs", lambda: tuple(one for one in with_lab() if not one.pair.is_lab))
    services.study_stored["lab:gone"] = results("lab:gone")
    page = page_of(driver)
    assert page.pairs.currentText() == "lab:gone"
    assert texts(page.tabs.parts, _MEASURED)[0] == "8 of 8"
    assert page.report.isEnabled()
    assert not page.begin.isEnabled()
    assert page.begin.toolTip().startswith("This lab is not running.")
    assert "No practice lab is running." in page.notice.text
    monkeypatch.undo()
    driver.click(page.notice.action("Start the practice lab"))
    driver.until(lambda: page.pairs.count() == 2)
    driver.idle()
    assert "start_lab" in services.calls
    assert page.pairs.currentText() == "lab:gone", "what is read remains"
    page.pairs.setCurrentIndex(page.pairs.findText("lab:practice"))
    driver.idle()
    assert page.begin.isEnabled()
    assert texts(page.tabs.parts, _MEASURED)[0] == "0 of 8"


def test_without_anything_the_table_of_the_study_is_there(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver.services, "pairs", tuple)
    page = page_of(driver)
    assert page.pairs.count() == 0
    assert not page.begin.isEnabled()
    assert page.begin.toolTip() == "Start a practice lab first."
    assert page.tabs.times.rowCount() == 8
    assert page.state.text().startswith("quick: 0 of 8 transfers")
    monkeypatch.undo()
    page.take_pairs()  # as the lab menu does when a lab is up
    driver.idle()
    assert page.notice.text == ""
    assert page.begin.isEnabled()


def test_a_damaged_file_hides_no_other_results(driver: Driver) -> None:
    driver.services.study_stored["lab:practice"] = results()
    fault = InvalidFile(STUDY_UNREAD(file="x.json", kind="JSONDecodeError"))
    driver.services.study_faults = (fault,)
    page = page_of(driver)
    assert fault.message in page.notice.text
    assert texts(page.tabs.parts, _MEASURED)[0] == "8 of 8"


def test_report_and_figures_can_be_saved(driver: Driver, tmp_path: Path) -> None:
    driver.services.study_stored["lab:practice"] = results()
    page = page_of(driver)
    assert [action.text() for action in page.report.menu().actions()] == ["HTML", "JSON"]
    page.write(tmp_path / "study.html")
    driver.idle()
    assert page.notice.text == f"Report saved. {tmp_path / 'study.html'}"
    assert "Figure 4" in (tmp_path / "study.html").read_text(encoding="utf-8")
    page.write(tmp_path / "study.json")
    driver.idle()
    assert len(json.loads((tmp_path / "study.json").read_text(encoding="utf-8"))["cells"]) == 8
    page.write(tmp_path / "study.txt")
    driver.idle()
    assert UNKNOWN_STUDY_KIND(kind=".txt") in page.notice.text


def test_a_run_is_named_on_other_pages_and_asked_about_when_the_window_is_closed(driver: Driver) -> None:
    page, window = page_of(driver), driver.window
    driver.services.study_pauses_after = 2
    start(driver, page)
    driver.until(lambda: page.progress is not None and page.progress.done == 2)
    window.show_area("lint")
    running = window._running
    driver.until(lambda: running.lines is not None and running.lines.lines["studies"].isVisible())
    assert running.lines is not None
    line = running.lines.lines["studies"]
    assert line.text.text() == "Study quick on lab:practice: 2 of 8"
    assert line.time.text().endswith("left")
    assert window.top.studies.accessibleName() == "Studies, running"
    window.close()
    question = driver.dialog()
    assert question.windowTitle() == "A study is running"
    question.reject()
    driver.click(line.show_button)
    driver.until(lambda: window.current is page)
    assert page.is_running
    window.close()
    driver.dialog().accept()
    driver.until(lambda: not window.isVisible())
    assert len(driver.services.study_stored["lab:practice"].times_s()) == 2, "what was measured is kept"
