from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest
from fake_pace import HELD_AFTER
from PySide6.QtCore import Qt
from window_driver import Driver

from app.domain.credentials import HostKeyQuestion
from app.domain.results import AttemptStatus, CampaignStatus
from app.measurement.messages import WORK_CANCELLED
from app.measurement.wizard import Step
from support.message_checks import shows
from ui.common.candidate_rows import RowState
from ui.comparison.run_words import pause_text, pausing_text


@pytest.fixture
def running(open_window: Callable[..., Driver]) -> Driver:
    """A window in the middle of a comparison, which is held there: the window may be slower than the work."""
    driver = open_window(holds_after=HELD_AFTER)
    driver.go_to(Step.RUN)
    driver.until(lambda: driver.window.bridge.live.figures().count > 0)
    return driver


def test_the_run_page_shows_what_is_measured(running: Driver) -> None:
    window = running.window
    page = window.run_page
    running.until(lambda: len(window.bridge.live.curves()) > 0)
    running.until(lambda: page.head.text.text().startswith("Bare underlay: latency"))
    assert " of 200" in page.head.text.text()
    assert page.head.position.text() == "1 of 5"
    assert page.head.left.text().endswith("left")
    assert page.table.rowCount() == 4
    running.until(lambda: page.table.item(0, 5).text().startswith("latency"))
    running.until(lambda: "round 1" in page.log.toPlainText())
    assert page.head.pause.isEnabled()


def test_other_steps_wait_while_measuring(running: Driver) -> None:
    steps = running.window.steps.buttons
    assert [step for step in Step if steps[step].isEnabled()] == [Step.RUN]
    assert not running.window.footer.back.isEnabled()
    running.window.begin_with_lab()
    assert running.window.wizard.current is Step.RUN
    assert "cancel it before" in running.window.footer.status.text()


def test_the_curves_are_those_of_the_stored_samples(open_window: Callable[..., Driver]) -> None:
    driver = open_window()
    driver.go_to(Step.RUN)
    driver.until(lambda: driver.window.wizard.state.campaign_id is not None)
    record = driver.services.records[1]
    for curve in driver.window.bridge.live.curves():
        attempts = [a for a in record.attempts if (a.key.solution, a.key.suite) == curve.key]
        for nth, size in enumerate(curve.frame_bytes):
            samples = np.concatenate([s.rtt_us for a in attempts for s in a.latency if s.frame_bytes == size]) / 1000
            assert curve.p5_ms[nth] == pytest.approx(np.percentile(samples, 5), rel=1e-5)
            assert curve.p95_ms[nth] == pytest.approx(np.percentile(samples, 95), rel=1e-5)
            assert curve.mean_ms[nth] == pytest.approx(samples.mean(), rel=1e-5)


def test_the_plots_hold_what_the_model_holds(open_window: Callable[..., Driver]) -> None:
    driver = open_window()
    driver.go_to(Step.RUN)
    driver.until(lambda: driver.window.wizard.state.campaign_id is not None)
    board = driver.window.run_page.board
    curves = {curve.key: curve for curve in driver.window.bridge.live.curves()}
    assert set(board.latency._bands) == set(curves)
    for key, band in board.latency._bands.items():
        _, y = band.middle.getData()
        assert y == pytest.approx(np.log10(curves[key].mean_ms))
    labels = {label.text for label in board.latency._end_labels}
    assert labels == {"Bare underlay", "WireGuard", "OpenVPN over UDP", "OpenVPN over TCP"}


def test_skipping_ends_one_candidate_and_goes_on(running: Driver) -> None:
    window = running.window
    running.click(window.run_page.head.skip)
    assert window.footer.status.text() == "Skipping Bare underlay…"
    running.until(lambda: window.bridge.live.rows()[1].state is RowState.RUNNING)
    running.services.holds_after = None
    running.until(lambda: not window.is_measuring)
    record = running.services.records[1]
    assert record.attempts[0].status is AttemptStatus.SKIPPED
    assert record.attempts[1].status is AttemptStatus.COMPLETED
    assert record.status is CampaignStatus.COMPLETED


