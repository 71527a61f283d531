"""Suites that two hosts' strongSwans have in common, and the census of all algorithms of ESP."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from app.domain.hosts import HostFacts
from app.domain.messages import mark
from app.domain.solutions import CensusOption, OptionKind, Suite
from vpn_adapters.shared.discovering import are_both_able, best_first, fastest_first
from vpn_adapters.shared.strongswan import discovery
from vpn_adapters.shared.strongswan.algorithms import CIPHERS, INTEGRITIES, EspProposal

ESP, IKE, GROUP, AUTHENTICATION, SHOWN_IKE = "esp", "ike", "group", "authentication", "shown-ike"
ML_KEM_WORD = "ke1_mlkem768"
PPK = "ppk"
PPK_ALGORITHM = "ike-mlkem768-ppk"

NO_INTEGRITY = "none"
"""The census's name for a cipher without any integrity algorithm, which strongSwan has no word for."""

TABLE_NOTE = mark("No program lists what ESP can do; the name is from strongSwan's table of proposal words.")

_GROUPS = {discovery.X25519: ("x25519", "CURVE_25519", "X25519"), discovery.ECP384: ("ecp384", "ECP_384", "P-384")}
# Best first. AES-256 without an AEAD goes with HMAC-SHA-384.
_IKE = {
    discovery.GCM: ("aes256gcm16-prfsha384", "AES_GCM_16-256/PRF_HMAC_SHA2_384", ("AES-256-GCM", "SHA384")),
    discovery.CHACHA: (
        "chacha20poly1305-prfsha384",
        "CHACHA20_POLY1305/PRF_HMAC_SHA2_384",
        ("CHACHA20-POLY1305", "SHA384"),
    ),
    discovery.CBC: (
        "aes256-sha384",
        "AES_CBC-256/HMAC_SHA2_384_192/PRF_HMAC_SHA2_384",
        ("AES-256-CBC", "HMAC-SHA384", "SHA384"),
    ),
}


def offered(solution: str, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
    """Return AEADs of ESP with the strongest negotiation that both hosts can, best first.

    AES-256-GCM is best where both CPUs have AES instructions, ChaCha20-Poly1305 where one has not.
    """
    common = _common(solution, facts_a, facts_b)
    order = fastest_first(facts_a, facts_b, "aes256gcm16", "chacha20poly1305")
    names = {"aes256gcm16": "aes-256-gcm", "chacha20poly1305": "chacha20-poly1305", "aes128gcm16": "aes-128-gcm"}
    suites = [_suite(common, EspProposal(CIPHERS[word]), names[word]) for word in (*order, "aes128gcm16")]
    if discovery.PPK in common and discovery.ML_KEM not in common:
        suites += [_with_ppk(suite) for suite in suites[:1] if suite is not None]
    return best_first(suite for suite in suites if suite is not None)


def census(solution: str, facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
    """Return every cipher with HMAC-SHA-1, every integrity algorithm with AES-128-CBC, and every AEAD."""
    common = _common(solution, facts_a, facts_b)
    found: list[CensusOption | None] = []
    for cipher in CIPHERS.values():
        is_aead = cipher.kind is OptionKind.AEAD
        proposal = EspProposal(cipher, None if is_aead else INTEGRITIES["sha1"])
        suite = _suite(common, proposal, f"esp-{proposal.keywords}")
        found.append(_option(cipher.keyword, cipher.kind, suite, cipher.note, is_unprotected=cipher.is_unprotected))
    for integrity in INTEGRITIES.values():
        suite = _suite(common, EspProposal(CIPHERS["aes128"], integrity), f"mac-aes128-{integrity.keyword}")
        found.append(_option(integrity.keyword, OptionKind.MAC, suite, integrity.note, is_unprotected=False))
    bare = _suite(common, EspProposal(CIPHERS["aes128"]), "mac-aes128-none")
    found.append(
        _option(NO_INTEGRITY, OptionKind.MAC, bare, mark("AES-128-CBC with nothing beside it."), is_unprotected=True)
    )
    return tuple(option for option in found if option is not None)


def _option(
    name: str, kind: OptionKind, suite: Suite | None, note: str, *, is_unprotected: bool
) -> CensusOption | None:
    if suite is None:
        return None
    return CensusOption(name, kind, suite, is_unprotected=is_unprotected, note=f"{TABLE_NOTE} {note}".strip())


def _common(solution: str, facts_a: HostFacts, facts_b: HostFacts) -> frozenset[str]:
    """Return what both hosts' strongSwans can; empty where one host cannot be used."""
    if not are_both_able(solution, facts_a, facts_b):
        return frozenset()
    return frozenset(facts_a.solutions[solution].features) & frozenset(facts_b.solutions[solution].features)


def _first(common: frozenset[str], choices: Iterable[str]) -> str:
    return next((choice for choice in choices if choice in common), "")


def _suite(common: frozenset[str], esp: EspProposal, name: str) -> Suite | None:
    ike, group = _first(common, _IKE), _first(common, _GROUPS)
    signature = _first(common, (discovery.ED25519, discovery.ECDSA))
    if not (ike and group and signature):
        return None
    word, shown_group, title = _GROUPS[group]
    is_hybrid = discovery.ML_KEM in common
    words, shown, ike_algorithms = _IKE[ike]
    key_title = "Ed25519" if signature == discovery.ED25519 else "ECDSA-P-384"
    key_exchange = (title, "ML-KEM-768") if is_hybrid else (title,)
    algorithms = [*esp.algorithms, *ike_algorithms, *key_exchange, key_title]
    if esp.cipher.kind is OptionKind.CIPHER and esp.integrity is None:
        algorithms.append("null-authentication")
    tail = f"-{ML_KEM_WORD}" if is_hybrid else ""
    return Suite(
        name=name,
        title=f"{_title(esp)}, {' and '.join(key_exchange)}, {key_title} keys",
        algorithms=tuple(dict.fromkeys(algorithms)),
        settings={
            ESP: esp.keywords,
            IKE: f"{words}-{word}{tail}",
            GROUP: f"{word}{tail}",
            AUTHENTICATION: signature.removeprefix("auth:"),
            SHOWN_IKE: f"{shown}/{shown_group}" + ("/KE1_ML_KEM_768" if is_hybrid else ""),
        },
    )


def has_ppk(suite: Suite) -> bool:
    """Whether a suite has a post-quantum pre-shared key from ML-KEM-768 (RFC 8784)."""
    return suite.settings.get(PPK) == PPK_ALGORITHM


def _with_ppk(suite: Suite) -> Suite:
    settings = {**suite.settings, PPK: PPK_ALGORITHM, SHOWN_IKE: f"{suite.settings[SHOWN_IKE]}/PPK"}
    return replace(
        suite,
        name=f"{suite.name}-ppk",
        title=f"{suite.title}, PPK with ML-KEM-768",
        algorithms=(*suite.algorithms, PPK_ALGORITHM),
        settings=settings,
    )


def _title(esp: EspProposal) -> str:
    return " with ".join(name for name in (esp.cipher.policy_name, esp.integrity and esp.integrity.policy_name) if name)
