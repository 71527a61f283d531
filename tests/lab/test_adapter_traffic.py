"""Every adapter on two real gateways: up as asked, all frame sizes cross, nothing readable, overhead as computed."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from app.discovery import discover_pair
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.hosts import HostFacts, Side
from app.domain.link import Link
from app.domain.results import FRAME_BYTES
from app.lab import Lab
from support.adapter_cases import all_cases
from support.bare_tunnel import BareTunnel, build, marks_on_underlay, new_tunnel, ping
from support.lab_sessions import connected, sh
from vpn_adapters.registry import ADAPTERS

LINK = Link(underlay_a="192.0.2.1", underlay_b="192.0.2.2")
CASES = [case for case in all_cases() if case[0].info.name != "baseline"]
CASE_IDS = [f"{adapter.info.name}-{suite.name}" for adapter, suite in CASES]


@pytest.fixture(scope="module")
def sessions(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SessionPair]:
    with connected(lab, tmp_path_factory.mktemp("ssh")) as pair:
        yield pair


@pytest.fixture(scope="module")
def hosts(sessions: SessionPair) -> tuple[HostFacts, HostFacts]:
    return discover_pair(sessions, ADAPTERS, token=CancelToken())


@pytest.fixture(scope="module", params=CASES, ids=CASE_IDS)
def built(
    request: pytest.FixtureRequest, sessions: SessionPair, hosts: tuple[HostFacts, HostFacts]
) -> Iterator[BareTunnel]:
    """Give each solution with each suite, up; and see afterwards that nothing of it is left."""
    adapter, suite = request.param
    offered = {one.name: one for one in adapter.suites(*hosts)}
    tunnel = new_tunnel(sessions, adapter, offered[suite.name], hosts, LINK)
    before = tunnel.both(tunnel.snapshot)
    try:
        build(tunnel)
        yield tunnel
    finally:
        tunnel.undo()
    assert tunnel.both(tunnel.snapshot) == before


def test_comes_up_as_asked_and_carries_every_frame_size(built: BareTunnel) -> None:
    tunnel, plan = built, built.plan
    for side in Side:
        end = plan.end(side)
        assert end.negotiated is None or tunnel.holds(side, end.negotiated), tunnel.logs()
        for size in FRAME_BYTES:
            assert ping(tunnel.session(side), plan.probe_address(side.other), frame_bytes=size) >= 10, size
        shown = sh(tunnel.session(side), f"ip -o link show dev {end.interface}")
        assert f"mtu {plan.inner_mtu_bytes} " in shown
        assert "inet6" not in sh(tunnel.session(side), f"ip -o addr show dev {end.interface}")
    # The peer's own hardware address was learnt: an ARP exchange, which is no IP, crossed the tunnel.
    neighbours = sh(tunnel.sessions.a, f"ip neigh show dev {plan.a.interface}")
    own = sh(tunnel.sessions.b, f"cat /sys/class/net/{plan.b.interface}/address").strip()
    assert own.startswith("02:")
    assert own in neighbours


def test_nothing_is_readable_on_the_underlay(built: BareTunnel) -> None:
    address = built.plan.probe_address(Side.B)
    marks, packets = marks_on_underlay(
        built, lambda: ping(built.sessions.a, address, frame_bytes=242, count=20, mark=True)
    )
    assert packets >= 20
    # The unencrypted tunnel shows that the marks can be seen at all.
    assert (marks >= 20) if built.adapter.info.is_unprotected else (marks == 0)


def test_overhead_is_what_theory_says(built: BareTunnel) -> None:
    host, address = built.sessions.a, built.plan.probe_address(Side.B)
    assert ping(host, address) >= 10
    sh(
        host,
        "(timeout 8 tcpdump --immediate-mode -l -n -e -i eth1 -Q out >/run/sizes.txt 2>/run/sizes.log &) >/dev/null",
    )
    CancelToken().wait_for(
        lambda: "listening" in sh(host, "cat /run/sizes.log"), timeout_s=20, what="tcpdump to listen"
    )
    assert ping(host, address, frame_bytes=1000, count=20) >= 20
    CancelToken().wait_for(
        lambda: "captured" in sh(host, "cat /run/sizes.log"), timeout_s=30, what="tcpdump to end", interval_s=0.3
    )
    lengths = [int(size) for size in re.findall(r"length (\d+): 192", sh(host, "cat /run/sizes.txt"))]
    sh(host, "rm -f /run/sizes.*")
    expected = 1000 + (built.plan.overhead_bytes or 0)
    assert lengths.count(expected) >= 18, sorted(lengths)
