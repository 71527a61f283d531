"""Cryptographic choices that two hosts' OpenVPN have in common."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.hosts import HostFacts
from app.domain.solutions import Suite
from vpn_adapters.openvpn.algorithms import is_aead, policy_names
from vpn_adapters.openvpn.discovery import P_384, PREFERRED_GROUPS, TLS_1_3
from vpn_adapters.openvpn.support import Supports, common_group, have_all, needs_legacy_provider
from vpn_adapters.shared.discovering import are_both_able, best_first, fastest_first, supports_of

TLS_1_3_SUITES: Mapping[str, str] = {
    "AES-256-GCM": "TLS_AES_256_GCM_SHA384",
    "CHACHA20-POLY1305": "TLS_CHACHA20_POLY1305_SHA256",
    "AES-128-GCM": "TLS_AES_128_GCM_SHA256",
}
"""Cipher of the data channel → TLS 1.3 suite of the control channel with the same cipher. Source: RFC 8446 B.4."""

TLS_1_2_SUITES: Mapping[str, str] = {
    "AES-256-GCM": "TLS-ECDHE-ECDSA-WITH-AES-256-GCM-SHA384",
    "CHACHA20-POLY1305": "TLS-ECDHE-ECDSA-WITH-CHACHA20-POLY1305-SHA256",
    "AES-128-GCM": "TLS-ECDHE-ECDSA-WITH-AES-128-GCM-SHA256",
}
"""Cipher suites of TLS 1.2, as OpenVPN writes them. Source: RFC 5289, RFC 7905."""

LOGGED_TLS_1_2_SUITES: Mapping[str, str] = {
    "TLS-ECDHE-ECDSA-WITH-AES-256-GCM-SHA384": "ECDHE-ECDSA-AES256-GCM-SHA384",
    "TLS-ECDHE-ECDSA-WITH-CHACHA20-POLY1305-SHA256": "ECDHE-ECDSA-CHACHA20-POLY1305",
    "TLS-ECDHE-ECDSA-WITH-AES-128-GCM-SHA256": "ECDHE-ECDSA-AES128-GCM-SHA256",
}
"""TLS 1.2 suite as an option → as the log has it, which is OpenSSL's name. Source: openssl-ciphers(1)."""

PROVIDERS = "legacy default"
"""`default` has to be named beside `legacy`, or AES and TLS are gone. Source: openvpn(8), --providers."""


def offered(name: str, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
    """Return what both hosts can do, best first.

    AES-256-GCM is best where both CPUs have AES instructions, ChaCha20-Poly1305 where one has not, since software AES
    is several times slower than ChaCha20 and leaks through caches.
    """
    if not are_both_able(name, facts_a, facts_b):
        return ()
    supports = supports_of(name, facts_a, facts_b)
    if not common_group(supports, PREFERRED_GROUPS):
        return ()
    order = [*fastest_first(facts_a, facts_b, "AES-256-GCM", "CHACHA20-POLY1305"), "AES-128-GCM"]
    listed = [{cipher.upper() for cipher in support.ciphers} for support in supports]
    common = [cipher for cipher in order if all(cipher in one for one in listed)]
    return best_first(
        Suite(
            name=cipher.lower(),
            title=f"{cipher}, {control_title(supports)}",
            algorithms=(cipher, *control_algorithms(supports, cipher)),
            settings={"data-ciphers": cipher, "auth": "SHA256", **control_settings(supports, cipher)},
        )
        for cipher in common
    )


def chosen(name: str, facts_a: HostFacts, facts_b: HostFacts, *, suite: str, cipher: str, digest: str) -> Suite:
    """Return a suite with any data cipher and digest, under a control channel that is as strong as the default one.

    Args:
        facts_a: What was found on A, which can do it.
        facts_b: What was found on B, which can do it.
        cipher: Cipher as A's OpenVPN lists it, or `none`.
        digest: Digest as A's OpenVPN lists it, or `none`.

    Returns:
        The suite; never a default.
    """
    supports = supports_of(name, facts_a, facts_b)
    control, _ = fastest_first(facts_a, facts_b, "AES-256-GCM", "CHACHA20-POLY1305")
    needs_legacy = any(needs_legacy_provider(support, cipher, digest) for support in supports)
    providers = {"providers": PROVIDERS} if needs_legacy else {}
    data = cipher if is_aead(cipher) else f"{cipher} with {digest}"
    return Suite(
        name=suite,
        title=f"{data}, {control_title(supports)}",
        algorithms=(*policy_names(cipher, digest), *control_algorithms(supports, control)),
        settings={"data-ciphers": cipher, "auth": digest, **providers, **control_settings(supports, control)},
    )


def control_settings(supports: Supports, cipher: str) -> dict[str, str]:
    """Return the settings of the control channel: TLS version, its cipher suite and the key-exchange group."""
    if have_all(supports, TLS_1_3):
        version = {"tls-version": "1.3", "tls-ciphersuites": TLS_1_3_SUITES[cipher]}
    else:
        version = {"tls-version": "1.2", "tls-cipher": TLS_1_2_SUITES[cipher]}
    return {**version, "tls-groups": common_group(supports, PREFERRED_GROUPS)}


def control_algorithms(supports: Supports, cipher: str) -> tuple[str, ...]:
    """Return the algorithms of the control channel, as the policy knows them."""
    version = "TLS-1.3" if have_all(supports, TLS_1_3) else "TLS-1.2"
    group = common_group(supports, PREFERRED_GROUPS)
    hashing = "SHA384" if TLS_1_3_SUITES[cipher].endswith("SHA384") else "SHA256"
    return version, _group_title(group), "ECDSA-P-384", hashing


def control_title(supports: Supports) -> str:
    """Return the control channel in words."""
    return f"{_group_title(common_group(supports, PREFERRED_GROUPS))}, P-384 certificates"


def _group_title(group: str) -> str:
    return "P-384" if group == P_384 else group
