"""Capabilities of a host's freelan, which lists no ciphers itself."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.domain.adapters import shell_step_argv
from app.domain.commands import Command, CommandResult
from app.domain.hosts import MissingPart, SolutionSupport
from app.domain.messages import mark
from app.domain.script_files import adapter_script
from vpn_adapters.freelan.info import NAME
from vpn_adapters.shared import discovering
from vpn_adapters.shared.messages import FREELAN_NOT_HELD

PACKAGE = "freelan"

_PACKAGE_SCRIPT = adapter_script("freelan", "package.sh")

COMMANDS: Mapping[str, Command] = {
    "version": discovering.query("freelan", "--version"),
    "options": discovering.query("freelan", "--help"),
    "package": discovering.query(*shell_step_argv(_PACKAGE_SCRIPT)),
    "openssl": discovering.query("openssl", "version"),
    "ip": discovering.query("ip", "-V"),
    "modules": discovering.modules_query("tun"),
}

_VERSION = re.compile(r"^freelan (\d+)\.(\d+)(\S*)", re.MULTILINE)
_NEEDED_OPTION = "--fscp.elliptic_curve_capability"


def parse(outputs: Mapping[str, CommandResult]) -> SolutionSupport:
    """Translate the answers.

    Source: freelan 2.2 of Debian 11.
    """
    match = _VERSION.search(discovering.text_of(outputs, "version"))
    missing = _missing(outputs, has_freelan=match is not None)
    note = _obstacle(outputs, match)
    return SolutionSupport(
        solution=NAME,
        is_available=not missing and not note,
        version=f"{match.group(1)}.{match.group(2)}{match.group(3)}" if match else "",
        missing=missing,
        note=note,
    )


def _missing(outputs: Mapping[str, CommandResult], *, has_freelan: bool) -> tuple[MissingPart, ...]:
    parts = []
    if not has_freelan:
        # Only where the host's own archive has it: a package that is not there would keep others from being installed.
        parts.append(MissingPart(PACKAGE, NAME, PACKAGE if _has_package(outputs) else ""))
    if "OpenSSL" not in discovering.text_of(outputs, "openssl"):
        parts.append(discovering.missing_part("openssl", NAME))
    return (*parts, *discovering.missing_kernel_parts(outputs, ("tun",), NAME))


def _has_package(outputs: Mapping[str, CommandResult]) -> bool:
    return f"Package: {PACKAGE}" in discovering.text_of(outputs, "package").splitlines()


def _obstacle(outputs: Mapping[str, CommandResult], match: re.Match[str] | None) -> str:
    if match is None:
        if _has_package(outputs):
            return ""
        return mark(
            "This host's package archive has no freelan. Debian had the package freelan up to Debian 11 (bullseye)."
        )
    if _NEEDED_OPTION not in discovering.text_of(outputs, "options"):
        return FREELAN_NOT_HELD(major=match.group(1), minor=match.group(2))
    return ""
