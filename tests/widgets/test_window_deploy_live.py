"""The page that deploys, while it does: stages, countdown, both answers and none, faults, closing."""

from __future__ import annotations

from dataclasses import replace

from deploy_driver import counting_down, inspected, previewed, texts_of
from deployments_driver import page_of as deployments_page_of
from deployments_driver import show_active
from fake_deployments import LEAK
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QStyle
from sample_records import pair
from watched_pair import confirmed_deployment
from window_driver import Driver

from app.deployment.events import DeploymentApplied, DeploymentStage
from app.domain.capture import CaptureReport, LeakVerdict
from app.domain.deployment import DeploymentState
from app.domain.errors import HostUnreachable


def test_stages_are_shown_per_host_while_they_happen(driver: Driver) -> None:
    page = previewed(driver)
    driver.services.stage_gate.clear()
    driver.click(page.deploy)
    driver.until(lambda: page.live.stage is DeploymentStage.PREPARE)
    assert page.live.stages.state_of(DeploymentStage.APPLY) == "waiting"
    assert driver.window.is_rolling
    table = page.live.stages
    assert table.horizontalHeaderItem(2).text() == "B  gateway-b"
    table.enter(DeploymentStage.APPLY, "gateway-b: Make the interface")
    assert [table.item(3, column).text() for column in (1, 2)] == ["working", "Make the interface"]
    driver.services.stage_gate.set()
    driver.until(lambda: page.live.countdown.is_open)
    assert page.live.stages.state_of(DeploymentStage.VERIFY) == "done"
    assert page.live.stages.state_of(DeploymentStage.CONFIRM) == "running"
    assert page.live.stages.state_of(DeploymentStage.ENABLE) == "waiting"
    notes = [page.live.notes.item(nth).text() for nth in range(page.live.notes.count())]
    assert any("88 captured packets" in note for note in notes)
    driver.click(page.live.countdown.roll_back)
    driver.until(lambda: not page.is_running)


def test_a_stage_that_is_done_with_a_warning_says_so_on_the_host_that_it_is_about(driver: Driver) -> None:
    page = counting_down(driver)
    table = page.live.stages
    row = next(nth for nth in range(table.rowCount()) if table.item(nth, 0).text() == "Verify")
    assert [table.item(row, column).text() for column in (1, 2)] == ["done", "done, with a warning"]
    assert [table.item(row, column).icon().isNull() for column in (1, 2)] == [True, False]
    assert {table.item(nth, 2).text() for nth in range(row)} == {"done"}
    lost = replace(LEAK, verdict=LeakVerdict.NOT_PROVEN, note="On gateway-b nothing was captured.")
    page.live.feed(DeploymentApplied(confirmed_deployment(), CaptureReport(lost)))
    assert table.item(row, 1).text() == "done, with a warning"
    driver.click(page.live.countdown.roll_back)
    driver.until(lambda: not page.is_running)


def test_what_captures_did_not_prove_is_a_warning_above_what_is_information(driver: Driver) -> None:
    page = counting_down(driver)
    live = page.live
    lost = replace(LEAK, verdict=LeakVerdict.NOT_PROVEN, note="On gateway-b nothing was captured.")
    first = live.notes.item(0)
    assert first.text().startswith("gateway-b cannot capture packets")
    assert first.data(Qt.ItemDataRole.AccessibleTextRole).startswith("Warning: ")
    live.feed(DeploymentApplied(confirmed_deployment(), CaptureReport(lost)))
    spoken = [live.notes.item(nth).data(Qt.ItemDataRole.AccessibleTextRole) for nth in range(live.notes.count())]
    assert spoken[1].startswith("Warning: Leak test inconclusive")
    assert spoken[2:] == [None] * len(spoken[2:])
    assert len(spoken) > 2, "what was proven is information"
    driver.click(live.countdown.roll_back)
    driver.until(lambda: not page.is_running)


def test_more_time_can_be_asked_for_before_the_decision(driver: Driver) -> None:
    page = counting_down(driver)
    countdown = page.live.countdown
    assert countdown.left.text().startswith(("1 min", "2 min"))
    driver.click(countdown.more)
    driver.until(lambda: countdown.left.text().startswith(("6 min", "7 min")))
    assert countdown.bar.value() <= 1000
    driver.click(countdown.more)
    driver.until(lambda: countdown.left.text().startswith(("11 min", "12 min")))
    assert countdown.is_open
    assert countdown.hasFocus()
    driver.click(countdown.confirm)
    driver.until(lambda: not page.is_running)
    assert not countdown.more.isEnabled()
    assert driver.services.deployed[0].state is DeploymentState.CONFIRMED


