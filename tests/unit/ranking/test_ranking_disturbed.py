"""A candidate that only a busy host bars keeps a slower one from being called the best."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.ranking import AdviceKind, Recommendation
from app.domain.results import LOST_RTT_US
from app.ranking import rank
from app.ranking.gates import MOST_REPEATS
from support.sample_records import BASELINE, OPENVPN_TCP, OPENVPN_UDP, WIREGUARD, Model, sample_record

BARE = Model(BASELINE, 0.4, 0.1, 400.0, 30.0, 0)


def advice(fastest_ms: float, *, rounds: int) -> Recommendation:
    """Return what is recommended if the hosts were too busy for WireGuard alone."""
    models = [BARE] + [
        Model(one, base_ms, 0.3, 40.0, 70.0, 100)
        for one, base_ms in ((WIREGUARD, fastest_ms), (OPENVPN_UDP, 1.0), (OPENVPN_TCP, 2.0))
    ]
    record = sample_record(models=models, rounds=rounds, noise=0.01)
    attempts = tuple(
        replace(one, own_load_cores=1.6 if one.key.solution == "wireguard" else 0.1, repeats=MOST_REPEATS)
        for one in record.attempts
    )
    return rank(replace(record, attempts=attempts)).recommendation


@pytest.mark.parametrize("rounds", [1, 3])
def test_nothing_is_recommended_where_a_barred_candidate_may_be_faster(rounds: int) -> None:
    found = advice(0.8, rounds=rounds)
    assert found.kind is AdviceKind.NONE
    assert "too busy while WireGuard" in found.sentence
    assert "may be faster than OpenVPN over UDP" in found.sentence


@pytest.mark.parametrize("rounds", [1, 3])
def test_a_barred_candidate_that_is_slower_changes_nothing(rounds: int) -> None:
    found = advice(2.5, rounds=rounds)
    assert (found.solution, found.kind) == ("openvpn-udp", AdviceKind.CLEAR)


@pytest.mark.parametrize(("factor", "kind"), [(3.0, AdviceKind.NONE), (1.0, AdviceKind.CLEAR)])
def test_a_disturbed_candidate_is_judged_by_its_shortest_round_trips(factor: float, kind: AdviceKind) -> None:
    """Its median tells how busy the hosts were: 1.9 times the best one's says nothing where it varied threefold."""
    models = [BARE, Model(WIREGUARD, 1.9 / factor, 0.1, 40.0, 70.0, 100), Model(OPENVPN_UDP, 1.0, 0.3, 40.0, 70.0, 100)]
    record = sample_record(models=models, rounds=1, pings=200, noise=0.01)
    attempts = []
    for one in record.attempts:
        series = []
        for each in one.latency:
            rtt_us = each.rtt_us.copy()
            if one.key.solution == "wireguard":
                rtt_us[rtt_us.size // 4 :] = (rtt_us[rtt_us.size // 4 :] * factor).astype(rtt_us.dtype)
            series.append(replace(each, rtt_us=rtt_us))
        is_busy = one.key.solution == "wireguard"
        attempts.append(
            replace(one, latency=tuple(series), own_load_cores=1.6 if is_busy else 0.1, repeats=MOST_REPEATS)
        )
    assert rank(replace(record, attempts=tuple(attempts))).recommendation.kind is kind


def with_lost(lost: dict[str, int], *, has_bare: bool) -> Recommendation:
    """Return what is recommended if candidates lost so many of 200 requests of each size."""
    models = [BARE] if has_bare else []
    models += [Model(WIREGUARD, 0.4, 0.1, 40.0, 70.0, 100), Model(OPENVPN_TCP, 4.0, 0.1, 40.0, 70.0, 100)]
    record = sample_record(models=models, rounds=3, pings=200, noise=0.01)
    attempts = []
    for one in record.attempts:
        number = lost.get(one.key.solution, 0)
        series = []
        for each in one.latency:
            rtt_us = each.rtt_us.copy()
            rtt_us[:number] = LOST_RTT_US
            series.append(replace(each, rtt_us=rtt_us, received=each.sent - number))
        attempts.append(replace(one, latency=tuple(series)))
    plan = replace(record.plan, deadline_ms=None)
    return rank(replace(record, plan=plan, attempts=tuple(attempts))).recommendation


def test_a_small_loss_makes_no_slow_candidate_the_best_where_the_bare_link_is_not_measured() -> None:
    found = with_lost({"wireguard": 1}, has_bare=False)
    assert found.kind is AdviceKind.NONE
    assert "(0.50 %) lost frames and may be faster than OpenVPN over TCP" in found.sentence
    assert "measure again with it" in found.sentence


def test_a_loss_is_the_candidates_own_where_the_bare_link_has_none() -> None:
    found = with_lost({"wireguard": 1}, has_bare=True)
    assert (found.solution, found.kind) == ("openvpn-tcp", AdviceKind.CLEAR)


def test_a_large_loss_is_the_candidates_own_where_others_lose_less() -> None:
    found = with_lost({"wireguard": 20}, has_bare=False)
    assert (found.solution, found.kind) == ("openvpn-tcp", AdviceKind.CLEAR)


def test_a_loss_that_the_best_one_has_as_well_may_be_that_of_the_link() -> None:
    assert with_lost({"wireguard": 20, "openvpn-tcp": 10}, has_bare=False).solution is None
