"""Weights of the user's own: the ranking is ordered at once, and the recommendation does not change."""

from __future__ import annotations

import pytest
from layout_checks import layout_faults
from sample_records import BASELINE, MODELS, WIREGUARD, Model, sample_record
from window_driver import Driver

from app.domain.declared import comparison_reason
from app.domain.results import Candidate
from app.domain.verdicts import Verdict
from app.ranking.weighting import PRESETS, Measure, Scoring, weigh
from ui.results.ranking_order import NAME, RANK, STATE, YOURS
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


PPTP = Candidate("pptp", "mppe-128", "PPTP, MPPE-128", Verdict.INSECURE)
LIBRESWAN = Candidate("libreswan", "aes-256-gcm", "IPsec with Libreswan, AES-256-GCM", Verdict.ACCEPTABLE)
BROKEN = Candidate("openvpn-udp", "bf-cbc", "OpenVPN over UDP, BF-CBC", Verdict.INSECURE)


def place(results: ResultsPage, title: str) -> tuple[str, str, str, bool]:
    """Return a candidate's place by the user's weights, its tool tip, its state, and whether it has a sign."""
    row = _titles(results).index(title)
    item = results.table.item(row, YOURS)
    return item.text(), item.toolTip(), results.table.item(row, STATE).text(), not item.icon().isNull()


def test_ranks_place_what_is_never_deployed_with_a_mark_in_its_row(driver: Driver, results: ResultsPage) -> None:
    own = {PPTP: 0.7, LIBRESWAN: 1.2, BROKEN: 1.4}
    models = (*MODELS[:4], *(Model(one, base_ms, 0.1, 35.0, 60.0, 90) for one, base_ms in own.items()))
    driver.services.records[9] = sample_record(models=models, noise=0.0)
    results.show_campaign(9)
    driver.until(lambda: PPTP.title in _titles(results))
    bar, advice = results.weighting, results.sentence.sentence.text()
    bar.choose("latency-first")
    bar.sliders[Measure.SECURITY].setValue(0)
    assert [place(results, one.title)[0] for one in own] == ["–"] * 3, "ratios help to choose what to deploy"
    assert "cannot be deployed" not in bar.sentence.text()
    bar.methods.setCurrentIndex(bar.methods.findData(Scoring.RANKS))
    assert _titles(results)[0] == PPTP.title
    text, tip, state, has_sign = place(results, PPTP.title)
    assert text.startswith("1  (")
    assert tip == f"for comparison only, cannot be deployed: {comparison_reason('pptp')}"
    assert (state, has_sign) == ("comparison only", True)
    assert place(results, LIBRESWAN.title)[2:] == ("comparison only", True), "whatever its verdict is"
    assert place(results, BROKEN.title)[1:] == ("insecure, cannot be deployed", "insecure", True)
    assert place(results, WIREGUARD.title)[2:] == ("done", False)
    assert place(results, BASELINE.title)[:2] == ("–", "has no cryptography and is a reference only")
    sentence = bar.sentence.text()
    assert sentence.startswith("PPTP, MPPE-128 first (1.")
    assert f", cannot be deployed). The first that can be deployed is {WIREGUARD.title} (place 2, " in sentence
    assert "Places with a sign beside them are of candidates that cannot be deployed." in sentence
    assert results.sentence.sentence.text() == advice
    driver.window.resize(1024, 700)
    driver.lay_out()
    assert layout_faults(driver.window) == []
    bar.methods.setCurrentIndex(bar.methods.findData(Scoring.RATIOS))
    assert place(results, PPTP.title)[2:] == ("done", False)
