"""Measuring again: candidates, profile and limits of the earlier comparison are restored."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from sample_records import BASELINE, BLOWFISH, MODELS, OPENVPN_TCP, WIREGUARD, pair, plan_keys, sample_record
from window_driver import Driver

from app.domain.errors import HostUnreachable
from app.domain.profiles import PROFILES, ProfileName
from app.domain.results import CampaignPlan
from app.measurement.wizard import Step
from ui.shell.measure_again import _is_looser

CHOSEN = (BASELINE, WIREGUARD, OPENVPN_TCP, BLOWFISH)
KEYS = {(one.solution, one.suite) for one in CHOSEN}


def store(driver: Driver, *, is_lab: bool = True) -> None:
    """Store comparison 1: the standard profile of four candidates, one of them weak, below a load cap."""
    profile, keys = PROFILES[ProfileName.STANDARD], plan_keys(CHOSEN, 3)
    capped = replace(pair(is_lab=is_lab), load_cap_mbit_s=7.5)
    plan = CampaignPlan(capped, profile, CHOSEN, keys, (1.0,) * len(keys), deadline_ms=4.0, min_rate_mbit_s=20.0)
    plan = replace(plan, allow_load=True)
    models = tuple(one for one in MODELS if one.candidate in CHOSEN)
    record = sample_record(rounds=1, pings=10, models=models)
    driver.services.records[1] = replace(record, campaign_id=1, plan=plan)


def ask_again(driver: Driver) -> None:
    window = driver.window
    window.show_past(1)
    driver.until(lambda: window.past.data is not None)
    driver.idle()
    driver.click(window.past.again)
    driver.idle()


def check_plan(driver: Driver) -> None:
    window, state = driver.window, driver.window.wizard.state
    assert window.wizard.current is Step.PLAN
    page = window.step_page(Step.PLAN)
    assert page.form.options(state.options).profile == PROFILES[ProfileName.STANDARD]
    assert page.form.options(state.options).deadline_ms == 4.0
    assert page.form.options(state.options).min_rate_mbit_s == 20.0
    plan = page._plan
    assert {(one.solution, one.suite) for one in plan.candidates} == KEYS
    assert state.options.load_cap_mbit_s == 7.5
    assert "those of the earlier comparison" in page.notice.text


@pytest.mark.parametrize("is_gone", [False, True])
def test_lab_leads_straight_to_the_same_plan(driver: Driver, is_gone: bool) -> None:
    store(driver)
    driver.services.labs_gone = {1} if is_gone else set()
    ask_again(driver)
    driver.until(lambda: driver.window.wizard.current is Step.PLAN)
    driver.idle()
    assert ("start_lab_like" in driver.services.calls) is is_gone
    assert driver.window.wizard.state.pair.a.port == (2222 if is_gone else 22)
    check_plan(driver)


def test_own_hosts_need_a_new_consent_and_keep_the_rest(driver: Driver) -> None:
    window = driver.window
    store(driver, is_lab=False)
    ask_again(driver)
    driver.until(lambda: window.wizard.current is Step.LINK)
    link = window.step_page(Step.LINK)
    assert not link.consent.isChecked()
    assert (link.has_cap.isChecked(), link.cap.value()) == (True, 7.5)
    assert "those of the earlier comparison" in link.notice.text
    link.consent.setChecked(True)
    driver.next()
    choice = window.step_page(Step.CHOOSE)
    assert set(choice.ticked()) == KEYS
    assert choice.weak.isChecked()
    driver.next()
    driver.idle()
    page = window.step_page(Step.PLAN)
    assert page._plan.profile == PROFILES[ProfileName.STANDARD]
    assert {(one.solution, one.suite) for one in page._plan.candidates} == KEYS


@pytest.mark.parametrize(
    ("cap", "former", "is_new"), [(7.5, 5.0, True), (None, 5.0, True), (5.0, 7.5, False), (5.0, None, False)]
)
def test_consent_is_not_carried_over_to_more_load(cap: float | None, former: float | None, is_new: bool) -> None:
    assert _is_looser(cap, former) is is_new


def test_other_choice_and_profile_for_the_same_hosts_give_way(driver: Driver) -> None:
    window = driver.window
    driver.go_to(Step.CHOOSE)
    choice = window.step_page(Step.CHOOSE)
    choice.tick(("wireguard", "chacha20-poly1305"), is_on=False)
    driver.go_to(Step.PLAN)
    driver.idle()
    window.step_page(Step.PLAN).form.choose(ProfileName.PAPER)
    driver.idle()
    store(driver)
    driver.services.calls.clear()
    ask_again(driver)
    assert "discover" not in driver.services.calls
    check_plan(driver)
    window.show_previous()
    assert set(choice.ticked()) == KEYS
    window.go(Step.LINK)
    assert window.step_page(Step.LINK).cap.value() == 7.5


def test_what_is_not_possible_now_is_named(driver: Driver) -> None:
    store(driver)
    record = driver.services.records[1]
    gone = replace(WIREGUARD, suite="aes", title="WireGuard, a suite of the past <b>")
    driver.services.records[1] = replace(record, plan=replace(record.plan, candidates=(*CHOSEN, gone)))
    ask_again(driver)
    driver.until(lambda: driver.window.wizard.current is Step.PLAN)
    driver.idle()
    assert "Not possible on these hosts now: WireGuard, a suite of the past <b>." in (
        driver.window.step_page(Step.PLAN).notice.text
    )


def test_fault_is_reported_and_trying_again_restores_all_the_same(driver: Driver) -> None:
    store(driver)
    fault = HostUnreachable("gateway-a cannot be reached: Connection refused.", hint="Is it on?")
    driver.services.faults["discover"] = fault
    ask_again(driver)
    window = driver.window
    assert window.wizard.current is Step.HOSTS
    assert "Connection refused" in window.hosts.notice.text
    driver.click(window.hosts.notice.action("Try again"))
    driver.until(lambda: window.wizard.current is Step.PLAN)
    driver.idle()
    check_plan(driver)


def test_new_comparison_after_a_fault_begins_with_the_defaults(driver: Driver) -> None:
    store(driver)
    driver.services.faults["discover"] = HostUnreachable("gateway-a cannot be reached.", hint="Is it on?")
    ask_again(driver)
    driver.inspect_hosts()
    window = driver.window
    assert window.wizard.current is Step.HOSTS
    assert set(window.wizard.state.chosen) == set(window.wizard.state.discovery.defaults)


def test_unsaved_ticks_survive_moving_between_steps(driver: Driver) -> None:
    driver.go_to(Step.CHOOSE)
    window = driver.window
    choice = window.step_page(Step.CHOOSE)
    choice.tick(("openvpn-tcp", "aes-256-gcm"), is_on=False)
    window.go(Step.LINK)
    window.go(Step.CHOOSE)
    assert ("openvpn-tcp", "aes-256-gcm") not in choice.ticked()
    choice.search.field.setText("wire")
    driver.next()
    window.show_previous()
    assert choice.search.field.text() == "wire"
    assert choice.tree.topLevelItem(0).flags() & Qt.ItemFlag.ItemIsEnabled
