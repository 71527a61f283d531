"""Probes over the bare underlay of hosts made of namespaces; what needs machines is in test_probe_gateways.py."""

from __future__ import annotations

import itertools
import shlex
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from lab_sessions import connected, sh, wait_until_clean
from ping_stop import assert_cancelling_ends_ping

from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.errors import Cancelled, ConnectionLost, ProbeFailed
from app.domain.hosts import Side
from app.domain.messages import code_of
from app.domain.profiles import FRAME_BYTES
from app.domain.results import LatencySeries
from app.probes import (
    CpuCounters,
    LatencyRequest,
    ThroughputOutcome,
    ThroughputRequest,
    cpu,
    measure_latency,
    measure_throughput,
    probe_path_mtu,
    throughput_server,
)
from app.probes.cpu_ticks import parse_cpu_line
from app.probes.latency import WARM_UP_PINGS
from app.probes.messages import (
    FRAME_TOO_LONG,
    NO_REPLY_CAME,
    NO_REPLY_WITHIN,
    PORT_TAKEN,
    REPLIES_STOPPED,
    SERVER_NOT_LISTENING,
    THROUGHPUT_FAILED,
)
from support.message_checks import has_message
from support.net_bench import NetBench
from support.waiting import wait_until

A, B = "10.99.1.1", "10.99.1.2"
PORT = 25_201
VERSION = "3.9"
"""Options that every iperf3 has: no streams of JSON, which are tested on gateways."""
REQUEST = ThroughputRequest(A, B, PORT, 2, 20.0, VERSION)
STOP_S = 2.0


@pytest.fixture(scope="module")
def sessions(net: NetBench) -> Iterator[SessionPair]:
    pair = net.sessions
    assert net.hosts.addresses == (A, B)
    yield pair
    wait_until_clean(pair.a, pair.b)


def ping(pair: SessionPair, *, pings: int = 100, sizes: tuple[int, ...] = FRAME_BYTES) -> tuple[LatencySeries, ...]:
    request = LatencyRequest(B, A, sizes, pings)
    return measure_latency(pair.a, request, token=CancelToken(), on_samples=lambda *_: None).series


def iperf(
    pair: SessionPair,
    request: ThroughputRequest = REQUEST,
    *,
    on_interval: Callable[[str, float, float], None] = lambda *_: None,
    token: CancelToken | None = None,
) -> ThroughputOutcome:
    token = token or CancelToken()
    with throughput_server(pair.b, request, token=token) as server:
        return measure_throughput(pair.a, server, request, token=token, on_interval=on_interval)


# --- latency ----------------------------------------------------------------------------------------------------------


def test_every_size_crosses_and_every_round_trip_time_is_kept(sessions: SessionPair) -> None:
    batches: list[tuple[int, int, tuple[float, ...]]] = []
    request = LatencyRequest(B, A, FRAME_BYTES, 100)

    series = measure_latency(
        sessions.a, request, token=CancelToken(), on_samples=lambda *batch: batches.append(batch)
    ).series

    assert [one.frame_bytes for one in series] == list(FRAME_BYTES)
    assert all((one.sent, one.received, one.note) == (100, 100, "") for one in series)
    for one in series:
        shown = [value for frame, _, batch in batches if frame == one.frame_bytes for value in batch]
        assert np.allclose(shown, one.rtt_us / 1000.0)
    wait_until_clean(sessions.a)


def test_frames_have_the_size_they_say_they_have(sessions: SessionPair) -> None:
    def wait_for(text: str) -> None:
        CancelToken().wait_for(
            lambda: text in sh(sessions.b, "cat /run/frames.txt"), timeout_s=120, what=text, interval_s=0.3
        )

    sh(sessions.b, "tcpdump -i eth1 -e -n -l -B 4096 icmp and src 10.99.1.1 >/run/frames.txt 2>&1 &")
    try:
        wait_for("listening on")
        ping(sessions, pings=1)
        wait_for(f"length {FRAME_BYTES[-1]}:")
    finally:
        captured = sh(sessions.b, "pkill -x tcpdump; cat /run/frames.txt; rm /run/frames.txt")

    sizes = [int(line.split(" length ")[1].split(":")[0]) for line in captured.splitlines() if "echo" in line]
    # The warm-up comes first, with the smallest frame. Of each size there may be more, for late answers.
    assert [size for size, _ in itertools.groupby(sizes)] == list(FRAME_BYTES)
    assert sizes.count(60) > WARM_UP_PINGS


def test_a_frame_larger_than_the_link_says_why_it_does_not_cross(sessions: SessionPair) -> None:
    sh(sessions.a, "ip link set eth1 mtu 1400")
    try:
        began_s = time.monotonic()
        series = ping(sessions, pings=20)
        took_s = time.monotonic() - began_s
    finally:
        sh(sessions.a, "ip link set eth1 mtu 1500")

    assert [one.received for one in series] == [20] * 6 + [0]
    assert has_message(FRAME_TOO_LONG, frame_bytes=1514)(series[-1].note)
    assert "essage too long" in series[-1].note
    assert took_s < 100  # 1 s on a computer that does nothing else; the time limit of ping is over four minutes


