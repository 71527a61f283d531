"""Notifications of the desktop while another window is in front: ends of work, and questions to the user."""

from __future__ import annotations

import pytest
from deploy_driver import counting_down
from window_driver import Driver

from app.measurement.wizard import Step
from ui.studies.studies_page import StudiesPage


@pytest.fixture
def notes(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Texts of the notifications; the window is behind another one."""
    found: list[str] = []
    monkeypatch.setattr(driver.window._running.alerts.notifier, "notify", lambda _title, text: found.append(text))
    monkeypatch.setattr(driver.window, "isActiveWindow", lambda: False)
    return found


def _measure(driver: Driver) -> None:
    driver.go_to(Step.RUN)
    driver.until(lambda: not driver.window.is_measuring)
    driver.idle()


def test_the_end_of_a_comparison_is_shown_with_how_it_ended(driver: Driver, notes: list[str]) -> None:
    driver.services.failure = ("preflight", "No room.")
    _measure(driver)
    driver.until(lambda: bool(notes))
    assert notes == ["The comparison has ended. Finished: 3 of 3 VPNs failed"]


def test_the_end_of_a_study_is_shown(driver: Driver, notes: list[str]) -> None:
    driver.window.show_area("studies")
    page = driver.page(StudiesPage)
    driver.services.study_gate.clear()
    page.begin.click()
    driver.dialog().accept()
    driver.until(lambda: "studies" in driver.window._running.alerts._former)
    driver.services.study_gate.set()
    driver.until(lambda: bool(notes))
    assert notes == ["The measurement of a study has ended."]


def test_nothing_is_shown_while_the_window_is_in_front(
    driver: Driver, notes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver.window, "isActiveWindow", lambda: True)
    _measure(driver)
    assert notes == []


def test_a_countdown_is_shown_once_with_what_happens_without_an_answer(driver: Driver, notes: list[str]) -> None:
    page = counting_down(driver, tick_s=0.2)
    driver.until(lambda: bool(notes))
    left = page.live.countdown.left.text()
    driver.until(lambda: page.live.countdown.left.text() != left)
    driver.services.tick_s = 30.0  # it does not run out before the answer
    (text,) = notes
    assert text.startswith("Tunnel of lab:practice: ")
    assert "both hosts roll back to no tunnel" in text
    driver.click(page.live.countdown.confirm)
    driver.until(lambda: len(notes) == 2)
    assert notes[1] == "Deploying: finished"
    driver.idle()


def test_the_end_of_a_census_is_shown(driver: Driver, notes: list[str]) -> None:
    driver.window.show_area("census")
    driver.idle()
    page = driver.window.current
    driver.services.census_gate.clear()
    page.begin.click()  # type: ignore[union-attr]
    driver.dialog().accept()
    driver.until(lambda: any(job.area == "census" for job in driver.window._running.alerts._former.values()))
    driver.services.census_gate.set()
    driver.until(lambda: bool(notes))
    driver.idle()
    assert notes == ["The census has ended."]
