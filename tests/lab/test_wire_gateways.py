"""What captures show of real tunnels between the gateways, and of tunnels that were made to leak."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import pytest

from app.deploy import temporary_tunnel
from app.domain.adapters import Adapter, PlanRequest, TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.errors import Cancelled
from app.domain.hosts import Side
from app.domain.results import FRAME_BYTES
from app.domain.solutions import Carrier
from app.domain.wire import BreakVerdict, LeakVerdict, WireReport
from app.lab import Lab
from app.probes.wire import WireRequest, probe_wire
from support.lab_deploy import Bench, Snapshots, differences, find_out
from support.lab_sessions import connected, sh
from vpn_adapters.registry import ADAPTERS

pytestmark = pytest.mark.lab

ICMP_OFF = (
    "nft add table inet tmktest; nft add chain inet tmktest out '{ type filter hook output priority 0; }';"
    "nft add rule inet tmktest out oifname eth1 ip protocol icmp drop"
)


@pytest.fixture(scope="module")
def bench(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with connected(lab, tmp_path_factory.mktemp("ssh")) as sessions:
        yield Bench(lab, sessions, find_out(sessions))


@pytest.fixture(scope="module")
def before(bench: Bench) -> Snapshots:
    """What both gateways looked like at first."""
    return bench.look()


@pytest.fixture(autouse=True)
def unchanged(bench: Bench, before: Snapshots) -> Iterator[None]:
    """Every test leaves both gateways as they were, whatever it broke."""
    yield
    assert differences(before, bench.look()) == []
    for session in (bench.sessions.a, bench.sessions.b):
        assert sh(session, "ls /run/tunnelmark 2>/dev/null; pgrep -x tcpdump; true") == ""


@contextmanager
def standing(bench: Bench, solution: str, adapter: Adapter | None = None) -> Iterator[WireRequest]:
    """Build a tunnel; what is looked at then."""
    request = bench.request(solution, adapter)
    info = ADAPTERS[solution].info
    with temporary_tunnel(bench.sessions, request, token=CancelToken(), on_stage=lambda *_: None) as tunnel:
        yield WireRequest(
            link=request.link,
            plan=tunnel.plan,
            facts={"a": bench.facts[0], "b": bench.facts[1]},
            frame_bytes=FRAME_BYTES,
            is_unprotected=info.is_unprotected,
            is_stream=info.carrier is Carrier.TCP,
        )


def probe(bench: Bench, request: WireRequest) -> WireReport:
    return probe_wire(bench.sessions, request, token=CancelToken(), on_stage=lambda _: None)


@pytest.mark.parametrize("solution", ["wireguard", "openvpn-udp"])
def test_a_protected_tunnel_fails_closed_and_costs_what_arithmetic_says(bench: Bench, solution: str) -> None:
    with standing(bench, solution) as request:
        report = probe(bench, request)

    leak = report.leak
    assert leak is not None
    assert leak.verdict is LeakVerdict.PROTECTED, leak.note
    assert leak.answered >= 10  # ping sends more while replies are slow to come
    assert all(count >= 20 for count in leak.captured.values())
    assert leak.clear_marks == {"a": 0, "b": 0}
    assert all(leak.control_marks.values())
    assert len(leak.broken) >= 2
    assert {one.verdict for one in leak.broken} == {BreakVerdict.FAILS_CLOSED}, leak.broken
    assert any(one.sent and not one.answered for one in leak.broken)
    assert [one.frame_bytes for one in report.overhead] == list(FRAME_BYTES)
    assert [one.outer_bytes for one in report.overhead] == [one.theory_bytes for one in report.overhead]
    assert [one.frame_bytes for one in report.overhead if one.is_fragmented] == [1514]
    assert report.advised_inner_mtu_bytes == {"wireguard": 1398, "openvpn-udp": 1434}[solution]
    assert report.is_advised_mtu_proven is True
    assert [(one.kind, one.has_crossed) for one in report.crossings] == [
        ("non-ip", True),
        ("multicast", True),
        ("vlan", True),
    ]
    assert report.doubts == ()


def test_tcp_is_told_apart_and_its_acknowledgements_are_counted(bench: Bench) -> None:
    with standing(bench, "openvpn-tcp") as request:
        # The breakages are those of UDP, which another test tries.
        a, b = (replace(request.plan.end(side), breakages=()) for side in Side)
        report = probe(bench, replace(request, plan=replace(request.plan, a=a, b=b)))

    assert report.leak is not None
    assert report.leak.verdict is LeakVerdict.PROTECTED, report.leak.note
    assert all(one.packets >= 1.0 and not one.is_fragmented for one in report.overhead)
    assert all(one.outer_bytes >= one.frame_bytes + 92 for one in report.overhead)
    assert any(one.ack_bytes > 0 for one in report.overhead)
    assert report.advised_inner_mtu_bytes is None
    assert any("TCP stream" in doubt for doubt in report.doubts)


def test_a_tunnel_that_should_protect_and_does_not_is_found(bench: Bench) -> None:
    b = bench.sessions.b
    with standing(bench, "l2tp") as request:
        wrong = replace(request, is_unprotected=False)
        sh(b, "mv /usr/bin/tcpdump /usr/bin/tcpdump.away")
        try:
            blind = probe(bench, wrong)
        finally:
            sh(b, "mv /usr/bin/tcpdump.away /usr/bin/tcpdump")
        report = probe(bench, wrong)

    assert blind.leak is not None
    assert blind.leak.verdict is LeakVerdict.NOT_PROVEN
    assert "tcpdump does not capture on gateway-b" in blind.leak.note
    assert report.leak is not None
    assert report.leak.verdict is LeakVerdict.LEAKS
    assert all(count >= 20 for count in report.leak.clear_marks.values())
    assert [one.outer_bytes for one in report.overhead] == [
        size + 42.0 if size < 1514 else 1590.0 for size in FRAME_BYTES
    ]


@dataclass(frozen=True)
class Unguarded:
    """WireGuard without the route that keeps L2TPv3 from leaving by another way."""

    inner: Adapter

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)

    def plan(self, request: PlanRequest) -> TunnelPlan:
        plan = self.inner.plan(request)
        ends = [
            replace(end, steps=tuple(step for step in end.steps if not step.title.startswith("Forbid")))
            for end in (plan.a, plan.b)
        ]
        assert all(len(one.steps) < len(end.steps) for one, end in zip(ends, (plan.a, plan.b), strict=True))
        return replace(plan, a=ends[0], b=ends[1])


def test_without_its_guard_wireguard_fails_open_and_without_a_control_nothing_is_proven(bench: Bench) -> None:
    a = bench.sessions.a
    with standing(bench, "wireguard", Unguarded(ADAPTERS["wireguard"])) as request:  # type: ignore[arg-type]
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


def test_nothing_is_left_of_captures_that_are_cancelled(bench: Bench) -> None:
    token = CancelToken()

    def on_stage(text: str) -> None:
        if text == "marked frames of every size":
            token.cancel()

    with standing(bench, "l2tp") as request:
        with pytest.raises(Cancelled):
            probe_wire(bench.sessions, request, token=token, on_stage=on_stage)
        for session in (bench.sessions.a, bench.sessions.b):
            waiting = CancelToken()
            waiting.wait_for(
                lambda session=session: not sh(session, "pgrep -x tcpdump || true"), timeout_s=10, what="tcpdump to end"
            )
