"""Tunnels over TCP: forged segments of their connection reach the program, which takes no frame from them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from app.domain.commands import SessionPair
from app.domain.errors import DeadlineExceeded
from app.domain.hosts import HostFacts, Side
from app.domain.link import Link
from suite.injections import REFERENCE, WITH
from support.bare_tunnel import BareTunnel, build, ping, tunnels_made
from support.forged_segments import forged_frame, put_in
from support.injection_results import write_forged
from support.lab_pairs import MIXED, LabPairs
from support.lab_sessions import sh
from support.net_bench import net_bench
from support.net_desk import need_namespaces
from support.waiting import PATIENCE_S, wait_until
from vpn_adapters.registry import ADAPTERS

INSIDE = {Side.A: "10.79.0.1", Side.B: "10.79.0.2"}
"""Addresses inside the tunnel that has no keys."""
ATTEMPTS = 10
"""A segment that comes after the peer's own of that number is nothing to TCP."""
HEARD_S = 5.0
"""Within this a program complains, on a busy computer as well, of what has reached it."""
COMPLAINT = {
    "openvpn-tcp": "unknown opcode|Decrypt error|Decrypt packet error|Fatal TLS error|Bad encapsulated packet length",
    "ssh": "Bad packet length|[Cc]orrupted MAC|[Mm]essage authentication code incorrect|padding error",
}


def bodies(solution: str) -> dict[str, bytes]:
    """Return what is put into a connection, by kind."""
    frame = forged_frame()
    if solution == "ssh":
        # SSH_MSG_CHANNEL_DATA as it is before encryption. Source: RFC 4253 section 6, RFC 4254 section 5.2.
        data = b"\x5e" + bytes(4) + len(frame).to_bytes(4) + frame
        return {"channel data": (len(data) + 5).to_bytes(4) + b"\x04" + data + bytes(4)}
    # Over TCP each packet has its length in front; 9 is P_DATA_V2. Source: OpenVPN's protocol, "TCP encapsulation".
    kinds = {"frame": frame, "data packet": bytes((9 << 3,)) + bytes(3) + frame}
    return {kind: len(body).to_bytes(2) + body for kind, body in kinds.items()}


@dataclass(frozen=True)
class Place:
    """Two hosts.

    Attributes:
        sessions: Connections as root.
        facts: What was found on A and B.
        link: Their underlay.
        platforms: What runs on A and on B, for the table.
    """

    sessions: SessionPair
    facts: tuple[HostFacts, HostFacts]
    link: Link
    platforms: tuple[str, str]


@pytest.fixture(
    scope="module", params=["hosts", pytest.param("gateways", marks=[pytest.mark.full, pytest.mark.machines])]
)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    if request.param == "hosts":
        need_namespaces()
        with net_bench(tmp_path_factory.mktemp("net")) as net:
            yield Place(net.sessions, net.facts, Link(*net.hosts.addresses), ("namespaces",) * 2)
        return
    pairs: LabPairs = request.getfixturevalue("lab_pairs")
    pair = pairs.get(*MIXED)
    yield Place(pair.sessions, pair.facts, pair.link, MIXED)


@pytest.fixture
def tunnel(place: Place, request: pytest.FixtureRequest) -> Iterator[BareTunnel]:
    with tunnels_made(place.sessions, place.facts, place.link) as make:
        tunnel = make(ADAPTERS[request.param])
        build(tunnel)
        yield tunnel


@pytest.mark.parametrize("tunnel", ["openvpn-tcp", "ssh"], indirect=True)
def test_no_forged_segment_brings_a_frame_in(place: Place, tunnel: BareTunnel) -> None:
    solution, plan = tunnel.adapter.info.name, tunnel.plan
    found: dict[Side, dict[str, int]] = {side: {} for side in Side}
    for victim in Side:
        for kind, body in bodies(solution).items():
            if found[Side.A]:  # the one before has ended the connection
                tunnel.undo_steps()
                tunnel.apply()
            tunnel.wait_until_up(timeout_s=PATIENCE_S)
            found[victim][kind] = attack(tunnel, victim, body)
    write_forged(solution, place.platforms, WITH, [found[side] for side in Side], 1)
    assert [set(one.values()) for one in found.values()] == [{0}, {0}], found
    tunnel.undo_steps()
    tunnel.apply()
    tunnel.wait_until_up(timeout_s=PATIENCE_S)
    assert ping(tunnel.sessions.a, plan.probe_address_b) >= 10


def attack(tunnel: BareTunnel, victim: Side, body: bytes) -> int:
    """Put bytes into the connection of a tunnel, as its peer, until the program complains.

    Returns:
        How many forged frames came out of the tunnel.
    """
    link, plan = tunnel.request.link, tunnel.plan
    hosts = tunnel.session(victim.other), tunnel.session(victim)
    underlay = link.underlay(victim.other), link.underlay(victim)
    before, entered = complaints(tunnel, victim), 0
    for _ in range(ATTEMPTS):
        entered += put_in(*hosts, underlay, plan.probe_address(victim), plan.on(victim).interface, body)
        with contextlib.suppress(DeadlineExceeded):
            wait_until(lambda: complaints(tunnel, victim) > before, "a complaint", HEARD_S)
            return entered
    raise AssertionError(f"No forged segment reached the program on {victim}: {tunnel.logs()}")


def complaints(tunnel: BareTunnel, side: Side) -> int:
    """Return how often a host's program complained of what it received."""
    paths = " ".join(tunnel.plan.on(side).log_paths)
    shown = sh(tunnel.session(side), f"cat {paths} | grep -E -c '{COMPLAINT[tunnel.adapter.info.name]}' || true")
    return int(shown)


def test_forged_segment_brings_a_frame_into_a_tunnel_without_keys(place: Place) -> None:
    sessions, link = place.sessions, place.link
    hosts = {Side.A: sessions.a, Side.B: sessions.b}
    try:
        for side, role in ((Side.A, "tcp4-server"), (Side.B, "tcp4-client")):
            words = f"--dev-type tap --dev tml0 --proto {role} --port 21195 --remote {link.underlay(side.other)}"
            more = f"--daemon --writepid /run/plain.pid --ifconfig {INSIDE[side]} 255.255.255.0"
            sh(hosts[side], f"openvpn {words} {more} > /dev/null")
        up = f"ping -n -q -c 1 -W 1 {INSIDE[Side.B]} > /dev/null && echo up || true"
        wait_until(lambda: sh(hosts[Side.A], up) != "", "the tunnel without keys")
        body = bodies("openvpn-tcp")["frame"]
        underlay = link.underlay(Side.A), link.underlay(Side.B)
        words = hosts[Side.A], hosts[Side.B], underlay, INSIDE[Side.B], "tml0", body
        entered = next(filter(None, (put_in(*words) for _ in range(ATTEMPTS))), 0)
        write_forged("openvpn-tcp, no keys", place.platforms[1:], REFERENCE, [{"frame": entered}], 1)
        assert entered == 1
    finally:
        for host in hosts.values():
            sh(host, "kill $(cat /run/plain.pid); while [ -e /sys/class/net/tml0 ]; do sleep 0.1; done")
            sh(host, "rm -f /run/plain.pid")
