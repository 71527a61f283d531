"""Altered packets: captured ones with one bit flipped, in many places."""

from __future__ import annotations

from collections.abc import Iterator

from app.probes.injection.packets import Captured

PLACES = 8
"""Number of bits that are flipped behind the header of UDP, evenly spread, each in a copy of its own."""

_FROM_END = (1, 5, 13)
"""Further places, counted from the end: within tags of 4, 8 and 16 bytes."""


def altered(packet: Captured) -> Iterator[Captured]:
    """Yield copies of a packet with one bit flipped in each, checksums made to fit.

    The last places come first: without authentication, an altered number at the beginning makes some programs take all
    that follows for replays.
    """
    start, end = packet.header_bytes, len(packet.content)
    spread = (start + (end - start) * number // PLACES for number in range(PLACES))
    for place in sorted({*spread, *(end - back for back in _FROM_END)}, reverse=True):
        if start <= place < end:
            content = bytearray(packet.content)
            content[place] ^= 0x10
            yield packet.with_content(bytes(content))