def test_kept_by_the_keyboard(driver: Driver) -> None:
    page = counting_down(driver)
    assert page.live.countdown.hasFocus(), "no button has it: a stray key decides nothing"
    driver.press(page.live.countdown, Qt.Key.Key_Return)
    driver.press(page.live.countdown, Qt.Key.Key_Space)
    assert page.live.countdown.is_open
    assert "roll back automatically to no tunnel" in page.live.countdown.text.text()
    driver.press(page.live.countdown, Qt.Key.Key_F, Qt.KeyboardModifier.AltModifier)
    driver.until(lambda: not page.is_running)
    driver.idle()
    assert driver.services.deployed[0].state is DeploymentState.CONFIRMED
    assert "is active on lab:practice" in texts_of(page)
    assert page.live.what.text() == "WireGuard, ChaCha20-Poly1305, lab:practice", "nothing is being rolled out any more"
    assert page.live.result._icon.property("icon_name") == "check"
    assert page.live.result._close.isHidden(), "its buttons lead on"
    assert page.live.stages.state_of(DeploymentStage.ENABLE) == "done"


def test_undone_by_the_keyboard(driver: Driver) -> None:
    page = counting_down(driver)
    driver.press(page.live.countdown, Qt.Key.Key_R, Qt.KeyboardModifier.AltModifier)
    driver.until(lambda: not page.is_running)
    driver.idle()
    assert driver.services.deployed[0].state is DeploymentState.REMOVED
    assert "restored" in texts_of(page)
    assert "was rolled back on lab:practice." in page.live.result._title.text()
    assert page.live.result.property("variant") == "callout", "it is what the user wanted"
    assert page.live.stages.state_of(DeploymentStage.CONFIRM) == "declined", "the user's answer is no fault"
    assert page.live.stages.item(5, 1).text() == "not confirmed"
    assert driver.window.footer.status.text() == "Deploying: not confirmed, both hosts rolled back"


def test_no_one_answers_and_both_hosts_roll_back(driver: Driver) -> None:
    page = inspected(driver)
    page.form.within.setValue(20)
    driver.services.tick_s = 0.01
    driver.click(page.preview)
    driver.until(page.deploy.isEnabled)
    driver.click(page.deploy)
    driver.until(lambda: bool(driver.services.deployed))
    driver.until(lambda: not page.is_running)
    driver.idle()
    assert driver.services.deployed[0].state is DeploymentState.REMOVED
    notice = page.live.result
    assert "was rolled back on both hosts: not confirmed within 20 s." in notice._title.text()
    assert notice.property("variant") == "caution", "what nobody wanted is no mere information"
    assert not page.live.countdown.isVisible()


def test_confirmed_by_tunnelmark_without_a_question(driver: Driver) -> None:
    page = inspected(driver)
    page.form.who.setCurrentIndex(1)
    assert not page.form.within.isEnabled()
    driver.click(page.preview)
    driver.until(page.deploy.isEnabled)
    driver.click(page.deploy)
    assert page.live.stages.state_of(DeploymentStage.CONFIRM) == "", "nobody is asked"
    driver.until(lambda: bool(driver.services.deployed))
    driver.until(lambda: not page.is_running)
    assert driver.services.deployed[0].options.confirm_within_s is None
    assert driver.services.deployed[0].state is DeploymentState.CONFIRMED


def test_the_countdown_comes_to_the_front_wherever_the_user_is(driver: Driver) -> None:
    page = previewed(driver)
    driver.services.tick_s = 30.0
    driver.services.stage_gate.clear()
    driver.click(page.deploy)
    driver.until(lambda: page.live.stage is DeploymentStage.PREPARE)
    driver.window.show_area("history")
    driver.until(lambda: driver.window.current is not page)
    driver.services.stage_gate.set()
    driver.until(lambda: page.live.countdown.is_open)
    driver.until(lambda: driver.window.current is page)
    driver.click(page.live.countdown.confirm)
    driver.until(lambda: not page.is_running)
    assert driver.services.deployed[0].state is DeploymentState.CONFIRMED


def test_stopping_asks_and_then_both_hosts_roll_back(driver: Driver) -> None:
    page = previewed(driver)
    driver.services.stage_gate.clear()
    driver.click(page.deploy)
    driver.until(lambda: page.live.stage is DeploymentStage.PREPARE)
    driver.press(driver.window, Qt.Key.Key_Escape)
    question = driver.dialog()
    driver.click(question.no)
    assert page.is_running
    driver.until(lambda: not driver.window.findChildren(type(question)))
    driver.click(page.live.stop)
    driver.click(driver.dialog().yes)
    driver.until(lambda: not page.is_running)
    driver.idle()
    assert driver.services.deployed[0].state is DeploymentState.REMOVED
    assert "Stopped" in texts_of(page)
    driver.click(page.live.result.action("Back to the settings"))
    driver.idle()
    assert page.form.isVisible()
    assert page.form.key == ("wireguard", "chacha20-poly1305"), "nothing that was chosen is lost"


def test_a_host_that_gets_lost_is_reported_with_what_to_do(driver: Driver) -> None:
    driver.services.deployment_fails_at = DeploymentStage.APPLY
    page = previewed(driver)
    driver.click(page.deploy)
    driver.until(lambda: not page.is_running)
    driver.idle()
    assert "gateway-b does not answer any more. “Apply” failed. Look at its cable." in texts_of(page)
    assert page.live.stages.state_of(DeploymentStage.APPLY) == "failed"
    assert page.live.stages.state_of(DeploymentStage.ROLLBACK) == "done"
    assert "nothing was changed" not in texts_of(page)


