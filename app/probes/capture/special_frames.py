"""Special frames, and whether they cross: captured where they arrive, on B's interface of the tunnel."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.capture import FrameCrossing
from app.probes.capture.canary import CanaryFrames
from app.probes.capture.canary_traffic import GROUP, VLAN_ID, Sent
from app.probes.capture.messages import (
    ARP_ANSWERED,
    ARP_LOST,
    ARP_UNANSWERED,
    FULL_TAGGED_ARRIVED,
    GROUP_FRAME_ARRIVED,
    GROUP_FRAME_LOST,
    LONG_TAGGED_LOST,
    NO_TAGGED_SENT,
    TAGGED_LOST,
    TAGGED_NOT_TRIED,
)
from app.probes.capture.packets import ETHERTYPE_ARP, Ethernet, read_ethernet
from app.probes.capture.pcap import Record

TUNNEL_FILTER = "arp or (ether[0] & 1 = 1) or vlan"
"""Source: pcap-filter(7); `vlan` comes last, since it moves the offsets of what follows it."""

FULL_TAGGED_FRAME_BYTES = 1_518
"""1500 bytes in an Ethernet frame with one tag, without FCS. Source: IEEE 802.1Q, IEEE 802.3 clause 3.2.7."""


def judge_crossings(records: Sequence[Record], sent: Sent, canaries: CanaryFrames) -> tuple[FrameCrossing, ...]:
    """Return for each kind whether it arrived.

    Args:
        records: What was captured on B's interface of the tunnel.
        sent: What A sent.
        canaries: The canaries of this run.
    """
    frames = [frame for record in records if (frame := read_ethernet(record)) is not None]
    return _non_ip(frames, sent), _multicast(frames, canaries), _vlan(frames, sent, canaries)


def _non_ip(frames: Sequence[Ethernet], sent: Sent) -> FrameCrossing:
    arrived = sum(frame.ethertype == ETHERTYPE_ARP for frame in frames)
    was_answered = "lladdr" in sent.neighbour.split()
    if arrived and was_answered:
        return FrameCrossing("non-ip", has_crossed=True, note=ARP_ANSWERED())
    note = ARP_UNANSWERED() if arrived else ARP_LOST()
    return FrameCrossing("non-ip", has_crossed=False, note=note)


def _multicast(frames: Sequence[Ethernet], canaries: CanaryFrames) -> FrameCrossing:
    arrived = any(frame.is_multicast and canaries.inside in frame.content for frame in frames)
    form = GROUP_FRAME_ARRIVED if arrived else GROUP_FRAME_LOST
    return FrameCrossing("multicast", has_crossed=arrived, note=form(group=GROUP))


def _vlan(frames: Sequence[Ethernet], sent: Sent, canaries: CanaryFrames) -> FrameCrossing:
    if sent.vlan != "sent":
        return FrameCrossing("vlan", has_crossed=None, note=NO_TAGGED_SENT(why=sent.vlan or TAGGED_NOT_TRIED()))
    lengths = [frame.length_bytes for frame in frames if frame.tag and canaries.inside in frame.content]
    if not lengths:
        return FrameCrossing("vlan", has_crossed=False, note=TAGGED_LOST(vlan=VLAN_ID))
    longest = max(lengths)
    if longest >= FULL_TAGGED_FRAME_BYTES:
        note = FULL_TAGGED_ARRIVED(size=FULL_TAGGED_FRAME_BYTES)
        return FrameCrossing("vlan", has_crossed=True, note=note)
    note = LONG_TAGGED_LOST(longest=longest, size=FULL_TAGGED_FRAME_BYTES)
    return FrameCrossing("vlan", has_crossed=False, note=note)
