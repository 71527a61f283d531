"""Pairs with a host that may not be restored: whatever measured there, they are in one list until they are restored."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from window_driver import Driver

from app.domain.cancel import CancelToken
from app.domain.errors import CleanupFailed, HostUnreachable, TunnelmarkError
from app.domain.hosts import HostSpec, NodeHost, PairSpec, Side
from app.domain.pairs import PairChoice
from app.domain.results import CampaignStatus
from app.domain.topology import NodeKind
from app.measurement.wizard import Step
from app.ranking.hub_study import HUB_STUDY
from app.ranking.node_study import NODE_STUDY
from app.ranking.study_parts import SATCOM
from app.tunnel.recovery import Found, HostRecovery, RecoveryReport
from ui.census.census_dialog import CensusDialog
from ui.census.census_page import CensusPage
from ui.common.notices import Notice
from ui.studies.studies_page import StudiesPage

PAIR = "lab:practice"
LEFT = "node-b could not be rolled back completely. Run this on its console."
NODE = NodeHost(HostSpec("node-b", "192.0.2.9"), "eth1", "eth2")


def ended_by(kind: type[TunnelmarkError], *, has_changed: bool = True) -> TunnelmarkError:
    """Return an error that ended a study, which had changed hosts or not yet."""
    error = kind("node-b could not be rolled back completely.", hint="Run this on its console.")
    error.left = error.sentence() if has_changed else ""
    return error


def measure(driver: Driver, study: str, nodes: NodeKind = NodeKind.NAMESPACES) -> StudiesPage:
    """Start the first part of a study, and wait for its end."""
    driver.window.show_area("studies")
    page = driver.page(StudiesPage)
    page.studies.setCurrentText(study)
    page.nodes.choose(nodes)
    driver.idle()
    driver.click(page.begin)
    driver.dialog().accept()
    driver.until(lambda: "could not be rolled back" in page.notice.text)
    return page


def restore_by_line(driver: Driver) -> None:
    """Restore what the line on every page offers to restore."""
    driver.window.show_welcome()
    lines = driver.window._running.lines
    assert lines is not None
    line = lines.lines["leftover"]
    driver.until(line.show_button.isVisible)
    assert line.text.text() == f"A host of {PAIR} may not be fully restored."
    driver.click(line.show_button)
    driver.until(lambda: not driver.window.context.leftovers.found and not line.isVisible())


def restore_by(driver: Driver, notice: Notice) -> None:
    """Restore what a notice offers to restore, once it has shown its button."""
    driver.until(lambda: notice.action("Restore both hosts").isVisible())
    driver.click(notice.action("Restore both hosts"))


@pytest.mark.parametrize(("study", "method"), [(SATCOM, "run_study"), (HUB_STUDY, "run_lab_study")])
def test_a_study_that_leaves_a_host_changed_is_on_every_page_until_it_is_restored(
    driver: Driver, study: str, method: str
) -> None:
    driver.services.faults[method] = ended_by(CleanupFailed)
    page = measure(driver, study)
    driver.until(lambda: page.notice.action("Resume").isVisible())
    found = driver.window.context.leftovers.found[PAIR]
    assert (found.message, found.is_of_nodes) == (LEFT, False)
    restore_by_line(driver)


def test_a_study_that_ended_before_it_changed_a_host_leaves_nothing(driver: Driver) -> None:
    driver.services.faults["run_lab_study"] = ended_by(HostUnreachable, has_changed=False)
    measure(driver, HUB_STUDY)
    assert driver.window.context.leftovers.found == {}


def test_machines_that_a_study_changed_remain_although_the_gateways_are_restored(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = driver.services.pairs

    def pairs() -> tuple[PairChoice, ...]:
        return tuple(replace(one, pair=replace(one.pair, node_a=NODE, node_b=NODE)) for one in before())

    monkeypatch.setattr(driver.services, "pairs", pairs)
    driver.services.faults["run_lab_study"] = ended_by(CleanupFailed)
    measure(driver, NODE_STUDY, NodeKind.MACHINES)
    leftovers = driver.window.context.leftovers
    found = leftovers.found[PAIR]
    assert found.is_of_nodes
    assert found.pair.nodes[Side.B].host.label == "node-b", "restoring goes to the machines as well"
    leftovers.forget_gateways(PAIR)
    assert PAIR in leftovers.found
    clean = [HostRecovery(side, Found.NOTHING, is_clean=True, sentence="It was clean.") for side in Side]
    for nodes in ({"node_a": None, "node_b": None}, {"node_b": replace(NODE, interface="eth7")}):
        other = replace(found.pair, **nodes)
        leftovers.take_recovery(other, RecoveryReport(*clean, nodes=tuple(clean) if other.nodes else ()))
        assert leftovers.found[PAIR] == found, "other nodes were restored, or none"
        leftovers.take_left(other, LEFT)
        assert leftovers.found[PAIR].pair == found.pair
    restore_by_line(driver)


def test_a_census_that_leaves_a_host_changed_is_in_the_list_until_it_is_resumed(driver: Driver) -> None:
    driver.window.show_area("census")
    page = driver.page(CensusPage)
    driver.idle()
    driver.services.census_stops_at, driver.services.census_left = "none", LEFT

    def start() -> None:
        driver.click(page.begin)
        dialog = driver.dialog()
        assert isinstance(dialog, CensusDialog)
        dialog.accept()

    start()
    driver.until(lambda: "stays away" in page.notice.text)
    leftovers = driver.window.context.leftovers
    assert leftovers.found[PAIR].message == LEFT
    driver.services.census_left = ""
    driver.idle()
    start()
    driver.until(lambda: not leftovers.found)  # it begins with a rollback on both hosts


def test_a_comparison_of_which_no_attempt_says_so_is_in_the_list(driver: Driver) -> None:
    driver.services.left = LEFT
    driver.go_to(Step.RUN)
    driver.until(lambda: LEFT in driver.window.run_page.notice.text)
    found = driver.window.context.leftovers.found[PAIR]
    assert found.campaign_id == 1
    restore_by_line(driver)


def test_an_interrupted_comparison_can_be_resumed_and_its_hosts_are_in_the_list_until_they_are_restored(
    open_window: Callable[..., Driver],
) -> None:
    driver = open_window(is_lost_after=2)
    driver.go_to(Step.RUN)
    notice, leftovers = driver.window.run_page.notice, driver.window.context.leftovers
    driver.until(lambda: "gateway-b stays away." in notice.text)
    assert "A host may not be fully restored; Resume begins with restoring both." in notice.text
    driver.until(lambda: notice.action("Resume").isVisible())
    assert PAIR in leftovers.found
    driver.services.unreachable_b = 1
    restore_by(driver, notice)
    driver.until(lambda: "gateway-b cannot be reached." in notice.text)
    assert "gateway-b cannot be reached." in leftovers.found[PAIR].message
    restore_by(driver, notice)
    driver.until(lambda: not leftovers.found)
    assert "gateway-b was clean." in notice.text


def test_a_recovery_that_did_not_restore_all_adds_the_pair(driver: Driver) -> None:
    driver.go_to(Step.RUN)
    driver.until(lambda: not driver.window.is_measuring)
    driver.idle()
    leftovers = driver.window.context.leftovers
    assert leftovers.found == {}
    driver.services.unreachable_node = 1
    whole = driver.services.records[1]
    driver.services.records[1] = replace(whole, status=CampaignStatus.INTERRUPTED, attempts=whole.attempts[:2])
    driver.services.interrupted = 1
    driver.window.resume_pair(PAIR, 1)
    driver.until(lambda: driver.services.records[1].status is CampaignStatus.COMPLETED)
    driver.until(lambda: not driver.window.is_measuring)
    driver.idle()
    found = leftovers.found[PAIR]
    assert "node-b is off." in found.message
    assert found.is_of_nodes
    restore_by_line(driver)


def test_hosts_on_which_another_instance_works_add_no_pair(driver: Driver) -> None:
    driver.go_to(Step.RUN)
    driver.until(lambda: not driver.window.is_measuring)
    driver.idle()
    pair = driver.services.records[1].plan.pair
    clean = HostRecovery(Side.A, Found.NOTHING, is_clean=True, sentence="gateway-a was clean.")
    busy = HostRecovery(Side.B, Found.IN_USE, is_clean=False, sentence="Another Tunnelmark works on gateway-b.")
    leftovers = driver.window.context.leftovers
    leftovers.take_recovery(pair, RecoveryReport(clean, busy))
    assert leftovers.found == {}
    leftovers.take_recovery(pair, RecoveryReport(clean, replace(busy, found=Found.ABANDONED)))
    assert list(leftovers.found) == [PAIR]


def test_hosts_of_a_practice_lab_that_has_ended_leave_the_list(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    driver.services.left = LEFT
    driver.go_to(Step.RUN)
    notice = driver.window.run_page.notice
    driver.until(lambda: LEFT in notice.text)
    monkeypatch.setattr(driver.services, "pairs", tuple)
    driver.services.unreachable_b = 1
    restore_by(driver, notice)
    driver.until(lambda: not driver.window.context.leftovers.found)
    assert notice.text == "The practice lab has ended: nothing is left to restore."


def by_list(driver: Driver, pair: PairSpec) -> None:
    driver.window.context.leftovers.take_left(pair, LEFT)
    driver.window.context.leftovers.roll_back(pair.name)


def by_page(driver: Driver, pair: PairSpec) -> None:
    driver.window.run_page._recover(pair)


@pytest.mark.parametrize("roll_back", [by_list, by_page])
def test_closing_waits_until_hosts_are_restored(
    driver: Driver, monkeypatch: pytest.MonkeyPatch, roll_back: Callable[[Driver, PairSpec], None]
) -> None:
    driver.inspect_hosts()
    services, leftovers, window = driver.services, driver.window.context.leftovers, driver.window
    pair = window.wizard.state.pair
    assert pair is not None
    tokens: list[CancelToken] = []
    recover, may_go_on = services.recover, threading.Event()

    def held(pair: PairSpec, *, token: CancelToken) -> RecoveryReport:
        tokens.append(token)
        assert may_go_on.wait(60)
        token.raise_if_cancelled()
        return recover(pair, token=token)

    monkeypatch.setattr(services, "recover", held)
    roll_back(driver, pair)
    driver.until(lambda: bool(tokens))
    window.close()
    assert window.isVisible()
    assert "waiting until both hosts are restored" in window.footer.status.text()
    may_go_on.set()
    driver.until(lambda: not window.isVisible())
    assert services.calls.count("recover") == 1
    assert not leftovers.found
