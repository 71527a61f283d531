"""Capabilities of a host's stunnel and pppd: programs of both roles, since either host may be A."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.domain.commands import Command, CommandResult
from app.domain.hosts import SolutionSupport
from vpn_adapters.shared import discovering, ppp
from vpn_adapters.shared.messages import STUNNEL_TOO_OLD
from vpn_adapters.stunnel.info import NAME

GROUP = "X25519"
"""Group of the key exchange, which every stunnel with TLS 1.3 lists. Source: stunnel(8) of 5.68, curves."""

COMMANDS: Mapping[str, Command] = {
    "stunnel": discovering.query("stunnel", "-version"),
    "openssl": discovering.query("openssl", "version"),
    **ppp.STREAM_QUERIES,
}

_VERSION = re.compile(r"^stunnel (\d{1,3}\.\d{1,3}\w{0,5}) on ", re.MULTILINE)
_CIPHERS = re.compile(r"^ciphersuites += ([A-Z0-9_:]{1,400})", re.MULTILINE)
_GROUPS = re.compile(r"^curves += ([A-Za-z0-9_:-]{1,400})", re.MULTILINE)


def parse(outputs: Mapping[str, CommandResult]) -> SolutionSupport:
    """Translate the answers. Source: what stunnel 5.68, OpenSSL 3.0 and ppp 2.4.9 of Debian 12 print."""
    text = discovering.text_of(outputs, "stunnel")
    version, ciphers = _VERSION.search(text), _listed(_CIPHERS, text)
    has_openssl = "OpenSSL " in discovering.text_of(outputs, "openssl")
    missing = discovering.missing_programs({"stunnel": version is not None, "openssl": has_openssl}, NAME)
    missing += ppp.missing_stream_parts(outputs, NAME)
    is_old = version is not None and not (ciphers and GROUP in _listed(_GROUPS, text))
    return SolutionSupport(
        solution=NAME,
        is_available=not missing and not is_old,
        version=version[1] if version else "",
        features=ppp.path_feature(outputs),
        ciphers=ciphers,
        missing=missing,
        note=STUNNEL_TOO_OLD(version=version[1]) if version and is_old else "",
    )


def _listed(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    """Return the names of a list that stunnel has by default."""
    found = pattern.search(text)
    return tuple(dict.fromkeys(filter(None, found[1].split(":")))) if found else ()
