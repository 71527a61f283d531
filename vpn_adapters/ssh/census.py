"""Every cipher and MAC that OpenSSH lists on both hosts, each with the suite that tries it."""

from __future__ import annotations

from app.domain.hosts import HostFacts
from app.domain.solutions import CensusOption, OptionKind
from vpn_adapters.shared.discovering import are_both_able, supports_of
from vpn_adapters.shared.openssh.algorithms import alias_of, is_aead
from vpn_adapters.shared.openssh.suites import chosen, common_kex
from vpn_adapters.ssh.info import NAME

STUDY_MAC = "hmac-sha1"
STUDY_CIPHER = "aes128-cbc"
"""Fixed partner of each cipher and each MAC in a census. Source: Lackorzynski, Köpsell, Strufe 2019, Table III."""
OTHER_CIPHER = "aes128-ctr"
"""Goes with each MAC where a build of OpenSSH has left CBC out."""


def options(facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
    """Return every option, ciphers first, each kind in the order in which A lists it."""
    if not are_both_able(NAME, facts_a, facts_b):
        return ()
    a, b = supports_of(NAME, facts_a, facts_b)
    kex = common_kex(NAME, facts_a, facts_b)
    if not kex:
        return ()
    ciphers = [name for name in a.ciphers if name in b.ciphers]
    macs = [name for name in a.digests if name in b.digests]
    partner = STUDY_CIPHER if STUDY_CIPHER in ciphers else OTHER_CIPHER

    def option(kind: OptionKind, cipher: str, mac: str) -> CensusOption:
        asked = mac if kind is OptionKind.MAC else cipher
        return CensusOption(
            name=asked,
            kind=kind,
            suite=chosen(kex, name=f"{kind}-{asked}", cipher=cipher, mac=mac),
            alias_of=alias_of(asked),
        )

    return (
        *(option(OptionKind.CIPHER, one, STUDY_MAC) for one in ciphers if not is_aead(one)),
        *(option(OptionKind.AEAD, one, STUDY_MAC) for one in ciphers if is_aead(one)),
        *(option(OptionKind.MAC, partner, one) for one in macs),
    )
