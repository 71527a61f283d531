"""Checks that every tunnel has to pass: negotiated as requested, confidential, overhead as computed, fail-closed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from app.domain.adapters import Adapter, PlanRequest, TunnelPlan
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.hosts import PairSpec, Side
from app.domain.link import STATE_DIR
from app.domain.profiles import FRAME_BYTES
from app.domain.solutions import Suite
from app.host.snapshots import SnapshotDepth
from app.tunnel import ActiveTunnel, DeployRequest, preflight, temporary_tunnel
from support.adapter_cases import PPP_STREAMS
from support.bare_tunnel import BareTunnel, build, new_tunnel, ping, ping_command, ping_sizes
from support.lab_deploy import inspect, wait_until_as_before
from support.lab_pairs import LabPair
from support.lab_sessions import sh
from support.made_up_capture import Capture, Frame, captured
from support.tunnel_state import still_up
from support.underlay_attack import UnderlayAttack

CANARY_FRAME_BYTES = 512
MEASURED_FRAME_BYTES = 1000
BARE_FRAME_BYTES = 777
CONTROL_FRAME_BYTES = 779
"""Length of a frame in the clear that a capture has to show; no frame of a tunnel that carries pings is as long."""
FRAMES = 20
STUFFED_BYTES = 16
"""By how much a frame of a carrier that sends some bytes as two may be longer: those bytes, or a block of a cipher."""
USER_SPACE = ("openvpn-udp", "openvpn-tcp", "tinc", "ssh", "fastd")
"""Solutions that need nothing of a kernel but tun, so that hosts made of namespaces can run them."""


@dataclass
class DeployedTunnel(BareTunnel):
    """A tunnel that a transaction made, and will remove.

    Attributes:
        active: What it gave.
    """

    active: ActiveTunnel

    @property
    def plan(self) -> TunnelPlan:
        """The plan that was built."""
        return self.active.plan


def default_suite(pair: LabPair, adapter: Adapter) -> Suite:
    """Return an adapter's safe default on a pair."""
    return next(suite for suite in adapter.suites(*pair.facts) if suite.is_default)


@contextmanager
def by_its_steps(pair: LabPair, adapter: Adapter, suite: Suite | None = None) -> Iterator[BareTunnel]:
    """Build a tunnel by the adapter's steps alone; undo it at the end of the block, of which nothing may be left.

    Args:
        suite: Its suite; None for the safe default.
    """
    tunnel = new_tunnel(pair.sessions, adapter, suite or default_suite(pair, adapter), pair.facts, pair.link)
    before = tunnel.both(tunnel.snapshot)
    try:
        build(tunnel)
        yield tunnel
    finally:
        tunnel.undo()
    tunnel.check_as(before)


@contextmanager
def by_a_transaction(pair: LabPair, adapter: Adapter) -> Iterator[BareTunnel]:
    """Build a tunnel as a comparison does, with lock, timer and audit; nothing of it may be left after the block."""
    spec = PairSpec("pair", pair.sessions.a.spec, pair.sessions.b.spec, pair.link.underlay_a, pair.link.underlay_b)
    suite = default_suite(pair, adapter)
    request = DeployRequest(spec, adapter, suite, pair.link, *pair.facts)
    assert preflight(pair.sessions, request, token=CancelToken()) == ()
    before = inspect(pair.sessions, SnapshotDepth.THOROUGH)
    entries: list[AuditEntry] = []
    with temporary_tunnel(
        pair.sessions, request, token=CancelToken(), on_stage=lambda *_: None, audit=entries.append, lease_s=120
    ) as active:
        assert still_up(active)
        yield DeployedTunnel(pair.sessions, adapter, PlanRequest(pair.link, suite, *pair.facts), active)
    wait_until_as_before(pair.sessions, before)
    assert active.differences == ()
    assert all(entry.exit_status == 0 for entry in entries)
    undone = [entry for entry in entries if entry.what.startswith("Undo")]
    assert len(undone) >= 2
    assert len([entry for entry in entries if not entry.what.startswith(("Undo", "Disarm"))]) >= 4


def check_up(tunnel: BareTunnel) -> None:
    """See that a tunnel is up as asked and carries every frame size, both ways, ARP included."""
    plan = tunnel.plan

    def one(side: Side) -> None:
        end, host = plan.on(side), tunnel.session(side)
        assert end.negotiated is None or tunnel.holds(side, end.negotiated), tunnel.logs()
        sizes = FRAME_BYTES if side is Side.A else FRAME_BYTES[-1:]
        answered = ping_sizes(host, plan.probe_address(side.other), sizes)
        assert all(count >= 10 for count in answered.values()), answered
        shown = sh(host, f"ip -o link show dev {end.interface}; ip -o addr show dev {end.interface}")
        assert f"mtu {plan.inner_mtu_bytes} " in shown
        assert "inet6" not in shown

    tunnel.both(one)
    # The peer's own hardware address was learnt: an ARP exchange, which is no IP, crossed the tunnel.
    neighbours = sh(tunnel.sessions.a, f"ip neigh show dev {plan.a.interface}")
    own = sh(tunnel.sessions.b, f"cat /sys/class/net/{plan.b.interface}/address").strip()
    assert own.startswith("02:")
    assert own in neighbours


