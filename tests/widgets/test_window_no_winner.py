"""One round names no winner, and offers the profile that can tell one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QLabel
from window_driver import Driver

from app.domain.profiles import ADAPTIVE_PROFILE, ProfileName
from app.measurement.wizard import Step
from ui.comparison.plan_page import PlanPage
from ui.results.results_page import ResultsPage


def test_one_round_names_no_winner_and_leads_to_an_adaptive_plan(driver: Driver) -> None:
    driver.compare()
    card = driver.page(ResultsPage).sentence
    assert card.sentence.text().startswith("No clear winner: one round does not decide between WireGuard")
    assert "Take" not in card.sentence.text()
    assert card.mind.text().startswith("Figures of the practice lab"), "what matters first"
    assert card.mind.wordWrap(), "and nothing of it is cut"
    assert len(driver.window.results.data.ranking.recommendation.cautions) > 1
    headings = [one.text() for one in driver.window.results.tabs.findChildren(QLabel)]
    assert any(text.startswith("Verdict and figures of WireGuard") for text in headings), "no praise of what is tied"
    assert "Warnings" in headings, "the same word as in reports"
    assert "What speaks for it" not in headings
    assert card.why.isVisible()
    assert "&" in card.why.text(), "the others are a key away"
    assert card.decide.text() == "Measure again with &Adaptive"
    driver.click(card.decide)
    plan = driver.page(PlanPage)
    driver.until(plan.can_go_next)
    assert driver.window.wizard.state.options.profile == ADAPTIVE_PROFILE
    assert plan.form.options(driver.window.wizard.state.options).profile == ADAPTIVE_PROFILE
    assert plan.form.current().text().startswith("&Adaptive")
    plan.go_next()
    driver.until(lambda: not driver.window.is_measuring and driver.window.wizard.state.campaign_id is not None)
    driver.idle()
    driver.next()
    card = driver.page(ResultsPage).sentence
    assert not card.decide.isVisible(), "eight rounds have decided"


def test_of_a_lab_that_has_ended_another_one_is_measured_with_adaptive(open_window: Callable[..., Driver]) -> None:
    driver = open_window()
    driver.compare()
    results = driver.page(ResultsPage)
    results.is_lab_gone = True
    driver.click(results.sentence.decide)
    driver.until(lambda: "start_lab_like" in driver.services.calls)
    driver.idle()
    plan = driver.window.step_page(Step.PLAN)
    assert isinstance(plan, PlanPage)
    assert plan.form.options(driver.window.wizard.state.options).profile.name is ProfileName.ADAPTIVE
