"""Overhead per frame of ESP in transport mode and of the header of the encapsulation within it.

`header_bytes` is that header's size.
"""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES
from app.domain.profiles import FRAME_BYTES
from vpn_adapters.shared.strongswan.algorithms import EspProposal

ESP_HEADER_BYTES = 8
"""SPI and sequence number. Source: RFC 4303 section 2."""
ESP_TRAILER_BYTES = 2
"""Length of the padding, next header. Source: RFC 4303 section 2."""


def packet_bytes(proposal: EspProposal, frame_bytes: int, header_bytes: int) -> int:
    """Return the size of the IPv4 packet that carries a frame, before any fragmentation, in bytes."""
    cipher = proposal.cipher
    align = max(4, cipher.block_bytes)
    padded = -(-(header_bytes + frame_bytes + ESP_TRAILER_BYTES) // align) * align
    return IPV4_HEADER_BYTES + ESP_HEADER_BYTES + cipher.iv_bytes + padded + _icv_bytes(proposal)


def overhead_bytes(proposal: EspProposal, frame_bytes: int, header_bytes: int) -> int:
    """Return by how many bytes the frame on the underlay is longer than the one inside."""
    return ETHERNET_HEADER_BYTES + packet_bytes(proposal, frame_bytes, header_bytes) - frame_bytes


def overhead_by_frame(proposal: EspProposal, header_bytes: int) -> Mapping[int, int]:
    """Return the overhead for every frame size that is measured."""
    return {size: overhead_bytes(proposal, size, header_bytes) for size in FRAME_BYTES}


def largest_unfragmented_frame_bytes(proposal: EspProposal, underlay_mtu_bytes: int, header_bytes: int) -> int:
    """Return the largest frame that crosses in one outer packet, in bytes."""
    align = max(4, proposal.cipher.block_bytes)
    fixed = IPV4_HEADER_BYTES + ESP_HEADER_BYTES + proposal.cipher.iv_bytes + _icv_bytes(proposal)
    return (underlay_mtu_bytes - fixed) // align * align - ESP_TRAILER_BYTES - header_bytes


def _icv_bytes(proposal: EspProposal) -> int:
    return proposal.cipher.icv_bytes + (proposal.integrity.icv_bytes if proposal.integrity else 0)
