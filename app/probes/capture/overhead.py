"""Overhead of one frame size on the underlay: by arithmetic, and as it was captured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.domain.adapters import TunnelPlan
from app.domain.capture import FrameOverhead
from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, TCP_HEADER_WITH_TIMESTAMPS_BYTES
from app.probes.capture.packets import TCP, Packet

_OFFSET_UNIT_BYTES = 8
"""Fragments begin at multiples of it. Source: RFC 791 section 3.1, fragment offset."""


SHARE_OF_FRAMES = 0.5
"""A size of datagram that was seen for fewer of the frames is something else: a sign of life, a handshake."""


@dataclass(frozen=True, slots=True)
class CaptureOverhead:
    """Calculated size of one frame on the underlay.

    Attributes:
        packets: Outer packets.
        outer_bytes: All of them together, with Ethernet headers, without FCS.
    """

    packets: int
    outer_bytes: int


def capture_overhead(
    frame_bytes: int, overhead_bytes: int, underlay_mtu_bytes: int, *, is_stream: bool = False
) -> CaptureOverhead:
    """Return what a frame costs if its one outer packet has to be cut for the underlay.

    An IPv4 packet that is too long is cut into fragments, each with a header of its own, whose payloads are multiples
    of eight bytes but for the last. A TCP stream is cut into segments.

    Args:
        frame_bytes: The Ethernet frame inside, without FCS.
        overhead_bytes: By how much the one outer frame would be longer.
        underlay_mtu_bytes: MTU of the underlay.
        is_stream: Whether the carrier is TCP.

    Source: RFC 791 section 3.2 (fragmentation), RFC 9293 section 3.7 (segmentation).
    """
    headers = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES
    payload = frame_bytes + overhead_bytes - headers
    room = underlay_mtu_bytes - IPV4_HEADER_BYTES
    if payload <= room:
        return CaptureOverhead(1, frame_bytes + overhead_bytes)
    if is_stream:
        headers += TCP_HEADER_WITH_TIMESTAMPS_BYTES
        payload -= TCP_HEADER_WITH_TIMESTAMPS_BYTES
        room -= TCP_HEADER_WITH_TIMESTAMPS_BYTES
    else:
        room = room // _OFFSET_UNIT_BYTES * _OFFSET_UNIT_BYTES
    packets = -(-payload // room)
    return CaptureOverhead(packets, payload + packets * headers)


def theory_of(plan: TunnelPlan, frame_bytes: int, underlay_mtu_bytes: int, *, is_stream: bool) -> int | None:
    """Return the bytes on the underlay per frame by the adapter's arithmetic; None where it gives none."""
    overhead = plan.overhead_by_frame.get(frame_bytes)
    if overhead is None and not plan.overhead_by_frame:
        overhead = plan.overhead_bytes
    if overhead is None:
        return None
    return capture_overhead(frame_bytes, overhead, underlay_mtu_bytes, is_stream=is_stream).outer_bytes


@dataclass(frozen=True, slots=True)
class MeasuredCost:
    """Captured size of frames of one size on the sender's underlay.

    Attributes:
        packets: Outer packets per frame, TCP's acknowledgements without payload not counted.
        outer_bytes: Bytes per frame.
        is_fragmented: Whether IPv4 fragments were seen, on either host and in either direction.
        ack_bytes: Bytes of acknowledgements without payload per frame.
    """

    packets: float
    outer_bytes: float
    is_fragmented: bool
    ack_bytes: float = 0.0


def are_fragmented(packets: Sequence[Packet], frames: int) -> bool:
    """Return whether fragments were seen for most of the frames, wherever on the path they were made."""
    cut = {packet.datagram for packet in packets if packet.is_fragment}
    return bool(cut) and len(cut) >= SHARE_OF_FRAMES * frames


def measured_cost(packets: Sequence[Packet], frames: int, underlay_mtu_bytes: int) -> MeasuredCost | None:
    """Return what was captured per frame; None where nothing was.

    Args:
        packets: The tunnel's own packets that the sender sent meanwhile, in order.
        frames: How many frames it sent.
        underlay_mtu_bytes: MTU of the underlay.
    """
    if frames <= 0 or not packets:
        return None
    if any(packet.protocol == TCP for packet in packets):
        return _stream_cost(packets, frames, underlay_mtu_bytes)
    datagrams: dict[object, list[Packet]] = defaultdict(list)
    for number, packet in enumerate(packets):
        datagrams[packet.datagram if packet.is_fragment else number].append(packet)
    kept = _usual(datagrams, frames)
    if not kept:
        return None
    pieces = [piece for group in kept for piece in group]
    seen = min(frames, len(kept))  # a frame that got lost before the underlay makes the others no smaller
    return MeasuredCost(
        packets=len(pieces) / seen,
        outer_bytes=sum(piece.frame_bytes for piece in pieces) / seen,
        is_fragmented=any(piece.is_fragment for piece in pieces),
    )


def _usual(datagrams: Mapping[object, list[Packet]], frames: int) -> list[list[Packet]]:
    """Return the packets of each datagram whose size was seen about as often as frames were sent."""
    by_size: dict[int, list[list[Packet]]] = defaultdict(list)
    for pieces in datagrams.values():
        by_size[sum(piece.frame_bytes for piece in pieces)].append(pieces)
    kept: list[list[Packet]] = []
    for groups in by_size.values():
        if len(groups) < SHARE_OF_FRAMES * frames:
            continue
        # One more than frames were sent has the size of a frame by chance.
        usual = len(groups) // frames * frames or len(groups)
        kept += groups[:usual]
    return kept


def _stream_cost(packets: Iterable[Packet], frames: int, underlay_mtu_bytes: int) -> MeasuredCost:
    """TCP's segments as they go out: a card that segments by itself (TSO) gets several in one; they are cut here."""
    count = total_bytes = ack_bytes = 0
    for packet in packets:
        headers = packet.frame_bytes - packet.payload_bytes + packet.tcp_header_bytes
        data_bytes = packet.payload_bytes - packet.tcp_header_bytes
        if data_bytes <= 0:
            ack_bytes += packet.frame_bytes
            continue
        room = max(1, underlay_mtu_bytes + ETHERNET_HEADER_BYTES - headers)
        segments = -(-data_bytes // room)
        count += segments
        total_bytes += data_bytes + segments * headers
    return MeasuredCost(count / frames, total_bytes / frames, is_fragmented=False, ack_bytes=ack_bytes / frames)


def compare(
    frame_bytes: int,
    measured: MeasuredCost,
    theory_bytes: int | None,
) -> FrameOverhead:
    """Return both figures of one frame size."""
    return FrameOverhead(
        frame_bytes=frame_bytes,
        packets=measured.packets,
        outer_bytes=measured.outer_bytes,
        theory_bytes=theory_bytes,
        is_fragmented=measured.is_fragmented,
        ack_bytes=measured.ack_bytes,
    )
