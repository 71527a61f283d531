"""Overhead of OpenVPN's data channel per frame.

A packet is P_DATA_V2: opcode and peer id (4 bytes). With an AEAD the packet id (4) and a tag (16) follow, whatever the
frame. Other ciphers have an HMAC and an initialization vector of one block before the ciphertext. CBC encrypts packet
id (4) and frame and pads them to whole blocks, at least one byte; CFB and OFB carry the packet id in the vector;
without a cipher there is the packet id alone. Source: OpenVPN's network protocol and data channel encryption
(doc/doxygen/doc_data_crypto.h, doc_protocol_overview.h); openvpn_encrypt_v1 in src/openvpn/crypto.c.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, TCP_HEADER_WITH_TIMESTAMPS_BYTES, UDP_HEADER_BYTES
from app.domain.profiles import FRAME_BYTES
from app.domain.solutions import Carrier
from vpn_adapters.openvpn.algorithms import Mode, block_bytes, digest_bytes, mode

STREAM_LENGTH_BYTES = 2
"""Length before each packet in a TCP stream. Source: OpenVPN's network protocol, "TCP packet length"."""
PEER_ID_BYTES = 4
"""Opcode and peer id of P_DATA_V2."""
PACKET_ID_BYTES = 4
TAG_BYTES = 16
"""Source: RFC 5116 sections 5.1 and 5.2, RFC 8439 section 2.8."""


@dataclass(frozen=True, slots=True)
class Overhead:
    """The arithmetic for one choice of carrier, cipher and digest.

    Attributes:
        carrier: UDP or TCP.
        cipher: Cipher of the data channel.
        digest: Digest of its HMAC; an AEAD has none.
    """

    carrier: Carrier
    cipher: str
    digest: str

    def bytes_at(self, frame_bytes: int) -> int | None:
        """Return by how many bytes the one outer frame is longer; None where the algorithms' sizes are not known."""
        inside = self._data_channel_bytes(frame_bytes)
        return None if inside is None else ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + self._transport_bytes + inside

    def by_frame(self) -> Mapping[int, int]:
        """Return the same for each frame size that is measured; empty where it is the same for all."""
        if mode(self.cipher) is not Mode.CBC:
            return {}
        sizes = {frame_bytes: self.bytes_at(frame_bytes) for frame_bytes in FRAME_BYTES}
        return {frame_bytes: size for frame_bytes, size in sizes.items() if size is not None}

    def largest_unfragmented_frame_bytes(self, underlay_mtu_bytes: int) -> int | None:
        """Return the largest frame that crosses in one outer packet; None for TCP, a stream."""
        if self.carrier is Carrier.TCP:
            return None
        room = underlay_mtu_bytes + ETHERNET_HEADER_BYTES
        sizes = ((frame_bytes, self.bytes_at(frame_bytes)) for frame_bytes in range(room, 0, -1))
        return next((frame for frame, over in sizes if over is not None and frame + over <= room), None)

    @property
    def _transport_bytes(self) -> int:
        return (
            UDP_HEADER_BYTES if self.carrier is Carrier.UDP else TCP_HEADER_WITH_TIMESTAMPS_BYTES + STREAM_LENGTH_BYTES
        )

    def _data_channel_bytes(self, frame_bytes: int) -> int | None:
        kind, block, hmac = mode(self.cipher), block_bytes(self.cipher), digest_bytes(self.digest)
        if kind is Mode.AEAD:
            return PEER_ID_BYTES + PACKET_ID_BYTES + TAG_BYTES
        if kind is None or hmac is None:
            return None
        if kind is Mode.NONE:
            return PEER_ID_BYTES + hmac + PACKET_ID_BYTES
        if block is None:
            return None
        if kind is Mode.STREAM:
            return PEER_ID_BYTES + hmac + block
        plain_bytes = PACKET_ID_BYTES + frame_bytes
        return PEER_ID_BYTES + hmac + block + (plain_bytes // block + 1) * block - frame_bytes
