"""Frames of link-layer protocols: well formed, known by a random tag in them, and without effect where they arrive."""

from __future__ import annotations

import secrets
import string
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.domain.hosts import Side
from app.domain.link_protocols import LinkProtocol

COPIES = 3
"""Frames of each protocol and direction: one that an underlay loses is no verdict."""

CONTROL = "control"
"""Kind of the broadcast frame that shows that ordinary frames crossed, and were captured, at the same time."""

KINDS: tuple[str, ...] = (CONTROL, *LinkProtocol)

SHORTEST_FRAME_BYTES = 60
"""Ethernet pads what is shorter. Source: IEEE 802.3 section 3.2.7."""

VLAN_TPID = 0x8100
TAGGED_VLAN_ID, PRIORITY = 3_077, 6
PRIORITY_TAGGED_VLAN_ID = 0
EXPERIMENTAL = 0x88B5
"""EtherType of the control and of tagged frames. Source: IEEE 802, Local Experimental EtherType 1."""

PTP_DOMAIN = 127
"""The last that users may choose. Source: IEEE 1588-2008 table 2."""

_ALPHABET = string.ascii_lowercase + string.digits
_RANDOM_BYTES = 7
TAG_BYTES = _RANDOM_BYTES + 3

_BROADCAST = bytes.fromhex("ffffffffffff")
_SOURCE = bytes(6)
"""The host that sends puts the address of its interface there."""


@dataclass(frozen=True, slots=True)
class FrameTag:
    """Random text in every frame of a run, with its kind, sender and number.

    Small letters and digits: PROFINET allows nothing else in a station's name.

    Attributes:
        random: The part that all frames of a run have in common.
    """

    random: str

    @classmethod
    def new(cls) -> FrameTag:
        """Return a new random tag."""
        return cls("".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM_BYTES)))

    def of(self, kind: str, sender: Side, number: int) -> bytes:
        """Return the tag of one frame."""
        return f"{self.random}{chr(ord('a') + KINDS.index(kind))}{sender.value}{number}".encode()

    def find(self, content: bytes) -> tuple[str, str, int] | None:
        """Return kind, sender's side and number of the frame with this content; None where it is none of the run's."""
        begin = content.find(self.random.encode())
        found = content[begin + _RANDOM_BYTES : begin + TAG_BYTES]
        if begin < 0 or len(found) < TAG_BYTES - _RANDOM_BYTES:
            return None
        kind, sender, number = found[0] - ord("a"), chr(found[1]), found[2] - ord("0")
        is_known = 0 <= kind < len(KINDS) and sender in tuple(Side) and 0 <= number < COPIES
        return (KINDS[kind], sender, number) if is_known else None


@dataclass(frozen=True, slots=True)
class LinkFrame:
    """A frame to send.

    Attributes:
        kind: `control` or a `LinkProtocol`.
        number: From 0, among those of its kind.
        data: The frame, with zeros for its source.
    """

    kind: str
    number: int
    data: bytes


def build_frames(tag: FrameTag, sender: Side) -> tuple[LinkFrame, ...]:
    """Return all frames that one host sends, a copy of each kind after the other."""
    return tuple(
        LinkFrame(kind, number, _BUILDERS[kind](tag.of(kind, sender, number)).ljust(SHORTEST_FRAME_BYTES, b"\0"))
        for number in range(COPIES)
        for kind in KINDS
    )


def _frame(destination: str, ethertype: int, payload: bytes) -> bytes:
    return bytes.fromhex(destination) + _SOURCE + struct.pack("!H", ethertype) + payload


def _bpdu(tag: bytes) -> bytes:
    """Return a configuration BPDU of the lowest priority that is older than its maximum age: receivers drop it.

    The tag is behind the 35 bytes that are read. Source: IEEE 802.1D-2004 sections 9.3.1 and 9.3.4; IEEE 802.2 (LLC).
    """
    bridge = struct.pack("!H", 0xF000) + bytes.fromhex("feffffffffff")
    ages = struct.pack("!HHHH", 21 * 256, 20 * 256, 2 * 256, 15 * 256)
    config = struct.pack("!HBBB", 0, 0, 0, 0) + bridge + bytes.fromhex("ffffffff") + bridge + b"\xff\xff" + ages
    payload = bytes.fromhex("424203") + config + tag
    return _frame("0180c2000000", len(payload), payload)


def _lldp(tag: bytes) -> bytes:
    """Return a shutdown LLDPDU: no device stores a neighbour with a time to live of 0.

    Source: IEEE 802.1AB-2016 sections 8.5 and 9.2.5.
    """
    chassis = struct.pack("!HB", 1 << 9 | (1 + len(tag)), 7) + tag
    port = struct.pack("!HB", 2 << 9 | 2, 7) + b"0"
    return _frame("0180c200000e", 0x88CC, chassis + port + struct.pack("!HHH", 3 << 9 | 2, 0, 0))


def _ptp(destination: str, message: int, body: bytes, tag: bytes) -> bytes:
    """Return a message that follows none, of an unknown clock, in an unused domain.

    The tag is the sender's port identity. Source: IEEE 1588-2008 sections 13.3, 13.7, 13.11 and annex F.
    """
    head = struct.pack("!BBHBBHQI", message, 2, 34 + len(body), PTP_DOMAIN, 0, 0, 0, 0) + tag
    return _frame(destination, 0x88F7, head + struct.pack("!HBb", 0, 2 if message == 0x8 else 5, 0x7F) + body)


def _mrp(tag: bytes) -> bytes:
    """Return an MRP_Test of the lowest priority in a ring domain that exists nowhere; the tag is in its UUID.

    Source: IEC 62439-2; Linux 6.18 include/uapi/linux/mrp_bridge.h.
    """
    test = struct.pack("!BBH6sHHHI", 2, 18, 0xFFFF, bytes(6), 0, 0, 0, 0)
    common = struct.pack("!BBH16s", 1, 18, 0, tag)
    return _frame("01154e000001", 0x88E3, struct.pack("!H", 1) + test + common + bytes(2))


def _profinet_dcp(tag: bytes) -> bytes:
    """Return an Identify request for an unused station's name: none answers. Source: IEC 61158-6-10, DCP."""
    block = struct.pack("!BBH", 2, 2, len(tag)) + tag
    xid = int.from_bytes(tag[-4:], "big")
    return _frame("010ecf000000", 0x8892, struct.pack("!HBBIHH", 0xFEFE, 5, 0, xid, 1, len(block)) + block)


def _tagged(tci: int, tag: bytes) -> bytes:
    return _BROADCAST + _SOURCE + struct.pack("!HHH", VLAN_TPID, tci, EXPERIMENTAL) + tag


_BUILDERS: Mapping[str, Callable[[bytes], bytes]] = {
    CONTROL: lambda tag: _frame(_BROADCAST.hex(), EXPERIMENTAL, tag),
    LinkProtocol.STP: _bpdu,
    LinkProtocol.LLDP: _lldp,
    LinkProtocol.PTP: lambda tag: _ptp("011b19000000", 0x8, bytes(10), tag),
    LinkProtocol.PTP_PEER_DELAY: lambda tag: _ptp("0180c200000e", 0xA, bytes(20), tag),
    LinkProtocol.MRP: _mrp,
    LinkProtocol.PROFINET_DCP: _profinet_dcp,
    LinkProtocol.PRIORITY: lambda tag: _tagged(PRIORITY << 13 | TAGGED_VLAN_ID, tag),
    LinkProtocol.PRIORITY_TAG: lambda tag: _tagged(PRIORITY << 13 | PRIORITY_TAGGED_VLAN_ID, tag),
}
