"""Suites of Libreswan, and the census of all algorithms of ESP: negotiated by IKEv2 with X25519 and P-384 keys."""

from __future__ import annotations

from dataclasses import replace

from app.domain.hosts import HostFacts
from app.domain.messages import mark
from app.domain.solutions import CensusOption, OptionKind, Suite
from vpn_adapters.libreswan.algorithms import CIPHERS, INTEGRITIES
from vpn_adapters.libreswan.info import NAME
from vpn_adapters.shared.discovering import are_both_able, best_first, fastest_first
from vpn_adapters.shared.strongswan.algorithms import EspProposal

ESP = "esp"

IKE = "aes_gcm256-sha2_384-dh31"
SHOWN_IKE = "AES_GCM_16_256-HMAC_SHA2_384-DH31"
GROUP = "dh31"
"""X25519. Source: Libreswan 5.2, the list of algorithms in its log; `ipsec algparse`."""

LOG_NOTE = mark("Its log lists what ESP can be asked for; whether the kernel has it is seen when it is tried.")


def offered(facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
    """Return what both hosts can do, best first: ChaCha20-Poly1305 is where one CPU has no AES instructions."""
    if not are_both_able(NAME, facts_a, facts_b):
        return ()
    order = fastest_first(facts_a, facts_b, "aes_gcm256", "chacha20_poly1305")
    suites = (_suite(written) for written in (*order, "aes_gcm128"))
    return best_first(replace(suite, name=suite.algorithms[0].lower()) for suite in suites)


def census(facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
    """Return every cipher with HMAC-SHA-1, every integrity algorithm with AES-128-CBC, and every AEAD."""
    if not are_both_able(NAME, facts_a, facts_b):
        return ()
    found = []
    for word, cipher in CIPHERS.items():
        suite = _suite(word if cipher.kind is OptionKind.AEAD else f"{word}-sha1")
        note = f"{LOG_NOTE} {cipher.note}".strip()
        found.append(CensusOption(word, cipher.kind, suite, is_unprotected=cipher.is_unprotected, note=note))
    for word in INTEGRITIES:
        suite = replace(_suite(f"aes128-{word}"), name=f"mac-aes128-{word}")
        found.append(CensusOption(word, OptionKind.MAC, suite, note=LOG_NOTE))
    return tuple(found)


def _suite(written: str) -> Suite:
    first, _, second = written.partition("-")
    proposal = EspProposal(CIPHERS[first], INTEGRITIES[second] if second else None)
    title = " with ".join(proposal.algorithms)
    return Suite(
        name=f"esp-{written}",
        title=f"{title}, X25519, ECDSA-P-384 keys",
        algorithms=tuple(dict.fromkeys((*proposal.algorithms, "AES-256-GCM", "SHA384", "X25519", "ECDSA-P-384"))),
        settings={ESP: written},
    )
