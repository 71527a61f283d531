"""Judgement of an injection test: what of it arrived at a host, and what came out of its tunnel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.injection import InjectionTrial, TrialKind
from app.domain.messages import mark
from app.probes.capture.packets import ECHO_REQUEST, ICMP, read_packet
from app.probes.capture.pcap import Record
from app.probes.capture.recording import TUNNEL, UNDERLAY, HostCapture
from app.probes.injection.forging import Forgery
from app.probes.injection.packets import Captured, read_captured

_BY_ONE_BIT, _UNCHANGED = mark("by one bit"), mark("as they were")

_SEQUENCE = slice(6, 8)
"""Place of the sequence number in an echo request. Source: RFC 792."""


@dataclass(frozen=True, slots=True)
class Injected:
    """Packets that were sent at one host.

    Attributes:
        forged: Forged packets.
        altered: Altered packets.
        delayed: Packets as they were, once each, before the replays; they had been withheld when they were first sent.
        replayed: The same packets again.
        first: Mark inside the altered packets.
        second: Mark inside the delayed and replayed ones.
    """

    forged: Sequence[Forgery]
    altered: Sequence[Captured]
    delayed: Sequence[Captured]
    replayed: Sequence[Captured]
    first: bytes
    second: bytes


def judge(injected: Injected, capture: HostCapture, sent: Sequence[Record], inner: str) -> tuple[InjectionTrial, ...]:
    """Return the trials of one host.

    Args:
        injected: What was sent at it.
        capture: What it captured on the underlay and behind the tunnel.
        sent: What the other host captured in front of the tunnel: frames as they were before anything was altered.
    """
    outside, inside = capture.of(UNDERLAY), capture.of(TUNNEL)
    trials = list(_forged(injected.forged, outside, inside))
    arrivals = Counter(packet.content for packet in map(read_captured, outside) if packet is not None)
    if injected.altered:
        arrived = sum(bool(arrivals[packet.content]) for packet in injected.altered)
        entered, intact = _altered(inside, sent, injected.first, inner)
        trials.append(InjectionTrial(TrialKind.ALTERED, _BY_ONE_BIT, len(injected.altered), arrived, entered, intact))
    if injected.delayed:
        sequences = list(_sequences(inside, injected.second, inner))
        first, number = len(set(sequences)), len(injected.delayed)
        # The first arrival of each was the one that was withheld.
        again = sum(max(0, arrivals[packet.content] - 1) for packet in injected.delayed)
        trials += [
            InjectionTrial(TrialKind.DELAYED, _UNCHANGED, number, min(number, again), first),
            InjectionTrial(
                TrialKind.REPLAYED, "", len(injected.replayed), max(0, again - number), len(sequences) - first
            ),
        ]
    return tuple(trials)


def _forged(forged: Sequence[Forgery], outside: Sequence[Record], inside: Sequence[Record]) -> Sequence[InjectionTrial]:
    by_title: dict[str, list[Forgery]] = {}
    for one in forged:
        by_title.setdefault(one.title, []).append(one)
    return [
        InjectionTrial(
            kind=TrialKind.FORGED,
            title=title,
            sent=len(group),
            arrived=min(len(group), sum(group[0].tag in record.data for record in outside)),
            entered=sum(group[0].tag in record.data for record in inside),
        )
        for title, group in by_title.items()
    ]


def _altered(inside: Sequence[Record], sent: Sequence[Record], mark: bytes, inner: str) -> tuple[int, int]:
    """Return how many frames came out altered or more than once, and how many as they had been sent."""
    whole = {record.data for record in sent if mark in record.data}
    came = Counter(record.data for record in inside if mark in record.data and not _is_answer(record, inner))
    intact = sum(data in whole for data in came)
    return came.total() - intact, intact


def _is_answer(record: Record, inner: str) -> bool:
    """Whether it is an echo reply that the host itself sent."""
    packet = read_packet(record)
    is_reply = packet is not None and packet.protocol == ICMP and packet.content[:1] == b"\0"
    return is_reply and packet is not None and packet.source == inner


def _sequences(records: Sequence[Record], mark: bytes, inner: str) -> Sequence[bytes]:
    """Return the sequence number of each marked echo request that came out for the host."""
    packets = (read_packet(record) for record in records if mark in record.data)
    return [
        packet.content[_SEQUENCE]
        for packet in packets
        if packet is not None
        and packet.destination == inner
        and packet.protocol == ICMP
        and packet.content[:1] == bytes([ECHO_REQUEST])
    ]
