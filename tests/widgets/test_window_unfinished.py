"""Comparisons that were cancelled or interrupted: named as such on Run and Results, and resumed from both."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from fake_pace import HELD_AFTER
from history_driver import fill_history
from sample_records import pair, sample_record
from window_driver import Driver

from app.domain.results import AttemptStatus, CampaignStatus
from app.measurement.control import CampaignControl
from app.measurement.wizard import Step
from ui.common.candidate_rows import RowState
from ui.comparison.run_ends import show_cancelled
from ui.results.ranking_texts import state_icon
from ui.results.result_state import end_words
from ui.studies.outcome_notice import show_end


def cancelled(driver: Driver) -> None:
    driver.go_to(Step.RUN)
    driver.until(lambda: driver.window.bridge.live.status().running is not None)
    driver.window.run_page.cancel_now()
    driver.until(lambda: not driver.window.is_measuring)
    driver.idle()


def test_a_cancelled_comparison_is_resumed_from_the_results(open_window: Callable[..., Driver]) -> None:
    driver = open_window(holds_after=HELD_AFTER)
    window = driver.window
    cancelled(driver)
    driver.until(window.run_page.notice.action("Resume").isVisible)  # Qt shows a new button at the next event
    run = window.steps.buttons[Step.RUN]
    assert run.accessibleName().endswith("not completed")
    assert window.steps._ticks[Step.RUN].property("icon_name") == "warning"
    driver.next()
    driver.until(lambda: window.results.data is not None)
    driver.idle()
    assert window.results.sentence.decide.property("variant") != "primary", "Resume is advised"
    driver.services.holds_after = None
    driver.services.interrupted = None  # the number of the comparison on show counts
    driver.click(window.results.resume)
    driver.until(lambda: driver.services.records[1].status is CampaignStatus.COMPLETED)
    driver.until(lambda: not window.is_measuring)
    driver.idle()
    assert len(driver.services.records) == 1
    assert all(one.status is AttemptStatus.COMPLETED for one in driver.services.records[1].attempts)
    assert run.accessibleName().endswith(", done")
    driver.next()
    driver.until(lambda: window.results.data.record.status is CampaignStatus.COMPLETED)  # type: ignore[union-attr]
    assert not window.results.resume.isVisible()


def running_beside_another(open_window: Callable[..., Driver]) -> Driver:
    """Return a window whose comparison is running while another one of other hosts is unfinished."""
    driver = open_window(holds_after=HELD_AFTER)
    other = sample_record(pair_spec=pair(is_lab=False), status=CampaignStatus.INTERRUPTED, attempts_kept=2)
    driver.services.records[9] = replace(other, campaign_id=9)
    driver.go_to(Step.PLAN)
    driver.idle()
    return driver


def measured(driver: Driver) -> CampaignControl:
    driver.go_to(Step.RUN)
    driver.until(lambda: driver.window.bridge.live.status().running is not None)
    control = driver.window.run_page.control
    assert control is not None
    return control


def check_running(driver: Driver, control: CampaignControl) -> None:
    """Check that the comparison that was begun first is still the one that runs, and can be cancelled."""
    window = driver.window
    assert window.run_page.control is control
    assert window.current is window.run_page
    assert "A comparison is running" in window.footer.status.text()
    assert driver.services.calls.count("run") == 1
    window.run_page.cancel_now()
    driver.until(lambda: not window.is_measuring)


def held(driver: Driver, monkeypatch: pytest.MonkeyPatch, name: str) -> threading.Event:
    """Have an operation of the services wait for an event, which is returned."""
    operation, may_go_on = getattr(driver.services, name), threading.Event()

    def wait(*args: Any, **options: Any) -> Any:
        assert may_go_on.wait(60)
        return operation(*args, **options)

    monkeypatch.setattr(driver.services, name, wait)
    return may_go_on


def let_end(driver: Driver, may_go_on: threading.Event) -> None:
    """Let the hosts page's operation go on, and wait until it has ended."""
    operation = driver.window.hosts.operation
    may_go_on.set()
    driver.until(lambda: operation is not None and not operation.is_running)


def test_none_is_resumed_while_another_is_running(open_window: Callable[..., Driver]) -> None:
    driver = running_beside_another(open_window)
    control = measured(driver)
    driver.services.calls.clear()
    driver.services.calls.append("run")
    driver.window.resume_pair("plant", 9)
    check_running(driver, control)
    assert not {"discover", "recover"} & set(driver.services.calls)


