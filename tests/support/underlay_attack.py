"""An attacker on the underlay between two hosts made of namespaces: hears all, sends any frame from any address.

Nothing of the program's own injection test is used. Frames carry a mark; what comes out of any interface of a host but
its underlay's and its management's is counted there by a listener of its own.
"""

from __future__ import annotations

import contextlib
import re
import socket
import struct
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Self

from app.domain.hosts import Side
from support.forged_packets import GRE, L2TP, TCP, UDP, altered, ipv4, udp, whole
from support.net_hosts import NetHost, NetPair
from support.net_world import World

ETHERTYPE = 0x88B6
"""EtherType of the frames inside: for local experiments. Source: IEEE 802-2014 section 9.2.3."""
OUTSIDE = ("lo", "mgmt0", "eth1")
"""Interfaces of a host that are none of a tunnel's or LAN's."""
PORTS = (21194, 21195)
"""Usual ports of OpenVPN's tunnels; heard ones are attacked as well."""
SESSION = 7301
"""The usual L2TPv3 session and VXLAN network."""
CANARIES = 3
REPLAYS = 3
ALTERED_AT = (-1, -200, -400)
"""Byte of a copied packet that is altered, from its end: none of those that carry the tag of a canary in the clear."""
STREAM_EVERY_S = 0.5
_OUTGOING = 4  # PACKET_OUTGOING. Source: packet(7)
_MARK = b"@forged@"
_CANARY = b"@canary@"
_CANARY_BYTES = 400
_SETTLE_S = 0.3
_SETTLED_S = 10.0
_ARRIVED_S = 20.0
_TAG = re.compile(rb"@(?:forged|canary)@\d{6}")


@dataclass(frozen=True)
class Outcome:
    """Outcome of an attack.

    Attributes:
        forged: Packets sent that were forged or altered.
        replayed: Packets sent again.
        let_in: What came out of an interface: host, interface and kind, with the number of frames.
        missing: Hosts whose tunnel did not carry what its own peer sent, so that replays show nothing.
    """

    forged: int
    replayed: int
    let_in: tuple[str, ...]
    missing: tuple[str, ...] = ()

    @property
    def problem(self) -> str:
        """Fault of the trial; empty if nothing got in, and what was replayed could have."""
        if self.let_in:
            return f"let in: {'; '.join(self.let_in)[:1500]}"
        return f"replays show nothing: {'; '.join(self.missing)}" if self.missing else ""


class _Reader:
    """Hands every frame of a packet socket to a function, in a thread of its own.

    Args:
        packets: The socket; it is closed with the reader.
        note: Called with a frame and its address. Source: packet(7).
    """

    def __init__(self, packets: socket.socket, note: Callable[[bytes, Any], None]) -> None:
        self.socket, self._note = packets, note
        self.socket.settimeout(0.1)
        self._idle = threading.Condition()
        self._idles = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._read, name="reader", daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while not self._stop.is_set():
            try:
                data, where = self.socket.recvfrom(65535)
            except TimeoutError:
                with self._idle:
                    self._idles += 1
                    self._idle.notify_all()
                continue
            except OSError:  # an interface has gone down
                continue
            self._note(data, where)

    def sync(self) -> None:
        """Wait until all that was received so far is noted."""
        with self._idle:
            awaited = self._idles + 2  # the first may have begun before the last frame
            self._idle.wait_for(lambda: self._idles >= awaited, 30.0)

    def close(self) -> None:
        """End it."""
        self._stop.set()
        self._thread.join(30)
        self.socket.close()


class _Listener(_Reader):
    """Notes what comes out of a host's interfaces. It is no process of the host, whose processes are compared.

    Args:
        host: The host; it has to be on.
    """

    def __init__(self, host: NetHost) -> None:
        self.seen: list[tuple[str, str, str]] = []
        self.boot = host.boot
        super().__init__(host.packet_socket(), self._see)

    def _see(self, data: bytes, where: Any) -> None:
        match = _TAG.search(data)
        if match and where[0] not in OUTSIDE:
            self.seen.append((where[0], "out" if where[2] == _OUTGOING else "in", match[0].decode()))


