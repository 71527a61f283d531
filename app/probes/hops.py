"""Sight of an observer at each hop between two nodes, and injection there: echo requests with marks, and captures.

The hops are the cable between node A and its gateway, the underlay, and the cable between gateway B and node B. What
node B takes is captured at the interface with its address, behind whatever protects its frames. First marked requests
are sent, and captured at each hop. Then frames are sent at each hop: forged ones, and copies of those captured
before, while marked requests go on as the control.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from app.domain.adapters import Encapsulation, TunnelPlan, shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.errors import ProbeFailed
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.node_study import FORGED, REPLAYED, Hop, HopInjection, HopReport, Seen
from app.domain.script_files import bare_script
from app.domain.topology import Topology, node_addresses, node_mac
from app.probes.capture.canary import PAYLOAD_BYTES, CanaryFrames, canary_filter
from app.probes.capture.packets import read_packet
from app.probes.capture.pcap import Record
from app.probes.capture.recording import TUNNEL, UNDERLAY, CaptureRequest, Capturing
from app.probes.injection.forging import FORGE, Target, plain_frame, stranger_of
from app.probes.injection.stages import SNAPLEN_BYTES, inspect, send_frames
from app.probes.messages import CAPTURE_HAS_NO_FRAME
from app.probes.ping_lines import Summary, parse_ping_line

ECHOES = 9
"""Marked requests: three for each hop to be sent again."""
_EACH = ECHOES // len(Hop)
COPIES = 3
"""Number of times that each forged frame is sent."""
_PING_S = 30.0
_ALL = "greater 1"
"""pcap filter that takes every frame. Source: pcap-filter(7)."""
_FOLDER_SCRIPT = bare_script("capture/own-folder.sh")


@dataclass(frozen=True, slots=True)
class HopsRequest:
    """The nodes and their tunnel.

    Attributes:
        link: What the tunnel is built on.
        plan: What was built, with bridged nodes.
        cables: The gateways' interfaces towards nodes that are machines, by side; empty for namespaces.
        interface: Interface of node A towards its gateway.
    """

    link: Link
    plan: TunnelPlan
    cables: Mapping[Side, str] = field(default_factory=dict)
    interface: str = "lan"


def probe_hops(
    sessions: SessionPair,
    nodes: SessionPair,
    request: HopsRequest,
    *,
    token: CancelToken,
    on_stage: Callable[[Hop | None], None],
) -> HopReport:
    """Capture at each hop, then inject there.

    Args:
        sessions: Both gateways; they have tcpdump, perl, and a ping that can mark its packets.
        nodes: Commands on both nodes.
        on_stage: Gets the hop at which frames are sent; None while nothing is captured but echo requests.

    Raises:
        ProbeFailed: A host could not do its part.
        ConnectionLost, DeadlineExceeded, PrivilegeMissing, Cancelled: As `HostSession.run`.
    """
    return _HopRun(sessions, nodes, request, token, on_stage).run()


@dataclass(frozen=True, slots=True)
class _Captures:
    """Frames by hop, and those at node B's interface."""

    hops: Mapping[Hop, tuple[Record, ...]]
    node: tuple[Record, ...]


