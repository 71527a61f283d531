"""The page of deployments: what is stored, inspecting, repair, drift, and what can be done."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from deployments_driver import cell, page_of, show_active
from fake_deployment_values import DRIFT, INSPECTED_AT, status_of, with_end
from fake_services import FakeServices
from PySide6.QtWidgets import QLabel
from sample_records import pair
from window_driver import Driver

from app.deployment.events import DeploymentStage
from app.deployment.monitor_log import MonitorLog, MonitorSample
from app.domain.deployment import DeploymentOptions, DeploymentState
from app.domain.deployment_status import Outage, PairStatus
from app.domain.errors import HostUnreachable
from app.domain.hosts import Side
from app.domain.messages.words import STATES
from app.domain.verdicts import Finding, Verdict
from app.wording.colours import series_style
from ui.deployments.deploy_page import DeployPage
from ui.deployments.deployments_table import LOSS, RTT, STATE, TUNNEL, VERDICT, WHAT, has_lost
from ui.deployments.history_view import MOST_SHOWN


def test_without_any_deployment_it_says_what_to_do_next(driver: Driver) -> None:
    page = page_of(driver)
    assert "Nothing has been deployed yet" in page.notice.text
    assert not page.table.isVisible()
    driver.click(page.notice.action("Deploy…"))
    driver.until(lambda: isinstance(driver.window.current, DeployPage))
    assert driver.window.top.deployment.isChecked()


def test_what_is_stored_is_shown_without_asking_any_host(driver: Driver) -> None:
    show_active(driver)
    page = page_of(driver)
    assert cell(page, WHAT) == "WireGuard, ChaCha20-Poly1305"
    assert cell(page, STATE) == "active"
    assert page.table.item(0, STATE).icon().isNull(), "no host has said so"
    assert cell(page, TUNNEL) == "not checked"
    assert "by meier on office-7" in page.detail.sentence.text()
    assert "status" not in driver.services.calls
    assert "not checked yet" in page.detail.drift.view.toPlainText().casefold()


def test_inspecting_shows_both_hosts_keys_and_todays_verdict(driver: Driver) -> None:
    one = show_active(driver)
    old = Finding("ChaCha20", Verdict.LEGACY, "Something newer is there.", "RFC 9999", "AES-256-GCM")
    driver.services.statuses.append(replace(status_of(pair(), one), verdict=Verdict.LEGACY, findings=(old,)))
    page = page_of(driver)
    driver.click(page.detail.refresh)
    driver.until(lambda: cell(page, TUNNEL) == "up")
    driver.idle()
    assert (cell(page, RTT), cell(page, LOSS)) == ("1.44 ms", "0 %")
    assert cell(page, VERDICT) == "Legacy"
    assert cell(page, STATE) == "active"
    assert not page.table.item(0, STATE).icon().isNull()
    assert "Something newer is there. (RFC 9999) Instead: AES-256-GCM." in page.detail.sentence.text()
    facts = page.detail.now.facts
    assert facts.text("Last handshake") == ("1 min 14 s ago", "1 min 14 s ago")
    assert (facts.text("Received")[0], facts.text("Sent")[0]) == ("46.0 MiB", "49.5 MiB")
    assert facts.text("RTT now") == ("1.42 ms", "1.47 ms")
    assert facts.text("Starts at boot") == ("yes", "yes")
    keys = [[page.detail.keys.item(row, column).text() for column in range(4)] for row in range(4)]
    assert keys[0] == ["A  gateway-a", "WireGuard key", "16.3 days", "349"]
    assert keys[1][3] == "no expiry"


def test_how_soon_it_was_connected_and_is_back_is_shown(driver: Driver) -> None:
    one = replace(show_active(driver), timings_s={"connect": 3.6})
    lost = Outage(INSPECTED_AT, 25.0), Outage(INSPECTED_AT)
    status = with_end(status_of(pair(), one), Side.A, connect_s=9.0, boot_connect_s=71.0, outages=lost, rtt_ms=500.0)
    driver.services.statuses.append(status)
    page = page_of(driver)
    driver.click(page.detail.refresh)
    driver.until(lambda: cell(page, TUNNEL) == "up")
    facts = page.detail.now.facts
    assert facts.text("Time to connect (last start)") == ("9 s", "4 s"), "B has not started it again since"
    assert facts.text("Time to connect (after boot)") == ("1 min 11 s", "–")
    a, b = facts.text("Outages recovered")
    assert (a[:47], b) == ("once, the last after 25 s; lost since 2026-03-0", "never")
    outlasted = [(one[:12], "Modbus/TCP 60" in one) for one in facts.text("Controllers in an outage")]
    assert outlasted == [("the longest ", True), ("not measured", False)], "over a short path 30 s are enough"


def test_what_was_changed_by_hand_is_a_diff(driver: Driver) -> None:
    one = show_active(driver)
    status = with_end(status_of(pair(), one), Side.B, ("One file was changed by hand.",), drift=(DRIFT,))
    driver.services.statuses.append(status)
    page = page_of(driver)
    driver.click(page.detail.refresh)
    driver.until(lambda: page.detail.tabs.tabText(1) == "Drift (1)")
    text = page.detail.drift.view.toPlainText()
    assert "B  gateway-b  /etc/tunnelmark/1f2e/wg0.conf" in text
    assert "\n+MTU = 1280" in text
    assert "One file was changed by hand." in page.detail.sentence.text()


def test_a_pair_that_went_half_way_and_a_host_that_counts_down(driver: Driver) -> None:
    one = show_active(driver)
    status = replace(status_of(pair(), one), state=DeploymentState.HALF_CONFIRMED)
    status = with_end(status, Side.B, deployment_id="", is_up=False, is_confirmed=False)
    driver.services.statuses.append(with_end(status, Side.A, is_confirmed=False, left_s=75.0, is_up=False))
    page = page_of(driver)
    driver.click(page.detail.refresh)
    driver.until(lambda: cell(page, STATE) == "on one host only")
    assert page.detail.now.facts.text("State") == ("rolls back in 1 min 15 s unless confirmed", "none")
    assert cell(page, TUNNEL) == "down"


def test_a_tunnel_that_waits_for_a_confirmation_is_not_called_down(driver: Driver) -> None:
    status = replace(status_of(pair(), show_active(driver)), state=DeploymentState.APPLIED)
    for side in Side:
        status = with_end(status, side, is_confirmed=False, left_s=75.0, is_up=False)
    driver.services.statuses.append(status)
    page = page_of(driver)
    driver.click(page.detail.refresh)
    driver.until(lambda: cell(page, TUNNEL) == "not confirmed yet")
    assert page.detail.now.facts.text("Tunnel") == ("not pinged before confirmation",) * 2


def halved(driver: Driver) -> PairStatus:
    """One host alone keeps what was deployed; the hosts report it until it is repaired."""
    half = driver.services.store(show_active(driver), DeploymentState.HALF_CONFIRMED)
    return with_end(status_of(pair(), half), Side.B, deployment_id="", is_up=False)


def test_what_one_host_alone_keeps_is_repaired_when_the_user_says_so(driver: Driver) -> None:
    """A tunnel that was removed at a console must not come back because another user inspects."""
    driver.services.statuses.append(halved(driver))
    page = page_of(driver)
    assert cell(page, STATE) == STATES[DeploymentState.HALF_CONFIRMED]()
    assert not page.detail.repair.isVisible(), "no host has been asked yet"
    driver.click(page.detail.refresh)
    driver.until(page.detail.repair.isVisible)
    driver.idle()
    assert "has its tunnel on one host only. Repair deploys it on both hosts again." in page.notice.text
    assert "repair" not in driver.services.calls
    driver.services.statuses.clear()
    driver.click(page.notice.action("Repair"))
    driver.until(lambda: driver.services.deployed[0].state is DeploymentState.CONFIRMED)
    driver.idle()
    page = page_of(driver)
    assert cell(page, STATE) == "active"
    assert not page.detail.repair.isVisible()
    assert driver.services.calls.count("repair") == 1


def test_watching_repairs_nothing_by_itself(driver: Driver) -> None:
    show_active(driver)
    page = page_of(driver)
    page.watcher.every_ms = 10
    driver.click(page.detail.watch)
    driver.until(lambda: len(page.watcher.log("lab:practice").samples) >= 1)
    driver.services.statuses.append(halved(driver))
    driver.until(lambda: "on one host only" in page.notice.text)
    count = len(page.watcher.log("lab:practice").samples)
    driver.until(lambda: len(page.watcher.log("lab:practice").samples) >= count + 3)
    page.watcher.rest("lab:practice")
    driver.idle()
    assert "repair" not in driver.services.calls


def test_a_repair_that_failed_is_tried_again_when_asked_for(driver: Driver) -> None:
    driver.services.statuses.append(halved(driver))
    driver.services.faults["repair"] = HostUnreachable("gateway-b does not answer any more.")
    page = page_of(driver)
    driver.click(page.detail.refresh)
    driver.until(page.detail.repair.isVisible)
    driver.click(page.detail.repair)
    driver.until(lambda: "repair" in driver.services.calls)
    driver.idle()
    page = page_of(driver)
    driver.click(page.detail.refresh)
    driver.idle()
    assert driver.services.calls.count("repair") == 1
    driver.services.faults.pop("repair", None)
    driver.services.statuses.clear()
    driver.click(page.detail.repair)
    driver.until(lambda: driver.services.deployed[0].state is DeploymentState.CONFIRMED)
    driver.idle()
    page = page_of(driver)
    assert cell(page, STATE) == "active"
    assert not page.detail.repair.isVisible()


def test_nothing_is_repaired_while_a_host_is_worked_on_or_out_of_reach(driver: Driver) -> None:
    half = halved(driver)
    driver.services.statuses += [
        with_end(half, Side.B, is_worked_on=True),
        with_end(half, Side.B, is_reachable=False),
    ]
    page = page_of(driver)
    for _ in range(2):
        driver.click(page.detail.refresh)
        driver.idle()
    assert "repair" not in driver.services.calls


def test_what_waits_on_the_hosts_can_be_kept_after_a_restart_of_the_program(driver: Driver) -> None:
    one = show_active(driver)
    driver.services.store(one, DeploymentState.APPLIED)
    page = page_of(driver)
    assert cell(page, STATE) == STATES[DeploymentState.APPLIED]()
    driver.click(page.detail.confirm)
    driver.until(lambda: driver.services.deployed[0].state is DeploymentState.CONFIRMED)
    driver.idle()
    assert not page_of(driver).detail.confirm.isVisible()


def test_what_the_hosts_tell_brings_the_stored_deployments_up_to_date(driver: Driver) -> None:
    one = show_active(driver)
    page = page_of(driver)
    half = driver.services.store(one, DeploymentState.HALF_CONFIRMED)  # as an inspection of the hosts would find out
    driver.services.statuses.append(replace(status_of(pair(), half), state=DeploymentState.HALF_CONFIRMED))
    driver.click(page.detail.refresh)
    driver.until(page.detail.repair.isVisible)
    driver.idle()
    assert page.detail.earlier.table.item(0, 3).text() == STATES[DeploymentState.HALF_CONFIRMED]()
    assert cell(page, TUNNEL) == "up", "what was seen is kept"


def test_undo_asks_and_is_watched_on_the_other_page(driver: Driver) -> None:
    show_active(driver)
    page = page_of(driver)
    driver.click(page.detail.remove)
    question = driver.dialog()
    assert "restored" in " ".join(found.text() for found in question.findChildren(QLabel))
    driver.click(question.no)
    assert "undeploy" not in driver.services.calls
    driver.until(lambda: not driver.window.findChildren(type(question)))
    driver.click(page.detail.remove)
    driver.click(driver.dialog().yes)
    driver.until(lambda: driver.services.deployed[0].state is DeploymentState.REMOVED)
    driver.idle()
    deploy = driver.window.current
    assert isinstance(deploy, DeployPage)
    assert deploy.live.what.text() == "WireGuard, ChaCha20-Poly1305, lab:practice", "what is done is not being done"
    assert driver.window.footer.status.text() == "Removing: finished"
    driver.click(deploy.live.result.action("Deployed tunnels"))
    driver.idle()
    assert driver.window.current is page
    assert cell(page, WHAT) == "none"
    assert not page.detail.remove.isEnabled()
    log = MonitorLog(samples=deque([MonitorSample(datetime.now(UTC), (1.5, 1.6), 0.0)]))
    assert page.selected is not None
    page.detail.show_pair(page.selected, None, log, is_watched=False)
    colours = {label.colour for label in page.detail.now.plot._end_labels}
    assert colours == {series_style("wireguard").colour}, "what was seen of a tunnel keeps its colour"


def test_rotating_keys_counts_down_where_that_was_chosen(driver: Driver) -> None:
    show_active(driver, options=DeploymentOptions(confirm_within_s=120.0))
    driver.services.tick_s = 30.0
    page = page_of(driver)
    driver.click(page.detail.rotate)
    driver.click(driver.dialog().yes)
    deploy = driver.window.deploy
    driver.until(lambda: deploy.live.countdown.is_open)
    assert "to the previous tunnel (WireGuard, ChaCha20-Poly1305)" in deploy.live.countdown.text.text()
    driver.click(deploy.live.countdown.confirm)
    driver.until(lambda: not deploy.is_running)
    driver.idle()
    assert "rotate_keys" in driver.services.calls
    driver.click(driver.window.footer.back)
    driver.idle()
    assert driver.window.current is page
    assert page.detail.tabs.tabText(3) == "Deployments (2)"


def test_an_earlier_one_can_be_deployed_again_and_the_present_one_cannot(driver: Driver) -> None:
    first = show_active(driver, title="WireGuard, first")
    driver.services.tick_s = 30.0
    show_active(driver, title="WireGuard, second")
    page = page_of(driver)
    page.detail.tabs.setCurrentWidget(page.detail.earlier)
    earlier = page.detail.earlier
    assert not earlier.again.isEnabled()
    earlier.table.selectRow(1)
    assert "ip link add tml0" in earlier.code.view.toPlainText()
    driver.click(earlier.again)
    question = driver.dialog()
    assert "replaces WireGuard, second" in " ".join(found.text() for found in question.findChildren(QLabel))
    driver.click(question.yes)
    live = driver.window.deploy.live
    driver.until(lambda: live.countdown.is_open)
    driver.click(live.countdown.confirm)
    driver.until(lambda: not driver.window.deploy.is_running)
    driver.idle()
    assert driver.services.deployed[0].title == first.title
    assert driver.services.deployed[0].state is DeploymentState.CONFIRMED


def test_replacing_fills_in_what_is_deployed_with_its_ports(driver: Driver) -> None:
    show_active(driver, options=DeploymentOptions("eth2", "", "10.9.0.1/24", "10.9.0.2/24", confirm_within_s=60.0))
    page = page_of(driver)
    driver.click(page.detail.replace)
    deploy = driver.window.deploy
    driver.until(lambda: driver.window.current is deploy and deploy.preview.isEnabled())
    driver.idle()
    options = deploy.form.options
    assert (options.bridge_a, options.inner_b, options.confirm_within_s) == ("eth2", "10.9.0.2/24", 120.0)
    driver.click(deploy.preview)
    driver.until(deploy.deploy.isEnabled)
    assert any("Replaces WireGuard" in line for line in deploy.view.overview.sentences)
    driver.idle()
    driver.click(driver.window.footer.back)
    assert driver.window.current is page


def test_the_audit_log_can_be_read_filtered_and_exported_but_not_changed(driver: Driver, tmp_path: Path) -> None:
    show_active(driver)
    page = page_of(driver)
    audit = page.detail.audit
    page.detail.tabs.setCurrentWidget(audit)
    assert audit.table.rowCount() == 3
    assert audit.table.editTriggers() == audit.table.EditTrigger.NoEditTriggers
    assert [audit.table.item(0, column).text() for column in (1, 2, 4)] == ["meier on office-7", "A  192.0.2.10", "?"]
    assert audit.legend.isVisible()
    assert "not seen to end" in audit.legend.text(), "the sign is explained"
    audit.search.setText("systemctl")
    assert [audit.table.isRowHidden(nth) for nth in range(3)] == [True, False, True]
    page.write_audit(tmp_path / "audit.csv")
    driver.idle()
    assert driver.services.audits_written == [tmp_path / "audit.csv"]
    assert str(tmp_path / "audit.csv") in page.notice.text


def test_a_host_that_cannot_be_asked_is_reported(driver: Driver) -> None:
    show_active(driver)
    page = page_of(driver)
    driver.services.faults["status"] = HostUnreachable("gateway-a does not answer.", hint="Look at its cable.")
    driver.click(page.detail.refresh)
    driver.until(lambda: "does not answer" in page.notice.text)
    assert cell(page, TUNNEL) == "not checked"


def test_a_long_audit_log_is_shown_in_part_and_says_so(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    show_active(driver)
    few = FakeServices.audit_log
    monkeypatch.setattr(FakeServices, "audit_log", lambda services, name=None: few(services, name) * 1_000)
    audit = page_of(driver).detail.audit
    assert audit.table.rowCount() == MOST_SHOWN == 2_000
    assert audit.more.text() == "The newest 2\u202f000 of 3\u202f000; the export has all."


def test_what_a_host_says_is_no_html(driver: Driver) -> None:
    one = show_active(driver)
    status = status_of(pair(), one)
    driver.services.statuses.append(with_end(status, Side.A, note="<b>bold</b>\nnews"))
    page = page_of(driver)
    driver.click(page.detail.refresh)
    driver.until(lambda: cell(page, TUNNEL) == "up")
    facts = page.detail.now.facts
    assert facts.text("Note")[0] == "<b>bold</b>\nnews"
    assert facts.item(facts.rowCount() - 1, 1).toolTip() == "<span>&lt;b&gt;bold&lt;/b&gt;<br>news</span>"


def test_a_pair_is_not_inspected_while_something_is_deployed_on_it(driver: Driver) -> None:
    show_active(driver)
    page = page_of(driver)
    page.watcher.every_ms = 10
    driver.click(page.detail.watch)
    driver.until(lambda: len(page.watcher.log("lab:practice").samples) >= 1)
    driver.services.undo_gate.clear()
    driver.click(page.detail.remove)
    driver.click(driver.dialog().yes)
    deploy = driver.window.deploy
    driver.until(lambda: deploy.live.stage is DeploymentStage.ROLLBACK)
    driver.until(lambda: all(not one.is_quiet for one in driver.window.runner.running))
    seen = driver.services.calls.count("status")
    driver.window.show_area("deployments")
    driver.until(lambda: driver.window.current is page and page.operation is not None and not page.operation.is_running)
    driver.click(page.detail.refresh)
    assert "Wait until it has finished" in driver.window.footer.status.text()
    driver.qtbot.wait(100)
    assert driver.services.calls.count("status") == seen
    driver.services.undo_gate.set()
    driver.until(lambda: driver.services.calls.count("status") > seen)


def test_a_tunnel_that_is_down_has_the_strongest_sign_of_its_line(driver: Driver) -> None:
    one = show_active(driver)
    driver.services.statuses.append(with_end(status_of(pair(), one), Side.B, is_up=False))
    page = page_of(driver)
    driver.click(page.detail.refresh)
    driver.until(lambda: cell(page, TUNNEL) == "down")
    item = page.table.item(0, TUNNEL)
    colours = driver.window.context.theme.colours
    assert item.foreground().color().name() == colours.bad
    assert item.font().bold()
    assert not item.icon().isNull()
    assert has_lost(driver.services.statuses[-1])
