"""A candidate that only a busy host bars keeps a slower one from being called the best."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.ranking import AdviceKind, Recommendation
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
