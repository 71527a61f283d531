"""Capabilities of a host's PPTP: programs of both roles, since either host may be A."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.domain.commands import Command, CommandResult
from app.domain.hosts import SolutionSupport
from vpn_adapters.pptp.info import NAME
from vpn_adapters.shared import discovering, guards, l2tpv3, ppp

KERNEL_MODULES = ("ppp_generic", "ppp_async", "ppp_mppe", *l2tpv3.KERNEL_MODULES)

COMMANDS: Mapping[str, Command] = {
    "pptpd": discovering.query("pptpd", "--version"),
    "pptp": discovering.query("pptp", "--version"),
    **ppp.QUERIES,
    **guards.QUERIES,
    "modules": discovering.modules_query(*KERNEL_MODULES),
}

_SERVER = re.compile(r"^pptpd v(\S{1,20})", re.MULTILINE)
_CLIENT = re.compile(r"^pptp version (\S{1,20})", re.MULTILINE)


def parse(outputs: Mapping[str, CommandResult]) -> SolutionSupport:
    """Translate the answers. Source: what pptpd 1.4.0, pptp-linux 1.10.0 and ppp 2.4.9 of Debian 12 print."""
    server = _SERVER.search(discovering.text_of(outputs, "pptpd"))
    client = _CLIENT.search(discovering.text_of(outputs, "pptp"))
    missing = discovering.missing_programs({"pptpd": server is not None, "pptp": client is not None}, NAME)
    missing += ppp.missing_parts(outputs, KERNEL_MODULES, NAME)
    missing += guards.missing_parts(outputs, NAME)
    return SolutionSupport(
        solution=NAME,
        is_available=not missing,
        version=server[1] if server else "",
        missing=missing,
    )
