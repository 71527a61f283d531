"""Every adapter's steps on two real gateways: steps and their undo, times, and what happens when things break."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from app.discovery import discover_pair
from app.domain.adapters import Adapter, PublicIdentity, Suite
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.errors import DeadlineExceeded
from app.domain.hosts import HostFacts, Side
from app.domain.link import Link
from app.lab import Lab
from support.adapter_cases import all_cases, facts
from support.bare_tunnel import BareTunnel, build, marks_on_underlay, new_tunnel, ping
from support.lab_sessions import connected, sh
from vpn_adapters.registry import ADAPTERS

LINK = Link(underlay_a="192.0.2.1", underlay_b="192.0.2.2")
CASES = [case for case in all_cases() if case[0].info.name != "baseline"]
CASE_IDS = [f"{adapter.info.name}-{suite.name}" for adapter, suite in CASES]
DEFAULT_SUITES = pytest.mark.parametrize(
    ("adapter", "suite"),
    [case for case in CASES if case[1].is_default],
    ids=[name for name, case in zip(CASE_IDS, CASES, strict=True) if case[1].is_default],
)
SETUP_AND_CLEANUP_S = 6.0
QUIET_S = 0.9
"""How long ten starts of `openssl version` take on both gateways at once, with two cores for the two of them."""

Make = Callable[[Adapter, Suite], BareTunnel]


@pytest.fixture(scope="module")
def sessions(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SessionPair]:
    with connected(lab, tmp_path_factory.mktemp("ssh")) as pair:
        yield pair


@pytest.fixture(scope="module")
def hosts(sessions: SessionPair) -> tuple[HostFacts, HostFacts]:
    return discover_pair(sessions, ADAPTERS, token=CancelToken())


@pytest.fixture
def make(sessions: SessionPair, hosts: tuple[HostFacts, HostFacts]) -> Iterator[Make]:
    """Give a tunnel of which nothing is made, and see afterwards that nothing of it is left."""
    made: list[tuple[BareTunnel, tuple[str, str]]] = []

    def new(adapter: Adapter, suite: Suite) -> BareTunnel:
        offered = {one.name: one for one in adapter.suites(*hosts)}
        tunnel = new_tunnel(sessions, adapter, offered[suite.name], hosts, LINK)
        made.append((tunnel, tunnel.both(tunnel.snapshot)))
        return tunnel

    yield new
    for tunnel, before in made:
        tunnel.undo()
        assert tunnel.both(tunnel.snapshot) == before


@pytest.mark.parametrize("name", ADAPTERS)
def test_lab_answers_as_recorded(name: str, hosts: tuple[HostFacts, HostFacts]) -> None:
    for host in hosts:
        found, recorded = host.solutions[name], facts().solutions[name]
        assert found.is_available
        assert (found.features, found.ciphers, found.digests) == (
            recorded.features,
            recorded.ciphers,
            recorded.digests,
        )


@DEFAULT_SUITES
def test_undo_after_any_number_of_steps_leaves_nothing(adapter: Adapter, suite: Suite, make: Make) -> None:
    tunnel = make(adapter, suite)
    before = tunnel.both(tunnel.snapshot)
    for count in range(1, len(tunnel.plan.a.steps) + 1):
        tunnel.make_keys()
        tunnel.apply(count=count)
        tunnel.undo()
        assert tunnel.both(tunnel.snapshot) == before, count
        tunnel.undo()


def busy_factor(tunnel: BareTunnel) -> float:
    """Return how many times slower both gateways start programs than in a lab that has this computer to itself."""
    script = "i=0; while [ $i -lt 10 ]; do openssl version >/dev/null; i=$((i + 1)); done"
    started_at_s = time.monotonic()
    tunnel.both(lambda side: sh(tunnel.session(side), script))
    return max(1.0, (time.monotonic() - started_at_s) / QUIET_S)


@DEFAULT_SUITES
def test_setup_and_cleanup_are_quick(adapter: Adapter, suite: Suite, make: Make) -> None:
    tunnel = make(adapter, suite)
    took_s = []
    for _ in range(3):
        before = busy_factor(tunnel)
        setup_s = build(tunnel)
        started_at_s = time.monotonic()
        tunnel.undo()
        both_s = setup_s + time.monotonic() - started_at_s
        factor = (before + busy_factor(tunnel)) / 2
        print(f"{adapter.info.name}: set-up {setup_s:.1f} s, with clean-up {both_s:.1f} s, {factor:.1f} times busy")
        took_s.append(both_s / factor)
    assert min(took_s) <= SETUP_AND_CLEANUP_S


def test_l2tp_inside_wireguard_never_leaves_by_another_way(make: Make) -> None:
    adapter = ADAPTERS["wireguard"]
    tunnel = make(adapter, next(suite for one, suite in CASES if one is adapter))
    build(tunnel)
    plan, host = tunnel.plan, tunnel.sessions.a
    own, peer = LINK.carrier(Side.A), LINK.carrier(Side.B)
    # The worst case: WireGuard's device goes, its address stays on another one, and there is another route.
    sh(host, f"ip addr add {own}/32 dev lo; ip route add default via {LINK.underlay_b} dev eth1 metric 9999")
    try:
        sh(host, f"ip link del {LINK.names.wireguard_interface}")
        marks, _ = marks_on_underlay(tunnel, lambda: ping(host, plan.probe_address_b, mark=True, wait_s=2))
        assert marks == 0
        sh(host, f"ip route del unreachable {peer}/32 metric 4000")
        marks, _ = marks_on_underlay(tunnel, lambda: ping(host, plan.probe_address_b, mark=True, wait_s=2))
        assert marks > 0, "without the guard this shows nothing"
    finally:
        sh(host, f"ip addr del {own}/32 dev lo; ip route del default via {LINK.underlay_b} dev eth1 metric 9999")


@pytest.mark.parametrize("name", ["openvpn-udp", "openvpn-tcp"])
def test_openvpn_that_dies_stops_the_frames(name: str, make: Make) -> None:
    adapter = ADAPTERS[name]
    tunnel = make(adapter, next(suite for one, suite in CASES if one is adapter))
    build(tunnel)
    host, address = tunnel.sessions.a, tunnel.plan.probe_address(Side.B)
    assert ping(host, address) >= 10
    sh(host, "kill -9 $(cat /run/tunnelmark/tunnel/openvpn.pid)")
    answered: list[int] = []
    marks, _ = marks_on_underlay(
        tunnel, lambda: answered.append(ping(host, address, frame_bytes=242, mark=True, wait_s=3))
    )
    assert answered == [0]
    assert marks == 0


@pytest.mark.parametrize("wrong", list(Side))
def test_openvpn_does_not_come_up_with_another_peers_certificate(wrong: Side, make: Make) -> None:
    adapter = ADAPTERS["openvpn-udp"]
    tunnel = make(adapter, next(suite for one, suite in CASES if one is adapter))
    tunnel.make_keys()
    own = tunnel.request.identity(wrong)
    stranger = PublicIdentity({**own.values, "fingerprint": ":".join(["AB"] * 32)})
    changed = {"identity_a": stranger} if wrong is Side.A else {"identity_b": stranger}
    tunnel.request = replace(tunnel.request, **changed)
    tunnel.apply()
    with pytest.raises(DeadlineExceeded):
        tunnel.wait_until_up(timeout_s=5)
    assert ping(tunnel.sessions.a, tunnel.plan.probe_address(Side.B), wait_s=2) == 0


def test_wireguard_does_not_come_up_with_another_peers_key(make: Make) -> None:
    adapter = ADAPTERS["wireguard"]
    tunnel = make(adapter, next(suite for one, suite in CASES if one is adapter))
    tunnel.make_keys()
    tunnel.request = replace(tunnel.request, identity_a=tunnel.request.identity_b)
    tunnel.apply()
    with pytest.raises(DeadlineExceeded):
        tunnel.wait_until_up(timeout_s=5)
