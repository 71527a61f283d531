"""Special frames, and whether they cross: captured where they arrive, on B's interface of the tunnel."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.capture import FrameCrossing
from app.probes.capture.canary import CanaryFrames
from app.probes.capture.canary_traffic import GROUP, VLAN_ID, Sent
from app.probes.capture.packets import ETHERTYPE_ARP, Ethernet, read_ethernet
from app.probes.capture.pcap import Record

TUNNEL_FILTER = "arp or (ether[0] & 1 = 1) or vlan"
"""Source: pcap-filter(7); `vlan` comes last, since it moves the offsets of what follows it."""

FULL_TAGGED_FRAME_BYTES = 1_518
"""1500 bytes in an Ethernet frame with one tag, without FCS. Source: IEEE 802.1Q, IEEE 802.3 clause 3.2.7."""


def judge_crossings(records: Sequence[Record], sent: Sent, marks: CanaryFrames) -> tuple[FrameCrossing, ...]:
    """Say of each kind whether it arrived.

    Args:
        records: What was captured on B's interface of the tunnel.
        sent: What A sent.
        marks: The marks of this run.
    """
    frames = [frame for record in records if (frame := read_ethernet(record)) is not None]
    return _non_ip(frames, sent), _multicast(frames, marks), _vlan(frames, sent, marks)


def _non_ip(frames: Sequence[Ethernet], sent: Sent) -> FrameCrossing:
    arrived = sum(frame.ethertype == ETHERTYPE_ARP for frame in frames)
    was_answered = "lladdr" in sent.neighbour.split()
    if arrived and was_answered:
        return FrameCrossing(
            "non-ip", has_crossed=True, note="ARP (EtherType 0x0806) was asked and answered through it."
        )
    note = "ARP (EtherType 0x0806) was asked through it: " + (
        "it arrived, and no answer came back." if arrived else "it did not arrive."
    )
    return FrameCrossing("non-ip", has_crossed=False, note=note)


def _multicast(frames: Sequence[Ethernet], marks: CanaryFrames) -> FrameCrossing:
    arrived = any(frame.is_multicast and marks.inside in frame.content for frame in frames)
    said = "arrived" if arrived else "did not arrive"
    return FrameCrossing("multicast", has_crossed=arrived, note=f"A canary frame to the group {GROUP} {said}.")


def _vlan(frames: Sequence[Ethernet], sent: Sent, marks: CanaryFrames) -> FrameCrossing:
    if sent.vlan != "sent":
        return FrameCrossing(
            "vlan", has_crossed=None, note=f"No tagged frame could be sent: {sent.vlan or 'not tried'}."
        )
    lengths = [frame.length_bytes for frame in frames if frame.tag and marks.inside in frame.content]
    if not lengths:
        return FrameCrossing(
            "vlan", has_crossed=False, note=f"Frames with an IEEE 802.1Q tag ({VLAN_ID}) did not arrive."
        )
    longest = max(lengths)
    if longest >= FULL_TAGGED_FRAME_BYTES:
        note = f"A full frame with an IEEE 802.1Q tag ({FULL_TAGGED_FRAME_BYTES} bytes) arrived."
        return FrameCrossing("vlan", has_crossed=True, note=note)
    note = (
        f"Tagged frames of {longest} bytes arrived, a full one ({FULL_TAGGED_FRAME_BYTES} bytes) did not: "
        "lower the MTU of VLANs by 4 bytes."
    )
    return FrameCrossing("vlan", has_crossed=False, note=note)
