"""Packets and capture files made by hand, as tcpdump would write them."""

from __future__ import annotations

import ipaddress
import struct
from collections.abc import Iterable

A, B = "198.51.100.1", "198.51.100.2"
ETHER = b"\x02\x00\x00\x00\x00\x02" + b"\x02\x00\x00\x00\x00\x01"


def ipv4(
    source: str,
    destination: str,
    protocol: int,
    content: bytes,
    *,
    identification: int = 0,
    offset_bytes: int = 0,
    has_more: bool = False,
    total_bytes: int | None = None,
) -> bytes:
    """Return an IPv4 packet, or one piece of it."""
    place = (offset_bytes // 8) | (0x2000 if has_more else 0)
    addresses = ipaddress.IPv4Address(source).packed + ipaddress.IPv4Address(destination).packed
    total = 20 + len(content) if total_bytes is None else total_bytes
    return struct.pack(">BBHHHBBH", 0x45, 0, total, identification, place, 64, protocol, 0) + addresses + content


def echo(source: str, destination: str, mark: bytes, *, is_reply: bool = False, payload_bytes: int = 200) -> bytes:
    """Return an echo request (or reply) full of a mark, with ping's clock at its beginning."""
    payload = (b"\0" * 16 + mark * (payload_bytes // len(mark) + 1))[:payload_bytes]
    payload = payload[:16] + (mark * (payload_bytes // len(mark) + 1))[16:payload_bytes]
    return ipv4(source, destination, 1, bytes([0 if is_reply else 8, 0, 0, 0, 0, 1, 0, 1]) + payload)


def udp(source: str, destination: str, content: bytes, *, identification: int = 0) -> bytes:
    """Return a UDP packet in one piece."""
    return ipv4(source, destination, 17, bytes(8) + content, identification=identification)


def tcp(source: str, destination: str, content: bytes, *, header_bytes: int = 32) -> bytes:
    """Return a TCP segment."""
    header = bytes(12) + bytes([header_bytes // 4 << 4]) + bytes(header_bytes - 13)
    return ipv4(source, destination, 6, header + content)


def pieces(packet: bytes, mtu_bytes: int) -> list[bytes]:
    """Cut an IPv4 packet as a host does."""
    content, room = packet[20:], (mtu_bytes - 20) // 8 * 8
    if len(packet) <= mtu_bytes:
        return [packet]
    source, destination = (str(ipaddress.IPv4Address(packet[start : start + 4])) for start in (12, 16))
    (identification,) = struct.unpack_from(">H", packet, 4)
    return [
        ipv4(
            source,
            destination,
            packet[9],
            content[start : start + room],
            identification=identification,
            offset_bytes=start,
            has_more=start + room < len(content),
        )
        for start in range(0, len(content), room)
    ]


def ethernet(packet: bytes, ethertype: int = 0x0800, *, to: bytes = ETHER[:6], tag: int | None = None) -> bytes:
    """Return an Ethernet frame."""
    words = b"" if tag is None else struct.pack(">HH", 0x8100, tag)
    return to + ETHER[6:] + words + struct.pack(">H", ethertype) + packet


def pcap(frames: Iterable[bytes], *, snaplen: int = 192, link_type: int = 1, order: str = "<") -> bytes:
    """Return a capture file."""
    made = struct.pack(f"{order}IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, snaplen, link_type)
    for frame in frames:
        data = frame[:snaplen]
        made += struct.pack(f"{order}IIII", 1, 2, len(data), len(frame)) + data
    return made


def od(data: bytes) -> str:
    """Return what `od -An -v -tx1` prints."""
    return "\n".join(" " + data[start : start + 16].hex(" ") for start in range(0, len(data), 16))
