"""VTun's ciphers, and what each adds to a frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LENGTH_BYTES = 2
"""Before each frame in its datagram. Source: VTun 3.0.4, udp_proto.c."""


@dataclass(frozen=True, slots=True)
class Cipher:
    """One cipher.

    Attributes:
        algorithm: As the policy knows it, and as vtund's log calls it.
        block_bytes: Frames are padded to whole blocks, by at least one byte.
        has_sequence: Whether a block with a number comes before each frame, which nothing checks.
        needs_legacy: Whether OpenSSL 3 has it in its legacy provider alone.
    """

    algorithm: str
    block_bytes: int
    has_sequence: bool
    needs_legacy: bool

    @property
    def is_broken(self) -> bool:
        """Whether no frame crosses on hosts of 64 bits: the number is written over the frame's first 4 bytes."""
        return self.has_sequence and self.block_bytes < LONG_BYTES + _TAG_BYTES

    def udp_payload_bytes(self, frame_bytes: int) -> int:
        """Return the size of the datagram's content for one frame without FCS. Source: lfd_encrypt.c, encrypt_buf."""
        if not self.block_bytes:
            return LENGTH_BYTES + frame_bytes
        length = frame_bytes + (self.block_bytes if self.has_sequence else 0)
        return LENGTH_BYTES + (length // self.block_bytes + 1) * self.block_bytes

    def largest_frame_bytes(self, udp_payload_bytes: int) -> int:
        """Return the largest frame for a datagram's content."""
        room = udp_payload_bytes - LENGTH_BYTES
        if not self.block_bytes:
            return room
        return room // self.block_bytes * self.block_bytes - 1 - (self.block_bytes if self.has_sequence else 0)


LONG_BYTES = 8
_TAG_BYTES = 4
"""A block begins with 4 characters and an `unsigned long`. Source: VTun 3.0.4, lfd_encrypt.c, send_ib_mesg."""


def _cipher(family: str, bits: int, mode: str) -> Cipher:
    is_aes = family == "AES"
    return Cipher(
        algorithm=f"{family}-{bits}-{mode}",
        block_bytes=16 if is_aes else 8,
        has_sequence=mode != "ECB",
        needs_legacy=not is_aes,
    )


NO_CIPHER = "no"

CIPHERS: Mapping[str, Cipher] = {
    **{
        f"{family.lower()}{bits}{mode.lower()}": _cipher(family, bits, mode)
        for family in ("AES", "Blowfish")
        for bits in (256, 128)
        for mode in ("CBC", "CFB", "OFB", "ECB")
    },
    NO_CIPHER: Cipher("null-encryption", 0, has_sequence=False, needs_legacy=False),
}
"""Value of `encrypt` → cipher. Source: vtund.conf(5) of VTun 3.0.4."""
