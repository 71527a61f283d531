"""Every adapter's steps on two gateways of its newest platform: the undo of each, and what kernel VPNs refuse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from app.domain.errors import DeadlineExceeded
from app.domain.hosts import Side
from app.domain.link import STATE_DIR
from support.adapter_cases import facts, home, platforms
from support.bare_tunnel import Make, build, marks_on_underlay, ping, tunnels_made
from support.lab_pairs import LabPair, LabPairs
from support.lab_sessions import sh
from vpn_adapters.registry import ADAPTERS

ON_DEBIAN_13 = pytest.mark.parametrize("pair", ["debian-13"], indirect=True)
EACH_AT_HOME = pytest.mark.parametrize(
    ("pair", "name"),
    [(home(adapter), name) for name, adapter in ADAPTERS.items() if name != "baseline"],
    indirect=["pair"],
)


@pytest.fixture(scope="module")
def pair(request: pytest.FixtureRequest, lab_pairs: LabPairs) -> LabPair:
    """Both gateways of one platform."""
    return lab_pairs.get(request.param, request.param)


@pytest.fixture
def make(pair: LabPair) -> Iterator[Make]:
    """Give a tunnel of which nothing is made, and see afterwards that nothing of it is left."""
    with tunnels_made(pair.sessions, pair.facts, pair.link) as new:
        yield new


@pytest.mark.parametrize(("pair", "platform"), [(name, name) for name in platforms()], indirect=["pair"])
def test_lab_answers_as_recorded(pair: LabPair, platform: str) -> None:
    for host in pair.facts:
        for name in ADAPTERS:
            found, recorded = host.solutions[name], facts(platform).solutions[name]
            assert (found.is_available, found.features, found.ciphers, found.digests) == (
                recorded.is_available,
                recorded.features,
                recorded.ciphers,
                recorded.digests,
            ), name


@EACH_AT_HOME
def test_undo_after_some_or_all_steps_leaves_nothing(name: str, make: Make) -> None:
    tunnel = make(ADAPTERS[name])
    tunnel.make_keys()
    tunnel.apply(count=0)
    before = tunnel.both(lambda side: without_own_files(tunnel.snapshot(side)))
    steps = len(tunnel.plan.a.steps)
    for count in sorted({(steps + 1) // 2, steps}):
        tunnel.apply(count=count)
        tunnel.undo_steps()
        assert tunnel.both(lambda side: without_own_files(tunnel.snapshot(side))) == before, count
        tunnel.undo_steps()


def without_own_files(snapshot: str) -> str:
    """Return a snapshot without the tunnel's folder, which the last undo of all removes."""
    return "\n".join(line for line in snapshot.splitlines() if not line.startswith(STATE_DIR))


@ON_DEBIAN_13
def test_l2tp_inside_wireguard_never_leaves_by_another_way(make: Make) -> None:
    tunnel = make(ADAPTERS["wireguard"])
    build(tunnel)
    plan, host, link = tunnel.plan, tunnel.sessions.a, tunnel.request.link
    own, peer = link.carrier(Side.A), link.carrier(Side.B)
    # The worst case: WireGuard's device goes, its address stays on another one, and there is another route.
    sh(host, f"ip addr add {own}/32 dev lo; ip route add default via {link.underlay_b} dev eth1 metric 9999")
    try:
        sh(host, f"ip link del {link.names.wireguard_interface}")
        marks, _ = marks_on_underlay(tunnel, lambda: ping(host, plan.probe_address_b, mark=True, wait_s=2))
        assert marks == 0
        sh(host, f"ip route del unreachable {peer}/32 metric 4000")
        marks, _ = marks_on_underlay(tunnel, lambda: ping(host, plan.probe_address_b, mark=True, wait_s=2))
        assert marks > 0, "without the guard this shows nothing"
    finally:
        sh(host, f"ip addr del {own}/32 dev lo; ip route del default via {link.underlay_b} dev eth1 metric 9999")


@ON_DEBIAN_13
def test_wireguard_does_not_come_up_with_another_peers_key(make: Make) -> None:
    tunnel = make(ADAPTERS["wireguard"])
    tunnel.make_keys()
    tunnel.request = replace(tunnel.request, identity_a=tunnel.request.identity_b)
    tunnel.apply()
    with pytest.raises(DeadlineExceeded):
        tunnel.wait_until_up(timeout_s=5)
