"""Capabilities of a host's VTun, which lists no ciphers itself: they are in its manual."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from app.domain.commands import Command, CommandResult
from app.domain.hosts import SolutionSupport
from vpn_adapters.shared import discovering
from vpn_adapters.vtun.info import NAME

LEGACY_PROVIDER = "openssl-legacy-provider"
"""Feature of a host whose OpenSSL has Blowfish in its legacy provider."""

COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        # It knows no such option, and prints its version and usage.
        "version": discovering.query("vtund", "-h"),
        "providers": discovering.query("openssl", "list", "-providers", "-provider", "legacy"),
        "ip": discovering.query("ip", "-V"),
        "modules": discovering.modules_query("tun"),
    }
)

_VERSION = re.compile(r"^VTun ver (\S{1,20}) ", re.MULTILINE)


def parse(outputs: Mapping[str, CommandResult]) -> SolutionSupport:
    """Translate the answers. Source: what VTun 3.0.4 and OpenSSL 3.0 of Debian 12 print."""
    version = _VERSION.search(discovering.text_of(outputs, "version"))
    missing = discovering.missing_programs({"vtund": version is not None}, NAME)
    missing += discovering.missing_kernel_parts(outputs, ("tun",), NAME)
    return SolutionSupport(
        solution=NAME,
        is_available=not missing,
        version=version[1] if version else "",
        features=(LEGACY_PROVIDER,) if _has_legacy(outputs) else (),
        missing=missing,
    )


def _has_legacy(outputs: Mapping[str, CommandResult]) -> bool:
    result = outputs.get("providers")
    return result is not None and result.is_ok and re.search(r"^ *legacy$", result.stdout, re.MULTILINE) is not None
