"""MACsec ciphers that two hosts have in common, with agreed keys (MKA) and with static ones."""

from __future__ import annotations

from collections.abc import Iterator

from app.domain.hosts import HostFacts
from app.domain.solutions import CensusOption, OptionKind, Suite
from vpn_adapters.macsec.discovery import MKA, MKA_256, MKA_OLD
from vpn_adapters.macsec.info import NAME
from vpn_adapters.shared.discovering import are_both_able, best_first, supports_of

CIPHER, KEYS, SHOWN = "cipher", "keys", "shown"
STATIC_KEYS, AGREED_KEYS = "static", "mka"

POLICY_NAMES = {"128": "AES-128-GCM", "256": "AES-256-GCM"}
_STATIC_ORDER = ("gcm-aes-xpn-256", "gcm-aes-256", "gcm-aes-xpn-128", "gcm-aes-128")
"""Best first: with extended packet numbers a static key does not run out."""


def offered(facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
    """Return what both hosts can do, best first: agreed keys before static ones."""
    return best_first(_suites(facts_a, facts_b))


def census(facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
    """Return every cipher that `ip` lists on both hosts. They have static keys: MKA allows no free choice."""
    return tuple(
        CensusOption(suite.settings[CIPHER], OptionKind.AEAD, suite)
        for suite in _suites(facts_a, facts_b)
        if suite.settings[KEYS] == STATIC_KEYS
    )


def _suites(facts_a: HostFacts, facts_b: HostFacts) -> Iterator[Suite]:
    if not are_both_able(NAME, facts_a, facts_b):
        return
    supports = supports_of(NAME, facts_a, facts_b)
    common = set(supports[0].ciphers) & set(supports[1].ciphers)
    features = set(supports[0].features) & set(supports[1].features)
    for feature, cipher in ((MKA_256, "gcm-aes-256"), (MKA, "gcm-aes-128"), (MKA_OLD, "gcm-aes-128")):
        if feature in features and cipher in common:
            yield _agreed(cipher)
    yield from (_static(cipher) for cipher in _STATIC_ORDER if cipher in common)


def _agreed(cipher: str) -> Suite:
    bits = cipher[-3:]
    return Suite(
        name=f"mka-{cipher}",
        title=f"{cipher.upper()}, keys agreed by MKA",
        algorithms=(POLICY_NAMES[bits], "macsec-mka", "AES-CMAC"),
        settings={CIPHER: cipher, KEYS: AGREED_KEYS, SHOWN: cipher.upper()},
    )


def _static(cipher: str) -> Suite:
    bits = cipher[-3:]
    return Suite(
        name=cipher,
        title=f"{cipher.upper()}, static keys",
        algorithms=(POLICY_NAMES[bits], "macsec-static-keys", "SHA256"),
        settings={CIPHER: cipher, KEYS: STATIC_KEYS, SHOWN: cipher.upper()},
    )
