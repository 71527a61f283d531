"""Spreads of candidates' rounds, and what they bar: a candidate that varies does not make steady ones too busy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from app.domain.gates import GateName, GateVerdict
from app.domain.ranking import BarrierReason, Ranking
from app.ranking.rank import rank
from app.ranking.round_spreads import round_spreads
from support.sample_records import BASELINE, OPENVPN_TCP, OPENVPN_UDP, WIREGUARD, Model, sample_record

BARE = Model(BASELINE, 0.4, 0.1, 400.0, 30.0, 0)
VPNS = tuple(
    Model(one, base_ms, 0.3, 40.0, 70.0, 100)
    for one, base_ms in ((WIREGUARD, 0.8), (OPENVPN_UDP, 1.0), (OPENVPN_TCP, 2.0))
)
STEADY = ("wireguard", "openvpn-udp")


def slowed(factors: Mapping[int, Mapping[str, float]], models: tuple[Model, ...] = VPNS) -> Ranking:
    """Return the ranking of a comparison of two rounds in which all times of some candidates are multiplied.

    Args:
        factors: By round and solution.
    """
    record = sample_record(models=[BARE, *models], rounds=2, noise=0.0)
    attempts = []
    for one in record.attempts:
        factor = factors.get(one.key.round, {}).get(one.key.solution, 1.0)
        latency = tuple(replace(each, rtt_us=(each.rtt_us * factor).astype(np.uint32)) for each in one.latency)
        attempts.append(replace(one, latency=latency))
    return rank(replace(record, attempts=tuple(attempts)))


def rounds_of(ranking: Ranking) -> dict[str, GateVerdict]:
    return {one.solution: gate.verdict for one in ranking.results for gate in one.gates if gate.name is GateName.ROUNDS}


@pytest.mark.parametrize("factor", [3.0, 4.0, 6.0])
def test_a_candidate_that_varies_neither_bars_steady_ones_nor_makes_them_doubtful(factor: float) -> None:
    found = slowed({2: {"openvpn-tcp": factor}})
    verdicts = rounds_of(found)
    assert [verdicts[name] for name in STEADY] == [GateVerdict.OK] * 2
    assert verdicts["openvpn-tcp"] is GateVerdict.FAILED
    barriers = {one.solution: one.barrier for one in found.results}
    assert [barriers[name] for name in STEADY] == [None] * 2
    barred = barriers["openvpn-tcp"]
    assert barred is not None
    assert barred.reason is BarrierReason.GATE
    assert "disturbed" not in found.recommendation.sentence, "not most were"
    sentence = found.recommendation.sentence
    assert "too busy" not in sentence, "what varies alone may do so by itself"
    assert "OpenVPN over TCP" in sentence.partition(" varied too much from round to round")[0], "it may be faster"
    assert "by itself or because the hosts were busy" in sentence


def test_a_round_that_is_slow_for_all_is_no_difference_between_rounds() -> None:
    found = slowed({2: dict.fromkeys((*STEADY, "openvpn-tcp"), 3.0)})
    assert set(rounds_of(found).values()) == {GateVerdict.OK}


def test_of_two_candidates_neither_varies() -> None:
    found = slowed({2: {"openvpn-udp": 6.0}}, VPNS[:2])
    assert rounds_of(found) == {}


def test_the_spread_is_that_of_the_candidate_itself() -> None:
    steady, unsteady = {1: 1.0, 2: 1.0}, {1: 5.0, 2: 30.0}
    assert round_spreads([steady, unsteady, steady]) == pytest.approx((0.0, math.log(6.0) / math.sqrt(2), 0.0))


def test_missing_rounds_leave_the_spreads_of_the_others_as_they_are() -> None:
    rounds = {1: 1.0, 2: 1.3, 3: 0.9, 4: 1.1}
    steady = [{nth: scale * rounds[nth] for nth in held} for scale, held in ((1, (1, 2, 3, 4)), (2, (1, 2, 3, 4)))]
    late, early = {nth: 3 * rounds[nth] for nth in (3, 4)}, {nth: 5 * rounds[nth] for nth in (1, 2)}
    unsteady = {nth: rounds[nth] * (7.0 if nth == 3 else 1.0) for nth in rounds}
    found = round_spreads([*steady, late, early, unsteady])
    assert found[:4] == pytest.approx((0.0,) * 4, abs=1e-6)
    assert found[4] == pytest.approx(math.log(7.0) / 2)


def test_rounds_of_fewer_than_three_candidates_do_not_count() -> None:
    gone, varies, steady = {1: 1.0, 2: 1.0}, {1: 1.0, 2: 1.0, 3: 9.0}, {1: 2.0, 2: 2.0, 3: 2.0}
    assert round_spreads([gone, varies, steady]) == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)
    assert all(map(math.isnan, round_spreads([{1: 1.0}, varies, steady])))
    assert round_spreads([]) == ()


def test_equal_noise_gives_every_candidate_its_own_spread() -> None:
    rng = np.random.default_rng(7)
    tables = np.exp(rng.normal(0.0, 0.1, (300, 4, 3)))
    found = [round_spreads([dict(enumerate(row.tolist())) for row in table]) for table in tables]
    assert float(np.mean(np.square(found))) == pytest.approx(0.1**2, rel=0.3)
