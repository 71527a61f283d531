from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sample_records import (
    BASELINE,
    BLOWFISH,
    L2TP,
    MODELS,
    OPENVPN_TCP,
    OPENVPN_UDP,
    WIREGUARD,
    Model,
    attempt,
    pair,
    plan_keys,
    sample_record,
)

from app.domain.profiles import FRAME_BYTES
from app.domain.ranking import CandidateResult, Ranking
from app.domain.results import LOST_RTT_US, Attempt, AttemptStatus, CampaignRecord, CampaignStatus, LatencySeries
from app.ranking import rank, weighted_latency_ms

BARE = Model(BASELINE, 0.4, 0.1, 400.0, 30.0, 0)


def result(ranking: Ranking, solution: str, suite: str = "") -> CandidateResult:
    return next(one for one in ranking.results if one.solution == solution and suite in one.suite)


def ranks(ranking: Ranking) -> dict[str, int | None]:
    return {f"{one.solution}/{one.suite}": one.rank for one in ranking.ranking}


def with_attempts(record: CampaignRecord, change: dict[int, dict[str, object]]) -> CampaignRecord:
    attempts = tuple(
        replace(one, **change[one.key.position]) if one.key.position in change else one for one in record.attempts
    )
    return replace(record, attempts=attempts)


def positions(record: CampaignRecord, solution: str) -> list[int]:
    return [one.key.position for one in record.attempts if one.key.solution == solution]


def test_clear_differences_are_ranked_and_references_and_failures_are_not() -> None:
    found = rank(sample_record(noise=0.005))
    assert ranks(found) == {
        "wireguard/chacha20-poly1305": 1,
        "openvpn-udp/aes-256-gcm": 2,
        "openvpn-tcp/aes-256-gcm": 3,
        "baseline/none": None,
        "l2tp/none": None,
        "openvpn-udp/bf-cbc": None,
    }
    assert [(one.solution, one.suite) for one in found.results] == [(one.solution, one.suite) for one in found.ranking]


def test_differences_within_the_noise_share_a_rank() -> None:
    twins = (
        BARE,
        Model(WIREGUARD, 1.00, 0.3, 40, 70, 114),
        Model(OPENVPN_UDP, 1.01, 0.3, 40, 70, 83),
        Model(OPENVPN_TCP, 3.00, 0.3, 40, 70, 97),
    )
    found = rank(sample_record(models=twins, noise=0.03, rounds=4))
    assert [one.rank for one in found.ranking] == [1, 1, 3, None]
    tied = {one.solution: one.tied_with for one in found.ranking}
    assert tied["wireguard"] == (OPENVPN_UDP.title,)
    assert tied["openvpn-udp"] == (WIREGUARD.title,)
    assert tied["openvpn-tcp"] == ()


def test_one_round_ranks_nothing_as_different_and_says_so() -> None:
    found = rank(sample_record(rounds=1))
    ranked = [one for one in found.ranking if one.rank is not None]
    assert [one.rank for one in ranked] == [1, 1, 1]
    means = [result(found, one.solution, one.suite).weighted_latency_ms for one in ranked]
    assert [one.mean for one in means if one] == sorted(one.mean for one in means if one)
    assert all(one is not None and one.ci is None for one in means)
    assert any("one round" in doubt for doubt in found.doubts)


def test_weighted_latency_follows_from_the_means_per_size() -> None:
    found = rank(sample_record(pings=50))
    for one in found.results:
        if one.weighted_latency_ms is not None:
            from_sizes = weighted_latency_ms({each.frame_bytes: each.mean_ms or 0.0 for each in one.latency})
            assert one.weighted_latency_ms.mean == pytest.approx(from_sizes)


