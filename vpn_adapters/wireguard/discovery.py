"""What a host can do with WireGuard."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.commands import Command, CommandResult
from app.domain.hosts import SolutionSupport
from vpn_adapters.shared import l2tpv3
from vpn_adapters.shared.wireguard import discovery
from vpn_adapters.wireguard.info import NAME


def commands() -> Mapping[str, Command]:
    """Return questions for `wg`, `ip`, what guards the session, and the kernel's modules."""
    return discovery.commands(*l2tpv3.KERNEL_MODULES)


def parse(outputs: Mapping[str, CommandResult]) -> SolutionSupport:
    """Translate the answers."""
    return discovery.parse(outputs, NAME, l2tpv3.missing_parts(outputs, NAME))