def test_pausing_waits_after_the_candidate_and_goes_on(running: Driver) -> None:
    window, head = running.window, running.window.run_page.head
    running.until(lambda: window.bridge.live.status().progress is not None)
    running.click(head.pause)
    assert head.text.text().startswith("Pausing after this candidate. "), "at once"
    assert "pause after the current candidate" in window.footer.status.text()
    assert head.pause.text().replace("&", "") == "Do not pause", "it is measuring still"
    running.services.holds_after = None
    running.until(lambda: window.bridge.live.status().is_paused)
    running.until(lambda: "Paused" in head.text.text())
    running.until(lambda: head.pause.text().replace("&", "") == "Resume")  # the text may be drawn again before
    running.click(head.pause)
    running.until(lambda: not window.is_measuring)
    assert running.services.records[1].status is CampaignStatus.COMPLETED


def test_words_of_a_pause_name_the_round_of_an_adaptive_comparison() -> None:
    assert pause_text(is_adaptive=True) == "It will pause after the current round, with both hosts restored."
    assert pausing_text("WireGuard", is_adaptive=True) == "Pausing after this round. WireGuard"


def test_escape_asks_and_cancelling_shows_the_clean_up(running: Driver) -> None:
    window = running.window
    running.services.cleanup.clear()
    running.press(window, Qt.Key.Key_Escape)
    dialog = running.dialog()
    assert "hosts are restored" in dialog._text.text()
    running.click(dialog.no)
    assert window.is_measuring
    running.press(window, Qt.Key.Key_Escape)
    running.click(running.dialog().yes)
    assert "restoring both hosts" in window.run_page.head.text.text()
    assert window.is_measuring
    running.services.cleanup.set()
    running.until(lambda: not window.is_measuring)
    assert shows(window.run_page.notice.text, WORK_CANCELLED.text)
    assert window.footer.next.isEnabled()
    assert running.services.records[1].status is CampaignStatus.CANCELLED


def test_after_a_cancelled_run_the_same_plan_is_measured_anew(running: Driver) -> None:
    window = running.window
    running.press(window, Qt.Key.Key_Escape)
    running.dialog().accept()
    running.until(lambda: not window.is_measuring)
    cancelled = window.wizard.state.campaign_id
    running.services.holds_after = None
    window.frame.step_chosen.emit(Step.PLAN)
    running.idle()
    running.next()
    running.until(lambda: not window.is_measuring)
    assert window.wizard.state.campaign_id not in (None, cancelled)
    assert window.wizard.state.is_complete


def test_closing_during_a_run_asks_cancels_waits_for_the_clean_up_and_then_closes(running: Driver) -> None:
    window = running.window
    running.services.cleanup.clear()
    window.close()
    assert "It can be resumed from the history." in running.dialog()._text.text()
    running.click(running.dialog().no)
    assert window.isVisible()
    assert not window.is_closing

    window.close()
    running.click(running.dialog().yes)
    running.until(lambda: "restoring both hosts" in window.run_page.head.text.text())
    assert window.isVisible()
    assert not running.services.is_closed
    window.close()
    assert window.isVisible()
    running.services.cleanup.set()
    running.until(lambda: not window.isVisible())
    assert running.services.is_closed
    assert running.services.records[1].status is CampaignStatus.CANCELLED


def test_nothing_can_be_begun_while_the_window_waits_for_its_end(driver: Driver) -> None:
    driver.go_to(Step.PLAN)
    driver.idle()
    window, may_end = driver.window, threading.Event()
    window.runner.run(
        "Stopping the lab",
        lambda _token, _report: may_end.wait(60),
        on_success=lambda _none: None,
        on_failure=lambda _error: None,
    )
    window.close()
    window.step_page(Step.PLAN).changed.emit()  # what it had asked for before has been answered
    assert not window.footer.next.isEnabled()
    assert not window.footer.back.isEnabled()
    window.go_next()
    assert window.current is window.step_page(Step.PLAN)
    may_end.set()
    driver.until(lambda: not window.isVisible())
    assert "run" not in driver.services.calls


def test_closing_with_nothing_running_asks_nothing(driver: Driver) -> None:
    driver.window.close()
    driver.until(lambda: not driver.window.isVisible())
    assert driver.services.is_closed


