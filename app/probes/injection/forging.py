"""Forged packets: a plain Ethernet frame in the encapsulation that a tunnel uses, as a stranger would send it.

They are sent as whole frames by the peer of the attacked host, past its own firewall. Frames inside are broadcasts with
an EtherType for experiments, and carry a tag by which they are recognised on the underlay and behind the tunnel.
"""

from __future__ import annotations

import ipaddress
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from app.domain.adapters import Encapsulation
from app.domain.injection import PLAIN_FORGERY
from app.domain.link import ETHERNET_HEADER_BYTES
from app.domain.messages import mark
from app.probes.capture.packets import ETHERTYPE_IPV4, UDP
from app.probes.injection.packets import ETHERTYPE_IPV6, Captured, ethernet, ipv4, ipv6

L2TP = 115
"""IP protocol of L2TPv3. Source: RFC 3931 section 4.1.1."""

GRE = 47
"""IP protocol. Source: RFC 2784."""

ETHERTYPE = 0x88B5
"""EtherType of the frames inside: for local experiments. Source: IEEE 802-2014 section 9.2.3."""

FROM_STRANGER = mark("from a third address")

_STRANGERS_MAC = bytes.fromhex("020000000077")
STRANGERS_LINK_LOCAL = "fe80::77"
_DESTINATION_OPTIONS, _FRAGMENT = 60, 44
L2TP_PORT = 1701
_CUT_BYTES = 24
"""Offset at which a packet is cut into two fragments: a multiple of 8, in front of the tag."""

_PREFIX_BYTES = (0, 4, 8, 16)
"""Bytes of a real datagram's beginning that are kept in front of a plain frame: without cryptography, programs put a
header of at most that size there."""


@dataclass(frozen=True, slots=True)
class Target:
    """A host that packets are forged for.

    Attributes:
        link_header: Ethernet header by which the other host's packets reach it.
        underlay: Its underlay address.
        peer: The other host's underlay address.
        stranger: A third address, of neither.
        carrier: Its address inside a layer-3 carrier, whether the tunnel has one or not.
        peers_carrier: The other host's address there.
        link_local: IPv6 address of its underlay interface; empty for none.
        session_id: L2TPv3 session id, or key of GRE.
        cookie: Cookie that its session demands; empty for none.
        vxlan_id: VXLAN network identifier.
        port: UDP port of VXLAN.
    """

    link_header: bytes
    underlay: str
    peer: str
    stranger: str
    carrier: str
    peers_carrier: str
    link_local: str = ""
    session_id: int = 0
    cookie: bytes = b""
    vxlan_id: int = 0
    port: int = 0


@dataclass(frozen=True, slots=True)
class Forgery:
    """A forged packet.

    Attributes:
        title: Its kind.
        tag: Bytes by which it is recognised.
        frames: Frames of the underlay that carry it: several where it is cut into fragments.
    """

    title: str
    tag: bytes
    frames: tuple[bytes, ...]


_Body = Callable[[str], bytes]


class _Tags:
    """Tags for kinds of packets, each for one kind.

    Args:
        mark: Bytes that nothing else carries.
    """

    def __init__(self, mark: bytes) -> None:
        self._mark = mark
        self._numbers: dict[str, int] = {}

    def of(self, title: str) -> bytes:
        """Return the tag of a kind."""
        return self._mark + b"%02d" % self._numbers.setdefault(title, len(self._numbers))

    def frame(self, title: str) -> bytes:
        """Return a plain frame with the tag of a kind in it."""
        return plain_frame(self.of(title))


def plain_frame(tag: bytes) -> bytes:
    """Return a broadcast frame of a stranger with a tag in it, three times: a fragment may cut one."""
    return b"\xff" * 6 + _STRANGERS_MAC + struct.pack("!H", ETHERTYPE) + (tag * 3).ljust(60, b".")


def stranger_of(sender: str, target: str) -> str:
    """Return an address beside that of the sender that is neither its own nor the target's.

    A router on the way drops what comes from an address that does not belong where it comes from.
    """
    own = int(ipaddress.IPv4Address(sender))
    candidates = (ipaddress.IPv4Address(own ^ change) for change in (0x4D, 0x2B, 0x11, 0x0D))
    # The last octet of a subnet's own and of its broadcast address is one of these where it is a /24.
    return next(str(one) for one in candidates if str(one) != target and int(one) & 0xFF not in (0, 255))


def forge_l2tp(to: Target, mark: bytes) -> tuple[Forgery, ...]:
    """Return L2TPv3 packets of a session, in every way that the kernel might take them for the session's own.

    Args:
        mark: Bytes that nothing else carries.
    """
    tags = _Tags(mark)

    def body(title: str) -> bytes:
        # Session id, cookie and the default sublayer. Source: RFC 3931 sections 4.1.1 and 4.6.
        return struct.pack("!I", to.session_id) + to.cookie + bytes(4) + tags.frame(title)

    return tuple(
        Forgery(title, tags.of(title), frames)
        for title, frames in chain(
            _over_ipv4(to, L2TP, body), _inside_udp(to, body), _over_ipv6(to, body) if to.link_local else ()
        )
    )


def forge_vxlan(to: Target, mark: bytes) -> tuple[Forgery, ...]:
    """Return VXLAN packets of a network, as `forge_l2tp` does for a session."""
    tags = _Tags(mark)

    def body(title: str) -> bytes:
        # Source: RFC 7348 section 5; bit I says that there is an identifier.
        content = struct.pack("!II", 0x08000000, to.vxlan_id << 8) + tags.frame(title)
        return struct.pack("!HHHH", L2TP_PORT, to.port, 8 + len(content), 0) + content

    return tuple(Forgery(title, tags.of(title), frames) for title, frames in _over_ipv4(to, UDP, body))