DROP = (
    "nft add table ip tmtest && nft add chain ip tmtest in '{ type filter hook input priority 0; }' && "
    "nft add rule ip tmtest in ip saddr 10.99.1.1 {what} drop"
)


def test_a_frame_that_vanishes_is_given_up_and_smaller_ones_count(sessions: SessionPair) -> None:
    sh(sessions.b, DROP.replace("{what}", "icmp type echo-request ip length 1000-1400"))
    try:
        series = ping(sessions, pings=30, sizes=(60, 1024, 1514))
    finally:
        sh(sessions.b, "nft delete table ip tmtest")

    assert [one.received for one in series] == [30, 0, 30]
    assert has_message(FRAME_TOO_LONG, words=NO_REPLY_CAME())(series[1].note)


def test_a_link_that_dies_in_the_middle_ends_the_probe(sessions: SessionPair) -> None:
    has_fallen = False
    began_s = 0.0

    def on_samples(frame_bytes: int, _first: int, _rtt_ms: tuple[float, ...]) -> None:
        nonlocal has_fallen, began_s
        if frame_bytes == 128 and not has_fallen:
            has_fallen = True
            sh(sessions.b, DROP.replace("{what}", "icmp type echo-request"))
            began_s = time.monotonic()

    try:
        with pytest.raises(ProbeFailed, check=has_message(REPLIES_STOPPED, peer=B)):
            measure_latency(
                # So many that the link falls before the last: each takes 0.05 ms.
                sessions.a,
                LatencyRequest(B, A, FRAME_BYTES, 40_000),
                token=CancelToken(),
                on_samples=on_samples,
            )
    finally:
        sh(sessions.b, "nft delete table ip tmtest")

    assert time.monotonic() - began_s < 200  # 10 s on a computer that does nothing else; ping's time limit is days
    wait_until_clean(sessions.a)


def test_an_address_that_no_one_has(sessions: SessionPair) -> None:
    request = LatencyRequest("10.99.1.77", A, FRAME_BYTES, 20)

    with pytest.raises(ProbeFailed, check=has_message(NO_REPLY_WITHIN, peer="10.99.1.77")) as caught:
        measure_latency(sessions.a, request, token=CancelToken(), on_samples=lambda *_: None)

    assert "Unreachable" in caught.value.hint


@pytest.mark.timed
def test_cancelling_ends_ping_on_the_host(sessions: SessionPair) -> None:
    assert_cancelling_ends_ping(sessions.a, sessions.a, LatencyRequest(B, A, (60,), 100_000))


def test_a_connection_that_is_cut_leaves_no_ping_behind(net: NetBench, sessions: SessionPair, tmp_path: Path) -> None:
    with connected(net.pair, tmp_path) as pair:

        def on_samples(_frame: int, first: int, _rtt_ms: tuple[float, ...]) -> None:
            if first > 100 and pair.a.is_connected:
                pair.a.close()

        with pytest.raises(ConnectionLost):
            measure_latency(pair.a, LatencyRequest(B, A, (60,), 100_000), token=CancelToken(), on_samples=on_samples)

    wait_until_clean(sessions.a)


# --- throughput -------------------------------------------------------------------------------------------------------


def test_both_directions_with_each_second_reported(sessions: SessionPair) -> None:
    seen: list[tuple[str, float, float]] = []
    request = ThroughputRequest(A, B, PORT, 4, None, VERSION)

    outcome = iperf(sessions, request, on_interval=lambda *one: seen.append(one))

    assert [one.direction for one in outcome.series] == ["a_to_b", "b_to_a"]
    for one in outcome.series:
        assert one.mbit_s > 1
        assert 1 <= len(one.interval_mbit_s) <= 5  # iperf3 on a host that is held up leaves a short last one out
        assert one.retransmits is not None
        assert 0.2 < np.mean(one.interval_mbit_s) / one.mbit_s < 5
    assert [one[0] for one in seen] == [one.direction for one in outcome.series for _ in one.interval_mbit_s]
    wait_until_clean(sessions.a, sessions.b)


def test_the_cap_holds_in_both_directions(sessions: SessionPair) -> None:
    outcome = iperf(sessions, ThroughputRequest(A, B, PORT, 3, 5.0, VERSION))

    # On a busy computer iperf3 catches up with what it could not send. Without the cap it is Gbit/s.
    assert all(0 < one.mbit_s < 50 for one in outcome.series)
    assert [one.cap_mbit_s for one in outcome.series] == [5.0, 5.0]


