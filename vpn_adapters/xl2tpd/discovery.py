"""Capabilities of a host's xl2tpd."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.domain.commands import Command, CommandResult
from app.domain.hosts import SolutionSupport
from vpn_adapters.shared import discovering, l2tpv3, ppp
from vpn_adapters.xl2tpd.info import NAME

KERNEL_MODULES = ("ppp_generic", "l2tp_ppp", *l2tpv3.KERNEL_MODULES)

COMMANDS: Mapping[str, Command] = {
    # It prints its version and ends with 1.
    "xl2tpd": discovering.query("xl2tpd", "--version"),
    **ppp.QUERIES,
    "modules": discovering.modules_query(*KERNEL_MODULES),
}

_VERSION = re.compile(r"^xl2tpd version: +xl2tpd-(\S{1,20})", re.MULTILINE)


def parse(outputs: Mapping[str, CommandResult]) -> SolutionSupport:
    """Translate the answers. Source: what xl2tpd 1.3.18 and ppp 2.4.9 of Debian 12 print."""
    version = _VERSION.search(discovering.text_of(outputs, "xl2tpd"))
    missing = discovering.missing_programs({"xl2tpd": version is not None}, NAME)
    missing += ppp.missing_parts(outputs, KERNEL_MODULES, NAME)
    return SolutionSupport(
        solution=NAME,
        is_available=not missing,
        version=version[1] if version else "",
        missing=missing,
    )
