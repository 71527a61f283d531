"""Weights of the user's own: the ranking is ordered at once, and the recommendation does not change."""

from __future__ import annotations

import pytest
from window_driver import Driver

from app.ranking.weighting import PRESETS, Measure, Scoring, weigh
from ui.results.ranking_order import NAME, RANK, YOURS
from ui.results.results_page import ResultsPage


@pytest.fixture
def results(driver: Driver) -> ResultsPage:
    driver.compare()
    return driver.page(ResultsPage)


def _titles(results: ResultsPage) -> list[str]:
    return [results.table.item(row, NAME).text() for row in range(results.table.rowCount())]


def test_a_preset_orders_at_once_and_is_marked_as_the_users_own(results: ResultsPage) -> None:
    assert results.data is not None
    before, sentence = _titles(results), results.sentence.sentence.text()
    ranks = {title: results.table.item(row, RANK).text() for row, title in enumerate(before)}
    assert results.table.isColumnHidden(YOURS)
    assert not results.weighting.isVisible()
    for name, weights in PRESETS.items():
        results.weighting.choose(name)
        if not weights:
            continue
        expected = weigh(results.data.record, results.data.ranking, weights)
        assert _titles(results)[: len(expected.scored)] == [one.result.title for one in expected.scored], name
        assert results.weighting.title.text().startswith("Your weighting, not Tunnelmark's recommendation: ")
        assert results.sentence.sentence.text() == sentence
        assert results.table.item(0, YOURS).text().startswith("1  (1.")
        assert {title: results.table.item(row, RANK).text() for row, title in enumerate(_titles(results))} == ranks
    results.weighting.choose("balanced")
    assert _titles(results) == before
    assert results.table.isColumnHidden(YOURS)
    assert not results.weighting.isVisible()


def test_a_slider_makes_it_an_own_weighting(results: ResultsPage) -> None:
    results.weighting.choose("latency-first")
    results.weighting.sliders[Measure.LATENCY].setValue(0)
    results.weighting.sliders[Measure.SECURITY].setValue(0)
    assert results.weighting.presets.currentText() == "Your own weights"
    assert results.weighting.weights == {Measure.THROUGHPUT: 1}
    assert results.weighting.title.text().endswith(": throughput 1")
    results.weighting.sliders[Measure.THROUGHPUT].setValue(0)
    assert results.weighting.sentence.text() == "Nothing has weight: the ranking keeps its own order."
    assert results.table.isColumnHidden(YOURS)


def test_the_reason_for_no_place_is_at_hand(results: ResultsPage) -> None:
    results.weighting.choose("low-cpu")
    row = _titles(results).index("Bare underlay")
    assert results.table.item(row, YOURS).text() == "–"
    assert results.table.item(row, YOURS).toolTip() == "has no cryptography and is a reference only"


def test_ranks_are_the_heuristic_of_the_study_and_marked_as_that(results: ResultsPage) -> None:
    assert results.data is not None
    sentence = results.sentence.sentence.text()
    results.weighting.choose("latency-first")
    bar = results.weighting
    bar.sliders[Measure.JITTER].setValue(3)
    bar.sliders[Measure.OVERHEAD].setValue(2)
    bar.methods.setCurrentIndex(bar.methods.findData(Scoring.RANKS))
    expected = weigh(results.data.record, results.data.ranking, bar.weights, Scoring.RANKS)
    assert {Measure.JITTER, Measure.OVERHEAD} <= set(expected.weights)
    assert expected.scored
    assert _titles(results)[: len(expected.scored)] == [one.result.title for one in expected.scored]
    assert bar.title.text().startswith("Mean ranks, the heuristic of a study of 2004, not Tunnelmark's recommendation")
    assert results.table.item(0, YOURS).text() == f"1  ({expected.scored[0].score:.2f})"
    assert results.sentence.sentence.text() == sentence, "the advice goes by neither"
    bar.methods.setCurrentIndex(bar.methods.findData(Scoring.RATIOS))
    assert bar.title.text().startswith("Your weighting, not Tunnelmark's recommendation")