def test_the_server_listens_on_the_tunnels_address_alone(sessions: SessionPair) -> None:
    listening: list[str] = []

    def inspect(_direction: str, _at_s: float, _mbit_s: float) -> None:
        if not listening:
            listening.append(sh(sessions.b, f"ss -Htln sport = :{PORT}"))

    request = ThroughputRequest(A, B, PORT, 7, 10.0, VERSION)
    iperf(sessions, request, on_interval=inspect)

    assert f"{B}:{PORT}" in listening[0]
    assert "0.0.0.0" not in listening[0].replace("0.0.0.0:*", "")
    wait_until(lambda: sh(sessions.b, f"ss -Htln sport = :{PORT}") == "", "the end of the server")


def test_a_port_that_is_taken(sessions: SessionPair) -> None:
    sh(sessions.b, f"(timeout 300 iperf3 -s -B {B} -p {PORT} >/dev/null 2>&1 &)")
    wait_until(lambda: sh(sessions.b, f"ss -Htln sport = :{PORT}") != "", "a server of another user")
    try:
        with pytest.raises(ProbeFailed, check=has_message(SERVER_NOT_LISTENING, port=str(PORT))) as caught:
            iperf(sessions)
    finally:
        sh(sessions.b, "pkill -x iperf3")
        wait_until(lambda: sh(sessions.b, f"ss -Htln sport = :{PORT}") == "", "the end of that server")

    assert code_of(caught.value.hint) == PORT_TAKEN.code


def test_a_firewall_in_the_way(sessions: SessionPair) -> None:
    sh(sessions.b, DROP.replace("{what}", f"tcp dport {PORT}").replace("drop", "reject with tcp reset"))
    try:
        with pytest.raises(ProbeFailed, match="Connection refused") as caught:
            iperf(sessions)
    finally:
        sh(sessions.b, "nft delete table ip tmtest")

    assert "firewall" in caught.value.hint
    wait_until_clean(sessions.a, sessions.b)


def test_a_path_that_dies_under_iperf3(sessions: SessionPair) -> None:
    is_cut = False

    def cut(_direction: str, _at_s: float, _mbit_s: float) -> None:
        nonlocal is_cut
        if not is_cut:
            is_cut = True
            sh(sessions.b, DROP.replace("{what}", f"tcp dport {PORT}"))

    request = ThroughputRequest(A, B, PORT, 4, 10.0, VERSION)
    try:
        began_s = time.monotonic()
        with pytest.raises(ProbeFailed, check=has_message(THROUGHPUT_FAILED)):
            iperf(sessions, request, on_interval=cut)
        took_s = time.monotonic() - began_s
    finally:
        sh(sessions.b, "nft delete table ip tmtest")

    assert took_s < 300  # 15 s on a computer that does nothing else
    wait_until_clean(sessions.a, sessions.b)


@pytest.mark.timed
def test_cancelling_ends_client_and_server(sessions: SessionPair) -> None:
    token = CancelToken()
    cancelled_s = 0.0

    def cancel(_direction: str, _at_s: float, _mbit_s: float) -> None:
        nonlocal cancelled_s
        cancelled_s = time.monotonic()
        token.cancel()

    request = ThroughputRequest(A, B, PORT, 30, 10.0, VERSION)
    with pytest.raises(Cancelled):
        iperf(sessions, request, on_interval=cancel, token=token)

    assert time.monotonic() - cancelled_s < STOP_S
    wait_until_clean(sessions.a, sessions.b)


# --- CPU and surroundings ---------------------------------------------------------------------------------------------


def test_watching_works_without_bash(sessions: SessionPair) -> None:
    quoted = shlex.quote(cpu._SCRIPT)
    lines = [parse_cpu_line(line) for line in sh(sessions.b, f"sh -c {quoted} sh 4").splitlines()]

    readings = [one for one in lines if one is not None]
    assert len(readings) == 4
    assert all(later.uptime_s > one.uptime_s for one, later in itertools.pairwise(readings))
    assert all(one.fragments is not None for one in readings)


def test_the_paths_mtu(sessions: SessionPair) -> None:
    assert probe_path_mtu(sessions.a, B, token=CancelToken()) == 1500
    sh(sessions.a, "ip link set eth1 mtu 1388")
    try:
        assert probe_path_mtu(sessions.a, B, token=CancelToken(), source=A) == 1388
    finally:
        sh(sessions.a, "ip link set eth1 mtu 1500")


def test_fragments_are_counted(sessions: SessionPair) -> None:
    counters = CpuCounters(sessions)
    counters.read(CancelToken())
    sh(sessions.a, f"ping -n -c 3 -i 0.2 -M dont -s 3000 {B}")
    counters.read(CancelToken())

    assert counters.fragments(Side.A) == 9  # three pieces each
    assert counters.fragments(Side.B) == 9


def test_whole_frames_make_no_fragments(sessions: SessionPair) -> None:
    request = LatencyRequest(B, A, (60, 1514), 20)

    assert measure_latency(sessions.a, request, token=CancelToken(), on_samples=lambda *_: None).fragments == 0
