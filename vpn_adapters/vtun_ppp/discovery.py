"""Capabilities of a host's vtund and pppd."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from app.domain.commands import Command, CommandResult
from app.domain.hosts import HostFacts, SolutionSupport
from vpn_adapters.shared import discovering, guards, ppp
from vpn_adapters.shared.vtund import discovery as vtund
from vpn_adapters.vtun_ppp.info import NAME

_PPPD_PREFIX = "pppd:"
"""The feature that begins so is the absolute path of pppd, by which alone vtund starts it."""

COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        **vtund.QUERIES,
        **ppp.QUERIES,
        "path": discovering.path_query("pppd"),
        **guards.QUERIES,
        "modules": discovering.modules_query(*ppp.STREAM_MODULES),
    }
)


def parse(outputs: Mapping[str, CommandResult]) -> SolutionSupport:
    """Translate the answers. Source: what VTun 3.0.4 and ppp 2.4.9 of Debian 12 print."""
    missing = ppp.missing_parts(outputs, ppp.STREAM_MODULES, NAME) + guards.missing_parts(outputs, NAME)
    pppd = discovering.path_in(outputs.get("path"), "pppd")
    return vtund.parse(outputs, NAME, missing=missing, features=(f"{_PPPD_PREFIX}{pppd}",) if pppd else ())


def pppd_of(host: HostFacts) -> str:
    """Return the path of a host's pppd, as it was found."""
    return discovering.feature(host.solutions[NAME], _PPPD_PREFIX, "/usr/sbin/pppd")
