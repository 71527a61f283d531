"""Methods that two hosts' fastd have in common."""

from __future__ import annotations

from app.domain.hosts import HostFacts
from app.domain.messages import mark
from app.domain.solutions import CensusOption, Suite
from vpn_adapters.fastd.info import NAME
from vpn_adapters.fastd.methods import METHODS
from vpn_adapters.shared.discovering import are_both_able, best_first, supports_of

KEY = "Curve25519"

_NOTE = mark("fastd lists no methods; both hosts accept this one, whose name is in its manual.")


def offered(facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
    """Return what both hosts can do, best first.

    AES-128-GCM is a standard and the fastest where both CPUs have AES instructions; without them it is slow and leaks
    through caches, and Salsa20/12 with UMAC is what fastd's manual recommends.
    """
    methods = ["aes128-gcm", "salsa2012+umac", "salsa2012+gmac"]
    if not (facts_a.has_aes_instructions and facts_b.has_aes_instructions):
        methods = [*methods[1:], methods[0]]
    common = _common(facts_a, facts_b)
    return best_first(_suite(method) for method in methods if method in common)


def census(facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
    """Return every method that both hosts accept. Cipher and MAC come together: there is no partner to choose."""
    return tuple(
        CensusOption(
            name=method,
            kind=METHODS[method].kind,
            suite=_suite(method),
            is_unprotected=METHODS[method].is_unprotected,
            note=_NOTE,
        )
        for method in _common(facts_a, facts_b)
    )


def _common(facts_a: HostFacts, facts_b: HostFacts) -> tuple[str, ...]:
    if not are_both_able(NAME, facts_a, facts_b):
        return ()
    a, b = supports_of(NAME, facts_a, facts_b)
    return tuple(method for method in METHODS if method in a.ciphers and method in b.ciphers)


def _suite(method: str) -> Suite:
    one = METHODS[method]
    return Suite(
        name=method.replace("+", "-").replace("@", "-"),
        title=one.title,
        algorithms=(*one.algorithms, KEY, "SHA256"),
        settings={"method": method, "header": str(one.header_bytes)},
    )
