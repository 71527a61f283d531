"""Removing on one host alone, because the other one cannot be reached; the other one follows at the next contact."""

from __future__ import annotations

import pytest
from deployments_driver import cell, page_of, show_active
from PySide6.QtWidgets import QLabel
from window_driver import Driver

from app.deployment.events import DeploymentStage
from app.deployment.messages import NOT_REMOVED
from app.domain.deployment import DeploymentState
from app.domain.errors import CommandFailed
from app.domain.hosts import Side
from app.domain.messages.words import STATES
from ui.common.dialogs import Question
from ui.deployments.deployments_page import DeploymentsPage
from ui.deployments.deployments_table import STATE, TUNNEL, WHAT

LABELS = {Side.A: "gateway-a", Side.B: "gateway-b"}
COLUMNS = {Side.A: 1, Side.B: 2}


def inspected(driver: Driver) -> DeploymentsPage:
    page = page_of(driver)
    driver.click(page.detail.refresh)
    driver.until(lambda: "lab:practice" in page.statuses)
    driver.idle()
    return page


def words(question: Question) -> str:
    return " ".join(found.text() for found in question.findChildren(QLabel))


def undo_alone(driver: Driver) -> DeploymentsPage:
    page = inspected(driver)
    driver.click(page.detail.remove)
    driver.click(driver.dialog().yes)
    driver.until(lambda: driver.services.deployed[0].state is DeploymentState.HALF_CONFIRMED)
    driver.idle()
    return page


@pytest.mark.parametrize("side", list(Side))
def test_undo_asks_whether_on_the_only_host_that_answered_and_names_both(driver: Driver, side: Side) -> None:
    show_active(driver)
    driver.services.silent.add(side.other)
    here, there = LABELS[side], LABELS[side.other]
    page = inspected(driver)
    assert f"“Remove…” can remove it from {here} alone." in page.detail.sentence.text()
    assert there in driver.window.footer.status.text()
    assert f"host is unreachable: {there}" in page.detail.drift.view.toPlainText()
    driver.click(page.detail.remove)
    question = driver.dialog()
    assert question.windowTitle() == f"Remove WireGuard, ChaCha20-Poly1305 from {here} alone?"
    assert question.yes.text() == f"Remove from {here} alone"
    text = words(question)
    assert f"{there} was unreachable at 2026-03-06" in text
    assert f"{here} is restored to its previous state" in text
    assert f"{there} keeps its side for now" in text
    assert f"At the next contact with both hosts (“Refresh now” or “Monitor”) it is removed from {there}, too" in text
    assert f"If {there} may be reachable again" in text
    assert "%" not in text
    driver.click(question.no)
    assert not {"undeploy", "undeploy_one"} & set(driver.services.calls)


@pytest.mark.parametrize("side", list(Side))
def test_it_is_watched_and_only_that_host_is_reported_to_be_worked_on(driver: Driver, side: Side) -> None:
    show_active(driver)
    driver.services.silent.add(side.other)
    page = inspected(driver)
    driver.services.undo_gate.clear()
    driver.click(page.detail.remove)
    driver.click(driver.dialog().yes)
    live = driver.window.deploy.live
    driver.until(lambda: live.stage is DeploymentStage.ROLLBACK)
    assert driver.window.current is driver.window.deploy
    assert live.what.text() == f"Removing on {LABELS[side]} alone: WireGuard, ChaCha20-Poly1305, lab:practice"
    assert live.stages.rowCount() == 1
    assert live.stages.item(0, COLUMNS[side]).text() == "working"
    assert live.stages.item(0, COLUMNS[side.other]).text() == "not needed"
    assert live.stages.item(0, 4).text() == f"{LABELS[side]} is rolling back"
    assert not live.stop.isVisible(), "nobody can stop it half way"
    driver.services.undo_gate.set()
    driver.idle()
    assert driver.services.undone_on == {side}
    assert "undeploy" not in driver.services.calls


