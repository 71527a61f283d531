"""Packets taken apart and built: Ethernet, IPv4, IPv6, UDP and TCP, as whole frames of the underlay.

Source: RFC 791 section 3.1, RFC 8200 section 3, RFC 768, RFC 9293 section 3.1, RFC 1071.
"""

from __future__ import annotations

import ipaddress
import struct
from dataclasses import dataclass, replace

from app.domain.link import IPV4_HEADER_BYTES, UDP_HEADER_BYTES
from app.probes.capture.packets import ETHERTYPE_IPV4, TCP, UDP, read_ethernet
from app.probes.capture.pcap import Record

ETHERTYPE_IPV6 = 0x86DD
DSCP = 63
"""Differentiated services code point of what is sent, by which a host that holds packets back lets it pass.

Source: RFC 2474 section 6, pool 2: for experiments.
"""
_SHORTEST_PAYLOAD_BYTES = 46
"""Ethernet pads what is shorter. Source: IEEE 802.3 section 3.2.7."""


@dataclass(frozen=True, slots=True)
class Captured:
    """A packet that was captured as a whole frame, and can be sent again.

    Attributes:
        link_header: Ethernet header, with its VLAN tag where there is one.
        ip_header: IPv4 header, with its options.
        content: Bytes behind the IPv4 header.
    """

    link_header: bytes
    ip_header: bytes
    content: bytes

    @property
    def protocol(self) -> int:
        """Number of the protocol inside."""
        return self.ip_header[9]

    @property
    def header_bytes(self) -> int:
        """Length of the header of UDP or TCP at the beginning of the content; 0 of other protocols."""
        if self.protocol == UDP:
            return UDP_HEADER_BYTES
        return (self.content[12] >> 4) * 4 if self.protocol == TCP and len(self.content) > 12 else 0

    def with_content(self, content: bytes) -> Captured:
        """Return the same packet with other bytes behind the IPv4 header; lengths and checksums fit them."""
        header = bytearray(self.ip_header)
        struct.pack_into("!H", header, 2, len(header) + len(content))
        return _with_checksum(replace(self, ip_header=_summed(bytes(header)), content=content))

    def from_address(self, source: str) -> Captured:
        """Return the same packet with another source address."""
        header = bytearray(self.ip_header)
        header[12:16] = ipaddress.IPv4Address(source).packed
        return _with_checksum(replace(self, ip_header=_summed(bytes(header))))

    def frame(self) -> bytes:
        """Return the frame as it is sent."""
        header = _summed(self.ip_header[:1] + bytes([DSCP << 2]) + self.ip_header[2:])
        return self.link_header + (header + self.content).ljust(_SHORTEST_PAYLOAD_BYTES, b"\0")


def read_captured(record: Record) -> Captured | None:
    """Take a captured frame apart; None where it is no whole IPv4 packet in an Ethernet frame. Never raises."""
    data, outer = record.data, read_ethernet(record)
    if outer is None or outer.ethertype != ETHERTYPE_IPV4 or len(data) < record.length_bytes:
        return None
    start = len(data) - len(outer.content)
    if len(outer.content) < IPV4_HEADER_BYTES or data[start] >> 4 != 4:
        return None
    header_bytes = (data[start] & 0x0F) * 4
    (total,) = struct.unpack_from("!H", data, start + 2)
    (place,) = struct.unpack_from("!H", data, start + 6)
    if not IPV4_HEADER_BYTES <= header_bytes <= total <= len(data) - start or place & 0x3FFF:
        return None  # a fragment is no whole packet
    behind = start + header_bytes
    captured = Captured(data[:start], data[start:behind], data[behind : start + total])
    return captured.with_content(captured.content)


def ethernet(link_header: bytes, ethertype: int, packet: bytes) -> bytes:
    """Return a frame to where a captured one went.

    Args:
        link_header: Of the captured frame.
        ethertype: What is inside.
    """
    return link_header[:-2] + struct.pack("!H", ethertype) + packet.ljust(_SHORTEST_PAYLOAD_BYTES, b"\0")


def ipv4(
    source: str,
    destination: str,
    protocol: int,
    payload: bytes,
    *,
    options: bytes = b"",
    offset_bytes: int = 0,
    is_last: bool = True,
) -> bytes:
    """Return an IPv4 packet, or a fragment of one. Source: RFC 791 section 3.1."""
    head = struct.pack(
        "!BBHHHBBH4s4s",
        0x45 + len(options) // 4,
        DSCP << 2,
        IPV4_HEADER_BYTES + len(options) + len(payload),
        0x7777,
        offset_bytes // 8 | (0 if is_last else 0x2000),
        64,
        protocol,
        0,
        ipaddress.IPv4Address(source).packed,
        ipaddress.IPv4Address(destination).packed,
    )
    return _summed(head + options) + payload


def ipv6(source: str, destination: str, next_header: int, payload: bytes) -> bytes:
    """Return an IPv6 packet. Source: RFC 8200 section 3."""
    addresses = ipaddress.IPv6Address(source).packed + ipaddress.IPv6Address(destination).packed
    return struct.pack("!IHBB", 6 << 28, len(payload), next_header, 64) + addresses + payload


def checksum(data: bytes) -> int:
    """Return the Internet checksum. Source: RFC 1071."""
    padded = data + b"\0" * (len(data) % 2)
    total: int = sum(struct.unpack(f"!{len(padded) // 2}H", padded))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def _summed(header: bytes) -> bytes:
    """Return an IPv4 header with its checksum."""
    bare = header[:10] + b"\0\0" + header[12:]
    return bare[:10] + struct.pack("!H", checksum(bare)) + bare[12:]


def _with_checksum(packet: Captured) -> Captured:
    """Return a packet with the checksum that UDP or TCP wants: the card had yet to write it when it was captured."""
    place = {UDP: 6, TCP: 16}.get(packet.protocol)
    if place is None or len(packet.content) < place + 2:
        return packet
    content = bytearray(packet.content)
    if packet.protocol == UDP:
        struct.pack_into("!H", content, 4, len(content))
    content[place : place + 2] = b"\0\0"
    pseudo = packet.ip_header[12:20] + struct.pack("!BBH", 0, packet.protocol, len(content))
    struct.pack_into("!H", content, place, checksum(pseudo + bytes(content)) or 0xFFFF)
    return replace(packet, content=bytes(content))
