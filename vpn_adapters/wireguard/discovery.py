"""What a host can do with WireGuard."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.domain.commands import Command, CommandResult
from app.domain.hosts import SolutionSupport
from vpn_adapters.shared import discovering, guards, l2tpv3
from vpn_adapters.wireguard.info import NAME


def commands() -> Mapping[str, Command]:
    """Return questions for `wg`, `ip`, what guards the session, and the kernel's modules."""
    return {
        "wg": discovering.query("wg", "--version"),
        "ip": discovering.query("ip", "-V"),
        **guards.QUERIES,
        "modules": discovering.modules_query("wireguard", *l2tpv3.KERNEL_MODULES),
    }


def parse(outputs: Mapping[str, CommandResult]) -> SolutionSupport:
    """Translate the answers.

    Source: `wireguard-tools v1.0.20210914 - https://git.zx2c4.com/wireguard-tools/` (wireguard-tools 1.0.20210914).
    """
    match = re.search(r"wireguard-tools v([\w.-]+)", discovering.text_of(outputs, "wg"))
    missing = guards.missing_parts(outputs, NAME)
    missing += discovering.missing_modules(outputs.get("modules"), ("wireguard",), NAME)
    missing += l2tpv3.missing_parts(outputs, NAME)
    if not match:
        missing = (discovering.missing_part("wireguard-tools", NAME), *missing)
    return SolutionSupport(
        solution=NAME,
        is_available=not missing,
        version=match.group(1) if match else "",
        ciphers=("ChaCha20-Poly1305",) if match else (),
        missing=missing,
    )
