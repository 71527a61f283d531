"""Weights of the user's own: arithmetic, missing figures, and what is never ordered by them."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from sample_records import (
    BASELINE,
    BLOWFISH,
    OPENVPN_TCP,
    OPENVPN_UDP,
    WIREGUARD,
    Model,
    sample_record,
    with_open_device,
)

from app.domain.errors import InvalidOption
from app.domain.ranking import CandidateResult
from app.domain.results import CampaignRecord
from app.domain.verdicts import Verdict
from app.ranking import rank
from app.ranking.candidates import capture_of
from app.ranking.messages import NO_MEASURE, NO_WEIGHT, WEIGHT_OUT_OF_RANGE, WEIGHT_TWICE
from app.ranking.weighting import (
    BALANCED,
    PRESETS,
    Measure,
    Scoring,
    Weighting,
    Weights,
    parse_weights,
    value_of,
    weigh,
)
from app.wording.language import use_language
from app.wording.messages import local_text
from support.message_checks import HasMessage, has_message

FAST = Model(WIREGUARD, 1.0, 0.0, 20.0, 40.0, 100)
WIDE = Model(OPENVPN_UDP, 4.0, 0.0, 80.0, 40.0, 60)
BARE = Model(BASELINE, 0.4, 0.0, 400.0, 30.0, 0)


def compared(*models: Model) -> CampaignRecord:
    return sample_record(models=(BARE, *models), noise=0.0)


def ordered(record: CampaignRecord, weights: Weights) -> Weighting:
    return weigh(record, rank(record), weights)


def names(weighting: Weighting) -> list[tuple[int, str]]:
    return [(one.rank, one.result.solution) for one in weighting.scored]


def result_of(record: CampaignRecord, solution: str) -> CandidateResult:
    return next(one for one in rank(record).results if one.solution == solution)


def test_one_weight_orders_by_that_measure_alone() -> None:
    record = compared(FAST, WIDE)
    assert names(ordered(record, {Measure.LATENCY: 1})) == [(1, "wireguard"), (2, "openvpn-udp")]
    assert names(ordered(record, {Measure.THROUGHPUT: 1})) == [(1, "openvpn-udp"), (2, "wireguard")]
    assert names(ordered(record, {Measure.OVERHEAD: 3})) == [(1, "openvpn-udp"), (2, "wireguard")]


def test_score_is_the_weighted_geometric_mean_of_ratios_to_the_best() -> None:
    record = compared(FAST, WIDE)
    first, second = ordered(record, {Measure.LATENCY: 2, Measure.THROUGHPUT: 1}).scored
    by_latency = {one.result.solution: one for one in ordered(record, {Measure.LATENCY: 1}).scored}
    by_throughput = {one.result.solution: one for one in ordered(record, {Measure.THROUGHPUT: 1}).scored}
    slower = result_of(record, "openvpn-udp").weighted_latency_ms
    faster = result_of(record, "wireguard").weighted_latency_ms
    assert slower is not None
    assert faster is not None
    assert by_latency["openvpn-udp"].score == pytest.approx(slower.mean / faster.mean)
    assert by_throughput["wireguard"].score == pytest.approx(4, rel=0.15)
    assert first.result.solution == "wireguard"
    assert first.score == pytest.approx(by_throughput["wireguard"].score ** (1 / 3))
    assert second.score == pytest.approx(by_latency["openvpn-udp"].score ** (2 / 3))
    third = ordered(record, {Measure.LATENCY: 200 / 100, Measure.THROUGHPUT: 1, Measure.CPU: 0}).scored[0]
    assert third.score == pytest.approx(first.score)
    assert Measure.CPU not in third.parts


def test_another_candidate_reverses_no_two() -> None:
    weights = {Measure.LATENCY: 2.0, Measure.THROUGHPUT: 1.0, Measure.CPU: 1.0}
    two = [name for _, name in names(ordered(compared(FAST, WIDE), weights))]
    more = ordered(compared(FAST, WIDE, Model(OPENVPN_TCP, 0.1, 0.0, 500.0, 5.0, 97)), weights)
    assert [name for _, name in names(more) if name in two] == two


def test_equal_scores_share_a_place() -> None:
    record = compared(FAST, WIDE)
    assert [one.rank for one in ordered(record, {Measure.SECURITY: 1}).scored] == [1, 1]


def test_a_candidate_without_a_figure_that_has_weight_has_no_place() -> None:
    record = compared(FAST, WIDE)
    without = tuple(replace(one, throughput=()) if one.key.solution == "wireguard" else one for one in record.attempts)
    lacking = replace(record, attempts=without)
    found = ordered(lacking, {Measure.LATENCY: 1, Measure.THROUGHPUT: 1})
    assert names(found) == [(1, "openvpn-udp")]
    assert ("wireguard", "no figure for throughput") in [(o.result.solution, o.reason) for o in found.unscored]
    assert found.scored[0].score == 1.0, "the best is taken from those that have a place"
    assert len(ordered(lacking, {Measure.LATENCY: 1}).scored) == 2


def test_overhead_needs_every_frame_size() -> None:
    record = compared(FAST)
    report = capture_of(record.attempts_of(("wireguard", result_of(record, "wireguard").suite)))
    assert report is not None
    result = result_of(record, "wireguard")
    whole = value_of(Measure.OVERHEAD, result, report)
    assert whole is not None
    assert whole > 60
    assert value_of(Measure.OVERHEAD, result, replace(report, overhead=report.overhead[1:])) is None
    assert value_of(Measure.OVERHEAD, result, None) is None


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_a_figure_that_has_no_logarithm_counts_as_none(value: float) -> None:
    result = result_of(compared(FAST), "wireguard")
    estimate = result.cpu_pct_per_mbit_s
    assert estimate is not None
    assert value_of(Measure.CPU, replace(result, cpu_pct_per_mbit_s=replace(estimate, mean=value)), None) is None


def test_security_doubles_with_each_step_of_the_verdict_and_each_property_that_failed() -> None:
    record = compared(FAST)
    result = result_of(record, "wireguard")
    key = (result.solution, result.suite)
    report = capture_of(record.attempts_of(key))
    assert value_of(Measure.SECURITY, result, None) is None, "without a packet test it has no place"
    steps = [
        value_of(Measure.SECURITY, replace(result, verdict=verdict), report)
        for verdict in (Verdict.RECOMMENDED, Verdict.ACCEPTABLE, Verdict.LEGACY)
    ]
    assert steps == [1, 2, 4]
    assert value_of(Measure.SECURITY, result, report) == 1
    opened = capture_of(with_open_device(record).attempts_of(key))
    assert value_of(Measure.SECURITY, result, opened) == 2, "its device fails open"


def test_references_insecure_and_failed_candidates_have_no_place() -> None:
    failed = Model(OPENVPN_UDP, 0, 0, 0, 0, 0, ("tunnel-down", "It ended at once."))
    record = compared(FAST, failed, Model(BLOWFISH, 0.5, 0.0, 90.0, 10.0, 60))
    found = ordered(record, {Measure.LATENCY: 1})
    assert names(found) == [(1, "wireguard")]
    assert {(one.result.solution, one.result.suite): one.reason for one in found.unscored} == {
        ("baseline", "none"): "has no cryptography and is a reference only",
        ("openvpn-udp", "aes-256-gcm"): "was not measured to the end",
        ("openvpn-udp", "bf-cbc"): "is judged insecure",
    }


def test_nothing_has_a_place() -> None:
    found = ordered(compared(), {Measure.LATENCY: 1})
    assert found.scored == ()
    assert found.sentence == "No candidate has a figure for everything that has weight."


def test_title_says_whose_order_it_is() -> None:
    found = ordered(compared(FAST, WIDE), parse_weights("latency=2, throughput=0.5,cpu=0"))
    assert found.title == "Your weighting, not Tunnelmark's recommendation: latency 2, throughput 0.5"
    assert found.sentence.startswith("WireGuard, ChaCha20-Poly1305 first (")


def test_every_measure_has_a_name_in_the_language_of_the_reader() -> None:
    found = ordered(compared(FAST, WIDE), dict.fromkeys(Measure, 1.0))
    use_language("de")
    try:
        shown = local_text(found.title)
    finally:
        use_language("en")
    assert shown.endswith(": Latenz 1, Durchsatz 1, CPU 1, Overhead 1, Jitter 1, Sicherheit 1")


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_names_on_the_command_line(name: str) -> None:
    assert parse_weights(name) == PRESETS[name]
    assert bool(PRESETS[name]) is (name != BALANCED)


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("speed=1", has_message(NO_MEASURE)),
        ("", has_message(NO_MEASURE)),
        ("latency", has_message(WEIGHT_OUT_OF_RANGE)),
        ("latency=-1", has_message(WEIGHT_OUT_OF_RANGE, text="-1")),
        ("latency=nan", has_message(WEIGHT_OUT_OF_RANGE, text="nan")),
        ("latency=1e9", has_message(WEIGHT_OUT_OF_RANGE, text="1e9")),
        ("latency=1,latency=2", has_message(WEIGHT_TWICE)),
        ("latency=0,cpu=0", has_message(NO_WEIGHT)),
    ],
)
def test_bad_weights_are_refused_with_what_is_possible(text: str, refusal: HasMessage) -> None:
    with pytest.raises(InvalidOption, check=refusal) as caught:
        parse_weights(text)
    assert caught.value.hint


def test_mean_ranks_are_those_of_the_study_over_the_same_candidates() -> None:
    record = compared(FAST, WIDE, Model(OPENVPN_TCP, 2.0, 0.0, 10.0, 40.0, 80))
    weights = {Measure.LATENCY: 2.0, Measure.THROUGHPUT: 1.0, Measure.OVERHEAD: 1.0}
    found = weigh(record, rank(record), weights, Scoring.RANKS)
    scores = {one.result.solution: (one.rank, one.score) for one in found.scored}
    # Ranks by latency, throughput and overhead: WireGuard 1 2 3, OpenVPN over UDP 3 1 1, over TCP 2 3 2.
    assert scores == {"wireguard": (1, 1.75), "openvpn-udp": (2, 2.0), "openvpn-tcp": (3, 2.25)}
    first = found.scored[0]
    assert first.parts == {Measure.LATENCY: 1.0, Measure.THROUGHPUT: 2.0, Measure.OVERHEAD: 3.0}
    assert found.title.startswith("Mean ranks, the heuristic of a study of 2004, not Tunnelmark's recommendation: ")
    assert "1.75" in found.sentence
    assert {one.result.solution for one in found.unscored} == {"baseline"}
    assert weigh(record, rank(record), weights).method is Scoring.RATIOS


def test_mean_ranks_of_none_are_none() -> None:
    record = sample_record(models=(BARE,), noise=0.0)
    assert weigh(record, rank(record), {Measure.LATENCY: 1}, Scoring.RANKS).scored == ()


def test_jitter_can_have_weight() -> None:
    record = sample_record(rounds=2)
    found = weigh(record, rank(record), parse_weights("jitter=1"))
    figures = {(one.solution, one.suite): one.jitter_ms for one in rank(record).results}
    assert len(found.scored) > 1
    by_figure = sorted(found.scored, key=lambda one: figures[one.result.solution, one.result.suite] or 0.0)
    assert [one.result.solution for one in found.scored] == [one.result.solution for one in by_figure]
