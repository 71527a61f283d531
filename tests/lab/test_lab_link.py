"""The link between the practice lab's gateways under load: afterwards it still carries frames in both directions.

A link that has lost its last notification never recovers by itself, so pings after the load show it.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult, HostSession, SessionPair
from app.domain.concurrency import run_both
from app.lab import Lab
from support.lab_pairs import UNDERLAY
from support.lab_sessions import connected, sh

ROUND_S = 4
KINDS = {"TCP": "", "UDP": "--udp --bitrate 50M --length 1472"}
"""Kinds of load, one per round in turn, as options of iperf3."""
FRAMES_PER_ROUND = 100
"""So that a round without load cannot pass. The slowest one, beside 14 other busy processes, carried 560."""

# Ends with the test even if that is killed.
BUSY_LOOP = """
import os
parent = os.getppid()
while os.getppid() == parent:
    for _ in range(1_000_000):
        pass
"""
CREATE_TUNNEL = """
modprobe l2tp_eth
ip l2tp add tunnel tunnel_id 4242 peer_tunnel_id 4242 encap udp udp_sport 51999 udp_dport 51999 \\
    local {local} remote {remote}
ip l2tp add session name stress0 tunnel_id 4242 session_id 1 peer_session_id 1
ip address add {address}/24 dev stress0
ip link set stress0 mtu 1500 up
"""
REMOVE_TUNNEL = "ip l2tp del tunnel tunnel_id 4242"
STOP_SERVER = """
if [ -s /run/stress.pid ]; then kill "$(tr -d '\\0' < /run/stress.pid)" 2> /dev/null; fi
rm -f /run/stress.pid
"""


@dataclass(frozen=True)
class Way:
    """A way between both gateways.

    Attributes:
        interface: Its network interface on both.
        addresses: Addresses of A and B on it.
    """

    interface: str
    addresses: tuple[str, str]


BARE = Way("eth1", UNDERLAY)
TUNNEL = Way("stress0", ("198.51.100.1", "198.51.100.2"))


@contextmanager
def busy_cpus() -> Iterator[None]:
    """Keep every CPU of this computer busy."""
    with ExitStack() as stack:
        for _ in range(os.cpu_count() or 1):
            loop = subprocess.Popen([sys.executable, "-I", "-c", BUSY_LOOP])
            stack.callback(loop.wait)
            stack.callback(loop.kill)
        yield


@contextmanager
def l2tpv3_tunnel(pair: SessionPair) -> Iterator[Way]:
    """Join both gateways by a plain L2TPv3 tunnel whose full frames need two fragments on the underlay."""
    a, b = UNDERLAY
    with ExitStack() as stack:
        for host, local, remote, address in ((pair.a, a, b, TUNNEL.addresses[0]), (pair.b, b, a, TUNNEL.addresses[1])):
            sh(host, CREATE_TUNNEL.format(local=local, remote=remote, address=address))
            stack.callback(sh, host, REMOVE_TUNNEL)
        yield TUNNEL


def attempt(host: HostSession, script: str, *, timeout_s: float) -> CommandResult:
    """Run a line of shell that may fail."""
    return host.run(Command(("sh", "-c", script), timeout_s=timeout_s, is_root=True), token=CancelToken())


def frames_received(pair: SessionPair, way: Way) -> tuple[int, int]:
    """Return how many frames have come out of the path on A and on B."""
    script = f"cat /sys/class/net/{way.interface}/statistics/rx_packets"
    return int(sh(pair.a, script)), int(sh(pair.b, script))


def load_way(pair: SessionPair, way: Way, options: str) -> str:
    """Send as much as the way takes in both directions; return iperf3's output.

    iperf3 itself may give up on a busy computer; what counts is what crossed.
    """
    address_a, address_b = way.addresses
    sh(pair.b, f"iperf3 --server --one-off --daemon --bind {address_b} --pidfile /run/stress.pid")
    client = f"iperf3 --client {address_b} --bidir --time {ROUND_S} --format m --connect-timeout 5000 {options}"
    ping = f"timeout {ROUND_S} ping -q -i 0.01 -s 1472 -M do {address_a}"
    try:
        done, _ = run_both(
            lambda: attempt(pair.a, f"timeout {ROUND_S * 3} {client} 2>&1", timeout_s=60),
            lambda: attempt(pair.b, ping, timeout_s=60),
        )
    finally:
        sh(pair.b, STOP_SERVER)
    return done.stdout


def assert_carries(pair: SessionPair, way: Way, when: str) -> None:
    """Fail unless pings of full size are answered on the path, from both gateways."""

    def ping(host: HostSession, peer: str) -> CommandResult:
        return attempt(host, f"ping -c 5 -i 0.2 -W 5 -s 1472 -M do {peer}", timeout_s=60)

    address_a, address_b = way.addresses
    from_a, from_b = run_both(lambda: ping(pair.a, address_b), lambda: ping(pair.b, address_a))
    for name, done in (("A", from_a), ("B", from_b)):
        assert done.is_ok, f"{way.interface} is silent from {name} {when}:\n{done.stdout}"


def stress(pair: SessionPair, way: Way, duration_s: float) -> None:
    """Load a way for a time, and at least once with each kind of load; see after each round whether it carries."""
    assert_carries(pair, way, "before the load")
    started_at = time.monotonic()
    for number, (kind, options) in enumerate(itertools.cycle(KINDS.items()), start=1):
        if number > len(KINDS) and time.monotonic() - started_at > duration_s:
            break
        before = frames_received(pair, way)
        reported = load_way(pair, way, options)
        when = f"after round {number} ({kind}), {time.monotonic() - started_at:.0f} s; iperf3:\n{reported}"
        assert_carries(pair, way, when)
        crossed = [now - then for now, then in zip(frames_received(pair, way), before, strict=True)]
        assert min(crossed) >= FRAMES_PER_ROUND, f"{crossed} frames crossed {way.interface} {when}"


@pytest.mark.full
@pytest.mark.parametrize("duration_s", [pytest.param(10.0, id="short"), pytest.param(85.0, id="long")])
def test_the_link_survives_load_on_a_busy_computer(lab: Lab, tmp_path: Path, duration_s: float) -> None:
    with busy_cpus(), connected(lab, tmp_path) as pair:
        stress(pair, BARE, duration_s)
        with l2tpv3_tunnel(pair) as way:
            stress(pair, way, duration_s)
            assert_carries(pair, BARE, "after the load in the tunnel")
