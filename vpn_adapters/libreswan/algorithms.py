"""Algorithms of ESP, by Libreswan's words for them.

Source: the list in the log of Libreswan 5.2, `ipsec algparse`, and what `whack --connectionstatus` prints of tunnels.
Sizes and the policy's names are those of `shared.strongswan.algorithms`: the packets are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vpn_adapters.shared.strongswan import algorithms
from vpn_adapters.shared.strongswan.algorithms import EspCipher, EspIntegrity, EspProposal

_SIZES = (128, 192, 256)


@dataclass(frozen=True, slots=True)
class EspWords:
    """Libreswan's words for a proposal of ESP.

    Attributes:
        shown: As `whack --connectionstatus` prints it.
        proposal: Its parts.
    """

    shown: str
    proposal: EspProposal


def _aeads(mode: str) -> dict[str, tuple[str, str]]:
    found = {}
    for bits in _SIZES:
        for letter, icv_bytes in (("", 16), ("_b", 12), ("_a", 8)):
            shown = f"AES_{mode.upper()}_{icv_bytes}_{bits}"
            found[f"aes_{mode}{letter}{bits}"] = shown, f"aes{bits}{mode}{icv_bytes}"
    return found


_CIPHERS = {
    **{f"aes{bits}": (f"AES_CBC_{bits}", f"aes{bits}") for bits in _SIZES},
    **{f"aes_ctr{bits}": (f"AES_CTR_{bits}", f"aes{bits}ctr") for bits in _SIZES},
    **{f"camellia{bits}": (f"CAMELLIA_CBC_{bits}", f"camellia{bits}") for bits in _SIZES},
    "3des": ("3DES_CBC_192", "3des"),
    "null": ("NULL_000", "null"),
    **_aeads("gcm"),
    **_aeads("ccm"),
    "chacha20_poly1305": ("CHACHA20_POLY1305_256", "chacha20poly1305"),
    **{f"aes_gmac{bits}": (f"NULL_AUTH_AES_GMAC_{bits}", f"aes{bits}gmac") for bits in _SIZES},
}
_INTEGRITIES = {
    "sha1": ("HMAC_SHA1_96", "sha1"),
    "sha2_256": ("HMAC_SHA2_256_128", "sha256"),
    "sha2_384": ("HMAC_SHA2_384_192", "sha384"),
    "sha2_512": ("HMAC_SHA2_512_256", "sha512"),
    "md5": ("HMAC_MD5_96", "md5"),
    "aes_xcbc": ("AES_XCBC_96", "aesxcbc"),
    "aes_cmac": ("AES_CMAC_96", "aescmac"),
}

CIPHERS: Mapping[str, EspCipher] = {word: algorithms.CIPHERS[other] for word, (_, other) in _CIPHERS.items()}
"""Ciphers and AEADs by Libreswan's word."""

INTEGRITIES: Mapping[str, EspIntegrity] = {
    word: algorithms.INTEGRITIES[other] for word, (_, other) in _INTEGRITIES.items()
}
"""Integrity algorithms by Libreswan's word."""


def esp_words(written: str) -> EspWords | None:
    """Return what is known of a proposal as ipsec.conf has it; None if it is not in the tables."""
    first, _, second = written.partition("-")
    cipher, integrity = CIPHERS.get(first), INTEGRITIES.get(second)
    if cipher is None or (second and integrity is None):
        return None
    shown = _INTEGRITIES[second][0] if second else "NONE"
    return EspWords(f"{_CIPHERS[first][0]}-{shown}", EspProposal(cipher, integrity))
