"""OpenVPN's names of ciphers and digests: modes, sizes, aliases."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

NO_CIPHER = "none"
NO_DIGEST = "none"
"""OpenVPN's name for no cipher and no digest; `--show-ciphers` and `--show-digests` leave both options out."""

NULL_DIGEST = "NULL"
"""OpenSSL's digest of no bits, which its default provider has had since OpenSSL 3. Source: EVP_MD-NULL(7)."""


class Mode(StrEnum):
    """Mode of a cipher; it decides the format of a packet of the data channel."""

    AEAD = "aead"
    CBC = "cbc"
    STREAM = "stream"  # CFB and OFB of any width
    NONE = "none"


_ALIASES: Mapping[str, str] = {
    "RSA-MD4": "MD4",
    "RSA-MD5": "MD5",
    "RSA-SHA1": "SHA1",
    "RSA-SHA1-2": "SHA1",
    "RSA-RIPEMD160": "RIPEMD160",
    "RSA-SHA224": "SHA224",
    "RSA-SHA256": "SHA256",
    "RSA-SHA384": "SHA384",
    "RSA-SHA512": "SHA512",
    "RSA-SHA512/224": "SHA512-224",
    "RSA-SHA512/256": "SHA512-256",
    "RSA-SM3": "SM3",
    "ID-RSASSA-PKCS1-V1_5-WITH-SHA3-224": "SHA3-224",
    "ID-RSASSA-PKCS1-V1_5-WITH-SHA3-256": "SHA3-256",
    "ID-RSASSA-PKCS1-V1_5-WITH-SHA3-384": "SHA3-384",
    "ID-RSASSA-PKCS1-V1_5-WITH-SHA3-512": "SHA3-512",
}
"""Digest's other name, in upper case → the name that OpenVPN's log gives it. Source: OpenVPN 2.5.1 with OpenSSL 1.1.1w,
which lists names of signatures as digests (EVP_MD_do_all, crypto/evp/c_alld.c)."""

_DIGEST_BYTES: Mapping[str, int] = {
    "NONE": 0,
    "NULL": 0,
    "MD4": 16,
    "MD5": 16,
    "MD5-SHA1": 36,
    "SHA1": 20,
    "RIPEMD160": 20,
    "SHA224": 28,
    "SHA256": 32,
    "SHA384": 48,
    "SHA512": 64,
    "SHA512-224": 28,
    "SHA512-256": 32,
    "SHA2-256/192": 24,
    "SHA3-224": 28,
    "SHA3-256": 32,
    "SHA3-384": 48,
    "SHA3-512": 64,
    "KECCAK-224": 28,
    "KECCAK-256": 32,
    "KECCAK-384": 48,
    "KECCAK-512": 64,
    "BLAKE2S256": 32,
    "BLAKE2B512": 64,
    "SM3": 32,
    "WHIRLPOOL": 64,
}
"""Digest in upper case → bytes of its HMAC. Source: `openvpn --show-digests` of 2.6.14; FIPS 180-4, FIPS 202."""

_BLOCK_BYTES: Mapping[str, int] = {"AES": 16, "ARIA": 16, "CAMELLIA": 16, "SEED": 16, "SM4": 16} | {
    "BF": 8,
    "CAST5": 8,
    "DES": 8,
    "DESX": 8,
    "IDEA": 8,
    "RC2": 8,
}
"""First part of a cipher's name → its block in bytes. Source: `openvpn --show-ciphers` of 2.5.1 and 2.6.14."""

# The modes whose names OpenVPN's list can end in. Source: cipher_kt_mode_aead and its siblings in OpenVPN's
# crypto_openssl.c, which know CBC, CFB, OFB and AEAD and list nothing else.
_SUFFIXES: Mapping[str, Mode] = {
    "CBC": Mode.CBC,
    "CFB": Mode.STREAM,
    "CFB1": Mode.STREAM,
    "CFB8": Mode.STREAM,
    "OFB": Mode.STREAM,
    "GCM": Mode.AEAD,
    "CCM": Mode.AEAD,
    "OCB": Mode.AEAD,
    "POLY1305": Mode.AEAD,
}


def mode(cipher: str) -> Mode | None:
    """Return how a cipher is used; None where its name does not tell."""
    if cipher.lower() == NO_CIPHER:
        return Mode.NONE
    return _SUFFIXES.get(cipher.upper().rpartition("-")[2])


def is_aead(cipher: str) -> bool:
    """Whether a cipher authenticates by itself, so that `auth` does not matter to the data channel."""
    return mode(cipher) is Mode.AEAD


def block_bytes(cipher: str) -> int | None:
    """Return a cipher's block size in bytes; None where its name is not known."""
    return _BLOCK_BYTES.get(cipher.upper().partition("-")[0])


def digest_bytes(digest: str) -> int | None:
    """Return how many bytes a digest's HMAC has; None where its name is not known."""
    return _DIGEST_BYTES.get(canonical_digest(digest).upper())


def canonical_digest(digest: str) -> str:
    """Return the name that OpenVPN's log gives a digest, which is its own unless it is an alias."""
    return _ALIASES.get(digest.upper(), digest)


def alias_of(digest: str) -> str:
    """Return the other name of a digest that stands for the same; empty where it is not an alias."""
    return _ALIASES.get(digest.upper(), "")


def policy_names(cipher: str, digest: str) -> tuple[str, ...]:
    """Return what a policy calls the two algorithms of the data channel; one of an AEAD."""
    ciphering = "null-encryption" if mode(cipher) is Mode.NONE else cipher
    if is_aead(cipher):
        return (ciphering,)
    return ciphering, "null-authentication" if is_no_digest(digest) else digest


def is_no_digest(digest: str) -> bool:
    """Whether a digest authenticates nothing."""
    return digest.upper() in {NO_DIGEST.upper(), NULL_DIGEST}