def test_relative_figures_are_the_quotients_of_what_is_shown() -> None:
    found = rank(sample_record())
    bare, wireguard = result(found, "baseline"), result(found, "wireguard")
    assert bare.weighted_latency_ms is not None
    assert wireguard.weighted_latency_ms is not None
    assert wireguard.latency_vs_baseline == pytest.approx(
        wireguard.weighted_latency_ms.mean / bare.weighted_latency_ms.mean
    )
    both = {one.solution: sum(each.mean for each in one.throughput_mbit_s.values()) / 2 for one in (bare, wireguard)}
    assert wireguard.throughput_vs_baseline == pytest.approx(both["wireguard"] / both["baseline"])
    assert (bare.latency_vs_baseline, bare.throughput_vs_baseline) == (pytest.approx(1.0), pytest.approx(1.0))


def test_cpu_per_mbit_is_that_of_both_hosts_over_the_mean_of_both_directions() -> None:
    record = sample_record(models=(BARE, MODELS[2]), rounds=1)
    wireguard = next(one for one in record.attempts if one.key.solution == "wireguard")
    busy = wireguard.cpu_throughput["a"].busy_pct + wireguard.cpu_throughput["b"].busy_pct
    rates = [one.mbit_s for one in wireguard.throughput]
    found = result(rank(record), "wireguard").cpu_pct_per_mbit_s
    assert found is not None
    assert found.mean == pytest.approx(busy / (sum(rates) / 2))


def test_both_baselines_of_a_round_are_averaged() -> None:
    record = sample_record(models=(BARE, MODELS[2]), rounds=1)
    first, last = (one for one in record.attempts if one.key.solution == "baseline")
    means = [
        weighted_latency_ms({each.frame_bytes: float(each.rtt_us.mean()) / 1000 for each in one.latency})
        for one in (first, last)
    ]
    found = result(rank(record), "baseline").weighted_latency_ms
    assert found is not None
    assert found.rounds == 1
    assert found.mean == pytest.approx(sum(mean or 0 for mean in means) / 2)


def test_a_size_that_does_not_cross_leaves_no_weighted_latency_and_no_rank() -> None:
    record = sample_record(models=(BARE, MODELS[2], MODELS[3]))
    blocked = {position: {"latency": _block(record, position, 1514)} for position in positions(record, "wireguard")}
    found = rank(with_attempts(record, blocked))
    one = result(found, "wireguard")
    assert one.weighted_latency_ms is None
    assert one.status is AttemptStatus.COMPLETED
    assert any("1514" in doubt and "did not cross" in doubt for doubt in one.doubts)
    assert ranks(found)["wireguard/chacha20-poly1305"] is None
    assert found.recommendation.solution == "openvpn-udp"


def _block(record: CampaignRecord, position: int, size: int) -> tuple[LatencySeries, ...]:
    lost = np.full(5, LOST_RTT_US, dtype=np.uint32)
    return tuple(
        LatencySeries(size, 5, 0, 0, lost, "too big") if one.frame_bytes == size else one
        for one in record.attempts[position].latency
    )


def test_a_failed_candidate_has_its_reason_and_no_figures() -> None:
    one = result(rank(sample_record()), "openvpn-udp", "bf-cbc")
    assert one.status is AttemptStatus.FAILED
    assert one.reason == "tunnel-down"
    assert "BF-CBC is not in OpenSSL" in one.message
    assert (one.latency, one.weighted_latency_ms, one.throughput_mbit_s, one.setup_s) == ((), None, {}, None)


def test_a_round_that_failed_is_a_doubt_and_the_others_count() -> None:
    record = sample_record(models=(BARE, MODELS[2], MODELS[3]), rounds=4)
    second = positions(record, "wireguard")[1]
    change = {"status": AttemptStatus.FAILED, "reason": "probe-failed", "message": "iperf3 ended.", "latency": ()}
    one = result(rank(with_attempts(record, {second: change})), "wireguard")
    assert one.status is AttemptStatus.COMPLETED
    assert one.weighted_latency_ms is not None
    assert one.weighted_latency_ms.rounds == 3
    assert "Round 2 failed: iperf3 ended." in one.doubts


def test_doubts_are_reported_once_with_their_rounds() -> None:
    record = sample_record(models=(BARE, MODELS[2]))
    doubt = "The hypervisor took 9 % of gateway-a's CPU time."
    change = {position: {"doubts": (doubt,)} for position in positions(record, "wireguard")[:2]}
    found = rank(with_attempts(record, change))
    assert result(found, "wireguard").doubts == (f"{doubt} (rounds 1 and 2)",)
    assert any(doubt in caution for caution in found.recommendation.cautions)


