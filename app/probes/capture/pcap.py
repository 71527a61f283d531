"""Reads what tcpdump writes.

Source: draft-ietf-opsawg-pcap (PCAP Capture File Format); the numbers of link types from tcpdump.org/linktypes.html.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

_MAGICS = {
    b"\xa1\xb2\xc3\xd4": ">",
    b"\xd4\xc3\xb2\xa1": "<",
    b"\xa1\xb2\x3c\x4d": ">",  # the same with nanoseconds
    b"\x4d\x3c\xb2\xa1": "<",
}
_FILE_HEADER_BYTES = 24
_RECORD_HEADER_BYTES = 16
_LONGEST_BYTES = 262_144
"""libpcap writes no longer record. Source: pcap-int.h, MAXIMUM_SNAPLEN."""

ETHERNET = 1
RAW_IP = frozenset({12, 14, 101, 228})
LINUX_COOKED = 113
LINUX_COOKED_2 = 276


@dataclass(frozen=True, slots=True)
class Record:
    """One captured frame.

    Attributes:
        link_type: What it begins with.
        length_bytes: Its length on the line.
        data: Its beginning, as much as was captured.
    """

    link_type: int
    length_bytes: int
    data: bytes


def parse_pcap(text: bytes) -> tuple[Record, ...]:
    """Read a capture file.

    Args:
        text: The file; it may be cut anywhere, and hold anything.

    Returns:
        Whole records up to the first that is cut or makes no sense. Never raises.
    """
    order = _MAGICS.get(text[:4])
    if order is None or len(text) < _FILE_HEADER_BYTES:
        return ()
    (link,) = struct.unpack_from(f"{order}I", text, 20)
    link_type = link & 0x0FFF_FFFF  # the upper bits tell of a frame check sequence
    records: list[Record] = []
    position = _FILE_HEADER_BYTES
    while position + _RECORD_HEADER_BYTES <= len(text):
        _, _, captured, length = struct.unpack_from(f"{order}IIII", text, position)
        position += _RECORD_HEADER_BYTES
        if captured > _LONGEST_BYTES or position + captured > len(text):
            break
        records.append(Record(link_type, length, text[position : position + captured]))
        position += captured
    return tuple(records)


def from_od(text: str) -> bytes:
    """Read what `od -An -v -tx1` printed; a digit too many at its end, or anything else in it, ends it there."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        return _as_far_as_possible(text)


def _as_far_as_possible(text: str) -> bytes:
    found = bytearray()
    for word in text.split():
        try:
            found += bytes.fromhex(word)
        except ValueError:
            break
    return bytes(found)
