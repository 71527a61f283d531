"""Ciphers that two hosts' vtunds have in common: a fixed table, because no command lists them."""

from __future__ import annotations

from app.domain.hosts import HostFacts
from app.domain.messages import mark
from app.domain.solutions import CensusOption, OptionKind, Suite
from vpn_adapters.shared.discovering import are_both_able, best_first, supports_of
from vpn_adapters.shared.vtund.ciphers import CIPHERS, NO_CIPHER
from vpn_adapters.shared.vtund.discovery import LEGACY_PROVIDER

_OFFERED = ("aes256cbc", "aes128cbc", "blowfish128ecb")
"""The two that are least bad, and the one that `encrypt yes` means: what plants have."""

_NOTE = mark("vtund lists no ciphers; this one is in vtund.conf(5) of VTun 3.0.4.")
_BROKEN_NOTE = mark(
    "In vtund.conf(5) of VTun 3.0.4, but on a CPU of 64 bits VTun overwrites the first 4 bytes of each frame with it."
)


def offered(solution: str, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
    """Return what both hosts can do, best first; all of it is insecure. The order is the same for every CPU."""
    common = _common(solution, facts_a, facts_b)
    return best_first(_suite(name) for name in _OFFERED if name in common)


def census(solution: str, facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
    """Return every cipher that both hosts have, and none at all."""
    return tuple(
        CensusOption(
            name=name,
            kind=OptionKind.CIPHER,
            suite=_suite(name),
            is_unprotected=name == NO_CIPHER,
            note=_BROKEN_NOTE if CIPHERS[name].is_broken else _NOTE,
        )
        for name in _common(solution, facts_a, facts_b)
    )


def _common(solution: str, facts_a: HostFacts, facts_b: HostFacts) -> tuple[str, ...]:
    if not are_both_able(solution, facts_a, facts_b):
        return ()
    has_legacy = all(LEGACY_PROVIDER in one.features for one in supports_of(solution, facts_a, facts_b))
    return tuple(name for name, one in CIPHERS.items() if has_legacy or not one.needs_legacy)


def _suite(name: str) -> Suite:
    cipher = CIPHERS[name]
    settings = {"encrypt": name, "legacy": "yes" if cipher.needs_legacy else "no"}
    return Suite(
        name=name,
        title=cipher.algorithm,
        algorithms=(cipher.algorithm,),
        settings=settings,
    )
