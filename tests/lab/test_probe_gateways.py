"""Probes over the bare underlay of the practice lab: other users, processors of their own, shaping."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from lab_sessions import connected, sh, wait_until_clean
from ping_stop import assert_cancelling_ends_ping

from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.hosts import Side
from app.lab import Lab
from app.probes import (
    CpuMonitor,
    CpuReading,
    LatencyRequest,
    ThroughputRequest,
    doubts_before,
    inspect_surroundings,
    measure_throughput,
    throughput_server,
)
from support.lab_pairs import LabPair

A, B = "192.0.2.1", "192.0.2.2"
PORT = 25_201
REQUEST = ThroughputRequest(A, B, PORT, 2, 20.0, "3.18")


@pytest.fixture(scope="module")
def sessions(lab_pair: LabPair) -> Iterator[SessionPair]:
    pair = lab_pair.sessions
    yield pair
    wait_until_clean(pair.a, pair.b)


@pytest.mark.timed
@pytest.mark.parametrize("user", ["nopass", "doasuser"])
def test_cancelling_ends_ping_on_the_host(lab: Lab, sessions: SessionPair, tmp_path: Path, user: str) -> None:
    with connected(lab, tmp_path, user) as pair:
        assert pair.a.spec.user == user
        assert_cancelling_ends_ping(pair.a, sessions.a, LatencyRequest(B, A, (60,), 100_000))


def test_cpu_of_the_busy_host_alone_is_high(sessions: SessionPair) -> None:
    readings: list[CpuReading] = []
    with CpuMonitor(sessions, on_reading=readings.append) as monitor:
        monitor.wait_until_watching(CancelToken())
        began_s = time.monotonic()
        sh(sessions.a, "end=$(($(date +%s) + 4)); while [ $(date +%s) -lt $end ]; do :; done")
        window = (began_s, time.monotonic())

    usage = monitor.usage(window)
    assert usage["a"].busy_pct > 80
    assert usage["b"].busy_pct < usage["a"].busy_pct - 20
    # A gateway that is held up reports less often than each half second.
    assert 1 < usage["a"].seconds < window[1] - window[0] + 5
    assert {one.side for one in readings} == set(Side)
    assert monitor._errors == {}
    wait_until_clean(sessions.a, sessions.b)


def test_shaping_that_was_left_behind_is_a_doubt(sessions: SessionPair) -> None:
    sh(sessions.b, "tc qdisc replace dev eth1 root netem delay 3ms")
    try:
        found = inspect_surroundings(sessions, A, B, token=CancelToken())
    finally:
        sh(sessions.b, "tc qdisc del dev eth1 root")

    assert found[Side.A].shapers == ()
    assert "netem" in found[Side.B].shapers[0]
    assert found[Side.B].device == "eth1"
    doubts = doubts_before({Side.A: "gateway-a", Side.B: "gateway-b"}, found)
    assert any("gateway-b" in doubt and "netem" in doubt for doubt in doubts)


def test_both_directions_in_json_with_each_second_reported(sessions: SessionPair) -> None:
    seen: list[tuple[str, float, float]] = []
    request = ThroughputRequest(A, B, PORT, 4, None, "3.18")

    token = CancelToken()
    with throughput_server(sessions.b, request, token=token) as server:
        outcome = measure_throughput(
            sessions.a, server, request, token=token, on_interval=lambda *one: seen.append(one)
        )

    assert [one.direction for one in outcome.series] == ["a_to_b", "b_to_a"]
    for one in outcome.series:
        assert one.mbit_s > 0.1
        assert 1 <= len(one.interval_mbit_s) <= 5  # iperf3 on a host that is held up leaves a short last one out
        assert one.retransmits is not None
        assert 0.2 < np.mean(one.interval_mbit_s) / one.mbit_s < 5  # more where the last one is left out
    assert [one[0] for one in seen] == [one.direction for one in outcome.series for _ in one.interval_mbit_s]
    wait_until_clean(sessions.a, sessions.b)