def test_lost_frames_are_a_doubt() -> None:
    rng = np.random.default_rng(1)
    record = sample_record(models=(BARE, MODELS[2]), rounds=1)
    lossy = attempt(MODELS[2], record.plan.attempts[1], rng, 200, lost=3)
    found = rank(replace(record, attempts=(record.attempts[0], lossy, record.attempts[2])))
    assert any("21 of 1" in doubt and "lost (1.5 %)" in doubt for doubt in result(found, "wireguard").doubts)


def test_zero_throughput_and_missing_cpu_leave_gaps_and_nothing_else() -> None:
    record = sample_record(models=(BARE, MODELS[2], MODELS[3]))
    change: dict[int, dict[str, object]] = {}
    for position in positions(record, "wireguard"):
        dead = tuple(replace(one, mbit_s=0.0) for one in record.attempts[position].throughput)
        change[position] = {"throughput": dead}
    for position in positions(record, "openvpn-udp"):
        change[position] = {"cpu_throughput": {}}
    found = rank(with_attempts(record, change))
    wireguard, openvpn = result(found, "wireguard"), result(found, "openvpn-udp")
    assert wireguard.throughput_mbit_s["a_to_b"].mean == 0.0
    assert wireguard.throughput_vs_baseline == 0.0
    assert wireguard.cpu_pct_per_mbit_s is None
    assert openvpn.cpu_pct == {}
    assert openvpn.cpu_per_mbit_s_vs_baseline is None
    assert found.recommendation.solution == "wireguard"


def test_without_a_baseline_nothing_is_relative() -> None:
    found = rank(sample_record(models=(MODELS[2], MODELS[3])))
    assert {one.latency_vs_baseline for one in found.results} == {None}
    assert "not measured" in found.drift.sentence
    assert found.recommendation.solution == "wireguard"


def test_a_cancelled_campaign_says_which_were_never_reached() -> None:
    found = rank(sample_record(attempts_kept=3, status=CampaignStatus.CANCELLED))
    assert result(found, "wireguard").status is AttemptStatus.COMPLETED
    late = result(found, "openvpn-tcp")
    assert late.status is AttemptStatus.NOT_RUN
    assert late.reason == "cancelled"
    assert "cancelled before" in late.message
    assert any("3 of 19 attempts" in doubt for doubt in found.doubts)


def test_an_empty_campaign_ranks_nothing() -> None:
    found = rank(sample_record(attempts_kept=0, status=CampaignStatus.INTERRUPTED))
    assert {one.rank for one in found.ranking} == {None}
    assert found.rounds == 0
    assert found.recommendation.solution is None


def test_no_candidates_at_all() -> None:
    record = sample_record(models=(), status=CampaignStatus.CANCELLED)
    found = rank(record)
    assert (found.results, found.ranking) == ((), ())
    assert found.recommendation.solution is None


def test_only_the_first_condition_is_ranked() -> None:
    record = sample_record(models=(BARE, MODELS[2]), rounds=1)
    shaped = tuple(
        replace(one, key=replace(one.key, condition="geo", position=one.key.position + 3), throughput=())
        for one in record.attempts
    )
    found = rank(replace(record, attempts=(*record.attempts, *shaped)))
    assert result(found, "wireguard").throughput_mbit_s


def test_a_wild_candidate_does_not_share_the_first_rank_before_a_precise_one() -> None:
    record = sample_record(models=(BARE, MODELS[2], MODELS[3], MODELS[4]), rounds=3, noise=0.0, pings=20)
    factors = {"wireguard": (1.0, 1.01, 0.99), "openvpn-udp": (1.20, 1.215, 1.19), "openvpn-tcp": (0.7, 2.9, 1.4)}
    flat = tuple(_flat(one, factors.get(one.key.solution, (0.4,) * 3)[one.key.round - 1]) for one in record.attempts)
    found = rank(replace(record, attempts=flat))
    assert [(one.solution, one.rank) for one in found.ranking[:3]] == [
        ("wireguard", 1),
        ("openvpn-udp", 1),
        ("openvpn-tcp", 1),
    ]


