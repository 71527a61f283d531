"""The run page while the link between the two hosts is dead."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fake_services import DEAD_LINK
from PySide6.QtCore import Qt
from window_driver import Driver

from app.domain.events import UnderlayChanged
from app.domain.messages import sentences
from app.domain.results import CampaignStatus
from app.measurement.wizard import Step
from app.probes.messages import LAB_RESTARTS_LINK, LINK_DEAD, LINK_IS_BACK, LINK_NAME
from app.wording import language
from app.wording.messages import local_text
from support.message_checks import shows
from ui.common.candidate_rows import RowState


@pytest.fixture
def paused(open_window: Callable[..., Driver]) -> Driver:
    """A window whose comparison has paused because its link died during the third attempt."""
    driver = open_window(link_dies_at=2)
    driver.go_to(Step.RUN)
    driver.until(lambda: driver.window.bridge.live.status().is_paused)
    driver.until(lambda: "Paused" in driver.window.run_page.head.text.text())
    return driver


def rows(driver: Driver) -> list[RowState]:
    return [row.state for row in driver.window.bridge.live.rows()]


def test_while_the_link_is_waited_for_that_is_what_the_page_says(open_window: Callable[..., Driver]) -> None:
    driver = open_window(link_dies_at=2)
    driver.services.link_gate.clear()
    driver.go_to(Step.RUN)
    page = driver.window.run_page
    driver.until(lambda: page.head.text.text() == "Waiting for the link between the hosts")
    driver.until(lambda: page.notice.text.startswith(f"{DEAD_LINK} Waiting for it"))
    driver.until(lambda: rows(driver)[2] is RowState.WAITING)
    driver.until(lambda: DEAD_LINK in page.log.toPlainText())
    driver.services.link_gate.set()
    driver.until(lambda: driver.window.bridge.live.status().is_paused)
    driver.window.run_page.cancel_now()
    driver.until(lambda: not driver.window.is_measuring)


def test_what_became_of_the_link_is_in_the_language_of_its_reader(
    open_window: Callable[..., Driver], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language, "_CHOSEN", ["de"])
    driver = open_window()
    driver.go_to(Step.RUN)
    page, reported = driver.window.run_page, list[str]()
    page.status_reported.connect(reported.append)
    name = LINK_NAME(a="gateway-a", b="gateway-b")
    dead, back = LINK_DEAD(link=name, sent=3), LINK_IS_BACK(link=name)
    assert local_text(dead) != dead
    page._on_event(UnderlayChanged(is_up=False, text=sentences((dead, LAB_RESTARTS_LINK()))))
    assert page.notice.text.startswith(local_text(dead))
    assert LAB_RESTARTS_LINK() not in page.notice.text
    page._on_event(UnderlayChanged(is_up=True, text=back))
    assert reported[-1] == local_text(back) != back
    driver.until(lambda: not driver.window.is_measuring)


def test_the_pause_says_why_and_what_was_tried_is_not_called_failed(paused: Driver) -> None:
    page = paused.window.run_page
    paused.until(lambda: page.notice.text.startswith(f"{DEAD_LINK} Check the underlay of both hosts"))
    assert page.head.pause.text().replace("&", "") == "Resume"
    assert rows(paused)[2:] == [RowState.WAITING, RowState.WAITING]
    assert page.table.item(2, 5).text().startswith("waiting")
    assert paused.window.bridge.live.rows()[2].latency_ms is None
    page.cancel_now()
    paused.until(lambda: not paused.window.is_measuring)


@pytest.mark.parametrize("place", ["head", "notice"])
def test_going_on_measures_the_rest(paused: Driver, place: str) -> None:
    page = paused.window.run_page
    paused.click(page.head.pause if place == "head" else page.notice.action("Resume"))
    paused.until(lambda: not paused.window.is_measuring)
    record = paused.services.records[1]
    assert record.status is CampaignStatus.COMPLETED
    assert len(record.attempts) == len(record.plan.attempts)
    assert rows(paused) == [RowState.DONE] * 4
    assert page.notice.text == ""
    assert shows(page.log.toPlainText(), LINK_IS_BACK.text)


def test_closing_the_window_of_a_paused_comparison_says_that_nothing_is_running(paused: Driver) -> None:
    paused.window.close()
    question = paused.dialog()
    assert "paused: no candidate is running" in question._text.text()
    assert question.no.text() == "Keep it paused"
    paused.click(question.yes)
    paused.until(lambda: not paused.window.isVisible())


def test_cancelling_the_pause_keeps_what_was_measured(paused: Driver) -> None:
    window, head = paused.window, paused.window.run_page.head
    paused.services.cleanup.clear()
    share = head.bar.value()
    assert 0 < share < head.bar.maximum()
    paused.press(window, Qt.Key.Key_Escape)
    question = paused.dialog()
    assert "paused: no candidate is running" in question._text.text()
    assert question.no.text() == "Keep it paused"
    paused.click(question.yes)
    assert head.text.text() == "Stopping: checking both hosts"
    assert (head.bar.value(), head.bar.maximum()) == (share, 1000)
    paused.services.cleanup.set()
    paused.until(lambda: not window.is_measuring)
    assert head.bar.value() == share
    record = paused.services.records[1]
    assert record.status is CampaignStatus.CANCELLED
    assert len(record.attempts) == 2
