"""Eligibility for the recommendation, and candidates that were not measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sample_records import BASELINE, OPENVPN_TCP, OPENVPN_UDP, WIREGUARD, Model, sample_record

from app.domain.errors import UnderlayDown
from app.domain.profiles import ADAPTIVE_PROFILE, FRAME_BYTES
from app.domain.ranking import BarrierReason, Ranking, Recommendation
from app.domain.results import LOST_RTT_US, Attempt, AttemptStatus, CampaignRecord, CampaignStatus, Candidate
from app.domain.verdicts import Verdict
from app.ranking import rank
from app.ranking.weighting import Measure, weigh
from app.reports import to_json

BARE = Model(BASELINE, 0.4, 0.1, 400.0, 30.0, 0)
FASTER = Model(OPENVPN_UDP, 0.86, 0.3, 40.0, 70.0, 100)
SLOWER = Model(WIREGUARD, 1.0, 0.3, 40.0, 70.0, 100)


def losing(one: Attempt, lost: int) -> Attempt:
    """Return an attempt of which so many requests of each size have no reply."""
    series = []
    for each in one.latency:
        rtt_us = each.rtt_us.copy()
        rtt_us[:lost] = LOST_RTT_US
        series.append(replace(each, rtt_us=rtt_us, received=each.sent - lost))
    return replace(one, latency=tuple(series))


def with_loss(record: CampaignRecord, lost: dict[str, int]) -> CampaignRecord:
    attempts = (losing(one, lost.get(one.key.solution, 0)) for one in record.attempts)
    return replace(record, attempts=tuple(attempts))


def compared(rounds: int = 3) -> CampaignRecord:
    return sample_record(models=(BARE, FASTER, SLOWER), noise=0.01, pings=200, rounds=rounds)


def barriers(found: Ranking) -> dict[str, BarrierReason | None]:
    return {one.solution: one.barrier.reason if one.barrier else None for one in found.results}


@pytest.mark.parametrize("rounds", [1, 3])
def test_a_faster_candidate_that_loses_frames_is_not_recommended(rounds: int) -> None:
    assert rank(compared(rounds)).recommendation.solution == "openvpn-udp"
    found = rank(with_loss(compared(rounds), {"openvpn-udp": 60}))
    assert found.recommendation.solution == "wireguard"
    words = "OpenVPN over UDP, AES-256-GCM lost 30 % of its frames (the bare link: 0 %)."
    assert words in found.recommendation.cautions
    assert barriers(found)["openvpn-udp"] is BarrierReason.LOSS


def test_loss_is_judged_against_that_of_the_bare_link() -> None:
    assert barriers(rank(with_loss(compared(), {"openvpn-udp": 2, "baseline": 1})))["openvpn-udp"] is None
    assert barriers(rank(with_loss(compared(), {"openvpn-udp": 4, "baseline": 1})))["openvpn-udp"] is BarrierReason.LOSS


def test_one_or_two_lost_requests_are_no_rate() -> None:
    record = compared(rounds=1)
    for lost, barrier in ((2, None), (3, BarrierReason.LOSS)):
        attempts = []
        for one in record.attempts:
            first, *rest = one.latency
            changed = (
                losing(replace(one, latency=(first,)), lost).latency if one.key.solution != "baseline" else [first]
            )
            attempts.append(replace(one, latency=(*changed, *rest)))
        assert barriers(rank(replace(record, attempts=tuple(attempts))))["wireguard"] is barrier


def test_a_size_that_did_not_cross_in_one_round_bars_the_candidate() -> None:
    record = compared()
    attempts = [
        replace(one, latency=(*one.latency[:-1], replace(one.latency[-1], received=0, rtt_us=_all_lost(one))))
        if (one.key.solution, one.key.round) == ("openvpn-udp", 2)
        else one
        for one in record.attempts
    ]
    found = rank(replace(record, attempts=tuple(attempts)))
    assert found.recommendation.solution == "wireguard"
    assert "OpenVPN over UDP, AES-256-GCM did not carry frames of 1514 bytes." in found.recommendation.cautions


def _all_lost(one: Attempt) -> np.ndarray:
    return np.full(one.latency[-1].sent, LOST_RTT_US, np.uint32)


def test_where_all_lose_frames_nothing_is_recommended() -> None:
    advice = rank(with_loss(compared(), {"openvpn-udp": 60, "wireguard": 60})).recommendation
    assert advice.solution is None
    assert "WireGuard, ChaCha20-Poly1305 (lost 30 % of its frames (the bare link: 0 %))" in advice.sentence


def test_weights_of_the_user_bring_back_nothing_that_loses_frames() -> None:
    record = with_loss(compared(), {"openvpn-udp": 60})
    found = weigh(record, rank(record), {Measure.LATENCY: 1})
    assert [one.result.solution for one in found.scored] == ["wireguard"]
    assert "lost 30 % of its frames (the bare link: 0 %)" in [one.reason for one in found.unscored]


def test_what_is_there_for_comparison_alone_is_not_recommended_nor_placed_by_weights() -> None:
    legacy = {solution: Candidate(solution, "s", solution, Verdict.LEGACY) for solution in ("stunnel", "vpn-x")}
    fast = [Model(one, 0.5, 0.1, 90.0, 20.0, 100) for one in legacy.values()]
    record = sample_record(models=(BARE, SLOWER, *fast), noise=0.01, pings=200, rounds=3)
    found = rank(record)
    assert found.recommendation.solution == "wireguard"
    assert barriers(found)["stunnel"] is barriers(found)["vpn-x"] is BarrierReason.VERDICT
    placed = [one.result.solution for one in weigh(record, found, {Measure.LATENCY: 1}).scored]
    assert placed == ["vpn-x", "wireguard"], "legacy may be deployed with a reason, this one never"


def test_json_says_who_is_eligible_and_why_not() -> None:
    record = with_loss(compared(), {"openvpn-udp": 60})
    found = {one["solution"]: one for one in to_json(record, rank(record))["results"]}
    assert (found["wireguard"]["eligible"], found["wireguard"]["reason"]) == (True, None)
    lossy = found["openvpn-udp"]
    assert (lossy["eligible"], lossy["reason"], lossy["loss_pct"]) == (False, "loss", 30.0)
    assert lossy["message"].startswith("OpenVPN over UDP, AES-256-GCM lost 30 %")


def ended(record: CampaignRecord, solutions: tuple[str, ...], **changes: object) -> Recommendation:
    """Return the advice where the attempts of some candidates ended in another way."""
    change = {
        "status": AttemptStatus.FAILED,
        "reason": "tunnel-down",
        "message": "No tunnel.",
        "latency": (),
        **changes,
    }
    attempts = (replace(one, **change) if one.key.solution in solutions else one for one in record.attempts)
    return rank(replace(record, attempts=tuple(attempts))).recommendation


def many(count: int) -> CampaignRecord:
    others = [
        Model(Candidate(f"vpn-{n}", "s", f"VPN {n}", OPENVPN_TCP.verdict), 2.0 + n, 0.3, 40.0, 70.0, 100)
        for n in range(count - 1)
    ]
    return sample_record(models=(BARE, SLOWER, *others), noise=0.01)


def test_what_was_not_measured_is_named_beside_the_advice() -> None:
    advice = ended(many(8), ("vpn-0", "vpn-1"))
    assert advice.solution == "wireguard"
    assert advice.sentence.endswith(" Not compared: VPN 0 (failed); VPN 1 (failed).")
    advice = ended(many(8), ("vpn-0", "vpn-1", "vpn-2", "vpn-3"), status=AttemptStatus.SKIPPED)
    assert advice.sentence.endswith(" Not compared: VPN 0 (skipped); VPN 1 (skipped); VPN 2 (skipped); 1 other.")
    assert any(one.startswith("Not measured to the end") and "VPN 3 (skipped)" in one for one in advice.cautions)


def test_nothing_is_recommended_where_more_than_half_are_missing() -> None:
    advice = ended(many(7), ("vpn-0", "vpn-1", "vpn-2", "vpn-3"))
    assert advice.solution is None
    assert "only 3 of 7 VPNs were measured to the end" in advice.sentence
    assert "VPN 2 (failed)" in advice.sentence


def test_nothing_is_recommended_where_the_link_failed() -> None:
    failed = ended(many(7), ("vpn-0",), status=AttemptStatus.NOT_RUN, reason=UnderlayDown.reason)
    assert failed.solution is None
    assert "the link between the two hosts failed during the comparison" in failed.sentence
    assert "Not compared: VPN 0 (not run)." in failed.sentence


def test_an_adaptive_comparison_that_ended_without_the_round_of_a_failed_link_has_advice() -> None:
    record = many(3)
    left = replace(record.attempts[-2], status=AttemptStatus.NOT_RUN, reason=UnderlayDown.reason, latency=())
    record = replace(record, attempts=(*record.attempts[:-2], left, record.attempts[-1]))
    assert rank(record).recommendation.solution is None
    adaptive = replace(record, plan=replace(record.plan, profile=ADAPTIVE_PROFILE))
    assert rank(adaptive).recommendation.solution == "wireguard"
    assert rank(replace(adaptive, status=CampaignStatus.INTERRUPTED)).recommendation.solution is None


def test_every_size_is_needed() -> None:
    record = compared()
    short = tuple(replace(one, latency=one.latency[: len(FRAME_BYTES) - 1]) for one in record.attempts)
    found = rank(replace(record, attempts=short))
    assert barriers(found)["wireguard"] is BarrierReason.FRAME_SIZES


@pytest.mark.parametrize(("base_ms", "is_named"), [(0.7, True), (1.3, False)])
def test_a_faster_one_that_may_not_be_recommended_is_named_beside_the_winner(base_ms: float, *, is_named: bool) -> None:
    outdated = replace(OPENVPN_TCP, verdict=Verdict.LEGACY)
    models = (BARE, replace(FASTER, base_ms=1.6), replace(SLOWER, candidate=outdated, base_ms=base_ms), SLOWER)
    found = rank(sample_record(models=models, noise=0.01, pings=200)).recommendation
    assert found.solution == "wireguard"
    assert ("of the next best that may be recommended, OpenVPN over UDP" in found.sentence) is is_named
    assert ("of the next best, OpenVPN over UDP" in found.sentence) is not is_named
    named = [one for one in found.reasons if one.startswith("Faster, but not to be recommended: OpenVPN over TCP")]
    assert len(named) == is_named
    assert all("ms; legacy)" in one for one in named)
