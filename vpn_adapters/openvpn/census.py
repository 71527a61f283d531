"""Every cipher and digest that OpenVPN lists on both hosts, each with the suite that tries it."""

from __future__ import annotations

from app.domain.hosts import HostFacts
from app.domain.messages import mark
from app.domain.solutions import CensusOption, OptionKind
from vpn_adapters.openvpn import suites
from vpn_adapters.openvpn.algorithms import NO_CIPHER, NO_DIGEST, alias_of, is_aead, is_no_digest
from vpn_adapters.openvpn.discovery import PREFERRED_GROUPS
from vpn_adapters.openvpn.support import Supports, common_group, needs_legacy_provider
from vpn_adapters.shared.discovering import are_both_able, common_names, supports_of

STUDY_DIGEST = "SHA1"
STUDY_CIPHER = "AES-128-CBC"
"""Fixed partner of each cipher and each digest in a census. Source: Lackorzynski, Köpsell, Strufe 2019, Table III."""

_LEGACY_NOTE = mark("OpenVPN lists it only with OpenSSL's legacy provider (providers legacy default).")
_UNLISTED_NOTE = mark("OpenVPN accepts it without listing it: openvpn(8), --data-ciphers and --auth.")


def options(name: str, facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
    """Return every option, ciphers first, each kind in the order in which A lists it."""
    if not are_both_able(name, facts_a, facts_b):
        return ()
    a, b = supports = supports_of(name, facts_a, facts_b)
    if not common_group(supports, PREFERRED_GROUPS):
        return ()

    def option(kind: OptionKind, cipher: str, digest: str) -> CensusOption:
        asked = digest if kind is OptionKind.MAC else cipher
        suite = suites.chosen(name, facts_a, facts_b, suite=suite_name(kind, asked), cipher=cipher, digest=digest)
        return CensusOption(
            name=asked,
            kind=kind,
            suite=suite,
            alias_of=alias_of(digest) if kind is OptionKind.MAC else "",
            is_unprotected=is_no_digest(digest) or cipher == NO_CIPHER,
            note=_note(supports, asked),
        )

    ciphers = (*common_names(a.ciphers, b.ciphers), NO_CIPHER)
    digests = (*common_names(a.digests, b.digests), NO_DIGEST)
    return (
        *(option(OptionKind.CIPHER, one, STUDY_DIGEST) for one in ciphers if not is_aead(one)),
        *(option(OptionKind.AEAD, one, STUDY_DIGEST) for one in ciphers if is_aead(one)),
        *(option(OptionKind.MAC, STUDY_CIPHER, one) for one in digests),
    )


def suite_name(kind: OptionKind, name: str) -> str:
    """Return the name of the suite that tries an option; names hold `/`, which a suite's name must not."""
    return f"{kind}-{name.lower().replace('/', '_')}"


def _note(supports: Supports, name: str) -> str:
    if name in (NO_CIPHER, NO_DIGEST):
        return _UNLISTED_NOTE
    return _LEGACY_NOTE if any(needs_legacy_provider(support, name) for support in supports) else ""
