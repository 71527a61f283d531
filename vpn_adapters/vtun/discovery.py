"""Capabilities of a host's VTun with tap interfaces."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.commands import Command, CommandResult
from app.domain.hosts import SolutionSupport
from vpn_adapters.shared import discovering
from vpn_adapters.shared.vtund import discovery as vtund
from vpn_adapters.vtun.info import NAME

COMMANDS: Mapping[str, Command] = {
    **vtund.QUERIES,
    "ip": discovering.query("ip", "-V"),
    "modules": discovering.modules_query("tun"),
}


def parse(outputs: Mapping[str, CommandResult]) -> SolutionSupport:
    """Translate the answers."""
    return vtund.parse(outputs, NAME, missing=discovering.missing_kernel_parts(outputs, ("tun",), NAME))
