"""Algorithms of ESP, by strongSwan's words for them.

No program lists what ESP can do on a host: strongSwan knows the words, its table of the kernel's names decides which of
them reach the kernel, and the kernel has the algorithm or has not. So this table is ours. Words for the same thing
(`aes128gcm`, `aes128gcm128` and `aes128gcm16`) are in it once.

Source: strongSwan 6.0.1, src/libstrongswan/crypto/proposal/proposal_keywords_static.txt (words), crypters/crypter.c and
signers/signer.c (names that `swanctl --list-sas` prints); RFC 4303 section 2 (padding), RFC 3602, RFC 3686, RFC 4106,
RFC 4309, RFC 7634 (sizes of IV and ICV).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.messages import mark
from app.domain.solutions import OptionKind

PRIVATE_NOTE = mark(
    "Its number is from the range for private use: strongSwan takes it only with charon.accept_private_algs, which "
    "Tunnelmark leaves off."
)
NO_KERNEL_NOTE = mark("strongSwan knows the word, but has no name in Linux for it.")


@dataclass(frozen=True, slots=True)
class EspCipher:
    """A cipher or AEAD of ESP.

    Attributes:
        keyword: strongSwan's word.
        kind: Cipher, or AEAD where it needs no integrity algorithm beside it.
        shown: As `swanctl --list-sas` prints it.
        policy_name: As the policy knows it.
        iv_bytes: IV in each packet.
        block_bytes: What the payload is padded to a multiple of, at least 4.
        icv_bytes: Its own tag; 0 for a cipher.
        is_unprotected: Whether the payload remains readable.
        note: What is to be known beforehand.
    """

    keyword: str
    kind: OptionKind
    shown: str
    policy_name: str
    iv_bytes: int
    block_bytes: int
    icv_bytes: int = 0
    is_unprotected: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class EspIntegrity:
    """An integrity algorithm of ESP.

    Attributes:
        keyword: strongSwan's word.
        shown: As `swanctl --list-sas` prints it.
        policy_name: As the policy knows it.
        icv_bytes: Its tag in each packet.
        note: What is to be known beforehand.
    """

    keyword: str
    shown: str
    policy_name: str
    icv_bytes: int
    note: str = ""


def _aead(mode: str, bits: int, icv_bytes: int, *, family: str = "aes", note: str = "") -> EspCipher:
    name = family.upper()
    return EspCipher(
        keyword=f"{family}{bits}{mode}{icv_bytes}",
        kind=OptionKind.AEAD,
        shown=f"{name}_{mode.upper()}_{icv_bytes}-{bits}",
        policy_name=f"{name}-{bits}-{mode.upper()}" if icv_bytes == 16 else f"{name}_{mode.upper()}_{icv_bytes}-{bits}",
        iv_bytes=8,
        block_bytes=4,
        icv_bytes=icv_bytes,
        note=note,
    )


def _gmac(bits: int) -> EspCipher:
    return EspCipher(
        keyword=f"aes{bits}gmac",
        kind=OptionKind.AEAD,
        shown=f"NULL_AES_GMAC-{bits}",
        policy_name=f"aes{bits}gmac",
        iv_bytes=8,
        block_bytes=4,
        icv_bytes=16,
        is_unprotected=True,
        note=mark("It authenticates and does not encrypt (RFC 4543)."),
    )


def _cbc(keyword: str, shown: str, policy_name: str, block_bytes: int, note: str = "") -> EspCipher:
    return EspCipher(keyword, OptionKind.CIPHER, shown, policy_name, block_bytes, block_bytes, note=note)


def _ctr(family: str, bits: int, note: str = "") -> EspCipher:
    name = family.upper()
    return EspCipher(
        f"{family}{bits}ctr", OptionKind.CIPHER, f"{name}_CTR-{bits}", f"{name}-{bits}-CTR", 8, 4, note=note
    )


_NULL = EspCipher("null", OptionKind.CIPHER, "NULL", "null-encryption", 0, 4, is_unprotected=True)
_SIZES = (128, 192, 256)

_CIPHER_ROWS: tuple[EspCipher, ...] = (
    *(_cbc(f"aes{bits}", f"AES_CBC-{bits}", f"AES-{bits}-CBC", 16) for bits in _SIZES),
    *(_ctr("aes", bits) for bits in _SIZES),
    *(_cbc(f"camellia{bits}", f"CAMELLIA_CBC-{bits}", f"CAMELLIA-{bits}-CBC", 16) for bits in _SIZES),
    *(_ctr("camellia", bits, NO_KERNEL_NOTE) for bits in _SIZES),
    *(_cbc(f"serpent{bits}", f"SERPENT_CBC-{bits}", f"SERPENT-{bits}-CBC", 16, PRIVATE_NOTE) for bits in _SIZES),
    *(_cbc(f"twofish{bits}", f"TWOFISH_CBC-{bits}", f"TWOFISH-{bits}-CBC", 16, PRIVATE_NOTE) for bits in _SIZES),
    *(_cbc(f"blowfish{bits}", f"BLOWFISH_CBC-{bits}", "BF-CBC", 8) for bits in _SIZES),
    _cbc("cast128", "CAST_CBC-128", "CAST5-CBC", 8),
    _cbc("3des", "3DES_CBC", "DES-EDE3-CBC", 8),
    _cbc("des", "DES_CBC", "DES-CBC", 8),
    _NULL,
    *(_aead("gcm", bits, icv) for bits in _SIZES for icv in (16, 12, 8)),
    *(_aead("ccm", bits, icv) for bits in _SIZES for icv in (16, 12, 8)),
    *(_aead("ccm", bits, icv, family="camellia", note=NO_KERNEL_NOTE) for bits in _SIZES for icv in (16, 12, 8)),
    EspCipher(
        "chacha20poly1305",
        OptionKind.AEAD,
        "CHACHA20_POLY1305",
        "CHACHA20-POLY1305",
        iv_bytes=8,
        block_bytes=4,
        icv_bytes=16,
    ),
    *(_gmac(bits) for bits in _SIZES),
)

_INTEGRITY_ROWS: tuple[EspIntegrity, ...] = (
    EspIntegrity("sha1", "HMAC_SHA1_96", "HMAC-SHA1", 12),
    EspIntegrity("sha1_160", "HMAC_SHA1_160", "HMAC-SHA1", 20),
    EspIntegrity("sha256", "HMAC_SHA2_256_128", "HMAC-SHA256", 16),
    EspIntegrity("sha256_96", "HMAC_SHA2_256_96", "HMAC_SHA2_256_96", 12, PRIVATE_NOTE),
    EspIntegrity("sha384", "HMAC_SHA2_384_192", "HMAC-SHA384", 24),
    EspIntegrity("sha512", "HMAC_SHA2_512_256", "HMAC-SHA512", 32),
    EspIntegrity("md5", "HMAC_MD5_96", "HMAC-MD5", 12),
    EspIntegrity("md5_128", "HMAC_MD5_128", "HMAC-MD5", 16),
    EspIntegrity("aesxcbc", "AES_XCBC_96", "AES-XCBC", 12),
    EspIntegrity("aescmac", "AES_CMAC_96", "AES-CMAC", 12),
    EspIntegrity("camelliaxcbc", "CAMELLIA_XCBC_96", "CAMELLIA-XCBC", 12, NO_KERNEL_NOTE),
)

CIPHERS: Mapping[str, EspCipher] = {row.keyword: row for row in _CIPHER_ROWS}
"""Ciphers and AEADs by strongSwan's word."""

