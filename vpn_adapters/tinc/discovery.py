"""Capabilities of a host's tinc, which lists nothing itself: it takes OpenSSL's names."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.domain.commands import Command, CommandResult
from app.domain.hosts import SolutionSupport
from vpn_adapters.shared import discovering
from vpn_adapters.shared.messages import TINC_TOO_NEW
from vpn_adapters.tinc.info import NAME

ALIAS_PREFIX = "alias:"
"""Features that begin so are `alias:NAME=OTHER`: both names mean one cipher or digest."""

COMMANDS: Mapping[str, Command] = {
    "version": discovering.query("tincd", "--version"),
    "openssl": discovering.query("openssl", "version"),
    "ciphers": discovering.query("openssl", "list", "-cipher-algorithms"),
    "digests": discovering.query("openssl", "list", "-digest-algorithms"),
    "ip": discovering.query("ip", "-V"),
    "modules": discovering.modules_query("tun"),
}

_VERSION = re.compile(r"^tinc version (\d{1,3})\.(\d{1,3})(\S{0,20})", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_/.-]{1,62}")
_LEGACY_LINE = re.compile(r"\s*(\S+)(?: => (\S+))?\s*")
_PROVIDED_LINE = re.compile(r"\s*\{ ([^{}]+) \} @ \S+\s*|\s*(\S+) @ \S+\s*")


def parse(outputs: Mapping[str, CommandResult]) -> SolutionSupport:
    """Translate the answers. Source: what tinc 1.0.36, OpenSSL 1.1.1 and OpenSSL 3.5 print."""
    version = _VERSION.search(discovering.text_of(outputs, "version"))
    missing = discovering.missing_programs(
        {"tinc": version is not None, "openssl": "OpenSSL" in discovering.text_of(outputs, "openssl")}, NAME
    )
    missing += discovering.missing_kernel_parts(outputs, ("tun",), NAME)
    note = _obstacle(version)
    ciphers, cipher_aliases = listed(discovering.stdout_of(outputs, "ciphers"))
    digests, digest_aliases = listed(discovering.stdout_of(outputs, "digests"))
    aliases = {**cipher_aliases, **digest_aliases}
    return SolutionSupport(
        solution=NAME,
        is_available=not missing and not note,
        version="".join((version.group(1), ".", version.group(2), version.group(3))) if version else "",
        features=tuple(f"{ALIAS_PREFIX}{name}={other}" for name, other in aliases.items()),
        ciphers=ciphers,
        digests=digests,
        missing=missing,
        note=note,
    )


def listed(text: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Read what `openssl list -cipher-algorithms` or `-digest-algorithms` printed.

    OpenSSL 1.1.1 prints names and `ALIAS => NAME`; OpenSSL 3 prints that under `Legacy:`, and under `Provided:` groups
    of names like `{ 2.16.840.1.101.3.4.1.2, AES-128-CBC, AES128 } @ default`. Names differ in more than case.

    Returns:
        Every name once, and which of them stands for which other one.
    """
    names: dict[str, str] = {}
    targets: dict[str, str] = {}
    for line in text.split("\n")[:2000]:
        provided = _PROVIDED_LINE.fullmatch(line)
        if provided is not None:
            _take_group((provided.group(1) or provided.group(2)).split(","), names, targets)
            continue
        found = _LEGACY_LINE.fullmatch(line)
        if found is not None and _NAME.fullmatch(found.group(1)) and found.group(1).lower() not in names:
            names[found.group(1).lower()] = found.group(1)
            if found.group(2) and _NAME.fullmatch(found.group(2)):
                targets[found.group(1).lower()] = found.group(2)
    return tuple(names.values()), {names[lower]: _last(lower, names, targets) for lower in targets}


def _take_group(words: list[str], names: dict[str, str], targets: dict[str, str]) -> None:
    """Enter a group of names for one algorithm: all mean the first that is known."""
    group = [word.strip() for word in words if _NAME.fullmatch(word.strip())]
    known = [word for word in group if word.lower() in names]
    for word in group:
        if word.lower() not in names:
            names[word.lower()] = word
            first = names[(known or group)[0].lower()]
            if first != word:
                targets[word.lower()] = first


def _last(lower: str, names: Mapping[str, str], targets: Mapping[str, str]) -> str:
    """Follow `RSA-SHA1-2 => RSA-SHA1` and `RSA-SHA1 => SHA1` to their end."""
    name = targets[lower]
    for _ in range(5):
        if name.lower() not in targets:
            break
        name = targets[name.lower()]
    return names.get(name.lower(), name)


def _obstacle(version: re.Match[str] | None) -> str:
    if version is None or (version.group(1), version.group(2)) == ("1", "0"):
        return ""
    return TINC_TOO_NEW(major=version.group(1), minor=version.group(2))
