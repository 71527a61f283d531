"""Packets of the attacker on an underlay, built without the program's own code."""

from __future__ import annotations

import socket
import struct

UDP, TCP, GRE, L2TP = 17, 6, 47, 115
"""Protocols. Source: IANA, Protocol Numbers."""


def altered(frame: bytes, at: int) -> bytes:
    """Return a frame with one bit changed, and checksums that do not notice it."""
    return whole(frame[:at] + bytes([frame[at] ^ 1]) + (frame[at + 1 :] if at != -1 else b""))


def whole(frame: bytes) -> bytes:
    """Return a frame with the checksum that its card would have written. Source: RFC 768, RFC 9293 section 3.1."""
    start = 14 + 4 * (frame[14] & 15)
    end = 14 + struct.unpack_from("!H", frame, 16)[0]
    content = bytearray(frame[start:end])
    if frame[23] == UDP:
        content[6:8] = bytes(2)  # none
    else:
        content[16:18] = bytes(2)
        pseudo = frame[26:34] + struct.pack("!BBH", 0, TCP, len(content))
        struct.pack_into("!H", content, 16, _checksum(pseudo + content))
    return frame[:start] + bytes(content)


def _checksum(data: bytes) -> int:
    """Return the Internet checksum. Source: RFC 1071."""
    words = struct.unpack(f"!{(len(data) + 1) // 2}H", data + bytes(len(data) % 2))
    total: int = sum(words)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - total


def udp(source: int, target: int, content: bytes) -> bytes:
    """Return a UDP datagram without a checksum. Source: RFC 768."""
    return struct.pack("!HHHH", source, target, 8 + len(content), 0) + content


def ipv4(source: str, target: str, protocol: int, content: bytes) -> bytes:
    """Return an IPv4 packet. Source: RFC 791 section 3.1."""
    head = bytearray(struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(content), 0, 0, 64, protocol, 0))
    head += socket.inet_aton(source) + socket.inet_aton(target)
    struct.pack_into("!H", head, 10, _checksum(bytes(head)))
    return bytes(head) + content
