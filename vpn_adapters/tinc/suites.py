"""Cryptographic choices that two hosts' tincs have in common."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.hosts import HostFacts
from app.domain.solutions import Suite
from vpn_adapters.shared.discovering import are_both_able, best_first, supports_of
from vpn_adapters.tinc.info import NAME
from vpn_adapters.tinc.numbers import NONE, cipher_number, digest_bytes, digest_number, padding_block_bytes

KEY = "RSA-3072"

UNKNOWN_NUMBER = "any"
"""Placeholder for a number that is not known here."""

_OFFERED = (("AES-256-CBC", "SHA256"), ("AES-128-CBC", "SHA256"))
"""Best first. CBC modes alone: tinc 1.0 takes the same initial vector for every packet, which gives the others away
(OFB repeats its key stream), and keeps a stream going over packets that may be lost (CTR, ChaCha20, RC4)."""


def offered(facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
    """Return what both hosts can do, best first.

    AES is best on every CPU here: the other ciphers in CBC mode are slower in software, too.
    """
    if not are_both_able(NAME, facts_a, facts_b):
        return ()
    both = supports_of(NAME, facts_a, facts_b)
    common = [
        (cipher, digest)
        for cipher, digest in _OFFERED
        if all(cipher in one.ciphers and digest in one.digests for one in both)
    ]
    return best_first(
        chosen(name=f"{cipher}-{digest}".lower(), cipher=cipher, digest=digest) for cipher, digest in common
    )


@dataclass(frozen=True, slots=True)
class Meant:
    """The names that a suite's names mean, where they are aliases."""

    cipher: str
    digest: str


def chosen(*, name: str, cipher: str, digest: str, meant: Meant | None = None, debug: int = 2) -> Suite:
    """Return a suite whose MAC is not cut short.

    Args:
        cipher: As OpenSSL names it, or `none`.
        digest: As OpenSSL names it, or `none`.
        meant: What both mean.
        debug: How much the daemon says: 2 names connections, 5 each packet.
    """
    real = meant or Meant(cipher, digest)
    return Suite(
        name=name,
        title=f"{cipher}, HMAC-{digest}, {KEY} keys",
        algorithms=(
            "null-encryption" if cipher.lower() in (NONE, "null") else cipher,
            "null-authentication" if digest.lower() in (NONE, "null") else digest,
            KEY,
        ),
        settings={
            "cipher": cipher,
            "digest": digest,
            "mac-length": str(digest_bytes(real.digest)),
            "block": str(padding_block_bytes(real.cipher)),
            "cipher-number": _number(cipher_number(real.cipher)),
            "digest-number": _number(digest_number(real.digest)),
            "debug": str(debug),
        },
    )


def _number(number: int | None) -> str:
    return UNKNOWN_NUMBER if number is None else str(number)