def test_a_fault_before_anything_was_done_names_the_stage_and_that_nothing_was_changed(driver: Driver) -> None:
    page = previewed(driver)
    driver.services.faults["deploy"] = HostUnreachable("gateway-b cannot be reached.", hint="Is it on?")
    driver.click(page.deploy)
    driver.until(lambda: not page.is_running)
    driver.idle()
    assert page.live.task is not None
    states = [page.live.stages.state_of(stage) for stage in page.live.task.stages]
    assert states == ["failed", *["skipped"] * 6]
    assert "“Prepare” failed: nothing was changed on either host. Is it on?" in texts_of(page)


def test_a_fault_before_anything_is_undone_promises_nothing(driver: Driver) -> None:
    show_active(driver)
    driver.services.faults["undeploy"] = HostUnreachable("gateway-b cannot be reached.", hint="Is it on?")
    driver.click(deployments_page_of(driver).detail.remove)
    driver.dialog().accept()
    page = driver.window.deploy
    driver.until(lambda: "Is it on?" in texts_of(page))
    driver.idle()
    assert page.live.stages.state_of(DeploymentStage.ROLLBACK) == "failed"
    assert "nothing was changed" not in texts_of(page)


def test_a_second_one_takes_the_place_of_the_first(driver: Driver) -> None:
    services = driver.services
    services.store(services.made(pair(), "openvpn-udp", "aes", "OpenVPN, AES-256-GCM"), DeploymentState.CONFIRMED)
    page = counting_down(driver)
    assert "to the previous tunnel (OpenVPN, AES-256-GCM)" in page.live.countdown.text.text()
    driver.click(page.live.countdown.confirm)
    driver.until(lambda: not page.is_running)
    assert [one.state for one in services.deployed] == [DeploymentState.CONFIRMED, DeploymentState.REPLACED]


def test_closing_in_the_countdown_says_what_the_hosts_do_and_means_no(driver: Driver) -> None:
    page = counting_down(driver)
    driver.window.close()
    question = driver.dialog()
    words = " ".join(found.text() for found in question.findChildren(QLabel))
    assert "has not been confirmed" in words
    assert "switched off" in words
    assert question.yes.text() == "Roll back and close"
    assert {found.property("icon_name") for found in question.findChildren(QLabel)} >= {"warning"}
    driver.click(question.no)
    assert page.live.countdown.is_open
    driver.until(lambda: not driver.window.findChildren(type(question)))
    driver.window.close()
    driver.click(driver.dialog().yes)
    driver.until(lambda: driver.services.is_closed)
    assert driver.services.deployed[0].state is DeploymentState.REMOVED


def test_closing_while_it_is_built_stops_it_and_waits_for_the_hosts(driver: Driver) -> None:
    page = previewed(driver)
    driver.services.stage_gate.clear()
    driver.services.undo_gate.clear()
    driver.click(page.deploy)
    driver.until(lambda: page.live.stage is DeploymentStage.PREPARE)
    driver.window.close()
    assert driver.dialog().yes.text() == "Stop, roll back and close"
    driver.click(driver.dialog().yes)
    driver.until(lambda: page.live.stage is DeploymentStage.ROLLBACK)
    assert driver.window.isVisible(), "it waits until both hosts are as they were"
    driver.services.undo_gate.set()
    driver.until(lambda: driver.services.is_closed)
    assert driver.services.deployed[0].state is DeploymentState.REMOVED


def test_closing_when_the_hosts_have_been_reported_to_keep_it_lets_that_end(driver: Driver) -> None:
    page = counting_down(driver)
    driver.services.stage_gate.clear()
    driver.click(page.live.countdown.confirm)
    driver.until(lambda: page.live.stage is DeploymentStage.ENABLE)
    driver.window.close()
    question = driver.dialog()
    assert "completed first" in " ".join(found.text() for found in question.findChildren(QLabel))
    assert question.yes.text() == "Close when finished"
    driver.click(question.yes)
    driver.services.stage_gate.set()
    driver.until(lambda: driver.services.is_closed)
    assert driver.services.deployed[0].state is DeploymentState.CONFIRMED


def test_what_happens_in_a_stage_is_not_cut(driver: Driver) -> None:
    driver.window.resize(1024, 700)
    page = counting_down(driver)
    table = page.live.stages
    driver.until(lambda: table.width() > 900)
    column = table.columnCount() - 1
    room_px = table.columnWidth(column) - 2 * (table.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) + 1)
    texts = [table.item(row, column).text() for row in range(table.rowCount())]
    assert [one for one in texts if table.fontMetrics().horizontalAdvance(one) > room_px] == []
    driver.click(page.live.countdown.roll_back)
    driver.until(lambda: not page.is_running)
