"""Which cryptographic choices two hosts' OpenVPNs have in common."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from app.domain.adapters import Suite
from app.domain.hosts import HostFacts, SolutionSupport
from vpn_adapters.openvpn.discovery import GROUP_PREFIX, PEER_FINGERPRINT, PREFERRED_GROUPS, TLS_1_3
from vpn_adapters.shared.discovering import are_both_able

CONTROL_SUITES: Mapping[str, str] = MappingProxyType(
    {
        "AES-256-GCM": "TLS_AES_256_GCM_SHA384",
        "CHACHA20-POLY1305": "TLS_CHACHA20_POLY1305_SHA256",
        "AES-128-GCM": "TLS_AES_128_GCM_SHA256",
    }
)
"""Cipher of the data channel → TLS 1.3 suite of the control channel with the same cipher. Source: RFC 8446 B.4."""

_HASHES = {
    "TLS_AES_256_GCM_SHA384": "SHA384",
    "TLS_CHACHA20_POLY1305_SHA256": "SHA256",
    "TLS_AES_128_GCM_SHA256": "SHA256",
}


def offered(name: str, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
    """Return what both hosts can do, best first.

    AES-256-GCM is best where both CPUs have AES instructions, ChaCha20-Poly1305 where one has not, since software AES
    is several times slower than ChaCha20 and leaks through caches.

    Args:
        name: The solution's name.
        facts_a: What was found on A.
        facts_b: What was found on B.

    Returns:
        Suites; the first is the default. Empty where one host cannot.
    """
    if not are_both_able(name, facts_a, facts_b):
        return ()
    supports = (facts_a.solutions[name], facts_b.solutions[name])
    group = _common_group(supports)
    if not group or not all({PEER_FINGERPRINT, TLS_1_3} <= set(support.features) for support in supports):
        return ()
    is_aes_fast = facts_a.has_aes_instructions and facts_b.has_aes_instructions
    order = ["AES-256-GCM", "CHACHA20-POLY1305"] if is_aes_fast else ["CHACHA20-POLY1305", "AES-256-GCM"]
    listed = [{cipher.upper() for cipher in support.ciphers} for support in supports]
    common = [cipher for cipher in (*order, "AES-128-GCM") if all(cipher in one for one in listed)]
    return tuple(_suite(cipher, group, is_default=index == 0) for index, cipher in enumerate(common))


def _common_group(supports: tuple[SolutionSupport, SolutionSupport]) -> str:
    for group in PREFERRED_GROUPS:
        if all(f"{GROUP_PREFIX}{group}" in support.features for support in supports):
            return group
    return ""


def _suite(cipher: str, group: str, *, is_default: bool) -> Suite:
    control = CONTROL_SUITES[cipher]
    return Suite(
        name=cipher.lower(),
        title=f"{cipher}, {group}, P-384 certificates",
        algorithms=(cipher, "TLS-1.3", group, "ECDSA-P-384", _HASHES[control]),
        settings=MappingProxyType(
            {"data-ciphers": cipher, "auth": "SHA256", "tls-ciphersuites": control, "tls-groups": group}
        ),
        is_default=is_default,
    )
