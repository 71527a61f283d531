"""Running work is named on every page, with a way there: countdown, comparison, census."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from deploy_driver import counting_down
from fake_pace import HELD_AFTER
from layout_checks import layout_faults
from PySide6.QtWidgets import QApplication
from window_driver import Driver

from app.domain.deployment import DeploymentState
from app.domain.messages.words import STATES
from app.measurement.wizard import Step
from app.probes.messages import LINK_DIED
from support.message_checks import shows
from ui.results.history_order import MEASURED, what_text
from ui.results.history_page import HistoryPage
from ui.shell.running_line import RunningLine


def line_of(driver: Driver, area: str) -> RunningLine:
    running = driver.window._running
    driver.until(lambda: running.lines is not None and running.lines.lines[area].isVisible())
    assert running.lines is not None
    return running.lines.lines[area]


def test_the_countdown_is_in_sight_on_every_page_and_one_click_leads_back(driver: Driver) -> None:
    page = counting_down(driver, tick_s=0.2)
    window = driver.window
    running = window._running
    window.show_welcome()
    line = line_of(driver, "deployment")
    assert line.text.text().startswith("Tunnel of lab:practice: ")
    assert line.text.text().endswith(" to confirm")
    assert "both hosts roll back to no tunnel" in line.hint.text()
    assert line.left.property("variant") == page.live.countdown.left.property("variant"), "as large as on its own page"
    assert line.accessibleName() == line.text.text()
    former = line.left.text()
    driver.until(lambda: line.left.text() != former)
    driver.services.tick_s = 30.0  # it does not run out while pages are opened
    driver.until(lambda: line.bar.value() == page.live.countdown.bar.value())  # each has a tick of its own
    for area in ("history", "lint", "census", "deployments"):
        window.show_area(area)
        driver.until(lambda: window.current is not page and line.isVisible())
    driver.click(line.show_button)
    driver.until(lambda: window.current is page)
    assert not line.isVisible(), "its own page shows it"
    driver.click(page.live.countdown.confirm)
    driver.until(lambda: not page.is_running)
    driver.until(lambda: not running.jobs)
    window.show_welcome()
    assert not line.isVisible()


def test_the_area_in_which_something_runs_is_marked(driver: Driver) -> None:
    page = counting_down(driver)
    top = driver.window.top
    driver.window.show_welcome()
    driver.until(lambda: top.deployment.accessibleName() == "Deployment, awaiting confirmation")
    assert top.deployment.property("icon_name") == "warning", "colour alone is no mark"
    assert top.deployment.property("running") is True
    assert STATES[DeploymentState.APPLIED]() in top.deployment.toolTip()
    assert "Ctrl+R" in top.deployment.toolTip()
    assert top.comparison.property("icon_name") == "compare"
    page.live.countdown.confirm.click()
    driver.until(lambda: not page.is_running)
    driver.until(lambda: top.deployment.accessibleName() == "Deployment")
    assert top.deployment.property("icon_name") == "deployment"
    assert top.deployment.property("running") is False


def test_little_time_to_confirm_is_read_out_on_any_page(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr("ui.shell.running_line.notify_shown", lambda line: read.append(line.accessibleName()))
    page = counting_down(driver)
    driver.window.show_area("lint")
    line = line_of(driver, "deployment")
    for left_s in (61.0, 60.0, 31.0, 29.0, 11.0, 9.0):
        page.live.countdown.show_left(left_s, 120.0, "")
        driver.window._running.refresh()
    assert read == [f"Tunnel of lab:practice: {left} to confirm" for left in ("1 min", "29 s", "9 s")]
    assert line.isVisible()


def test_a_comparison_that_measures_is_named_on_the_first_page(open_window: Callable[..., Driver]) -> None:
    driver = open_window(holds_after=HELD_AFTER)
    window = driver.window
    driver.go_to(Step.RUN)
    driver.until(lambda: window.bridge.live.figures().count > 0)
    window.show_welcome()
    line = line_of(driver, "comparison")
    driver.until(lambda: line.text.text() == "Measuring lab:practice: 1 of 5")
    driver.until(lambda: line.time.text().endswith("left"))
    assert window.top.comparison.accessibleName() == "Comparison, measuring"
    assert window.footer.busy.toolTip() == "Measuring", "the moving bar says what it is"
    for _, begin in (window.welcome.lab, window.welcome.hosts):
        assert not begin.isEnabled()
        assert begin.property("variant") != "primary"
        assert "A comparison is running" in begin.toolTip()
    window.run_page._on_pause(True)
    driver.services.holds_after = None
    driver.until(lambda: line.text.text().startswith("Comparison of lab:practice paused"))
    driver.click(line.show_button)
    assert window.current is window.run_page
    window.run_page.cancel_now()
    window.show_welcome()
    driver.until(lambda: not window.is_measuring)
    driver.until(window.welcome.lab[1].isEnabled)
    assert window.welcome.lab[1].property("variant") == "primary"
    assert not window.welcome.lab[1].toolTip()


def test_a_census_is_counted_on_other_pages(driver: Driver) -> None:
    window = driver.window
    window.show_area("census")
    driver.idle()
    driver.services.census_gate.clear()
    driver.click(window.current.begin)  # type: ignore[union-attr]
    driver.dialog().accept()
    driver.until(lambda: window.is_trying)
    window.show_area("history")
    line = line_of(driver, "census")
    driver.until(lambda: line.text.text() == "Cipher census of lab:practice: 0 of 8")
    driver.services.census_gate.set()
    driver.idle()
    assert not line.isVisible()


@pytest.mark.parametrize("size", [(1024, 700), pytest.param((1280, 800), marks=pytest.mark.full)])
def test_the_lines_leave_the_pages_room(size: tuple[int, int], driver: Driver) -> None:
    counting_down(driver)
    window = driver.window
    found = []
    areas = [partial(window.show_area, name) for name in ("history", "lint", "census", "deployments")]
    for show in (window.show_welcome, window.begin_with_hosts, *areas):
        show()
        line_of(driver, "deployment")
        window.resize(*size)
        for _ in range(4):
            QApplication.processEvents()
        found += [f"{type(window.current).__name__}: {fault}" for fault in layout_faults(window)]
    assert found == []


def test_a_comparison_that_waits_for_the_user_says_so_and_why_on_every_page(open_window: Callable[..., Driver]) -> None:
    driver = open_window(link_dies_at=2)
    window = driver.window
    driver.go_to(Step.RUN)
    driver.until(lambda: "then resume" in window.run_page.notice.text)
    window.show_area("history")
    line = line_of(driver, "comparison")
    assert line.text.text() == "Comparison of lab:practice waits for you: 3 of 5"
    assert shows(line.hint.text(), LINK_DIED.text, sent=6)
    assert line.time.text() == ""
    assert not line.bar.isVisible()
    assert line._icon.property("icon_name") == "warning"
    assert window.top.comparison.property("icon_name") == "warning"
    assert window.top.comparison.accessibleName() == "Comparison, waits for you"
    driver.click(line.show_button)
    driver.click(window.run_page.notice.action("Resume"))
    driver.until(lambda: not window.is_measuring)


def test_the_history_on_show_follows_a_comparison_that_ends(open_window: Callable[..., Driver]) -> None:
    driver = open_window(holds_after=HELD_AFTER)
    window = driver.window
    driver.go_to(Step.RUN)
    driver.until(lambda: window.bridge.live.figures().count > 0)
    window.show_area("history")
    page = window.area_page("history")
    assert isinstance(page, HistoryPage)
    driver.until(lambda: page.notice.text.startswith("No comparisons yet."))
    driver.services.holds_after = None
    driver.until(lambda: not window.is_measuring)
    driver.until(lambda: [what_text(one) for one in page.table.shown] == ["Comparison 1"])
    driver.idle()
    assert page.notice.text == ""
    assert page.table.item(0, MEASURED).text() == "3 of 3 VPNs"
