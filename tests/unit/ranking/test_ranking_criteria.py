"""Criteria of the choice, demands of the user, and candidates that no other one outdoes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from sample_records import BASELINE, OPENVPN_TCP, OPENVPN_UDP, WIREGUARD, Model, sample_record

from app.domain.ranking import BarrierReason, Ranking
from app.domain.results import AttemptStatus, CampaignRecord, CpuUsage
from app.domain.verdicts import Verdict
from app.ranking import rank

BARE = Model(BASELINE, 0.4, 0.1, 400.0, 30.0, 0)
NEAR = Model(WIREGUARD, 1.0, 0.3, 40.0, 70.0, 100)
TWIN = Model(replace(OPENVPN_UDP, findings=()), 1.02, 0.3, 40.0, 70.0, 100)


def compared(*models: Model, noise: float = 0.005) -> CampaignRecord:
    return sample_record(models=(BARE, *models), noise=noise, pings=100)


def at_rate(record: CampaignRecord, busy_pct: Mapping[str, float], rates: Mapping[str, float]) -> CampaignRecord:
    """Return a comparison with CPU at a rate in its second round."""
    attempts = []
    for one in record.attempts:
        busy = busy_pct.get(one.key.solution)
        if busy is not None and one.key.round == 2:
            cpu = {side: CpuUsage(busy, busy, 0.0, 0.0, 0.0, 1.0) for side in ("a", "b")}
            one = replace(one, cpu_at_rate=cpu, rate_mbit_s=rates.get(one.key.solution, 20.0))
        attempts.append(one)
    return replace(record, attempts=tuple(attempts))


def barrier(found: Ranking, solution: str) -> BarrierReason | None:
    one = next(each for each in found.results if each.solution == solution)
    return one.barrier.reason if one.barrier else None


def test_cpu_at_the_same_rate_decides_between_those_that_carry_as_much() -> None:
    record = at_rate(compared(NEAR, TWIN), {"wireguard": 40.0, "openvpn-udp": 25.0}, {})
    found = rank(record).recommendation
    assert found.solution == "openvpn-udp"
    assert "it takes less CPU (50 % of both hosts together at 20.0 Mbit/s)" in found.sentence


@pytest.mark.parametrize(
    ("busy_pct", "rates"),
    [
        ({"wireguard": 40.0, "openvpn-udp": 35.0}, {}),  # within 20 %
        ({"wireguard": 40.0, "openvpn-udp": 25.0}, {"openvpn-udp": 10.0}),  # at another rate
        ({"openvpn-udp": 25.0}, {}),  # of one only
    ],
)
def test_cpu_does_not_decide_where_it_is_alike_or_cannot_be_compared(
    busy_pct: Mapping[str, float], rates: Mapping[str, float]
) -> None:
    assert rank(at_rate(compared(NEAR, TWIN), busy_pct, rates)).recommendation.solution == "wireguard"


def test_a_candidate_with_late_replies_or_too_little_throughput_is_not_recommended() -> None:
    fast, wide = replace(NEAR, mbit_s=40.0), replace(TWIN, base_ms=2.0, mbit_s=80.0)
    record = compared(fast, wide)
    assert rank(record).recommendation.solution == "wireguard"
    found = rank(replace(record, plan=replace(record.plan, min_rate_mbit_s=60.0)))
    assert (found.recommendation.solution, barrier(found, "wireguard")) == ("openvpn-udp", BarrierReason.RATE)
    assert any("less than the 60.0 Mbit/s that you need" in one for one in found.recommendation.cautions)
    found = rank(replace(record, plan=replace(record.plan, deadline_ms=1.5)))
    assert barrier(found, "openvpn-udp") is BarrierReason.DEADLINE
    assert any("missed the deadline of 1.50 ms with" in one for one in found.recommendation.cautions)


def test_one_that_is_worse_in_something_and_better_in_nothing_is_outdone() -> None:
    slow, wide = replace(NEAR, candidate=OPENVPN_TCP, base_ms=3.0), replace(TWIN, base_ms=2.0, mbit_s=80.0)
    found = rank(compared(NEAR, wide, slow))
    dominated = {one.solution: one.is_dominated for one in found.results}
    assert dominated == {"wireguard": False, "openvpn-udp": False, "openvpn-tcp": True, "baseline": None}
    advice = found.recommendation
    assert advice.alternative.startswith(
        "If throughput counts more than latency: OpenVPN over UDP, AES-256-GCM carries"
    )
    assert "against" in advice.alternative
    assert "% more latency" in advice.alternative
    outdone = "1 candidate has a rival that is better in something and worse in nothing; that leaves WireGuard, "
    assert any(one.startswith(outdone) for one in advice.reasons)


def test_where_nothing_is_recommended_nothing_is_called_outdone_or_not() -> None:
    failed = replace(NEAR, candidate=OPENVPN_TCP, failure=("tunnel-down", "It did not come up."))
    others = [replace(failed, candidate=replace(OPENVPN_TCP, suite=f"s{number}")) for number in range(3)]
    found = rank(compared(NEAR, TWIN, failed, *others))
    assert found.recommendation.solution is None
    assert {one.is_dominated for one in found.results} == {None}


def test_the_choice_is_not_outdone_by_one_that_is_not_fast_enough() -> None:
    """The widest one is within 10 % of the choice, not of the fastest."""
    fastest = replace(NEAR, candidate=OPENVPN_TCP)
    chosen, wide = replace(NEAR, base_ms=1.08), replace(TWIN, base_ms=1.17, mbit_s=80.0)
    found = rank(compared(fastest, chosen, wide, noise=0.001))
    assert found.recommendation.solution == "wireguard"
    assert {one.solution: one.is_dominated for one in found.results}["wireguard"] is False


def test_better_protection_is_an_alternative_although_it_is_slower() -> None:
    weaker = replace(WIREGUARD, verdict=Verdict.ACCEPTABLE)
    better = replace(OPENVPN_UDP, verdict=Verdict.RECOMMENDED)
    found = rank(compared(replace(NEAR, candidate=weaker), replace(TWIN, candidate=better, base_ms=2.0))).recommendation
    assert found.solution == "wireguard"
    words = (
        "If protection counts more than latency: OpenVPN over UDP, AES-256-GCM is judged recommended, not acceptable"
    )
    assert found.alternative.startswith(words)


def test_rounds_that_differ_too_much_bar_a_candidate() -> None:
    record = compared(NEAR, replace(TWIN, base_ms=2.0), replace(TWIN, candidate=OPENVPN_TCP, base_ms=2.5))
    attempts = []
    for one in record.attempts:
        if one.key.solution == "wireguard" and one.status is AttemptStatus.COMPLETED:
            factor = {1: 0.4, 2: 1.0, 3: 2.5}[one.key.round]
            series = tuple(replace(each, rtt_us=(each.rtt_us * factor).astype("uint32")) for each in one.latency)
            one = replace(one, latency=series)
        attempts.append(one)
    found = rank(replace(record, attempts=tuple(attempts)))
    assert barrier(found, "wireguard") is BarrierReason.GATE
    assert found.recommendation.solution != "wireguard"