def _flat(one: Attempt, rtt_ms: float) -> Attempt:
    rtt_us = np.full(20, round(1000 * rtt_ms), dtype=np.uint32)
    return replace(one, latency=tuple(LatencySeries(size, 20, 20, 0, rtt_us) for size in FRAME_BYTES))


def test_unprotected_candidates_never_get_a_rank_however_fast() -> None:
    found = rank(sample_record(models=(BARE, Model(L2TP, 0.1, 0.0, 900, 5, 54), MODELS[2])))
    assert ranks(found)["l2tp/none"] is None
    assert found.recommendation.solution == "wireguard"


def test_the_order_of_attempts_in_the_plan_of_samples_is_the_designs() -> None:
    keys = plan_keys((BASELINE, WIREGUARD, BLOWFISH), 2)
    assert [key.solution for key in keys][:3] == ["baseline", "wireguard", "openvpn-udp"]
    assert keys[-1].solution == "baseline"
    assert pair().is_lab


def ended_early(record: CampaignRecord, solution: str, status: AttemptStatus, **changes: object) -> CampaignRecord:
    change = {"status": status, "reason": status.value, "stage": "wire", **changes}
    return with_attempts(record, dict.fromkeys(positions(record, solution), change))


@pytest.mark.parametrize("status", [AttemptStatus.SKIPPED, AttemptStatus.CANCELLED])
def test_figures_of_a_candidate_that_was_ended_in_a_later_stage_are_shown_and_not_ranked(status: AttemptStatus) -> None:
    whole = sample_record(rounds=1, noise=0.005)
    found = rank(ended_early(whole, "wireguard", status))
    one, before = result(found, "wireguard"), result(rank(whole), "wireguard")
    assert (one.status, one.stage, one.is_partial) == (status, "wire", True)
    assert one.weighted_latency_ms == before.weighted_latency_ms
    assert one.throughput_mbit_s == before.throughput_mbit_s
    assert one.latency_vs_baseline == before.latency_vs_baseline
    assert ranks(found)["wireguard/chacha20-poly1305"] is None
    assert found.recommendation.solution == "openvpn-udp"
    assert not any("WireGuard" in caution for caution in found.recommendation.cautions)
    assert f"Round 1 was {status.value} in the stage “packet tests”: its figures are those until then." in one.doubts


def test_baseline_that_was_skipped_in_a_later_stage_is_still_compared_with() -> None:
    whole = sample_record(rounds=1)
    found = rank(ended_early(whole, "baseline", AttemptStatus.SKIPPED))
    assert result(found, "baseline").weighted_latency_ms is not None
    assert result(found, "wireguard").latency_vs_baseline == result(rank(whole), "wireguard").latency_vs_baseline


def test_attempt_that_was_ended_early_adds_nothing_to_completed_ones() -> None:
    whole = sample_record(rounds=3)
    last = positions(whole, "wireguard")[-1]
    skipped = with_attempts(whole, {last: {"status": AttemptStatus.SKIPPED, "stage": "wire"}})
    one = result(rank(skipped), "wireguard")
    assert one.weighted_latency_ms is not None
    assert one.weighted_latency_ms.rounds == 2
    assert not one.is_partial


def test_failed_attempt_has_no_figures_although_it_was_measured_before() -> None:
    one = result(rank(ended_early(sample_record(rounds=1), "wireguard", AttemptStatus.FAILED)), "wireguard")
    assert one.weighted_latency_ms is None
    assert not one.is_partial


def test_nothing_is_recommended_where_all_were_ended_early() -> None:
    record = sample_record(rounds=1, models=(BARE, MODELS[2]))
    found = rank(ended_early(record, "wireguard", AttemptStatus.SKIPPED))
    assert found.recommendation.solution is None
    assert "could not be measured to the end" in found.recommendation.sentence
