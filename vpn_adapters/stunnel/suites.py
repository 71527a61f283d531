"""Cryptographic choices that two hosts' stunnels have in common: TLS 1.3 with X25519."""

from __future__ import annotations

from app.domain.hosts import HostFacts
from app.domain.solutions import Suite
from vpn_adapters.shared.discovering import are_both_able, best_first, fastest_first, supports_of
from vpn_adapters.stunnel.discovery import GROUP
from vpn_adapters.stunnel.info import NAME

CIPHERS = {
    "TLS_AES_256_GCM_SHA384": ("AES-256-GCM", "SHA384"),
    "TLS_CHACHA20_POLY1305_SHA256": ("CHACHA20-POLY1305", "SHA256"),
    "TLS_AES_128_GCM_SHA256": ("AES-128-GCM", "SHA256"),
}
"""Cipher suite of TLS 1.3 → its cipher and its hash. Source: RFC 8446 B.4."""


def offered(facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
    """Return what both hosts can do, best first.

    AES-256-GCM is best where both CPUs have AES instructions, ChaCha20-Poly1305 where one has not.
    """
    if not are_both_able(NAME, facts_a, facts_b):
        return ()
    aes, chacha, weaker = CIPHERS
    order = (*fastest_first(facts_a, facts_b, aes, chacha), weaker)
    both = supports_of(NAME, facts_a, facts_b)
    return best_first(_suite(one) for one in order if all(one in support.ciphers for support in both))


def _suite(ciphersuite: str) -> Suite:
    cipher, digest = CIPHERS[ciphersuite]
    return Suite(
        name=cipher.lower(),
        title=f"{cipher}, {GROUP}, P-384 certificates",
        algorithms=(cipher, "TLS-1.3", GROUP, "ECDSA-P-384", digest),
        settings={"ciphersuite": ciphersuite},
    )
