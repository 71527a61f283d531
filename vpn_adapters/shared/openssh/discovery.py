"""Capabilities of a host's OpenSSH, as the program lists them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.domain.adapters import PlanRequest
from app.domain.commands import Command, CommandResult
from app.domain.hosts import MissingPart, SolutionSupport
from app.domain.messages import mark
from vpn_adapters.shared import discovering
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.messages import OPENSSH_TOO_OLD

KEX_PREFIX = "kex:"
"""Features that begin so name a key exchange that ssh lists."""

SSHD_PREFIX = "sshd:"
"""The feature that begins so is the absolute path of sshd, without which it does not start. Source: sshd(8)."""

PREFERRED_KEX = (
    "mlkem768x25519-sha256",
    "sntrup761x25519-sha512",
    "sntrup761x25519-sha512@openssh.com",
    "curve25519-sha256",
    "curve25519-sha256@libssh.org",
)
"""Best first. Source: RFC 8731, draft-ietf-sshm-mlkem-hybrid-kex, draft-ietf-sshm-ntruprime-ssh."""

MINIMUM_VERSION = (7, 4)
"""`tunnel=` with `restrict`. Source: OpenSSH 7.2 and 7.4 release notes."""

QUERIES: Mapping[str, Command] = {
    "version": discovering.query("ssh", "-V"),
    "ciphers": discovering.query("ssh", "-Q", "cipher"),
    "macs": discovering.query("ssh", "-Q", "mac"),
    "kex": discovering.query("ssh", "-Q", "kex"),
    "sshd": discovering.path_query("sshd"),
    "root": root_script("shared/openssh", "root.sh"),
}

_VERSION = re.compile(r"\bOpenSSH_(\d{1,3})\.(\d{1,3})([\w.]{0,20})")
_NAME = re.compile(r"[a-z0-9][a-z0-9@.-]{2,62}")


def parse(
    outputs: Mapping[str, CommandResult],
    solution: str,
    *,
    missing: tuple[MissingPart, ...] = (),
    features: tuple[str, ...] = (),
    note: str = "",
) -> SolutionSupport:
    """Translate the answers to QUERIES. Source: what OpenSSH 8.4 to 10.0 print.

    Args:
        outputs: The host's answers.
        solution: The one that asks.
        missing: What else it lacks.
        features: What else it has.
        note: Why else it cannot.
    """
    version = _VERSION.search(discovering.text_of(outputs, "version"))
    sshd = discovering.path_in(outputs.get("sshd"), "sshd")
    lacking = discovering.missing_programs({"ssh": version is not None, "sshd": bool(sshd)}, solution) + missing
    obstacle = _obstacle(outputs, version, note)
    return SolutionSupport(
        solution=solution,
        is_available=not lacking and not obstacle,
        version="".join((version.group(1), ".", version.group(2), version.group(3))) if version else "",
        features=(
            *(f"{KEX_PREFIX}{name}" for name in PREFERRED_KEX if name in _listed(outputs, "kex")),
            *((f"{SSHD_PREFIX}{sshd}",) if sshd else ()),
            *features,
        ),
        ciphers=_listed(outputs, "ciphers"),
        digests=_listed(outputs, "macs"),
        missing=lacking,
        note=obstacle,
    )


def sshd_of(request: PlanRequest, solution: str) -> str:
    """Return the path of A's sshd, as it was found."""
    return discovering.feature(request.facts_a.solutions[solution], SSHD_PREFIX, "/usr/sbin/sshd")


def _listed(outputs: Mapping[str, CommandResult], question: str) -> tuple[str, ...]:
    lines = discovering.stdout_of(outputs, question).split("\n")
    return tuple(dict.fromkeys(line for line in lines if _NAME.fullmatch(line)))


def _obstacle(outputs: Mapping[str, CommandResult], version: re.Match[str] | None, note: str) -> str:
    if version is None:
        return ""
    if (int(version.group(1)), int(version.group(2))) < MINIMUM_VERSION:
        return OPENSSH_TOO_OLD(major=version.group(1), minor=version.group(2))
    root = outputs.get("root")
    if not note and root is not None and root.stdout.strip() == "locked":
        return mark(
            "The account root is locked (its password field in /etc/shadow begins with “!”), so that sshd "
            "refuses the tunnel's login. `usermod -p '*' root` lets keys in and still no password."
        )
    return note
