"""Capabilities of a host's Libreswan, which shares the name of its command with strongSwan."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.domain.adapters import shell_step_argv
from app.domain.commands import Command, CommandResult
from app.domain.hosts import SolutionSupport
from app.domain.script_files import adapter_script
from vpn_adapters.libreswan.info import NAME
from vpn_adapters.shared import discovering, guards, l2tpv3
from vpn_adapters.shared.messages import LIBRESWAN_TOO_OLD

KERNEL_MODULES = ("esp4", "xfrm_user", *l2tpv3.KERNEL_MODULES)

COMMANDS: Mapping[str, Command] = {
    # strongSwan's and Openswan's command of this name print a version, too.
    "ipsec": discovering.query("ipsec", "--version"),
    "programs": discovering.query(*shell_step_argv(adapter_script(NAME, "programs.sh"))),
    **guards.QUERIES,
    "ip": discovering.query("ip", "-V"),
    "modules": discovering.modules_query(*KERNEL_MODULES),
}

_VERSION = re.compile(r"^(?:Linux )?Libreswan (\d{1,3})\.(\d{1,3})", re.MULTILINE)
_OLDEST = 5
"""`leftpubkey` takes a key in PEM since 5.0. Source: Libreswan's CHANGES."""
_PROGRAMS = ("pluto", "whack", "addconn", "newhostkey", "showhostkey", "certutil")


def parse(outputs: Mapping[str, CommandResult]) -> SolutionSupport:
    """Translate the answers. Source: what Libreswan 5.2 of Debian 13 prints."""
    version = _VERSION.search(discovering.text_of(outputs, "ipsec"))
    programs = discovering.text_of(outputs, "programs").split()
    has = {NAME: version is not None and all(one in programs for one in _PROGRAMS)}
    missing = discovering.missing_programs(has, NAME) + guards.missing_parts(outputs, NAME)
    missing += discovering.missing_kernel_parts(outputs, KERNEL_MODULES, NAME)
    numbers = (int(version[1]), int(version[2])) if version else (0, 0)
    is_old = not missing and numbers[0] < _OLDEST
    return SolutionSupport(
        solution=NAME,
        is_available=not missing and not is_old,
        version=".".join(map(str, numbers)) if version else "",
        missing=missing,
        note=LIBRESWAN_TOO_OLD(major=numbers[0], minor=numbers[1]) if is_old else "",
    )
