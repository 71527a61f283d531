"""Every cipher and digest that OpenSSL lists on both hosts, each with the suite that tries it in tinc."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.hosts import HostFacts, SolutionSupport
from app.domain.messages import mark, sentences
from app.domain.solutions import CensusOption, OptionKind
from vpn_adapters.shared.discovering import are_both_able, common_names, supports_of
from vpn_adapters.tinc.discovery import ALIAS_PREFIX
from vpn_adapters.tinc.info import NAME
from vpn_adapters.tinc.numbers import NONE, cipher_kind, cipher_number, digest_number
from vpn_adapters.tinc.suites import Meant, chosen

STUDY_DIGEST = "SHA1"
STUDY_CIPHER = "AES-128-CBC"
"""Fixed partner of each cipher and each digest in a census. Source: Lackorzynski, Köpsell, Strufe 2019, Table III."""

_NOTE = mark("tinc lists nothing; the name is one of those that `openssl list` prints.")
_NONE_NOTE = mark("tinc's own word for none: tinc.conf(5).")
_NUMBER_NOTE = mark("Its number in tinc's own report is not known here, so that any number but 0 is taken for it.")


def options(facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
    """Return every option, ciphers first, each kind in the order in which A's OpenSSL lists it."""
    if not are_both_able(NAME, facts_a, facts_b):
        return ()
    a, b = supports_of(NAME, facts_a, facts_b)
    aliases = aliases_of(a)
    ciphers = (*common_names(a.ciphers, b.ciphers), NONE)
    digests = (*common_names(a.digests, b.digests), NONE)

    def option(kind: OptionKind, cipher: str, digest: str) -> CensusOption:
        asked = digest if kind is OptionKind.MAC else cipher
        meant = Meant(aliases.get(cipher, cipher), aliases.get(digest, digest))
        # Modes that tinc gives too little fail packet by packet, which it says only where it speaks of each packet.
        debug = 5 if kind is OptionKind.AEAD and "poly1305" not in asked.lower() else 2
        name = f"{kind}-{asked.lower().replace('/', '_')}"
        number = digest_number(meant.digest) if kind is OptionKind.MAC else cipher_number(meant.cipher)
        return CensusOption(
            name=asked,
            kind=kind,
            suite=chosen(name=name, cipher=cipher, digest=digest, meant=meant, debug=debug),
            alias_of=aliases.get(asked, ""),
            is_unprotected=asked.lower() in (NONE, "null"),
            note=_NONE_NOTE if asked == NONE else sentences((_NOTE, _NUMBER_NOTE if number is None else "")),
        )

    return (
        *(option(cipher_kind(one), one, STUDY_DIGEST) for one in ciphers if cipher_kind(one) is OptionKind.CIPHER),
        *(option(cipher_kind(one), one, STUDY_DIGEST) for one in ciphers if cipher_kind(one) is OptionKind.AEAD),
        *(option(OptionKind.MAC, STUDY_CIPHER, one) for one in digests),
    )


def aliases_of(support: SolutionSupport) -> Mapping[str, str]:
    """Return which names of a host are aliases of which others."""
    pairs = (
        word.removeprefix(ALIAS_PREFIX).partition("=") for word in support.features if word.startswith(ALIAS_PREFIX)
    )
    return {name: other for name, _, other in pairs}