def test_closing_answers_open_questions_with_no(
    open_window: Callable[..., Driver], monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = open_window(asks_host_key=True)
    answers: list[bool] = []
    ask = driver.services.prompts.confirm_host_key

    def answer(question: HostKeyQuestion) -> bool:
        answers.append(ask(question))
        return answers[-1]

    monkeypatch.setattr(driver.services.prompts, "confirm_host_key", answer)
    driver.window.begin_with_lab()
    driver.dialog()
    driver.window.close_now()
    driver.until(lambda: not driver.window.isVisible())
    driver.until(lambda: answers == [False])


def test_a_candidate_that_fails_is_shown_with_its_reason_and_the_daemons_log(
    open_window: Callable[..., Driver],
) -> None:
    driver = open_window()
    driver.go_to(Step.CHOOSE)
    page = driver.window.step_page(Step.CHOOSE)
    page.weak.setChecked(True)
    page.tick(("openvpn-udp", "bf-cbc"))
    driver.go_to(Step.RUN)
    driver.until(lambda: not driver.window.is_measuring)
    run = driver.window.run_page
    rows = driver.window.bridge.live.rows()
    nth = next(nth for nth, row in enumerate(rows) if row.key[1] == "bf-cbc")
    assert run.table.item(nth, 5).text().startswith("failed: OpenVPN on gateway-a ended at once")
    assert not run.tabs.isTabVisible(2)
    run.table.selectRow(nth)
    assert run.tabs.isTabVisible(2)
    assert "Exiting due to fatal error" in run.daemon.view.toPlainText()
    driver.next()
    driver.idle()
    states = [driver.window.results.table.item(row, 9).text() for row in range(5)]
    assert states.count("failed") == 1


def test_a_host_that_is_lost_interrupts_and_the_rest_can_be_measured_later(
    open_window: Callable[..., Driver],
) -> None:
    driver = open_window(is_lost_after=2)
    driver.go_to(Step.RUN)
    run = driver.window.run_page
    driver.until(lambda: "gateway-b stays away" in run.notice.text)
    assert "as they were before" not in run.head.text.text()
    states = [driver.window.bridge.live.rows()[nth].state for nth in range(4)]
    assert states[2:] == [RowState.NOT_RUN, RowState.NOT_RUN]
    assert run.table.item(3, 5).text() == "not run: gateway-b stays away."
    driver.services.is_lost_after = None
    driver.click(run.notice.action("Resume"))
    driver.until(lambda: driver.services.records[1].status is CampaignStatus.COMPLETED)
    driver.idle()
    assert len(driver.services.records[1].attempts) == 5
    assert run.notice.text == ""


def test_what_could_not_be_cleaned_up_is_never_called_clean(open_window: Callable[..., Driver]) -> None:
    driver = open_window(spoils_cleanup=True)
    driver.go_to(Step.RUN)
    run = driver.window.run_page
    driver.until(lambda: "may not be fully restored" in run.notice.text)
    assert "gateway-a still has tmk0" in run.notice.text
    assert "as they were before" not in run.head.text.text()
    driver.click(run.notice.action("Restore both hosts"))
    driver.until(lambda: "gateway-a was clean" in run.notice.text)
    assert "recover" in driver.services.calls


def test_an_interrupted_comparison_is_offered_and_resumed(open_window: Callable[..., Driver]) -> None:
    driver = open_window()
    driver.go_to(Step.RUN)
    driver.until(lambda: not driver.window.is_measuring)
    from dataclasses import replace

    services = driver.services
    whole = services.records[1]
    services.records[1] = replace(whole, status=CampaignStatus.INTERRUPTED, attempts=whole.attempts[:2], ended_at=None)
    services.interrupted = 1
    driver.window.welcome.offer_resume("lab:practice")
    driver.window.show_welcome()
    driver.click(driver.window.welcome.notice.action("Resume"))
    driver.until(lambda: services.records[1].status is CampaignStatus.COMPLETED)
    driver.until(lambda: not driver.window.is_measuring)
    assert "recover" in services.calls
    assert len(services.records[1].attempts) == len(whole.attempts)
    assert driver.window.wizard.current is Step.RUN
    assert "was clean" in driver.window.run_page.notice.text
