"""Sorts what was captured: the tunnel's own packets, canaries, separators."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.domain.link import Link
from app.probes.capture.canary import CanaryFrames, protocols_of, read_separator
from app.probes.capture.packets import ICMP, Packet, read_packet
from app.probes.capture.pcap import Record


@dataclass(frozen=True, slots=True)
class Reading:
    """One underlay's capture, sorted.

    Attributes:
        own: The tunnel's own packets after each separator, by its number (-1 before the first), both directions.
    """

    own: Mapping[int, tuple[Packet, ...]]

    def part(self, number: int, *, source: str = "") -> tuple[Packet, ...]:
        """Return the tunnel's own packets of one part, those from one address if it is given."""
        return tuple(packet for packet in self.own.get(number, ()) if not source or packet.source == source)


def sort_packets(records: Sequence[Record], link: Link, outer_filter: str, canaries: CanaryFrames) -> Reading:
    """Sort one underlay's capture by the separators in it."""
    own: dict[int, list[Packet]] = defaultdict(list)
    addresses = {link.underlay_a, link.underlay_b}
    protocols = protocols_of(outer_filter) or frozenset({ICMP})
    bare = canaries.bare_family.encode()
    current = -1
    for record in records:
        packet = read_packet(record)
        if packet is None or {packet.source, packet.destination} != addresses:
            continue
        if packet.protocol == ICMP and bare in packet.content:
            if packet.is_echo_request:
                number = read_separator(canaries, packet.content)
                current = current if number is None else number
        elif packet.protocol in protocols:
            own[current].append(packet)
    return Reading({number: tuple(packets) for number, packets in own.items()})


def count_canaries(records: Iterable[Record], canary: bytes) -> int:
    """Return how many captured frames have a canary in them, wrapped in whatever."""
    return sum(canary in record.data for record in records)
