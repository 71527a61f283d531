"""Candidates that failed in one round and were measured in others."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from sample_records import BASELINE, OPENVPN_TCP, OPENVPN_UDP, WIREGUARD, Model, sample_record

import app.tunnel.messages
from app.domain.messages import Message, MessageForm
from app.domain.profiles import ADAPTIVE_PROFILE
from app.domain.ranking import AdviceKind, BarrierReason, Ranking
from app.domain.results import Attempt, AttemptStatus, CampaignRecord
from app.probes.messages import REPLIES_STOPPED
from app.ranking import rank
from app.ranking.failures import HOST_ENDED
from app.ranking.interim import interim
from app.ranking.messages import NONE_ELIGIBLE
from app.tunnel.messages import LEASE_LATE
from support.message_checks import has_message

BARE = Model(BASELINE, 0.4, 0.1, 400.0, 30.0, 0)
MODELS = (
    BARE,
    Model(WIREGUARD, 1.0, 0.3, 40.0, 70.0, 100),
    Model(OPENVPN_UDP, 1.6, 0.3, 40.0, 70.0, 100),
    Model(OPENVPN_TCP, 2.4, 0.3, 40.0, 70.0, 100),
)
SILENT = REPLIES_STOPPED(peer="10.0.0.2", host="gateway-a")


def failing(
    message: str, reason: str, round_number: int = 2, *, is_adaptive: bool = False, solution: str = "wireguard"
) -> CampaignRecord:
    """Return a comparison whose WireGuard, the fastest, failed in one round."""
    record = sample_record(models=MODELS, noise=0.01)

    def one(attempt: Attempt) -> Attempt | None:
        if attempt.key.solution != solution or attempt.key.round < round_number:
            return attempt
        if attempt.key.round > round_number:
            return None if is_adaptive else attempt
        return replace(
            attempt, status=AttemptStatus.FAILED, reason=reason, message=message, stage="latency", latency=()
        )

    attempts = tuple(found for attempt in record.attempts if (found := one(attempt)) is not None)
    plan = replace(record.plan, profile=ADAPTIVE_PROFILE) if is_adaptive else record.plan
    return replace(record, plan=plan, attempts=attempts)


def barrier(found: Ranking, solution: str = "wireguard") -> BarrierReason | None:
    one = next(each for each in found.results if each.solution == solution)
    return one.barrier.reason if one.barrier is not None else None


@pytest.mark.parametrize("round_number", [1, 2, 3])
@pytest.mark.parametrize(("message", "reason"), [(SILENT, "probe-failed"), ("It did not come up.", "tunnel-down")])
def test_a_tunnel_that_failed_in_any_round_is_not_recommended(message: str, reason: str, round_number: int) -> None:
    found = rank(failing(message, reason, round_number))
    assert barrier(found) is BarrierReason.FAILED_ROUND
    assert found.recommendation.solution == "openvpn-udp"
    assert f"failed in round {round_number}: " in " ".join(found.recommendation.cautions)


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("The connection was lost.", "connection-lost"),
        (LEASE_LATE(host="gateway-a"), "tunnel-down"),
        ("iperf3 ended.", "probe-failed"),
    ],
)
def test_a_failure_of_a_host_bars_no_vpn(message: str, reason: str) -> None:
    found = rank(failing(message, reason))
    assert barrier(found) is None
    assert found.recommendation.solution == "wireguard"


def test_what_left_an_adaptive_comparison_without_completing_leaves_the_choice_to_the_others() -> None:
    record = failing("iperf3 ended.", "probe-failed", is_adaptive=True)
    found = rank(record)
    assert barrier(found) is BarrierReason.FAILED_ROUND
    assert (found.recommendation.solution, found.recommendation.kind) == ("openvpn-udp", AdviceKind.CLEAR)
    assert found.recommendation.minutes_to_decide is None
    live = interim(record.plan, record.attempts, elapsed_s=60.0, round_s=20.0)
    assert not has_message(NONE_ELIGIBLE)(live.sentence)


def test_a_round_in_which_all_failed_bars_none() -> None:
    record = sample_record(models=MODELS, noise=0.01)
    change = {"status": AttemptStatus.FAILED, "reason": "underlay-down", "message": "The link died.", "latency": ()}
    attempts = tuple(replace(one, **change) if one.key.round == 3 else one for one in record.attempts)  # type: ignore[arg-type]
    found = rank(replace(record, plan=replace(record.plan, profile=ADAPTIVE_PROFILE), attempts=attempts))
    assert {barrier(found, name) for name in ("wireguard", "openvpn-udp", "openvpn-tcp")} == {None}


def test_live_text_says_that_nothing_may_be_recommended_where_the_results_will() -> None:
    record = sample_record(models=MODELS, noise=0.01)
    plan = replace(record.plan, profile=ADAPTIVE_PROFILE, min_rate_mbit_s=1_000.0)
    live = interim(plan, record.attempts, elapsed_s=60.0, round_s=20.0)
    assert live.stop is not None
    assert has_message(NONE_ELIGIBLE)(live.sentence)
    assert rank(replace(record, plan=plan)).recommendation.solution is None
    fit = interim(replace(plan, min_rate_mbit_s=1.0), record.attempts, elapsed_s=60.0, round_s=20.0)
    assert not has_message(NONE_ELIGIBLE)(fit.sentence)


def test_codes_of_tunnels_that_hosts_ended_are_those_of_messages() -> None:
    forms = {one.code for one in vars(app.tunnel.messages).values() if isinstance(one, MessageForm)}
    assert forms >= HOST_ENDED
    assert isinstance(SILENT, Message)


@pytest.mark.parametrize("seed", range(12))
def test_a_lead_in_percent_is_that_of_the_figures_beside_it(seed: int) -> None:
    """Single late replies move means, and not the medians that decide."""
    rng = np.random.default_rng(seed)
    record = sample_record(models=(BARE, MODELS[1], Model(OPENVPN_UDP, 1.06, 0.3, 40.0, 70.0, 100)), noise=0.0005)

    def late(one: Attempt) -> Attempt:
        if one.key.solution != "wireguard":
            return one
        series = []
        for each in one.latency:
            rtt_us = each.rtt_us.copy()
            rtt_us[:: int(rng.integers(4, 60))] *= 2
            series.append(replace(each, rtt_us=rtt_us))
        return replace(one, latency=tuple(series))

    sentence = rank(replace(record, attempts=tuple(map(late, record.attempts)))).recommendation.sentence
    named = re.search(
        r"latency of ([\d.]+) ms.* is ([\d.]+) % below that of the next best, .* \(([\d.]+) ms\)", sentence
    )
    if named is None:
        assert "median" in sentence
        return
    mine, less_pct, other = map(float, named.groups())
    assert 100 * (1 - mine / other) == pytest.approx(less_pct, abs=max(0.7, 0.15 * less_pct))