def check_unreadable(tunnel: BareTunnel) -> None:
    """See that nothing is readable on the underlay, and that a frame costs what theory says."""
    host, plan, link = tunnel.sessions.a, tunnel.plan, tunnel.request.link
    assert plan.outer_filter

    def send() -> None:
        for size in (CANARY_FRAME_BYTES, MEASURED_FRAME_BYTES):
            assert ping(host, plan.probe_address(Side.B), frame_bytes=size, count=FRAMES, mark=True) >= FRAMES
        assert ping(host, link.underlay_b, frame_bytes=BARE_FRAME_BYTES, count=FRAMES) >= FRAMES

    seen = captured(host, link.underlay_b, send, outer_filter=plan.outer_filter)
    # The unencrypted tunnel shows that the marks can be seen at all.
    assert (seen.canaries >= FRAMES) if tunnel.adapter.info.is_unprotected else (seen.canaries == 0)
    for size in (CANARY_FRAME_BYTES, MEASURED_FRAME_BYTES):
        expected = plan.overhead_by_frame.get(size, plan.overhead_bytes)
        assert expected is not None
        longest = size + expected + (STUFFED_BYTES if tunnel.adapter.info.name in PPP_STREAMS else 0)
        near = [length for length in seen.lengths if size + expected <= length <= longest]
        assert len(near) >= FRAMES - 2, sorted(seen.lengths)
    # The plan's filter matches the tunnel and nothing else.
    assert seen.lengths.count(BARE_FRAME_BYTES) >= FRAMES
    assert len(seen.filtered) >= 2 * FRAMES
    assert BARE_FRAME_BYTES not in seen.filtered


def check_fails_closed(tunnel: BareTunnel) -> None:
    """Break a tunnel in each of its ways, on one host and then on the other; nothing may leave unprotected.

    What is broken is not mended. After each breakage, frames are sent for the tunnel, and then some of a length of
    their own beside it, which the capture has to show.
    """
    is_unprotected = tunnel.adapter.info.is_unprotected
    for side in Side:
        assert bool(tunnel.plan.on(side).breakages) != is_unprotected
        if not is_unprotected:
            _check_host_fails_closed(tunnel, side)


def check_nothing_gets_in_without_daemons(tunnel: BareTunnel, attack: UnderlayAttack) -> None:
    """Attack both hosts of a tunnel whose daemons were killed and whose interfaces, if any are left, are set up.

    Args:
        tunnel: The tunnel after `check_fails_closed`.
        attack: An attacker who heard the tunnel's packets before.
    """
    for side in Side:
        name = tunnel.plan.on(side).interface
        sh(tunnel.session(side), f"[ ! -e /sys/class/net/{name} ] || ip link set {name} up")
    for side in Side:
        assert ping(tunnel.session(side), tunnel.plan.probe_address(side.other), wait_s=1) == 0
    before = attack.forge().forged
    done = attack.forge()
    assert done.forged > before
    assert not done.problem, done


def _check_host_fails_closed(tunnel: BareTunnel, side: Side) -> None:
    host, plan, peer = tunnel.session(side), tunnel.plan, tunnel.request.link.underlay(side.other)
    breakages = plan.on(side).breakages
    lengths = [CONTROL_FRAME_BYTES + number for number in range(len(breakages) + 1)]
    control = [ping_command(peer, frame_bytes=length, count=FRAMES, mark=True, interval_s=0.005) for length in lengths]
    commands = control[:1]
    for breakage, own in zip(breakages, control[1:], strict=True):
        inside = ping_command(plan.probe_address(side.other), count=5, mark=True, wait_s=1)
        commands += [breakage.command, inside, own]

    def break_and_send() -> None:
        for result in host.run_batch(commands, token=CancelToken()):
            assert result.is_ok, (side, result.argv, result.stdout, result.stderr)

    seen = captured(host, peer, break_and_send)
    for length in lengths:
        shown = [frame.canaries for frame in seen.frames if frame.length == length]
        assert len(shown) >= FRAMES, (side, length, sorted(seen.lengths))
        assert set(shown) == {shown[0]}, "as many marks in each as in any other"
        assert shown[0] > 0, "the capture must show what leaves in the clear"
    # Not one mark but those that were sent beside the tunnel: nothing for it left unprotected.
    assert _leaks(seen, lengths, [breakage.title for breakage in breakages]) == {}, side


def _leaks(seen: Capture, lengths: Sequence[int], titles: Sequence[str]) -> dict[str, list[Frame]]:
    """Return readable frames other than those beside the tunnel, by the breakage after which they were sent."""
    found: dict[str, list[Frame]] = {}
    reached = 0
    for frame in seen.frames:
        if frame.length in lengths:
            reached = max(reached, lengths.index(frame.length))
        elif frame.canaries:
            title = titles[min(reached, len(titles) - 1)]
            found.setdefault(title, []).append(frame)
    return found


def check_undone(tunnel: BareTunnel) -> None:
    """Undo a tunnel after half of its steps and after all, and once more where nothing is left to undo.

    Args:
        tunnel: One of which nothing is made yet.
    """
    tunnel.make_keys()
    tunnel.apply(count=0)

    def kept(side: Side) -> str:
        return _without_own_files(tunnel.snapshot(side))

    before = tunnel.both(kept)
    steps = len(tunnel.plan.a.steps)
    for count in sorted({(steps + 1) // 2, steps}):
        tunnel.apply(count=count)
        tunnel.undo_steps()
        tunnel.check_as(before, kept)
        tunnel.undo_steps()


def _without_own_files(snapshot: str) -> str:
    """Return a snapshot without the tunnel's folder, which the last undo of all removes."""
    return "\n".join(line for line in snapshot.splitlines() if not line.startswith(STATE_DIR))
