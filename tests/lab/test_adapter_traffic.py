"""Every adapter on two real gateways of each platform, and between platforms: one tunnel, of which all is asserted.

Up as asked, all frame sizes cross, nothing readable, overhead as computed, closed when the protection breaks, and
nothing left. On the newest platform it is made and taken away as a comparison does it, with lock, timer and audit;
elsewhere by the adapter's steps alone. How quickly it is made and taken away is in tests/bench.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from app.deploy import ActiveTunnel, DeployRequest, SnapshotDepth, preflight, temporary_tunnel
from app.domain.adapters import Adapter, Breakage, PlanRequest, TunnelPlan
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.hosts import PairSpec, Side
from app.domain.link import STATE_DIR
from app.domain.results import FRAME_BYTES
from app.domain.solutions import Suite
from support.adapter_cases import default_cases
from support.bare_tunnel import BareTunnel, build, captured, new_tunnel, ping, ping_sizes
from support.lab_deploy import differences, look
from support.lab_pairs import LabPair, LabPairs
from support.lab_sessions import sh

MARKED_FRAME_BYTES = 512
MEASURED_FRAME_BYTES = 1000
BARE_FRAME_BYTES = 777
CONTROL_FRAME_BYTES = 779
"""What is sent in the clear to see that a capture shows it; no frame of a tunnel that carries pings is as long."""
FRAMES = 20
NEWEST = "debian-13", "debian-13"
MIXED_SOLUTIONS = ("openvpn-udp", "ipsec", "macsec", "tinc", "ssh")
"""Those in which programs of different age have to agree on something."""


@dataclass(frozen=True)
class Case:
    """One adapter on one pair.

    Attributes:
        adapter: The VPN.
        platforms: Platforms of the lab's A and B.
        is_swapped: Whether the lab's B is the tunnel's A, so that the other program is the server.
    """

    adapter: Adapter
    platforms: tuple[str, str]
    is_swapped: bool = False

    def __str__(self) -> str:
        names = self.platforms[::-1] if self.is_swapped else self.platforms
        return f"{self.adapter.info.name}-on-{'-and-'.join(dict.fromkeys(names))}"


def _cases() -> list[Case]:
    one, other, mixed = NEWEST, ("debian-11", "debian-11"), ("debian-11", "debian-13")
    cases = [Case(adapter, platforms) for platforms in (one, other) for adapter, _ in default_cases(*platforms)]
    between = [adapter for adapter, _ in default_cases(*mixed) if adapter.info.name in MIXED_SOLUTIONS]
    cases += [Case(adapter, mixed) for adapter in between]
    return cases + [Case(adapter, mixed, is_swapped=True) for adapter in between[:1]]


@dataclass
class DeployedTunnel(BareTunnel):
    """A tunnel that a transaction made, and will take away.

    Attributes:
        active: What it gave.
    """

    active: ActiveTunnel

    @property
    def plan(self) -> TunnelPlan:
        """What was built."""
        return self.active.plan


@contextmanager
def _by_its_steps(pair: LabPair, adapter: Adapter, suite: Suite) -> Iterator[BareTunnel]:
    tunnel = new_tunnel(pair.sessions, adapter, suite, pair.facts, pair.link)
    try:
        build(tunnel)
        yield tunnel
    finally:
        tunnel.undo()


@contextmanager
def _by_a_transaction(pair: LabPair, adapter: Adapter, suite: Suite) -> Iterator[BareTunnel]:
    spec = PairSpec("pair", pair.sessions.a.spec, pair.sessions.b.spec, pair.link.underlay_a, pair.link.underlay_b)
    request = DeployRequest(spec, adapter, suite, pair.link, *pair.facts)
    assert preflight(pair.sessions, request, token=CancelToken()) == ()
    before = look(pair.sessions, SnapshotDepth.THOROUGH)
    entries: list[AuditEntry] = []
    with temporary_tunnel(
        pair.sessions, request, token=CancelToken(), on_stage=lambda *_: None, audit=entries.append, lease_s=120
    ) as active:
        assert active.still_up(CancelToken())
        watcher = sh(pair.sessions.a, f'read -r p _ < {STATE_DIR}/watcher; cat "/proc/${{p%%:*}}/cgroup"')
        assert watcher == "0::/\n", "the timer must not end with somebody's session"
        yield DeployedTunnel(pair.sessions, adapter, PlanRequest(pair.link, suite, *pair.facts), active)
    assert differences(before, look(pair.sessions, SnapshotDepth.THOROUGH)) == []
    assert active.differences == ()
    assert all(entry.exit_status == 0 for entry in entries)
    undone = [entry for entry in entries if entry.what.startswith("Undo")]
    assert len(undone) >= 2
    assert len([entry for entry in entries if not entry.what.startswith(("Undo", "Disarm"))]) >= 4


@pytest.fixture(scope="module", params=_cases(), ids=str)
def built(request: pytest.FixtureRequest, lab_pairs: LabPairs) -> Iterator[BareTunnel]:
    """Give each solution's safe default, up; and see afterwards that nothing of it is left."""
    case: Case = request.param
    pair = lab_pairs.get(*case.platforms, is_swapped=case.is_swapped)
    suite = next(suite for suite in case.adapter.suites(*pair.facts) if suite.is_default)
    plain = new_tunnel(pair.sessions, case.adapter, suite, pair.facts, pair.link)
    before = plain.both(plain.snapshot)
    make = _by_a_transaction if case.platforms == NEWEST else _by_its_steps
    with make(pair, case.adapter, suite) as tunnel:
        yield tunnel
    assert plain.both(plain.snapshot) == before


