"""freelan's cipher suites and curves: a fixed table, because no command lists them."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.hosts import HostFacts
from app.domain.messages import mark
from app.domain.solutions import CensusOption, OptionKind, Suite
from vpn_adapters.freelan.info import NAME
from vpn_adapters.shared.discovering import are_both_able, best_first

CIPHER_SUITES: Mapping[str, tuple[str, str]] = {
    "ecdhe_rsa_aes256_gcm_sha384": ("AES-256-GCM", "SHA384"),
    "ecdhe_rsa_aes128_gcm_sha256": ("AES-128-GCM", "SHA256"),
}
"""Cipher suite, as freelan writes it → its cipher and the digest that it signs and derives keys with, strongest first.

Source: /usr/share/doc/freelan of 2.2: freelan.cfg, "Specify the cipher suites"; libs/fscp/include/fscp/constants.hpp,
class cipher_suite_type.
"""

CURVES: Mapping[str, str] = {"secp384r1": "P-384", "secp521r1": "P-521", "sect571k1": "sect571k1"}
"""Curve, as freelan writes it → as the policy knows it, best first: P-384 is several times faster than P-521.

Source: freelan.cfg of 2.2, "Specify the elliptic curves"; constants.hpp, class elliptic_curve_type. freelan itself
prefers sect571k1, a binary curve that NIST SP 800-186 section 3.3 has deprecated.
"""

SIGNATURE = "RSA-3072"
_SAFE_CURVES = ("secp384r1", "secp521r1")
_NOTE = mark("freelan lists no ciphers; this one is in the example configuration of freelan 2.2.")


def offered(facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
    """Return what both hosts can do, best first.

    The order is the same for every CPU: freelan has AES-GCM only, and the shorter key is hardly faster where the
    program spends its time in copying frames.
    """
    if not are_both_able(NAME, facts_a, facts_b):
        return ()
    pairs = [(suite, curve) for curve in _SAFE_CURVES for suite in CIPHER_SUITES]
    return best_first(_suite(suite, curve) for suite, curve in pairs)


def census(facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
    """Return every cipher suite with every curve, as the study counted them: six."""
    if not are_both_able(NAME, facts_a, facts_b):
        return ()
    return tuple(
        CensusOption(name=f"{suite} {curve}", kind=OptionKind.AEAD, suite=_suite(suite, curve), note=_NOTE)
        for suite in CIPHER_SUITES
        for curve in CURVES
    )


def _suite(cipher_suite: str, curve: str) -> Suite:
    cipher, digest = CIPHER_SUITES[cipher_suite]
    return Suite(
        name=f"{cipher.lower()}-{curve}",
        title=f"{cipher}, {CURVES[curve]}, {SIGNATURE} certificates",
        algorithms=(cipher, CURVES[curve], SIGNATURE, digest),
        settings={"cipher-suite": cipher_suite, "curve": curve},
    )
