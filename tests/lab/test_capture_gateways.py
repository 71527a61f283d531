"""Captures of WireGuard between gateways, and of one that was made to leak.

Tunnels of user space, leaking ones among them, are captured on hosts made of namespaces (test_capture_hosts.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from app.domain.adapters import Adapter, PlanRequest, TunnelPlan
from app.domain.capture import BreakVerdict, LeakVerdict
from app.lab import Lab
from support.lab_capture import check_protected, probe, running_tunnel
from support.lab_deploy import Bench, Snapshots, differences
from support.lab_pairs import LabPair
from support.lab_sessions import sh
from vpn_adapters.registry import ADAPTERS

pytestmark = pytest.mark.lab

ICMP_OFF = (
    "nft add table inet tmktest; nft add chain inet tmktest out '{ type filter hook output priority 0; }';"
    "nft add rule inet tmktest out oifname eth1 ip protocol icmp drop"
)


@pytest.fixture(scope="module")
def bench(lab: Lab, lab_pair: LabPair) -> Bench:
    return Bench(lab.pair, lab_pair.sessions, lab_pair.facts)


@pytest.fixture(scope="module")
def before(bench: Bench) -> Snapshots:
    """Snapshots of both gateways from the beginning."""
    return bench.inspect()


@pytest.fixture(autouse=True)
def unchanged(bench: Bench, before: Snapshots) -> Iterator[None]:
    """Every test leaves both gateways as they were, whatever it broke."""
    yield
    assert differences(before, bench.inspect()) == []
    for session in (bench.sessions.a, bench.sessions.b):
        assert sh(session, "ls /run/tunnelmark 2>/dev/null; pgrep -x tcpdump; true") == ""


@pytest.mark.full
def test_a_protected_tunnel_fails_closed_and_costs_what_arithmetic_says(bench: Bench) -> None:
    with running_tunnel(bench, "wireguard") as request:
        check_protected(probe(bench, request), 1390, {"non-ip", "multicast", "vlan"})


@dataclass(frozen=True)
class Unguarded:
    """WireGuard without what keeps L2TPv3 from leaving by another way: our firewall table, and the route."""

    inner: Adapter

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)

    def plan(self, request: PlanRequest) -> TunnelPlan:
        plan = self.inner.plan(request)
        ends = [
            replace(
                end, steps=tuple(step for step in end.steps if not step.title.startswith(("Forbid", "Let frames pass")))
            )
            for end in (plan.a, plan.b)
        ]
        assert all(len(one.steps) < len(end.steps) for one, end in zip(ends, (plan.a, plan.b), strict=True))
        return replace(plan, a=ends[0], b=ends[1])


@pytest.mark.full
def test_without_its_guard_wireguard_fails_open_and_without_a_control_nothing_is_proven(bench: Bench) -> None:
    a = bench.sessions.a
    with running_tunnel(bench, "wireguard", Unguarded(ADAPTERS["wireguard"])) as request:  # type: ignore[arg-type]
        # The lab has no default route, as most gateways have.
        sh(a, f"ip route add default via 10.0.2.2 dev eth0; {ICMP_OFF}")
        try:
            report = probe(bench, request)
        finally:
            sh(a, "nft delete table inet tmktest; ip route del default via 10.0.2.2 dev eth0")

    leak = report.leak
    assert leak is not None
    assert leak.verdict is LeakVerdict.NOT_PROVEN
    assert "The control over the bare underlay was not seen" in leak.note
    first = leak.broken[0]
    assert first.verdict is BreakVerdict.FAILS_OPEN, first
    assert first.clear_marks["a"] > 0
    assert "by the default route" in first.note