INTEGRITIES: Mapping[str, EspIntegrity] = {row.keyword: row for row in _INTEGRITY_ROWS}
"""Integrity algorithms by strongSwan's word."""


@dataclass(frozen=True, slots=True)
class EspProposal:
    """Protection of the packets.

    Attributes:
        cipher: Cipher or AEAD.
        integrity: What goes with a cipher; None with an AEAD, or where a cipher goes without (never offered).
    """

    cipher: EspCipher
    integrity: EspIntegrity | None = None

    @property
    def keywords(self) -> str:
        """As strongSwan's proposals have it, without the key exchange."""
        return self.cipher.keyword + (f"-{self.integrity.keyword}" if self.integrity else "")

    @property
    def shown(self) -> str:
        """As `swanctl --list-sas` prints it after `ESP:`."""
        return self.cipher.shown + (f"/{self.integrity.shown}" if self.integrity else "")

    @property
    def algorithms(self) -> tuple[str, ...]:
        """As the policy knows them."""
        return (self.cipher.policy_name, *((self.integrity.policy_name,) if self.integrity else ()))


def proposal_of(keywords: str) -> EspProposal | None:
    """Return the proposal that was written with `EspProposal.keywords`; None if it is not in the tables."""
    first, _, second = keywords.partition("-")
    cipher, integrity = CIPHERS.get(first), INTEGRITIES.get(second)
    if cipher is None or (second and integrity is None):
        return None
    return EspProposal(cipher, integrity)