@dataclass
class _HopRun:
    """One call of `probe_hops`."""

    _sessions: SessionPair
    _nodes: SessionPair
    _request: HopsRequest
    _token: CancelToken
    _on_stage: Callable[[Hop | None], None]

    def __post_init__(self) -> None:
        self._link, self._plan = self._request.link, self._request.plan
        self._a, self._b = (node_addresses(self._link, Topology.BRIDGED_NODES, side) for side in Side)
        self._folder = f"{self._link.run_dir}/node"

    def run(self) -> HopReport:
        folder = Command(shell_step_argv(_FOLDER_SCRIPT, self._folder), timeout_s=_PING_S, is_root=True)
        self._nodes.b.run(folder, token=self._token)
        self._on_stage(None)
        canaries = CanaryFrames.new()
        answered: list[int] = []
        first = self._captured(canaries, lambda: answered.append(self._ping(canaries)))
        seen = tuple(self._seen(hop, first.hops[hop], canaries) for hop in Hop)
        arrived = sum(_number_of(one, canaries.inside) > 0 for one in first.node)
        copies = {hop: self._copies(hop, first.hops[hop]) for hop in Hop}
        control, marks = CanaryFrames.new(), {hop: CanaryFrames.new() for hop in Hop}

        def inject() -> None:
            for hop in Hop:
                self._on_stage(hop)
                self._inject(hop, self._forged(hop, marks[hop], first.hops[Hop.UNDERLAY]), copies[hop])
            self._ping(control)

        second = self._captured(control, inject)
        injected = []
        for number, hop in enumerate(Hop):
            injected.append(self._forged_at(hop, marks[hop].inside, second))
            numbers = range(1 + number * _EACH, 1 + (number + 1) * _EACH)
            injected.append(self._replayed_at(hop, copies, numbers, canaries, second))
        return HopReport(
            seen=seen,
            injected=tuple(injected),
            sent=ECHOES,
            answered=sum(answered),
            arrived=arrived,
            control=sum(_number_of(one, control.inside) > 0 for one in second.node),
        )

    # --- what is captured ---------------------------------------------------------------------------------------------

    def _captured(self, canaries: CanaryFrames, work: Callable[[], None]) -> _Captures:
        """Return what was captured at all hops while work is done."""
        link, token = self._link, self._token
        of_gateways = f"(host {link.underlay_a} or host {link.underlay_b}) and not tcp"
        bare = canary_filter(canaries.bare_family)
        requests = {
            side: CaptureRequest(
                *(link.run_dir, link.underlay(side), of_gateways, bare, self._cable(side), _ALL, SNAPLEN_BYTES)
            )
            for side in Side
        }
        at_node = CaptureRequest(self._folder, self._b.node_ip, _ALL, _ALL, snaplen_bytes=SNAPLEN_BYTES)
        with ExitStack() as stack:
            a, b, node = (
                stack.enter_context(Capturing(host, wanted, token=token))
                for host, wanted in (
                    (self._sessions.a, requests[Side.A]),
                    (self._sessions.b, requests[Side.B]),
                    (self._nodes.b, at_node),
                )
            )
            for one in (a, b, node):
                one.wait_until_listening()
            work()
            found_a = a.collect(canaries.end, underlay=link.underlay_b)
            found_b = b.collect(canaries.end, underlay=link.underlay_a)
            found_node = node.collect(canaries.end, underlay=self._a.node_ip)
        hops = {
            Hop.CABLE_A: found_a.of(TUNNEL),
            Hop.UNDERLAY: found_b.of(UNDERLAY),
            Hop.CABLE_B: found_b.of(TUNNEL),
        }
        own = {hop: tuple(one for one in found if canaries.end not in one.data) for hop, found in hops.items()}
        return _Captures(own, found_node.of(UNDERLAY))

    def _cable(self, side: Side) -> str:
        return self._request.cables.get(side, (self._a if side is Side.A else self._b).namespace)

    def _ping(self, canaries: CanaryFrames) -> int:
        """Send marked requests from node A to node B; return how many were answered."""
        words = ("-c", str(ECHOES), "-i", "0.1", "-W", "2", "-s", str(PAYLOAD_BYTES), "-p", canaries.inside.hex())
        command = Command(("ping", "-n", *words, self._b.node_ip), timeout_s=_PING_S, is_root=True)
        lines = self._nodes.a.run(command, token=self._token).stdout.splitlines()
        return sum(one.received for one in map(parse_ping_line, lines) if isinstance(one, Summary))

    def _seen(self, hop: Hop, found: Sequence[Record], canaries: CanaryFrames) -> Seen:
        # Echo requests with that mark go over the bare underlay on purpose.
        bare = canaries.bare_family.encode()
        own = [one for one in found if hop is not Hop.UNDERLAY or bare not in one.data]
        addresses = [bytes.fromhex(node_mac(side).replace(":", "")) for side in Side]
        return Seen(
            hop,
            len(own),
            has_addresses=any(address in one.data for one in own for address in addresses),
            has_payload=any(canaries.inside in one.data for one in own),
        )

    # --- what is injected ---------------------------------------------------------------------------------------------

    def _copies(self, hop: Hop, found: Sequence[Record]) -> tuple[bytes, ...]:
        """Return the captured frames of the marked requests in the order of sending; empty where it is not certain."""
        if hop is Hop.UNDERLAY:
            of_a = [one for one in found if self._is_outer(one)]
        else:
            address = bytes.fromhex(node_mac(Side.A).replace(":", ""))
            of_a = [one for one in found if one.data[6:12] == address]
        lengths = [one.length_bytes for one in of_a if one.length_bytes > PAYLOAD_BYTES]
        alike = [length for length in set(lengths) if lengths.count(length) == ECHOES]
        if len(alike) != 1:
            return ()
        return tuple(one.data for one in of_a if one.length_bytes == alike[0])

    def _is_outer(self, record: Record) -> bool:
        packet = read_packet(record)
        return packet is not None and packet.source == self._link.underlay_a and not packet.is_echo_request

    def _forged(self, hop: Hop, mark: CanaryFrames, underlay: Sequence[Record]) -> tuple[bytes, ...]:
        """Return frames with a mark in them that a stranger would send at a hop."""
        tag = mark.inside
        if hop is not Hop.UNDERLAY:
            return (plain_frame(tag),)
        made = FORGE[self._plan.encapsulation or Encapsulation.L2TPV3](self._target(underlay), tag)
        # What is cut into fragments would not be found by its mark on the underlay.
        return tuple(one.frames[0] for one in made if len(one.frames) == 1)

    def _target(self, underlay: Sequence[Record]) -> Target:
        """Return gateway B as a stranger on the underlay knows it who has got hold of its session's cookie, too."""
        link = self._link
        found = inspect(
            self._sessions.b,
            link.underlay_b,
            (link.inner_ip(Side.B), link.inner_ip(Side.A)),
            has_sessions=True,
            token=self._token,
        )
        header = next((one.data[:14] for one in underlay if self._is_outer(one)), None)
        if header is None:
            raise ProbeFailed(CAPTURE_HAS_NO_FRAME(host=self._sessions.b.spec.label))
        session = link.names.l2tp_session_id
        return Target(
            link_header=header,
            underlay=link.underlay_b,
            peer=link.underlay_a,
            stranger=stranger_of(link.underlay_a, link.underlay_b),
            carrier=link.carrier(Side.B),
            peers_carrier=link.carrier(Side.A),
            session_id=session,
            cookie=found.cookies.get(session, b""),
            vxlan_id=link.names.vxlan_id,
            port=link.names.udp_port,
        )

    def _inject(self, hop: Hop, forged: tuple[bytes, ...], copies: tuple[bytes, ...]) -> None:
        own = copies[_EACH * list(Hop).index(hop) :][:_EACH]
        frames = [*forged * COPIES, *own]
        token = self._token
        match hop:
            case Hop.CABLE_A:
                send_frames(self._nodes.a, self._request.interface, self._b.node_ip, frames, token=token)
            case Hop.UNDERLAY:
                device = self._underlay_device()
                send_frames(self._sessions.a, device, self._link.underlay_b, frames, token=token)
            case Hop.CABLE_B:
                send_frames(self._sessions.b, self._cable(Side.B), self._link.underlay_a, frames, token=token)

    def _underlay_device(self) -> str:
        link = self._link
        inside = link.inner_ip(Side.A), link.inner_ip(Side.B)
        return inspect(self._sessions.a, link.underlay_a, inside, has_sessions=False, token=self._token).device

    def _forged_at(self, hop: Hop, tag: bytes, captures: _Captures) -> HopInjection:
        sent, relayed = (sum(tag in one.data for one in captures.hops[at]) for at in (hop, Hop.CABLE_B))
        accepted = sum(tag in one.data for one in captures.node)
        return HopInjection(hop, FORGED, sent, 0 if hop is Hop.CABLE_B else relayed, accepted)

    def _replayed_at(
        self,
        hop: Hop,
        copies: Mapping[Hop, tuple[bytes, ...]],
        numbers: range,
        canaries: CanaryFrames,
        captures: _Captures,
    ) -> HopInjection:
        """Return what became of copies; those that B's gateway relays are on B's cable as they were before."""
        own = {at: set(found[numbers.start - 1 : numbers.stop - 1]) for at, found in copies.items()}
        sent, relayed = (sum(one.data in own[at] for one in captures.hops[at]) for at in (hop, Hop.CABLE_B))
        accepted = sum(_number_of(one, canaries.inside) in numbers for one in captures.node)
        return HopInjection(hop, REPLAYED, sent, 0 if hop is Hop.CABLE_B else relayed, accepted)


def _number_of(record: Record, mark: bytes) -> int:
    """Return the sequence number of a marked request in a frame; 0 where it is none."""
    packet = read_packet(record)
    if packet is None or not packet.is_echo_request or mark not in packet.content:
        return 0
    return int.from_bytes(packet.content[6:8])