def test_comes_up_as_asked_and_carries_every_frame_size(built: BareTunnel) -> None:
    tunnel, plan = built, built.plan
    for side in Side:
        end = plan.end(side)
        assert end.negotiated is None or tunnel.holds(side, end.negotiated), tunnel.logs()
        sizes = FRAME_BYTES if side is Side.A else FRAME_BYTES[-1:]
        answered = ping_sizes(tunnel.session(side), plan.probe_address(side.other), sizes)
        assert all(count >= 10 for count in answered.values()), answered
        shown = sh(tunnel.session(side), f"ip -o link show dev {end.interface}; ip -o addr show dev {end.interface}")
        assert f"mtu {plan.inner_mtu_bytes} " in shown
        assert "inet6" not in shown
    # The peer's own hardware address was learnt: an ARP exchange, which is no IP, crossed the tunnel.
    neighbours = sh(tunnel.sessions.a, f"ip neigh show dev {plan.a.interface}")
    own = sh(tunnel.sessions.b, f"cat /sys/class/net/{plan.b.interface}/address").strip()
    assert own.startswith("02:")
    assert own in neighbours


def test_nothing_is_readable_and_the_overhead_is_what_theory_says(built: BareTunnel) -> None:
    host, plan = built.sessions.a, built.plan
    assert plan.wire_filter

    def send() -> None:
        for size in (MARKED_FRAME_BYTES, MEASURED_FRAME_BYTES):
            assert ping(host, plan.probe_address(Side.B), frame_bytes=size, count=FRAMES, mark=True) >= FRAMES
        assert ping(host, built.request.link.underlay_b, frame_bytes=BARE_FRAME_BYTES, count=FRAMES) >= FRAMES

    seen = captured(built, send, wire_filter=plan.wire_filter)
    # The unencrypted tunnel shows that the marks can be seen at all.
    assert (seen.marks >= FRAMES) if built.adapter.info.is_unprotected else (seen.marks == 0)
    for size in (MARKED_FRAME_BYTES, MEASURED_FRAME_BYTES):
        expected = plan.overhead_by_frame.get(size, plan.overhead_bytes)
        assert expected is not None
        assert seen.lengths.count(size + expected) >= FRAMES - 2, sorted(seen.lengths)
    # The plan's filter matches the tunnel and nothing else.
    assert seen.lengths.count(BARE_FRAME_BYTES) >= FRAMES
    assert len(seen.filtered) >= 2 * FRAMES
    assert BARE_FRAME_BYTES not in seen.filtered


def test_it_fails_closed(built: BareTunnel) -> None:
    # The last one, for what is broken stays so.
    host, plan = built.sessions.a, built.plan
    assert bool(plan.a.breakages) != built.adapter.info.is_unprotected

    control = captured(built, lambda: send_marked_in_the_clear(built))
    shown = control.lengths.count(CONTROL_FRAME_BYTES)
    assert shown >= FRAMES, "the capture must show what leaves in the clear"
    marks_each, rest = divmod(control.marks, shown)
    assert (marks_each > 0, rest) == (True, 0), (control.marks, shown)

    for breakage in plan.a.breakages:

        def break_and_send(breakage: Breakage = breakage) -> None:
            result = host.run(breakage.command, token=CancelToken())
            assert result.is_ok, (breakage.title, result.stderr)
            ping(host, plan.probe_address(Side.B), count=5, mark=True, wait_s=1)
            send_marked_in_the_clear(built)

        seen = captured(built, break_and_send)
        shown = seen.lengths.count(CONTROL_FRAME_BYTES)
        assert shown >= FRAMES, (breakage.title, sorted(seen.lengths))
        # Not one mark more than those that were sent beside the tunnel: nothing for it left unprotected.
        assert seen.marks == shown * marks_each, breakage.title


def send_marked_in_the_clear(tunnel: BareTunnel) -> None:
    """Send marked frames beside the tunnel, which a capture of the underlay has to show."""
    peer = tunnel.request.link.underlay_b
    assert ping(tunnel.sessions.a, peer, frame_bytes=CONTROL_FRAME_BYTES, count=FRAMES, mark=True) >= FRAMES