def forge_gre(to: Target, mark: bytes) -> tuple[Forgery, ...]:
    """Return GRE packets with a key, as `forge_l2tp` does for a session."""
    tags = _Tags(mark)

    def body(title: str) -> bytes:
        # Bit K, then the type of bridged Ethernet. Source: RFC 2890 section 2, RFC 1701.
        return struct.pack("!HHI", 0x2000, 0x6558, to.session_id) + tags.frame(title)

    return tuple(Forgery(title, tags.of(title), frames) for title, frames in _over_ipv4(to, GRE, body))


def _over_ipv4(to: Target, protocol: int, body: _Body) -> Iterator[tuple[str, tuple[bytes, ...]]]:
    def frame(packet: bytes) -> bytes:
        return ethernet(to.link_header, ETHERTYPE_IPV4, packet)

    for title, source, destination in (
        (PLAIN_FORGERY, to.peer, to.underlay),
        (FROM_STRANGER, to.stranger, to.underlay),
        (mark("from the peer's address inside"), to.peers_carrier, to.carrier),
        (mark("from a third address to the address inside"), to.stranger, to.carrier),
    ):
        yield title, (frame(ipv4(source, destination, protocol, body(title))),)
    title = mark("with IP options")
    yield title, (frame(ipv4(to.peer, to.underlay, protocol, body(title), options=b"\x01" * 4)),)
    title = mark("in two fragments")
    content = body(title)
    first = ipv4(to.peer, to.underlay, protocol, content[:_CUT_BYTES], is_last=False)
    last = ipv4(to.peer, to.underlay, protocol, content[_CUT_BYTES:], offset_bytes=_CUT_BYTES)
    yield title, (frame(first), frame(last))


def _inside_udp(to: Target, body: _Body) -> Iterator[tuple[str, tuple[bytes, ...]]]:
    title = mark("inside UDP")
    # A data message: bit T is 0, the version is 3. Source: RFC 3931 section 4.1.2.1.
    data = struct.pack("!HH", 3, 0) + body(title)
    datagram = struct.pack("!HHHH", L2TP_PORT, L2TP_PORT, 8 + len(data), 0) + data
    # The kernel's socket takes datagrams of the peer alone.
    yield title, (ethernet(to.link_header, ETHERTYPE_IPV4, ipv4(to.peer, to.underlay, UDP, datagram)),)


def _over_ipv6(to: Target, body: _Body) -> Iterator[tuple[str, tuple[bytes, ...]]]:
    def frame(next_header: int, payload: bytes) -> bytes:
        packet = ipv6(STRANGERS_LINK_LOCAL, to.link_local, next_header, payload)
        return ethernet(to.link_header, ETHERTYPE_IPV6, packet)

    def options(next_header: int) -> bytes:
        # Padding only. Source: RFC 8200 sections 4.2 and 4.6.
        return bytes((next_header, 0, 1, 4, 0, 0, 0, 0))

    def fragments(next_header: int, number: int, first: bytes, last: bytes) -> tuple[bytes, ...]:
        # Source: RFC 8200 section 4.5.
        heads = (struct.pack("!BBHI", next_header, 0, place, number) for place in (1, len(first)))
        return tuple(frame(_FRAGMENT, head + part) for head, part in zip(heads, (first, last), strict=True))

    title = mark("over IPv6")
    yield title, (frame(L2TP, body(title)),)
    title = mark("over IPv6, behind an extension header")
    yield title, (frame(_DESTINATION_OPTIONS, options(L2TP) + body(title)),)
    title = mark("over IPv6, in two fragments")
    yield title, fragments(L2TP, 0x77, body(title)[:_CUT_BYTES], body(title)[_CUT_BYTES:])
    title = mark("over IPv6, hidden in the second fragment")
    # The first fragment says only that destination options follow, and these that more of them do, in the second one.
    yield title, fragments(_DESTINATION_OPTIONS, 0x78, options(_DESTINATION_OPTIONS), options(L2TP) + body(title))


def forge_datagrams(to: Target, real: Captured, mark: bytes) -> tuple[Forgery, ...]:
    """Return datagrams to a tunnel's port with a plain frame in them, alone and behind the header of a real one.

    Args:
        real: A datagram of the tunnel that was captured on its way to it.
        mark: Bytes that nothing else carries.
    """
    tags = _Tags(mark)
    made: list[Forgery] = []
    for title, source in ((PLAIN_FORGERY, to.peer), (FROM_STRANGER, to.stranger)):
        header, payload = real.content[: real.header_bytes], real.content[real.header_bytes :]
        frames = tuple(
            real.from_address(source).with_content(header + payload[:kept] + tags.frame(title)).frame()
            for kept in _PREFIX_BYTES
            if kept < len(payload) - ETHERNET_HEADER_BYTES
        )
        made += [Forgery(title, tags.of(title), (frame,)) for frame in frames]
    return tuple(made)


FORGE: Mapping[Encapsulation, Callable[[Target, bytes], tuple[Forgery, ...]]] = {
    Encapsulation.L2TPV3: forge_l2tp,
    Encapsulation.VXLAN: forge_vxlan,
    Encapsulation.GRE: forge_gre,
}
"""Makes packets with frames for each encapsulation, from a target and bytes that nothing else carries."""
