"""The injection test: both hosts send packets at each other that did not come through the tunnel's cryptography.

Each host copies packets of its own that the other one holds back, so that they were never delivered. Then the other one
lets packets pass again, and gets forged ones, altered copies, the copies as they were (the control), and those again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar

from app.domain.adapters import Encapsulation, TunnelPlan
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.concurrency import run_sides
from app.domain.hosts import Side
from app.domain.injection import HostInjection, InjectionReport, TrialKind
from app.domain.link import Link
from app.probes.capture.canary import CanaryFrames, protocols_of, underlay_filter
from app.probes.capture.messages import (
    ALTERED_NOT_HELD,
    CAPTURE_LOST_PACKETS,
    FORGED_AND_REPLAYED,
    HOLD_BACK,
    LET_PASS,
    NO_NFT_TO_HOLD,
    NO_PERL_TO_FORGE,
    NO_UNDERLAY_INTERFACE,
    OWN_PACKETS_NOT_FOUND,
    STREAM_ALTERED,
    STREAM_REPLAYED,
)
from app.probes.capture.packets import UDP
from app.probes.capture.recording import TUNNEL, CaptureRequest, CapturingPair
from app.probes.injection.altering import altered
from app.probes.injection.forging import (
    ETHERTYPE,
    FORGE,
    L2TP,
    STRANGERS_LINK_LOCAL,
    Forgery,
    Target,
    forge_datagrams,
    stranger_of,
)
from app.probes.injection.groups import Groups, groups_of
from app.probes.injection.holding import HOLD_TABLE, Hold
from app.probes.injection.judge import Injected, judge
from app.probes.injection.packets import DSCP
from app.probes.injection.stages import (
    ECHOES,
    SNAPLEN_BYTES,
    Copied,
    CopyRequest,
    Inspected,
    copy,
    inspect,
    send_frames,
)

T = TypeVar("T")

COPIES = 3
"""Number of times that each forged packet is sent."""
REPLAYS = 3
"""Number of times that each packet is replayed."""
ATTEMPTS = 2
"""Most runs of the test until it is conclusive: a daemon may send by another way, or a host lose a packet."""

_COPIED = (TrialKind.ALTERED, TrialKind.DELAYED, TrialKind.REPLAYED)
"""Kinds that are made of copied packets, which must never have been delivered."""
_STREAM = {
    TrialKind.ALTERED: STREAM_ALTERED(),
    TrialKind.REPLAYED: STREAM_REPLAYED(),
}


@dataclass(frozen=True, slots=True)
class InjectionRequest:
    """The tunnel that is tested.

    Attributes:
        link: What it is built on.
        plan: What was built.
        is_exempt: Whether it has no cryptography on purpose.
        is_stream: Whether the carrier is TCP.
    """

    link: Link
    plan: TunnelPlan
    is_exempt: bool
    is_stream: bool


def probe_injection(
    sessions: SessionPair,
    request: InjectionRequest,
    *,
    token: CancelToken,
    on_stage: Callable[[str], None],
    audit: Callable[[AuditEntry], None],
) -> InjectionReport:
    """Send packets at both hosts that must not get into the tunnel. The tunnel works on afterwards.

    Args:
        sessions: Both hosts; they have tcpdump and a ping that can mark its packets.
        on_stage: Gets what begins, in words.
        audit: Gets what changes a host: a table of nftables that holds packets back for some seconds.

    Raises:
        ProbeFailed: A host could not do its part.
        ConnectionLost, DeadlineExceeded, PrivilegeMissing, Cancelled: As `HostSession.run`.
    """
    if request.is_stream:
        host = HostInjection(missing={kind.value: text for kind, text in _STREAM.items()})
        return InjectionReport({side.value: host for side in Side}, is_exempt=request.is_exempt)
    attempt = 1
    while True:
        run = _InjectionRun(sessions, request, token, on_stage, audit)
        report = run.run()
        if run.is_conclusive or attempt >= ATTEMPTS:
            return report
        attempt += 1


@dataclass
class _InjectionRun:
    """One call of `probe_injection`. A side is that of the attacked host."""

    _sessions: SessionPair
    _request: InjectionRequest
    _token: CancelToken
    _on_stage: Callable[[str], None]
    _audit: Callable[[AuditEntry], None]
    _canaries: CanaryFrames = field(default_factory=CanaryFrames.new)
    is_conclusive: bool = True

    def __post_init__(self) -> None:
        self._link, self._plan = self._request.link, self._request.plan

    def run(self) -> InjectionReport:
        self._on_stage(FORGED_AND_REPLAYED())
        has_sessions = self._plan.encapsulation is Encapsulation.L2TPV3
        hosts = self._each(
            lambda side: inspect(
                self._sessions.on(side),
                self._link.underlay(side),
                (self._plan.probe_address(side), self._plan.probe_address(side.other)),
                has_sessions=has_sessions,
                token=self._token,
            )
        )
        missing = {side: self._missing(side, hosts) for side in Side}
        held = {side for side in Side if TrialKind.ALTERED not in missing[side]}
        with CapturingPair(self._sessions, self._captures(hosts), token=self._token) as capturing:
            with self._holding(held, hosts) as holds:
                # Answers to echo requests that are not withheld resemble a host's own, and come at any time.
                is_held = len(held) == len(Side)
                copies = self._each(lambda side: self._copy_on(side, hosts[side]), is_parallel=is_held)
                injected = {
                    side: self._injected(side, hosts[side], copies[side.other], missing[side], was_held=side in held)
                    for side in Side
                }
                self._each(lambda side: self._send(side, hosts, injected[side]))
            captures = capturing.collect(self._canaries.end, underlay=self._link.underlay_b)
        found: dict[Side, HostInjection] = {}
        for side in Side:
            sent = captures[side.other].of(TUNNEL)
            trials = judge(injected[side], captures[side], sent, self._link.inner_ip(side))
            self._doubt(side, missing[side], captures[side].dropped, holds)
            kept = tuple(trial for trial in trials if trial.kind not in missing[side] or trial.entered)
            found[side] = HostInjection(kept, {kind.value: text for kind, text in missing[side].items()})
        # What got in is conclusive by itself, and may have left the tunnel in a state in which nothing does.
        self.is_conclusive &= all(_has_control(host) for host in found.values())
        self.is_conclusive |= any(_has_let_in(host) for host in found.values())
        return InjectionReport({side.value: host for side, host in found.items()}, is_exempt=self._request.is_exempt)

    def _each(self, work: Callable[[Side], T], *, is_parallel: bool = True) -> Mapping[Side, T]:
        if not is_parallel:
            return {side: work(side) for side in Side}
        return run_sides(work)

    # --- what can be tried --------------------------------------------------------------------------------------------

    def _missing(self, side: Side, hosts: Mapping[Side, Inspected]) -> dict[TrialKind, str]:
        """Return why kinds cannot be tried on a host, as sentences."""
        attacker = self._sessions.on(side.other).spec.label
        if "perl" not in hosts[side.other].programs:
            return dict.fromkeys(TrialKind, NO_PERL_TO_FORGE(host=attacker))
        if not hosts[side.other].device or not hosts[side].device:
            return dict.fromkeys(TrialKind, NO_UNDERLAY_INTERFACE())
        if "nft" not in hosts[side].programs:
            # Without a packet that was never delivered there is no control.
            return dict.fromkeys(_COPIED, NO_NFT_TO_HOLD(host=self._sessions.on(side).spec.label))
        return {}

    def _doubt(self, side: Side, missing: dict[TrialKind, str], dropped: int, holds: Mapping[Side, Hold]) -> None:
        """Add to what is missing on a host what a lost packet or a hold that ended makes worthless."""
        label = self._sessions.on(side).spec.label
        if dropped:
            self.is_conclusive = False
            missing |= dict.fromkeys(TrialKind, CAPTURE_LOST_PACKETS(host=label, dropped=dropped))
        if side in holds and holds[side].packets < 2 * ECHOES and TrialKind.ALTERED not in missing:
            self.is_conclusive = False
            missing |= dict.fromkeys(_COPIED, self._not_held(side))

    def _not_held(self, side: Side) -> str:
        return ALTERED_NOT_HELD(host=self._sessions.on(side).spec.label)

    # --- stages -------------------------------------------------------------------------------------------------------

    def _captures(self, hosts: Mapping[Side, Inspected]) -> dict[Side, CaptureRequest]:
        link, plan = self._link, self._plan
        own = underlay_filter(link, plan.outer_filter, self._canaries)
        return {
            side: CaptureRequest(
                folder=link.run_dir,
                address=link.underlay(side),
                # First of them: reading a mark behind the end of a short packet ends the whole filter.
                underlay_filter=f"{self._forged_filter(hosts[side])} or ({own})",
                other_filter=f"ether proto {ETHERTYPE}",
                tunnel=plan.on(side).interface,
                tunnel_filter=f"icmp or ether proto {ETHERTYPE}",
                snaplen_bytes=SNAPLEN_BYTES,
            )
            for side in Side
        }

    def _forged_filter(self, host: Inspected) -> str:
        # What is sent, and nothing else, is known by its code point, and over IPv6 by its source.
        ipv4 = f"(ip and ip[1] & 0xfc = {DSCP << 2})"
        return f"{ipv4} or (ip6 src host {STRANGERS_LINK_LOCAL})" if host.link_local else ipv4

    @contextmanager
    def _holding(self, held: set[Side], hosts: Mapping[Side, Inspected]) -> Iterator[Mapping[Side, Hold]]:
        """Hold back the tunnel's packets on these hosts for the length of a context."""
        kind, number = self._carrier()
        holds: dict[Side, Hold] = {}
        with ExitStack() as stack:
            for side in held:
                hold = Hold(
                    self._sessions.on(side),
                    self._link.run_dir,
                    self._link.underlay(side.other),
                    kind,
                    number,
                    cookie_bytes=len(hosts[side].cookies.get(self._link.names.l2tp_session_id, b"")),
                    token=self._token,
                )
                stack.callback(self._note, side, f"nft delete table ip {HOLD_TABLE}", LET_PASS())
                holds[side] = stack.enter_context(hold)
                self._note(side, f"nft add table ip {HOLD_TABLE}", HOLD_BACK())
            yield holds

    def _carrier(self) -> tuple[str, int]:
        """Return by what the tunnel's packets are known, and no others between the two hosts."""
        protocols = protocols_of(self._plan.outer_filter)
        port = re.search(r"\bport (\d{1,5})", self._plan.outer_filter)
        if UDP in protocols and port is not None:
            return "udp", int(port[1])
        if L2TP in protocols:
            return "l2tp", self._link.names.l2tp_session_id
        return "protocol", min(protocols, default=L2TP)

    @property
    def _own_filter(self) -> str:
        """The pcap filter of the tunnel's own packets: of L2TPv3's, those of its session."""
        kind, number = self._carrier()
        return f"({self._plan.outer_filter}) and ip[20:4] = {number}" if kind == "l2tp" else self._plan.outer_filter

    def _copy_on(self, side: Side, host: Inspected) -> Copied:
        link = self._link
        request = CopyRequest(
            folder=link.run_dir,
            device=host.device,
            outer_filter=self._own_filter,
            underlay=link.underlay(side),
            peer=link.underlay(side.other),
            source=self._plan.probe_address(side),
            destination=self._plan.probe_address(side.other),
            first=self._first(side.other),
            second=self._second(side.other),
        )
        return copy(self._sessions.on(side), request, self._canaries, token=self._token)

    def _first(self, side: Side) -> bytes:
        return self._canaries.broken(2 * (side is Side.B))

    def _second(self, side: Side) -> bytes:
        return self._canaries.broken(1 + 2 * (side is Side.B))

    def _injected(
        self, side: Side, host: Inspected, copied: Copied, missing: dict[TrialKind, str], *, was_held: bool
    ) -> Injected:
        """Return what is to be sent at a host; what cannot be is added to what is missing."""
        groups = groups_of(copied, self._canaries)
        if copied.answered and was_held:
            was_held = self.is_conclusive = False
            missing |= dict.fromkeys(_COPIED, self._not_held(side))
        if not groups.second:
            self.is_conclusive = False
            label, count = self._sessions.on(side.other).spec.label, len(copied.records)
            missing |= dict.fromkeys(TrialKind, OWN_PACKETS_NOT_FOUND(host=label, count=count))
        can_send = TrialKind.FORGED not in missing
        return Injected(
            forged=tuple(self._forged(side, host, groups)) if can_send else (),
            altered=tuple(copy for packet in groups.first for copy in altered(packet)) if was_held and can_send else (),
            delayed=groups.second if was_held and can_send else (),
            replayed=groups.second * REPLAYS if was_held and can_send else (),
            first=self._first(side),
            second=self._second(side),
        )

    def _target(self, side: Side, host: Inspected, groups: Groups) -> Target:
        link = self._link
        session = link.names.l2tp_session_id
        return Target(
            link_header=groups.second[0].link_header,
            underlay=link.underlay(side),
            peer=link.underlay(side.other),
            stranger=stranger_of(link.underlay(side.other), link.underlay(side)),
            carrier=link.carrier(side),
            peers_carrier=link.carrier(side.other),
            link_local=host.link_local,
            session_id=session,
            vxlan_id=link.names.vxlan_id,
            port=link.names.udp_port,
            cookie=host.cookies.get(session, b""),
        )

    def _forged(self, side: Side, host: Inspected, groups: Groups) -> Iterator[Forgery]:
        target, mark = self._target(side, host, groups), self._canaries.inside
        kind = self._plan.encapsulation
        for forgery in FORGE[kind](target, mark) if kind else forge_datagrams(target, groups.second[0], mark):
            yield from (forgery for _ in range(COPIES))

    def _send(self, side: Side, hosts: Mapping[Side, Inspected], injected: Injected) -> None:
        """Send everything at one host, from the other one."""
        frames = [frame for forgery in injected.forged for frame in forgery.frames]
        packets = [*injected.altered, *injected.delayed, *injected.replayed]
        frames += [packet.frame() for packet in packets]
        if frames:
            attacker = self._sessions.on(side.other)
            send_frames(attacker, hosts[side.other].device, self._link.underlay(side), frames, token=self._token)

    def _note(self, side: Side, command: str, what: str) -> None:
        self._audit(AuditEntry(datetime.now(UTC), self._sessions.on(side).spec.address, side, command, 0, what))


def _has_let_in(host: HostInjection) -> bool:
    """Whether anything came out of a tunnel but the control."""
    return any(trial.entered for trial in host.trials if trial.kind is not TrialKind.DELAYED)


def _has_control(host: HostInjection) -> bool:
    """Whether the control came out of a tunnel; also true of a host that nothing was sent at."""
    sent = sum(trial.sent for trial in host.of(TrialKind.DELAYED))
    # Answers to echo requests that were not withheld are sent at it, too, and come out as none.
    return host.entered(TrialKind.DELAYED) >= min(sent, ECHOES)
