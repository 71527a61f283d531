"""Capabilities of a host's vtund, which lists no ciphers itself: they are in its manual."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.domain.commands import Command, CommandResult
from app.domain.hosts import MissingPart, SolutionSupport
from vpn_adapters.shared import discovering

LEGACY_PROVIDER = "openssl-legacy-provider"
"""Feature of a host whose OpenSSL has Blowfish in its legacy provider."""

QUERIES: Mapping[str, Command] = {
    # It knows no such option, and prints its version and usage.
    "version": discovering.query("vtund", "-h"),
    "providers": discovering.query("openssl", "list", "-providers", "-provider", "legacy"),
}

_LEGACY = re.compile(r"^ *legacy$", re.MULTILINE)
_VERSION = re.compile(r"^VTun ver (\S{1,20}) ", re.MULTILINE)


def parse(
    outputs: Mapping[str, CommandResult],
    solution: str,
    *,
    missing: tuple[MissingPart, ...],
    features: tuple[str, ...] = (),
) -> SolutionSupport:
    """Translate the answers to QUERIES. Source: what VTun 3.0.4 and OpenSSL 3.0 of Debian 12 print.

    Args:
        outputs: The host's answers.
        solution: The one that asks.
        missing: What else it lacks.
        features: What else it has.
    """
    version = _VERSION.search(discovering.text_of(outputs, "version"))
    lacking = discovering.missing_programs({"vtund": version is not None}, solution) + missing
    return SolutionSupport(
        solution=solution,
        is_available=not lacking,
        version=version[1] if version else "",
        features=(
            *((LEGACY_PROVIDER,) if _LEGACY.search(discovering.stdout_of(outputs, "providers")) else ()),
            *features,
        ),
        missing=lacking,
    )