class UnderlayAttack:
    """The attacker; use it in a `with` statement.

    Args:
        world: Where the hosts live.
        pair: The hosts.
    """

    def __init__(self, world: World, pair: NetPair) -> None:
        self._world, self._pair = world, pair
        self._number = 0
        self._kinds: dict[str, str] = {}
        self._listeners: dict[Side, _Listener] = {}
        self._seen: dict[Side, list[tuple[str, str, str]]] = {side: [] for side in Side}
        self._heard: dict[Side, deque[bytes]] = {side: deque(maxlen=200) for side in Side}
        self._flows: dict[Side, dict[tuple[int, int, int], bytes]] = {side: {} for side in Side}
        self._stop_stream = threading.Event()
        self._stream: threading.Thread | None = None
        self._sent = 0

    def __enter__(self) -> Self:
        self._out = self._world.packet_socket()
        self._ports = {f"u{self._pair.host(side).number}": side for side in Side}
        self._hearing = _Reader(self._world.packet_socket(), self._hear)
        self._listen()
        return self

    def __exit__(self, *_: object) -> None:
        self.end_stream()
        for reader in (self._hearing, *self._listeners.values()):
            reader.close()
        self._out.close()

    def _listen(self) -> None:
        """Have a listener on each host that is on; that of a host which was switched on again hears nothing more."""
        for side in Side:
            host, listener = self._pair.host(side), self._listeners.get(side)
            if not host.is_on or (listener is not None and listener.boot == host.boot):
                continue
            with contextlib.suppress(OSError):  # it is just being switched on
                self._listeners[side] = _Listener(host)
                if listener is not None:
                    self._seen[side] += listener.seen
                    listener.close()

    def _hear(self, frame: bytes, where: Any) -> None:
        side = self._ports.get(where[0])
        if side is None or where[2] == _OUTGOING or frame[12:14] != b"\x08\x00" or frame[23] not in (UDP, TCP):
            return
        start = 14 + 4 * (frame[14] & 15)
        source, target = struct.unpack_from("!HH", frame, start)
        self._heard[side.other].append(frame)
        self._flows[side.other][frame[23], source, target] = frame

    def stream(self) -> None:
        """Begin to send forged packets at both hosts, until `end_stream`."""
        self._stop_stream.clear()
        self._stream = threading.Thread(target=self._send_stream, name="forging", daemon=True)
        self._stream.start()

    def _send_stream(self) -> None:
        while not self._stop_stream.wait(STREAM_EVERY_S):
            self._listen()
            for side in Side:
                self._send(self._forge(side))

    def end_stream(self) -> None:
        """Stop sending."""
        self._stop_stream.set()
        if self._stream is not None:
            self._stream.join(60)
            self._stream = None

    def forge(self) -> Outcome:
        """Send each kind of forged packet at both hosts; return what came of all that was forged until now."""
        self._listen()
        for _ in range(2):
            for side in Side:
                self._send(self._forge(side))
        return self._outcome(0)

    def forge_and_replay(self) -> Outcome:
        """Send forged packets, and what each host sends the other one through the tunnel once more, and altered."""
        self._listen()
        missing, expected, replayed = [], {}, 0
        for side in Side:
            self._heard[side].clear()
            tags = self._send_canaries(side)
            expected.update(dict.fromkeys(tags, side))
            if not tags or not self._wait_for(side, tags):
                missing.append(f"{side.upper()}: not all of {len(tags)} frames that its peer sent inside arrived")
                continue
            self._hearing.sync()  # a frame may have arrived at its target before it is noted here
            heard = [whole(frame) for frame in self._heard[side] if len(frame) >= _CANARY_BYTES]
            self._send([altered(frame, at) for frame in heard for at in ALTERED_AT])
            for _ in range(REPLAYS):
                replayed += len(heard)
                self._out_all(heard)
            if not heard:
                missing.append(f"{side.upper()}: nothing was heard that carries them")
        done = self.forge()
        again = Counter(
            (side, where, expected[tag])
            for side in Side
            for (where, way, tag), count in Counter(self.seen(side)).items()
            if way == "in" and expected.get(tag) is side and count > 1
            for _ in range(count - 1)
        )
        twice = tuple(f"{side.upper()}, {where}: replayed or altered, {n}" for (side, where, _), n in again.items())
        return Outcome(done.forged, replayed, (*done.let_in, *twice), tuple(missing))

    def seen(self, side: Side) -> list[tuple[str, str, str]]:
        """Return what came out of a host's interfaces: interface, way (`in` or `out`) and tag."""
        listener = self._listeners.get(side)
        return [*self._seen[side], *(listener.seen if listener else [])]

    def _outcome(self, replayed: int) -> Outcome:
        self._settle()
        found = Counter(
            f"{side.upper()}, {where}: {self._kinds[tag]}"
            for side in Side
            for where, _, tag in self.seen(side)
            if tag in self._kinds
        )
        return Outcome(self._sent, replayed, tuple(f"{what}, {count}" for what, count in sorted(found.items())))

    def _settle(self) -> None:
        """Wait until nothing more comes out of any interface: a busy host takes its time with what was sent."""
        before, until = -1, time.monotonic() + _SETTLED_S
        while (now := sum(len(self.seen(side)) for side in Side)) != before and time.monotonic() < until:
            before = now
            time.sleep(_SETTLE_S)
            for listener in self._listeners.values():
                listener.sync()

    def _tag(self, mark: bytes, kind: str = "") -> bytes:
        self._number += 1
        tag = mark + b"%06d" % self._number
        if kind:
            self._kinds[tag.decode()] = kind
        return tag

    def _frame(self, kind: str) -> bytes:
        return b"\xff" * 6 + bytes.fromhex("020000000077") + struct.pack("!H", ETHERTYPE) + self._tag(_MARK, kind) * 4

    def _send_canaries(self, to: Side) -> list[str]:
        """Have the peer send frames through the tunnel; return their tags."""
        peer = self._pair.host(to.other)
        listener = self._listeners.get(to.other)
        names = re.findall(r"^(tml\d+)$", peer.run("ls /sys/class/net"), re.MULTILINE)
        tags = [self._tag(_CANARY) for _ in range(CANARIES)]
        head = b"\xff" * 6 + bytes.fromhex("020000000078") + struct.pack("!H", ETHERTYPE)
        if not names or listener is None:
            return []
        for tag in tags:
            listener.socket.sendto((head + tag * 4).ljust(_CANARY_BYTES, b"."), (names[0], 0))
        return [tag.decode() for tag in tags]

    def _wait_for(self, side: Side, tags: list[str]) -> bool:
        until = time.monotonic() + _ARRIVED_S
        while time.monotonic() < until:
            arrived = {tag for _, way, tag in self.seen(side) if way == "in"}
            if arrived >= set(tags):
                return True
            time.sleep(0.05)
        return False

    def _forge(self, side: Side) -> list[bytes]:
        """Return a packet of each kind, from the peer's address and from a third one."""
        victim, peer = self._pair.host(side), self._pair.host(side.other)
        address, peers = (one.underlay.partition("/")[0] for one in (victim, peer))
        stranger = f"{address.rpartition('.')[0]}.77"
        packets = []
        for name, source, card in (("its peer's", peers, _card(peer)), ("a third", stranger, "020000000077")):
            head = bytes.fromhex(_card(victim) + card + "0800")
            for protocol, content in self._contents(side, name):
                packets.append(head + ipv4(source, address, protocol, content))
        return packets

    def _contents(self, side: Side, name: str) -> Iterator[tuple[int, bytes]]:
        """Return protocol and content of each kind."""
        whose = f"from {name} address"
        flows = dict(self._flows[side])
        targets = {(source, port) for protocol, source, port in flows if protocol == UDP}
        for source, port in sorted(targets | {(port, port) for port in PORTS})[:6]:
            real = flows.get((UDP, source, port), b"")[42:]
            for prefix in (0, *((1, 4, 8, 16, 24) if real else ())):
                content = real[:prefix] + self._frame(f"UDP {port}, {prefix} real bytes, {whose}")
                yield UDP, udp(source, port, content)
        for cookie in (b"", bytes(8)):
            body = struct.pack("!I", SESSION) + cookie
            yield L2TP, body + bytes(4) + self._frame(f"L2TPv3, {len(cookie)} bytes of cookie, {whose}")
            over_udp = struct.pack("!HH", 0x0003, 0) + body + bytes(4) + self._frame(f"L2TPv3 over UDP, {whose}")
            yield UDP, udp(1701, 1701, over_udp)
        vxlan = struct.pack("!II", 0x08000000, SESSION << 8)
        yield UDP, udp(4789, 4789, vxlan + self._frame(f"VXLAN, {whose}"))
        yield GRE, struct.pack("!HH", 0, 0x6558) + self._frame(f"GRE, {whose}")

    def _send(self, frames: list[bytes]) -> None:
        self._sent += len(frames)
        self._out_all(frames)

    def _out_all(self, frames: list[bytes]) -> None:
        for frame in frames:
            # The bridge that joins the underlay's ports. Source: packet(7).
            with contextlib.suppress(OSError):
                self._out.sendto(frame, (self._pair.underlay, 0))


def _card(host: NetHost) -> str:
    return f"02000000{host.number:02x}01"
