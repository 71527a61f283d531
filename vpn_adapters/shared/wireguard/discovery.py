"""Questions on what a host can do with WireGuard, and their answers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.domain.commands import Command, CommandResult
from app.domain.hosts import SolutionSupport
from vpn_adapters.shared import discovering, guards, key_encapsulation
from vpn_adapters.shared.key_encapsulation import ML_KEM
from vpn_adapters.shared.wireguard.carrier import KERNEL_MODULE


def commands(*modules: str) -> Mapping[str, Command]:
    """Return questions for `wg`, OpenSSL, `ip`, what guards the frames, and the kernel's modules, with further ones."""
    return {
        "wg": discovering.query("wg", "--version"),
        **key_encapsulation.QUERIES,
        "ip": discovering.query("ip", "-V"),
        **guards.QUERIES,
        "modules": discovering.modules_query(KERNEL_MODULE, *modules),
    }


def parse(outputs: Mapping[str, CommandResult], name: str, modules: tuple[str, ...]) -> SolutionSupport:
    """Translate the answers.

    Source: `wireguard-tools v1.0.20210914 - https://git.zx2c4.com/wireguard-tools/` (wireguard-tools 1.0.20210914).

    Args:
        outputs: Outputs of `commands`.
        name: Name of the solution.
        modules: Kernel modules of what is put inside.
    """
    match = re.search(r"wireguard-tools v([\w.-]+)", discovering.text_of(outputs, "wg"))
    missing = guards.missing_parts(outputs, name)
    missing += discovering.missing_modules(outputs.get("modules"), (KERNEL_MODULE,), name)
    missing += discovering.missing_kernel_parts(outputs, modules, name)
    if not match:
        missing = (discovering.missing_part("wireguard-tools", name), *missing)
    return SolutionSupport(
        solution=name,
        is_available=not missing,
        version=match.group(1) if match else "",
        features=(ML_KEM,) if match and key_encapsulation.is_able(outputs) else (),
        ciphers=("ChaCha20-Poly1305",) if match else (),
        missing=missing,
    )