def test_none_is_resumed_once_another_has_begun_meanwhile(
    open_window: Callable[..., Driver], monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = running_beside_another(open_window)
    may_go_on = held(driver, monkeypatch, "recover")
    driver.window.resume_pair("plant", 9)
    driver.window.go(Step.PLAN)
    control = measured(driver)
    let_end(driver, may_go_on)
    check_running(driver, control)


def test_hosts_that_were_inspected_meanwhile_do_not_take_the_place_of_those_that_are_measured(
    open_window: Callable[..., Driver], monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = running_beside_another(open_window)
    window, may_go_on = driver.window, held(driver, monkeypatch, "discover")
    window.choose_step(Step.HOSTS)
    driver.click(window.hosts.again)
    window.choose_step(Step.PLAN)
    measured(driver)
    let_end(driver, may_go_on)
    window.show_welcome()
    window.go(window.wizard.current)
    assert window.current is window.run_page
    window.run_page.cancel_now()
    driver.until(lambda: not window.is_measuring)
    assert window.wizard.can_enter(Step.RESULTS)


def test_resume_measures_the_rest_only_where_there_is_a_rest(driver: Driver) -> None:
    notice, resume = driver.window.run_page.notice, lambda: None
    whole = replace(sample_record(rounds=1), status=CampaignStatus.CANCELLED)
    some = replace(whole, attempts=whole.attempts[:2])
    show_cancelled(notice, some, resume)
    assert "Resume measures the rest." in notice.text
    assert notice.action("Resume").isEnabled()
    show_cancelled(notice, whole, resume)
    assert notice.text.endswith("All attempts had ended before. Next shows the results.")
    interrupted = replace(whole, status=CampaignStatus.INTERRUPTED)
    (_, rest) = end_words(replace(interrupted, attempts=some.attempts), is_lab_gone=False) or ("", "")
    assert rest.endswith("Resume measures the rest.")
    (_, nothing) = end_words(interrupted, is_lab_gone=False) or ("", "")
    assert nothing == "All attempts had ended, and results are saved. Resume restores both hosts and completes it."


def test_a_study_that_was_stopped_after_its_last_result_has_nothing_to_resume(driver: Driver) -> None:
    notice, failed = driver.window.run_page.notice, ("Some transfers failed.", "")
    show_end(notice, lambda: None, is_cancelled=True, is_whole=False, failed=failed)
    assert notice.text == "The study was stopped. It can be resumed."
    show_end(notice, lambda: None, is_cancelled=True, is_whole=True, failed=failed)
    assert notice.text == "The part is measured."


def test_a_cancelled_comparison_is_resumed_on_its_page(open_window: Callable[..., Driver]) -> None:
    driver = open_window(holds_after=HELD_AFTER)
    cancelled(driver)
    driver.services.holds_after = None
    driver.click(driver.window.run_page.notice.action("Resume"))
    driver.until(lambda: driver.services.records[1].status is CampaignStatus.COMPLETED)
    driver.idle()
    assert len(driver.services.records) == 1


def test_start_offers_what_was_cancelled_in_this_session(open_window: Callable[..., Driver]) -> None:
    driver = open_window(holds_after=HELD_AFTER)
    window = driver.window
    assert window.welcome.notice.text == ""
    cancelled(driver)
    window.show_welcome()
    driver.idle()
    assert window.welcome.notice.text.startswith("A comparison of lab:practice was interrupted or cancelled.")
    driver.services.holds_after = None
    driver.click(window.welcome.notice.action("Resume"))
    driver.until(lambda: driver.services.records[1].status is CampaignStatus.COMPLETED)
    driver.until(lambda: not window.is_measuring)
    driver.idle()
    window.show_welcome()
    driver.idle()
    assert window.welcome.notice.text == "", "nothing is left to be resumed"


def test_start_offers_what_was_cancelled_while_it_was_on_show(open_window: Callable[..., Driver]) -> None:
    driver = open_window(holds_after=HELD_AFTER)
    window = driver.window
    driver.go_to(Step.RUN)
    driver.until(lambda: window.bridge.live.status().running is not None)
    window.show_welcome()
    driver.services.calls.clear()
    window.run_page.cancel_now()
    driver.until(lambda: "was interrupted or cancelled" in window.welcome.notice.text)
    driver.until(window.welcome.notice.action("Resume").isVisible)
    assert "results" not in driver.services.calls, "an offer needs no ranking"


def test_offer_to_resume_neither_hides_nor_withdraws_another_notice(driver: Driver) -> None:
    welcome = driver.window.welcome
    welcome.offer_resume("north")
    button = welcome.notice.action("Resume")
    welcome.offer_resume("north")
    assert welcome.notice.action("Resume") is button, "screen readers hear it once"
    welcome.notice.show_message("error", "The disk is full.")
    for name in ("north", "south", ""):
        welcome.offer_resume(name)
        assert welcome.notice.text == "The disk is full."
    welcome.notice.clear()
    welcome.offer_resume("south")
    assert "south" in welcome.notice.text
    welcome.offer_resume("")
    assert welcome.notice.text == ""


def test_an_offer_to_resume_that_was_declined_is_not_made_again(driver: Driver) -> None:
    window, welcome = driver.window, driver.window.welcome
    fill_history(driver)
    driver.services.interrupted = 3
    window.show_area("history")
    window.show_welcome()
    driver.until(lambda: "was interrupted or cancelled" in welcome.notice.text)
    driver.click(welcome.notice.action("Not now"))
    assert welcome.notice.text == ""
    window.show_area("history")
    window.show_welcome()
    driver.idle()
    assert welcome.notice.text == ""


def test_another_comparison_of_a_pair_is_offered_though_an_earlier_one_was_declined(driver: Driver) -> None:
    window, welcome, services = driver.window, driver.window.welcome, driver.services
    fill_history(driver)
    services.interrupted = 3
    window.show_area("history")
    window.show_welcome()
    driver.until(lambda: "was interrupted or cancelled" in welcome.notice.text)
    services.records[4] = replace(services.records[3], campaign_id=4)
    services.interrupted = 4
    window.show_area("history")
    window.show_welcome()
    driver.idle()
    driver.click(welcome.notice.action("Not now"))  # of the one that is offered by now
    assert welcome.notice.text == ""
    window.show_area("history")
    window.show_welcome()
    driver.idle()
    assert welcome.notice.text == ""
    services.records[5] = replace(services.records[3], campaign_id=5)
    services.interrupted = 5
    window.show_area("history")
    window.show_welcome()
    driver.until(lambda: "was interrupted or cancelled" in welcome.notice.text)


def test_what_was_not_completed_is_not_offered_after_a_newer_comparison_of_the_pair(driver: Driver) -> None:
    window = driver.window
    fill_history(driver)
    record = driver.services.records[3]
    driver.services.interrupted = 3
    driver.services.records[4] = replace(record, campaign_id=4, status=CampaignStatus.COMPLETED)
    window.show_area("history")
    window.show_welcome()
    driver.idle()
    assert window.welcome.notice.text == ""
    del driver.services.records[4]
    window.show_area("history")
    window.show_welcome()
    driver.until(lambda: "was interrupted or cancelled" in window.welcome.notice.text)


def test_steps_of_a_past_comparison_say_how_it_ended(driver: Driver) -> None:
    fill_history(driver)
    window, run = driver.window, driver.window.steps.buttons[Step.RUN]
    names = {}
    for number in (1, 2, 3):
        window.show_past(number)
        driver.idle()
        names[number] = run.accessibleName(), window.steps._ticks[Step.RUN].property("icon_name")
        assert window.steps.buttons[Step.PLAN].accessibleName().endswith(", done")
    assert names == {
        1: ("Step 5, Run, done, with failures", "warning"),
        2: ("Step 5, Run, done", "check"),
        3: ("Step 5, Run, not completed", "warning"),
    }


def test_run_and_results_agree_on_what_was_measured_before_a_host_was_lost(
    open_window: Callable[..., Driver],
) -> None:
    driver = open_window(is_lost_after=2)
    window = driver.window
    driver.go_to(Step.RUN)
    driver.until(lambda: "gateway-b stays away" in window.run_page.notice.text)
    row = window.bridge.live.rows()[0]
    assert (row.state, row.rounds_done, row.rounds) == (RowState.ENDED_EARLY, 1, 1)
    assert row.latency_ms is not None
    assert row.key in {curve.key for curve in window.bridge.live.curves()}
    table = window.run_page.table
    assert table.item(0, 5).text() == "measured, but not repeated at the end: gateway-b stays away."
    window.resize(1024, 700)
    usual_px = table.verticalHeader().defaultSectionSize()
    driver.until(lambda: table.rowHeight(2) > usual_px)  # the reason has a second line
    driver.next()
    driver.until(lambda: window.results.data is not None)
    driver.idle()
    assert "gateway-b stays away." in window.results.notice.text
    assert window.results.data is not None
    by_word = {str(one.status): state_icon(one, has_warnings=False) for one in window.results.data.ranking.results}
    assert by_word["not-run"] == ("skip", "muted"), "nothing failed: as on Run"
    assert by_word["completed"][0] == "check"


def test_a_comparison_that_another_process_resumed_says_so_and_can_be_read_again(driver: Driver) -> None:
    window = driver.window
    fill_history(driver)
    whole = driver.services.records[2]
    part = replace(whole, status=CampaignStatus.RUNNING, attempts=whole.attempts[:2])
    driver.services.records[2] = part
    window.show_past(2)
    driver.idle()
    past = window.past
    assert past.notice.text.startswith("This comparison is running. Shown as of ")
    assert not past.resume.isVisible()
    assert past.deploy.property("variant") != "primary"
    assert past.sentence.decide.property("variant") != "primary"
    driver.services.records[2] = replace(whole, status=CampaignStatus.COMPLETED)
    driver.click(past.notice.action("Refresh"))
    driver.idle()
    assert past.data.record.attempts == whole.attempts
    assert past.notice.text == ""
    assert "finished" in past.what.text()
