"""Overhead of MACsec over L2TPv3 per frame."""

from __future__ import annotations

from vpn_adapters.shared import l2tpv3

SECTAG_BYTES = 16
"""Ethernet type, flags, short length, packet number and SCI. Source: IEEE 802.1AE-2018 section 9.3."""
ICV_BYTES = 16
"""Source: IEEE 802.1AE-2018 section 14.5."""
MACSEC_BYTES = SECTAG_BYTES + ICV_BYTES


def overhead_bytes() -> int:
    """Return by how many bytes the frame on the underlay is longer than the one inside."""
    return l2tpv3.overhead_bytes() + MACSEC_BYTES


def largest_unfragmented_frame_bytes(underlay_mtu_bytes: int) -> int:
    """Return the largest frame that crosses in one outer packet, in bytes."""
    return underlay_mtu_bytes - l2tpv3.packet_bytes(0) - MACSEC_BYTES
