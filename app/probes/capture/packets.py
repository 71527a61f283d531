"""Parser of captured frames: IPv4 headers, as far as they matter here.

Source: RFC 791 section 3.1, RFC 792, RFC 9293 section 3.1, IEEE 802.1Q (tags), tcpdump.org/linktypes.html.
"""

from __future__ import annotations

import ipaddress
import struct
from dataclasses import dataclass

from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES
from app.probes.capture.pcap import ETHERNET, LINUX_COOKED, LINUX_COOKED_2, RAW_IP, Record

ETHERTYPE_IPV4 = 0x0800
ETHERTYPE_ARP = 0x0806
VLAN_ETHERTYPES = frozenset({0x8100, 0x88A8})
TAG_BYTES = 4

ICMP, TCP, UDP = 1, 6, 17
ECHO_REQUEST = 8
_SMALLEST_TCP_BYTES = 20


@dataclass(frozen=True, slots=True)
class Packet:
    """An IPv4 packet, or a piece of one.

    Attributes:
        source: IPv4 address.
        destination: IPv4 address.
        protocol: Number of what is inside.
        identification: The same in all pieces of a packet.
        offset_bytes: Where this piece begins.
        is_fragment: Whether it is a piece.
        frame_bytes: Length on the line as an Ethernet frame without FCS and without padding.
        payload_bytes: Bytes behind the IPv4 header.
        tcp_header_bytes: Length of TCP's header; 0 where it is not TCP, or not its first piece.
        content: What was captured behind the IPv4 header.
    """

    source: str
    destination: str
    protocol: int
    identification: int
    offset_bytes: int
    is_fragment: bool
    frame_bytes: int
    payload_bytes: int
    tcp_header_bytes: int
    content: bytes

    @property
    def datagram(self) -> tuple[str, str, int, int]:
        """Key that all fragments of a packet have in common."""
        return self.source, self.destination, self.protocol, self.identification

    @property
    def is_echo_request(self) -> bool:
        """Whether it is ICMP's echo request as such, in nothing else."""
        return self.protocol == ICMP and not self.offset_bytes and self.content[:1] == bytes([ECHO_REQUEST])


@dataclass(frozen=True, slots=True)
class Ethernet:
    """An Ethernet frame.

    Attributes:
        destination: Hardware address.
        tag: EtherType of its VLAN tag; 0 without one.
        ethertype: What is inside, behind the tag.
        length_bytes: Length without FCS.
        content: What was captured behind the headers.
    """

    destination: bytes
    tag: int
    ethertype: int
    length_bytes: int
    content: bytes

    @property
    def is_multicast(self) -> bool:
        """Whether it goes to a group, and not to all."""
        return bool(self.destination[0] & 1) and self.destination != b"\xff" * 6


def read_ethernet(record: Record) -> Ethernet | None:
    """Understand a frame; None where it is none. Never raises."""
    data = record.data
    if record.link_type != ETHERNET or len(data) < ETHERNET_HEADER_BYTES:
        return None
    (ethertype,) = struct.unpack_from(">H", data, 12)
    start, tag = ETHERNET_HEADER_BYTES, 0
    if ethertype in VLAN_ETHERTYPES and len(data) >= start + TAG_BYTES:
        tag = ethertype
        (ethertype,) = struct.unpack_from(">H", data, 16)
        start += TAG_BYTES
    return Ethernet(data[:6], tag, ethertype, record.length_bytes, data[start:])


def read_packet(record: Record) -> Packet | None:
    """Understand a captured frame as IPv4; None where it is none. Never raises."""
    data = _behind_link_header(record)
    if data is None or len(data) < IPV4_HEADER_BYTES or data[0] >> 4 != 4:
        return None
    header_bytes = (data[0] & 0x0F) * 4
    total, identification, place = struct.unpack_from(">HHH", data, 2)
    if header_bytes < IPV4_HEADER_BYTES or len(data) < header_bytes:
        return None
    if total == 0:  # the card is to cut it (TSO), and tcpdump saw it before: RFC 791 has no such packet
        total = max(header_bytes, record.length_bytes - (len(record.data) - len(data)))
    offset_bytes = (place & 0x1FFF) * 8
    content = data[header_bytes : max(header_bytes, total)]
    return Packet(
        source=str(ipaddress.IPv4Address(data[12:16])),
        destination=str(ipaddress.IPv4Address(data[16:20])),
        protocol=data[9],
        identification=identification,
        offset_bytes=offset_bytes,
        is_fragment=bool(offset_bytes or place & 0x2000),
        frame_bytes=ETHERNET_HEADER_BYTES + total,
        payload_bytes=max(0, total - header_bytes),
        tcp_header_bytes=_tcp_header_bytes(content) if data[9] == TCP and not offset_bytes else 0,
        content=content,
    )


def _behind_link_header(record: Record) -> bytes | None:
    if record.link_type in RAW_IP:
        return record.data
    if record.link_type == ETHERNET:
        frame = read_ethernet(record)
        return frame.content if frame is not None and frame.ethertype == ETHERTYPE_IPV4 else None
    header_bytes = {LINUX_COOKED: 16, LINUX_COOKED_2: 20}.get(record.link_type)
    return record.data[header_bytes:] if header_bytes is not None else None


def _tcp_header_bytes(content: bytes) -> int:
    return max(_SMALLEST_TCP_BYTES, (content[12] >> 4) * 4) if len(content) >= _SMALLEST_TCP_BYTES else 0
