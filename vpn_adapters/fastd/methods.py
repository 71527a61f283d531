"""fastd's methods: what each encrypts and authenticates with, and what it adds to a frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.solutions import OptionKind

HEADER_BYTES = 24
"""Type, flags, 6 bytes of sequence number, 16 of tag. Source: fastd documentation, Protocol specification."""

_AES, _SALSA20, _SALSA2012 = "AES-128-CTR", "Salsa20", "Salsa20/12"
_GHASH, _UMAC, _POLY1305 = "GHASH", "UMAC-128", "Poly1305"
_NO_CIPHER, _NO_MAC = "null-encryption", "null-authentication"


@dataclass(frozen=True, slots=True)
class Method:
    """One method.

    Attributes:
        algorithms: As the policy knows them: cipher and MAC, or both in one.
        title: For people.
        header_bytes: What it puts before a frame.
    """

    algorithms: tuple[str, ...]
    title: str
    header_bytes: int = HEADER_BYTES

    @property
    def kind(self) -> OptionKind:
        """Its kind in a census."""
        if _NO_MAC in self.algorithms:
            return OptionKind.CIPHER
        return OptionKind.MAC if _NO_CIPHER in self.algorithms else OptionKind.AEAD

    @property
    def is_unprotected(self) -> bool:
        """Whether its frames can be read by anyone."""
        return _NO_CIPHER in self.algorithms


def _both(cipher: str, mac: str) -> Method:
    return Method((cipher, mac), f"{cipher}, {mac}")


def _mac_alone(mac: str, pad: str) -> Method:
    # The cipher encrypts the tag alone.
    return Method((_NO_CIPHER, mac), f"null, {mac} ({pad})")


METHODS: Mapping[str, Method] = {
    "aes128-gcm": Method(("AES-128-GCM",), "AES-128-GCM"),
    "salsa2012+umac": _both(_SALSA2012, _UMAC),
    "salsa2012+gmac": _both(_SALSA2012, _GHASH),
    "salsa2012+poly1305": _both(_SALSA2012, _POLY1305),
    "salsa20+umac": _both(_SALSA20, _UMAC),
    "salsa20+gmac": _both(_SALSA20, _GHASH),
    "salsa20+poly1305": _both(_SALSA20, _POLY1305),
    "aes128-ctr+umac": _both(_AES, _UMAC),
    "aes128-ctr+poly1305": _both(_AES, _POLY1305),
    "null+salsa2012+umac": _mac_alone(_UMAC, _SALSA2012),
    "null+salsa20+umac": _mac_alone(_UMAC, _SALSA20),
    "null+aes128-ctr+umac": _mac_alone(_UMAC, _AES),
    "null+salsa2012+gmac": _mac_alone(_GHASH, _SALSA2012),
    "null+salsa20+gmac": _mac_alone(_GHASH, _SALSA20),
    "null+aes128-gmac": _mac_alone("GMAC", _AES),
    "null@l2tp": Method((_NO_CIPHER, _NO_MAC), "null (L2TPv3)", 8),
    "null": Method((_NO_CIPHER, _NO_MAC), "null", 1),
}
"""Every method in the manual, those that encrypt first.

Source: fastd documentation, Encryption & authentication methods. Sizes: captures of fastd 22. Of methods that are put
together of two ciphers, the manual lists those that encrypt nothing.
"""