def test_its_end_is_neither_called_undone_nor_an_error(driver: Driver) -> None:
    show_active(driver)
    driver.services.silent.add(Side.B)
    page = undo_alone(driver)
    live = driver.window.deploy.live
    text = live.result.text
    assert text.startswith("WireGuard, ChaCha20-Poly1305 was removed from gateway-a alone.")
    assert "gateway-b was unreachable and may still have its side of the tunnel." in text
    assert "removed there at the next contact with both hosts" in text
    assert "Repair" not in text
    assert live.result.property("variant") == "caution"
    assert live.stages.state_of(DeploymentStage.ROLLBACK) == "done"
    assert [live.stages.item(0, column).text() for column in (1, 2)] == ["done", "not needed"]
    assert live.notes.count() == 0, "the result says it already"
    driver.click(live.result.action("Show deployed tunnels"))
    driver.idle()
    assert driver.window.current is page
    assert cell(page, STATE) == STATES[DeploymentState.HALF_CONFIRMED]()
    assert cell(page, TUNNEL) == "not checked", "what was seen before it is no longer true"
    assert "The rest is removed at the next contact with both hosts" in page.detail.sentence.text()


def test_where_it_does_not_work_it_is_an_error_and_the_stage_is_not_done(driver: Driver) -> None:
    show_active(driver)
    driver.services.silent.add(Side.B)
    page = inspected(driver)
    driver.services.undo_error = CommandFailed(failed := NOT_REMOVED(host="gateway-a", why="Its disk is full."))
    driver.click(page.detail.remove)
    driver.click(driver.dialog().yes)
    live = driver.window.deploy.live
    driver.until(lambda: failed in live.result.text)
    assert live.result.property("variant") == "error"
    assert live.stages.state_of(DeploymentStage.ROLLBACK) == "failed"
    assert driver.services.deployed[0].state is DeploymentState.CONFIRMED


def test_the_other_host_follows_at_the_next_contact(driver: Driver) -> None:
    show_active(driver)
    driver.services.silent.add(Side.B)
    undo_alone(driver)
    page = inspected(driver)
    assert "repair" not in driver.services.calls, "one host cannot be asked yet"
    driver.services.silent.clear()
    driver.click(page.detail.refresh)
    driver.until(lambda: driver.services.deployed[0].state is DeploymentState.REMOVED)
    driver.until(lambda: cell(page, WHAT) == "none")
    driver.idle()
    assert driver.services.calls.count("repair") == 1


def test_what_is_undone_on_one_host_is_not_undone_there_again(driver: Driver) -> None:
    show_active(driver)
    driver.services.silent.add(Side.B)
    undo_alone(driver)
    page = inspected(driver)
    driver.click(page.detail.remove)
    assert not driver.window.findChildren(Question)
    assert "Nothing to remove on gateway-a, and gateway-b is unreachable." in page.notice.text
    assert "it is removed from gateway-b, too" in page.notice.text
    assert driver.services.calls.count("undeploy_one") == 1


@pytest.mark.parametrize("silent", [set(), set(Side)])
def test_where_both_or_neither_answered_undo_is_of_both(driver: Driver, silent: set[Side]) -> None:
    show_active(driver)
    driver.services.silent |= silent
    page = inspected(driver)
    assert "alone" not in page.detail.sentence.text()
    driver.click(page.detail.remove)
    question = driver.dialog()
    assert question.windowTitle() == "Remove WireGuard, ChaCha20-Poly1305 from lab:practice?"
    assert "Both hosts are restored" in words(question)
    driver.click(question.yes)
    driver.until(lambda: "undeploy" in driver.services.calls)
    driver.idle()
    assert "undeploy_one" not in driver.services.calls


def test_only_the_last_inspection_counts(driver: Driver) -> None:
    show_active(driver)
    driver.services.silent.add(Side.B)
    page = inspected(driver)
    driver.services.silent.clear()
    driver.click(page.detail.refresh)
    driver.until(lambda: cell(page, TUNNEL) == "up")
    driver.idle()
    driver.click(page.detail.remove)
    assert "Both hosts are restored" in words(driver.dialog())
