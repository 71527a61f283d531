"""Two hosts with an underlay on which canary frames, or what protects them, can be captured."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from ipaddress import ip_address

from captured import ETHER, A, B, echo, ethernet, ipv4, od, pcap, pieces, udp
from fake_hosts import Answer

from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.errors import ConnectionLost
from app.domain.hosts import HostFacts, Tool, ToolFlavour

OVERHEAD_BYTES = 66
PORT = 21194


def able(facts: HostFacts) -> HostFacts:
    """Return a host's facts with tcpdump among its tools."""
    return replace(facts, tools={**facts.tools, "tcpdump": Tool("tcpdump", ToolFlavour.STANDARD, "4.99.5")})


@dataclass
class FakeCaptures:
    """Answers the commands of the packet tests.

    Attributes:
        is_leaking: Frames cross in the clear, in L2TPv3.
        has_control: The bare underlay lets echo requests pass.
        is_open: Frames go out in the clear after a breakage, on the interface of the default route.
        is_bare: There is no tunnel: canary frames cross as they are.
        lost: Canary frames that are not answered.
        is_captured: The tunnel's own packets are in the captures.
        broken_status: Exit status of breakages.
        does_listen: tcpdump starts.
        largest_payload: Marked echo requests with more than so many bytes do not cross.
        path_mtu_bytes: MTU of a router between the hosts, which fragments what is larger.
        is_size_silent: Nothing is heard of frames of other sizes.
        lost_while_breaking: The connection to A breaks before the first breakage has ended.
        lost_while_sending: The connection to this host breaks when it sends after the first breakage.
        mute_when_broken: This host sends no canary frames after a breakage.
        without_perl: Hosts that cannot send whole frames.
        lost_ethertype: Whole frames with this EtherType do not cross.
        dropped: Packets that the captures of each host lost.
        broken_alternately: Who broke the protection and who sent then, in this order.
        has_ended: Set by collecting.
    """

    is_leaking: bool = False
    has_control: bool = True
    is_open: bool = False
    is_bare: bool = False
    lost: int = 0
    is_captured: bool = True
    broken_status: int = 0
    does_listen: bool = True
    largest_payload: int = 65_507
    path_mtu_bytes: int = 1500
    is_size_silent: bool = False
    lost_while_breaking: bool = False
    lost_while_sending: str = ""
    mute_when_broken: str = ""
    without_perl: str = ""
    lost_ethertype: int = 0
    dropped: int = 3
    broken_alternately: list[str] = field(default_factory=list)
    frames: dict[str, list[bytes]] = field(default_factory=lambda: {"a": [], "b": []})
    other: list[bytes] = field(default_factory=list)
    arrived: dict[str, list[bytes]] = field(default_factory=lambda: {"a": [], "b": []})
    ended: dict[str, threading.Event] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    number: int = 0

    def knows(self, command: Command) -> bool:
        """Return whether a command is one of the packet tests."""
        script = command.argv[2] if len(command.argv) > 2 else ""
        signs = ("tcpdump -n", "od -An", "separators=", "destination=$2 tunnel=$3", "#no-perl")
        return any(sign in script for sign in signs)

    def answer(self, side: str, command: Command, token: CancelToken) -> Answer:
        """Answer one command."""
        script, words = command.argv[2] if len(command.argv) > 2 else "", command.argv[4:]
        if "copy.pcap" in script:
            return _lines("tcpdump: these hosts copy nothing for the injection test")
        if "tcpdump -n" in script:
            return self._capture(side, token, has_tunnel=bool(words[6]))
        if "od -An" in script:
            return self._collect(side)
        if "separators=" in script:
            return self._send(words)
        if "destination=$2 tunnel=$3" in script:
            return self._send_broken(side, words)
        if "#no-perl" in script:
            return self._send_frames(side, (command.stdin or b"").decode().split())
        return _lines()

    def _capture(self, side: str, token: CancelToken, *, has_tunnel: bool) -> Answer:
        ended = self.ended[side] = threading.Event()
        token.on_cancel(ended.set)
        yield "#capture underlay 600 eth1"
        yield "#capture other 601 eth0"
        if has_tunnel:
            yield "#capture tunnel 602 tmk0"
        yield "#all"
        if not self.does_listen:
            yield "tcpdump: eth1: You don't have permission to perform this capture on that device"
            return 0
        for place in ("underlay", "other", *(["tunnel"] if has_tunnel else [])):
            yield f"#listening {place}"
        ended.wait(120)
        yield f"{self.dropped} packets dropped by kernel"
        return 0

    def _collect(self, side: str) -> Answer:
        with self.lock:
            yield "#pcap underlay"
            yield od(pcap(ethernet(packet) for packet in self.frames[side]))
            yield "#pcap other"
            yield od(pcap(ethernet(packet) for packet in self.other if side == "a"))
            yield "#pcap tunnel"
            yield od(pcap(self.arrived[side]))
        self.ended[side].set()

    def _send(self, words: tuple[str, ...]) -> Answer:
        _, underlay, destination, source, tunnel, _vlan, control, inside, separators, _pause = words[:10]
        del underlay, destination, source
        counts, sizes = [int(word) for word in words[10:14]], [int(word) for word in words[18:]]
        controls, echoes, size_echoes, payload = counts
        mark = bytes.fromhex(inside)
        self._bare(bytes.fromhex(control), A, B, controls)
        yield from _pinged("control", controls, controls if self.has_control else 0)
        self._separate(separators, 0)
        self._cross(mark, payload, echoes)
        yield from _pinged("leak", echoes, echoes - self.lost)
        self._separate(separators, 1)
        for number, size in enumerate(sizes, start=2):
            crossing = size_echoes if size <= self.largest_payload else 0
            self._cross(mark, size, crossing)
            if not self.is_size_silent:
                yield from _pinged(f"size-{size}", size_echoes, crossing)
            self._separate(separators, number)
        if tunnel:
            yield from _pinged("non-ip", 1, 1)
            yield "#neighbour 198.18.0.2 lladdr 02:5e:10:77:00:02 REACHABLE"
            yield "#vlan sent"
            self._arrive(mark)

    def _send_frames(self, side: str, lines: list[str]) -> Answer:
        """Send whole frames; the host's own capture sees them too."""
        if side in self.without_perl:
            yield "#no-perl"
            return
        for number, line in enumerate(lines):
            frame = bytes.fromhex(line)
            frame = frame[:6] + ETHER[6:] + frame[12:]
            with self.lock:
                self.arrived[side].append(frame)
                if int.from_bytes(frame[12:14], "big") != self.lost_ethertype:
                    self.arrived["b" if side == "a" else "a"].append(frame)
            yield f"#sent {number}"

    def _send_broken(self, side: str, words: tuple[str, ...]) -> Answer:
        own, peer = (A, B) if side == "a" else (B, A)
        self.broken_alternately.append(f"{side} {'breaks' if words[8:] else 'sends'}")
        if self.lost_while_breaking:
            raise ConnectionLost("The connection broke.")
        if words[8:]:
            yield f"#broken {self.broken_status} {'it cannot be broken' if self.broken_status else ''}"
            if self.broken_status:
                return
        if self.lost_while_sending == side:
            raise ConnectionLost("The connection broke.")
        if self.is_open and side == "a":
            self.other += [echo("10.0.2.15", "198.18.0.2", bytes.fromhex(words[5]))] * 4
        if self.mute_when_broken != side:
            yield "4 packets transmitted, 0 received, 100% packet loss, time 10ms"
        self._bare(bytes.fromhex(words[4]), own, peer, 2)
        yield from _pinged("control", 2, 2)

    def _bare(self, mark: bytes, source: str, destination: str, count: int) -> None:
        if self.has_control:
            self._on_underlay(echo(source, destination, mark), count)
            self._on_underlay(echo(destination, source, mark, is_reply=True), count)

    def _separate(self, family: str, number: int) -> None:
        self._bare(bytes.fromhex(family) + f"{number:03d}s".encode(), A, B, 1)

    def _cross(self, mark: bytes, payload: int, count: int) -> None:
        if not self.is_captured:
            return
        for _ in range(count):
            for source, destination in ((A, B), (B, A)):
                self._on_underlay(self._wrapped(mark, payload, source, destination), 1)

    def _wrapped(self, mark: bytes, payload: int, source: str, destination: str) -> bytes:
        if self.is_bare:
            return echo(source, destination, mark, payload_bytes=payload)
        inner = echo("198.18.0.1", "198.18.0.2", mark, payload_bytes=payload)
        if self.is_leaking:
            return ipv4(
                source, destination, 17, bytes(OVERHEAD_BYTES - 34) + ethernet(inner), identification=self._next()
            )
        hidden = secrets.token_bytes(len(inner) + 14 + OVERHEAD_BYTES - 42)
        return udp(source, destination, hidden, identification=self._next())

    def _next(self) -> int:
        self.number += 1
        return self.number

    def _on_underlay(self, packet: bytes, count: int) -> None:
        with self.lock:
            for side, own in (("a", A), ("b", B)):
                mtu_bytes = 1500 if packet[12:16] == ip_address(own).packed else self.path_mtu_bytes
                self.frames[side] += [piece for _ in range(count) for piece in pieces(packet, mtu_bytes)]

    def _arrive(self, mark: bytes) -> None:
        inner = echo("198.18.0.1", "239.255.77.77", mark)
        tagged = echo("198.18.254.1", "198.18.254.2", mark, payload_bytes=1472)
        self.arrived["b"] += [
            ethernet(bytes(28), 0x0806, to=b"\xff" * 6),
            ethernet(inner, to=b"\x01\x00\x5e\x7f\x4d\x4d"),
            ethernet(tagged, tag=3077),
        ]


def _pinged(label: str, sent: int, received: int) -> Iterator[str]:
    yield f"@start {label} 700"
    yield f"{sent} packets transmitted, {received} received, 0% packet loss, time 1ms"
    yield f"@exit {label} 0"


def _lines(*texts: str, status: int = 0) -> Answer:
    yield from texts
    return status
