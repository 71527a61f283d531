"""Capabilities of a host's OpenVPN, as the program lists them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.domain.commands import Command, CommandResult
from app.domain.hosts import MissingPart, SolutionSupport
from app.domain.messages import mark
from vpn_adapters.shared import discovering
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.messages import OPENVPN_TOO_OLD

PEER_FINGERPRINT = "peer-fingerprint"
"""Pinning the peer's certificate. Source: openvpn(8); in OpenVPN since 2.6."""

TLS_1_3 = "tls-1.3"
GROUP_PREFIX = "tls-group:"
"""Features that begin so name a key-exchange group of the host's TLS library."""

LEGACY_PREFIX = "needs-legacy-provider:"
"""Features that begin so name a cipher or digest which is listed only with `--providers legacy default`.

Source: openvpn(8), --providers; OSSL_PROVIDER-legacy(7).
"""

MINIMUM_VERSION = (2, 5)
FINGERPRINT_VERSION = (2, 6)
P_384 = "secp384r1"
PREFERRED_GROUPS = ("X25519MLKEM768", "X25519", P_384)
"""Best first; OpenVPN can be held to one since 2.5 (tls-groups).

Source: draft-ietf-tls-ecdhe-mlkem for the hybrid of X25519 and ML-KEM-768 (FIPS 203).
"""


COMMANDS: Mapping[str, Command] = {
    "version": discovering.query("openvpn", "--version"),
    "ciphers": discovering.query("openvpn", "--show-ciphers"),
    "digests": discovering.query("openvpn", "--show-digests"),
    "legacy-ciphers": discovering.query("openvpn", "--providers", "legacy", "default", "--show-ciphers"),
    "legacy-digests": discovering.query("openvpn", "--providers", "legacy", "default", "--show-digests"),
    "openssl": discovering.query("openssl", "version"),
    "groups": discovering.query("openssl", "list", "-tls-groups"),
    "modules": discovering.modules_query("tun"),
    "apparmor": root_script("openvpn", "confined.sh"),
}

_CIPHER_LINE = re.compile(r"^([A-Za-z0-9][A-Za-z0-9_.-]{1,62})  \(\d+ bit key", re.MULTILINE)
_DIGEST_LINE = re.compile(r"^([A-Za-z0-9][A-Za-z0-9_/.-]{1,62}) \d+ bit digest size$", re.MULTILINE)
_VERSION_LINE = re.compile(r"^OpenVPN (\d+)\.(\d+)(\S*) ", re.MULTILINE)
_LIBRARY_LINE = re.compile(r"^library versions: OpenSSL (\d+)\.(\d+)\.(\d+)", re.MULTILINE)


def parse(outputs: Mapping[str, CommandResult], name: str) -> SolutionSupport:
    """Translate the answers.

    Source: what OpenVPN 2.5.1 and 2.6.14 and OpenSSL 3.5 print. `--show-ciphers` has a line of text in the middle of
    its list, and `--show-digests` lists some digests once per provider.
    """
    version_text = discovering.text_of(outputs, "version")
    match = _VERSION_LINE.search(version_text)
    missing = _missing(outputs, name, has_openvpn=match is not None)
    note = _obstacle(outputs, match)
    ciphers, legacy_ciphers = _listed(outputs, "ciphers", _CIPHER_LINE)
    digests, legacy_digests = _listed(outputs, "digests", _DIGEST_LINE)
    return SolutionSupport(
        solution=name,
        is_available=not missing and not note,
        version="".join((match.group(1), ".", match.group(2), match.group(3))) if match else "",
        features=(
            *_features(outputs, match),
            *(f"{LEGACY_PREFIX}{one}" for one in (*legacy_ciphers, *legacy_digests)),
        ),
        ciphers=(*ciphers, *legacy_ciphers),
        digests=(*digests, *legacy_digests),
        missing=missing,
        note=note,
    )


def _listed(
    outputs: Mapping[str, CommandResult], question: str, line: re.Pattern[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what is listed, each name once, and what is listed only with the legacy provider."""
    plain = dict.fromkeys(line.findall(discovering.text_of(outputs, question)))
    with_legacy = dict.fromkeys(line.findall(discovering.text_of(outputs, f"legacy-{question}")))
    return tuple(plain), tuple(name for name in with_legacy if name not in plain)


def _missing(outputs: Mapping[str, CommandResult], name: str, *, has_openvpn: bool) -> tuple[MissingPart, ...]:
    has_openssl = "OpenSSL" in discovering.text_of(outputs, "openssl")
    programs = discovering.missing_programs({"openvpn": has_openvpn, "openssl": has_openssl}, name)
    return (*programs, *discovering.missing_modules(outputs.get("modules"), ("tun",), name))


def _version(match: re.Match[str]) -> tuple[int, int]:
    return int(match.group(1)), int(match.group(2))


def _obstacle(outputs: Mapping[str, CommandResult], match: re.Match[str] | None) -> str:
    if match is None:
        return ""
    if _version(match) < MINIMUM_VERSION:
        return OPENVPN_TOO_OLD(major=match.group(1), minor=match.group(2))
    if _openssl_version(outputs) < (1, 0, 2):
        return mark(
            "This OpenVPN is built with another TLS library than OpenSSL, or with one older than 1.0.2, with which "
            "Tunnelmark does not set it up. Install the build with OpenSSL (on OpenWrt: openvpn-openssl)."
        )
    confined = outputs.get("apparmor")
    if confined is not None and confined.stdout.strip() == "confined":
        return mark(
            "The host's AppArmor profile `openvpn` confines OpenVPN to /etc/openvpn, so that it cannot read a "
            "configuration under /run. Disable that profile, or choose another solution."
        )
    return ""


def _openssl_version(outputs: Mapping[str, CommandResult]) -> tuple[int, ...]:
    library = _LIBRARY_LINE.search(discovering.text_of(outputs, "version"))
    return tuple(int(part) for part in library.groups()) if library else (0, 0, 0)


def _features(outputs: Mapping[str, CommandResult], match: re.Match[str] | None) -> tuple[str, ...]:
    numbers = _openssl_version(outputs)
    if match is None or numbers < (1, 0, 2):
        return ()
    features = [PEER_FINGERPRINT] if _version(match) >= FINGERPRINT_VERSION else []
    features.append(f"{GROUP_PREFIX}{P_384}")
    if numbers >= (1, 1, 1):
        features += [TLS_1_3, f"{GROUP_PREFIX}X25519"]
    listed = re.split(r"[\s:]+", discovering.stdout_of(outputs, "groups"))
    # The openssl program may be another version than the library that OpenVPN is linked with.
    if numbers >= (3, 5, 0) and "X25519MLKEM768" in listed:
        features.append(f"{GROUP_PREFIX}X25519MLKEM768")
    return tuple(features)
