"""Choice of the recommendation: verdict, throughput and chance never outweigh latency."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sample_records import BASELINE, BLOWFISH, MODELS, OPENVPN_TCP, OPENVPN_UDP, WIREGUARD, Model, sample_record

from app.domain.profiles import FRAME_BYTES
from app.domain.ranking import AdviceKind
from app.domain.results import LatencySeries
from app.ranking import rank
from app.reports import to_json

BARE = Model(BASELINE, 0.4, 0.1, 400.0, 30.0, 0)
QUICK, SLOW = Model(OPENVPN_TCP, 1.0, 0.0, 40.0, 70.0, 97), Model(WIREGUARD, 10.0, 0.0, 90.0, 70.0, 114)


@pytest.mark.parametrize("rounds", [1, 2, 3])
@pytest.mark.parametrize("noise", [0.01, 0.3])
def test_ten_times_slower_is_never_advised_for_its_better_verdict(rounds: int, noise: float) -> None:
    for seed in range(4):
        record = sample_record(models=(BARE, QUICK, SLOW), rounds=rounds, noise=noise, seed=seed, pings=20)
        assert rank(record).recommendation.solution == "openvpn-tcp"


def test_chance_is_excluded_only_beside_a_rank_that_is_not_shared() -> None:
    reported = 0
    models = (*MODELS[:5], Model(BLOWFISH, 1.0, 0.34, 50.0, 70.0, 100))
    for seed in range(12):
        found = rank(sample_record(models=models, noise=0.05, seed=seed, pings=10))
        if "more than chance explains" in found.recommendation.sentence:
            reported += 1
            assert next(one for one in found.ranking if one.solution == found.recommendation.solution).tied_with == ()
    assert reported < 12


def test_a_cycle_of_pairs_does_not_raise() -> None:
    record = sample_record(models=(BARE, *MODELS[2:5]), rounds=9, pings=5, noise=0.0)
    times = {"wireguard": {1: 1.0, 3: 2.0}, "openvpn-udp": {1: 2.0, 2: 1.0}, "openvpn-tcp": {2: 2.0, 3: 1.0}}
    attempts = []
    for one in record.attempts:
        part = (one.key.round + 2) // 3
        ms = times.get(one.key.solution, dict.fromkeys((1, 2, 3), 0.4)).get(part)
        if ms is not None:
            rtt_us = np.full(5, round(1000 * ms) + one.key.round, np.uint32)
            attempts.append(replace(one, latency=tuple(LatencySeries(size, 5, 5, 0, rtt_us) for size in FRAME_BYTES)))
    found = rank(replace(record, attempts=tuple(attempts)))
    assert found.recommendation.solution is not None


def test_tied_with_names_the_pairs_that_were_not_distinguished() -> None:
    near = Model(WIREGUARD, 1.0, 0.0, 40, 70, 114), Model(OPENVPN_UDP, 1.001, 0.0, 40, 70, 83)
    found = rank(sample_record(models=(BARE, *near, replace(QUICK, base_ms=3.0)), noise=0.01))
    tied = {one.solution: one.tied_with for one in found.ranking}
    assert tied["wireguard"] == (OPENVPN_UDP.title,)
    assert tied["openvpn-tcp"] == ()


def test_json_has_kind_ratio_and_minutes() -> None:
    record = sample_record(models=(BARE, QUICK, replace(SLOW, base_ms=2.0)), noise=0.01)
    report = to_json(record, rank(record))
    assert report["recommendation"]["kind"] == AdviceKind.CLEAR
    assert report["recommendation"]["minutes_to_decide"] is None
    ratio = next(one for one in report["results"] if one["solution"] == "wireguard")["ratio_to_best"]
    assert 1.9 < ratio["low"] < ratio["value"] < ratio["high"] < 2.1
