"""OpenSSH's names of ciphers and MACs: sizes of blocks and tags, and aliases."""

from __future__ import annotations

CHANNEL_HEADER_BYTES = 9
"""Message (1), channel (4), length (4) before data. Source: RFC 4254 section 5.2, OpenSSH: PROTOCOL section 2.3."""

_TAG_BYTES = 16
"""Tag of AES-GCM and ChaCha20-Poly1305. Source: RFC 5647 section 5.1, OpenSSH: PROTOCOL.chacha20poly1305."""

_MAC_BYTES = (
    ("-96", 12),
    ("umac-64", 8),
    ("umac-128", 16),
    ("hmac-sha2-256", 32),
    ("hmac-sha2-512", 64),
    ("hmac-sha1", 20),
    ("hmac-md5", 16),
    ("hmac-ripemd160", 20),
)
"""Part of a name → bytes in a packet; the first found holds. Source: RFC 4253 section 6.4, RFC 6668, RFC 2104."""


def is_aead(cipher: str) -> bool:
    """Whether a cipher authenticates what it encrypts, so that the MAC that was agreed on is not used."""
    return "-gcm" in cipher or "poly1305" in cipher


def alias_of(name: str) -> str:
    """Return the name that stands for the same algorithm; empty where there is none. Source: OpenSSH: cipher.c."""
    return "aes256-cbc" if name == "rijndael-cbc@lysator.liu.se" else ""


def packet_bytes(payload_bytes: int, cipher: str, mac: str) -> int:
    """Return the size of an SSH packet.

    Length, length of padding, payload and at least four bytes of padding fill whole blocks; with an AEAD or a MAC over
    the ciphertext, the length itself is left out of that.

    Args:
        payload_bytes: What is in it.
        cipher: As OpenSSH names it.
        mac: As OpenSSH names it; not used with an AEAD.

    Returns:
        Size in bytes. Source: RFC 4253 section 6, RFC 5647 section 7.2, OpenSSH: PROTOCOL section 1.5.
    """
    is_length_apart = is_aead(cipher) or "-etm@" in mac
    block = 8 if "poly1305" in cipher or cipher.startswith(("3des", "blowfish", "cast128")) else 16
    inside = payload_bytes + (1 if is_length_apart else 5)
    filled = -(-(inside + 4) // block) * block
    return filled + (4 if is_length_apart else 0) + (_TAG_BYTES if is_aead(cipher) else mac_bytes(mac))


def mac_bytes(mac: str) -> int:
    """Return how many bytes a MAC adds to each packet; those of SHA-1 where the name is not known."""
    return next((size for part, size in _MAC_BYTES if part in mac), 20)
