"""Largest IP packet and TCP segment inside a tunnel whose frames are not fragmented on the underlay."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES

IPV6_HEADER_BYTES = 40
"""Source: RFC 8200 section 3."""
TCP_FIXED_HEADER_BYTES = 20
"""Without options: a sender takes their length off the MSS itself. Source: RFC 9293 section 3.1, RFC 6691 section 2."""


@dataclass(frozen=True, slots=True)
class FrameFit:
    """Sizes inside a tunnel with which no frame is cut into two outer packets.

    Attributes:
        frame_bytes: Largest Ethernet frame without FCS.
        packet_bytes: Largest IP packet in it: the MTU that a device of a joined network would need.
        mss_ipv4_bytes: TCP's maximum segment size over IPv4.
        mss_ipv6_bytes: The same over IPv6.
    """

    frame_bytes: int
    packet_bytes: int
    mss_ipv4_bytes: int
    mss_ipv6_bytes: int


def frame_fit(largest_frame_bytes: int | None, inner_mtu_bytes: int, *, tag_bytes: int = 0) -> FrameFit | None:
    """Return the sizes that fit; None where every frame of the inner MTU crosses whole, or none is known that fits.

    Args:
        largest_frame_bytes: Largest frame in one outer packet on the path's MTU, by the adapter's arithmetic; None
            where the carrier is a stream, which has no fragments, or where the overhead is not known: a deployment
            tells them apart by the carrier, see `clamp_obstacles`.
        inner_mtu_bytes: MTU of the interface that carries the frames.
        tag_bytes: Room for VLAN tags of frames.

    Source: RFC 6691 section 2 (MSS is the MTU less fixed headers), RFC 4459 section 3.2 (clamping in tunnels).
    """
    if largest_frame_bytes is None:
        return None
    packet_bytes = largest_frame_bytes - tag_bytes - ETHERNET_HEADER_BYTES
    if packet_bytes >= inner_mtu_bytes:
        return None
    return FrameFit(
        frame_bytes=largest_frame_bytes,
        packet_bytes=packet_bytes,
        mss_ipv4_bytes=packet_bytes - IPV4_HEADER_BYTES - TCP_FIXED_HEADER_BYTES,
        mss_ipv6_bytes=packet_bytes - IPV6_HEADER_BYTES - TCP_FIXED_HEADER_BYTES,
    )
