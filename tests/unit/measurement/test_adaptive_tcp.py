"""Adaptive comparisons: TCP is measured in the first two rounds, and later rounds are predicted without it."""

from __future__ import annotations

import pytest
import sample_records as sample
from adaptive_stage import AdaptiveStage, FakeProbes

from app.domain.results import AttemptStatus
from app.measurement.adaptive.past_rounds import PastRounds, took_tcp_s

NEAR_MS = {"baseline": 0.4, "wireguard": 1.0, "openvpn-udp": 1.0}


def test_later_rounds_measure_latencies_only() -> None:
    stage = AdaptiveStage(
        candidates=(sample.BASELINE, sample.WIREGUARD, sample.OPENVPN_UDP), probes=FakeProbes(NEAR_MS, noise=0.2)
    )
    record = stage.compare()
    rounds = {one.key.round for one in record.attempts}
    assert max(rounds) > 2
    assert {one.key.round for one in record.attempts if one.throughput} == {1, 2}
    assert {one.status for one in record.attempts} == {AttemptStatus.COMPLETED}
    assert all(one.latency for one in record.attempts)
    assert stage.probes.steps_of("wireguard").count("tcp") == 2


def test_a_round_without_tcp_is_predicted_to_be_shorter() -> None:
    stage = AdaptiveStage(candidates=(sample.BASELINE, sample.WIREGUARD, sample.OPENVPN_UDP))
    past = PastRounds(stage.compare().plan)
    past.add((), 60.0, 20.0)
    assert (past.has_tcp_next, past.next_round_s) == (True, 60.0)
    past.add((), 70.0, 30.0)
    assert (past.has_tcp_next, past.next_round_s) == (False, 40.0)
    past.add((), 40.0, 0.0)
    assert past.next_round_s == 40.0
    assert past.elapsed_s == 170.0


def test_tcp_of_a_stored_round_is_taken_from_its_figures() -> None:
    record = sample.sample_record(rounds=1, models=sample.MODELS[:2])
    seconds = sum(len(each.interval_mbit_s) * each.interval_s for one in record.attempts for each in one.throughput)
    count = sum(len(one.throughput) for one in record.attempts)
    assert took_tcp_s(record.attempts) == pytest.approx(seconds + count)
