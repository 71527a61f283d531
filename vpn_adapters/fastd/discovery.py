"""Capabilities of a host's fastd, which lists no methods but refuses a configuration with one that it lacks."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.domain.adapters import shell_step_argv
from app.domain.commands import Command, CommandResult
from app.domain.hosts import SolutionSupport
from app.domain.script_files import adapter_script
from vpn_adapters.fastd.info import NAME
from vpn_adapters.fastd.methods import METHODS
from vpn_adapters.shared import discovering
from vpn_adapters.shared.messages import FASTD_TOO_OLD

USER = "nobody"
"""User of the daemon once it has opened its interface and its port, where the host knows that user."""

USER_FEATURE = f"user:{USER}"

COMMANDS: Mapping[str, Command] = {
    "version": discovering.query("fastd", "--version"),
    "methods": discovering.query(*shell_step_argv(adapter_script("fastd", "methods.sh"), *METHODS)),
    "user": discovering.query("id", "-u", USER),
    "ip": discovering.query("ip", "-V"),
    "modules": discovering.modules_query("tun"),
}

_VERSION = re.compile(r"^fastd v?(\d{1,4})(\S{0,40})", re.MULTILINE)
"""Source: fastd 21 prints `fastd 21`, fastd 22 `fastd v22`."""

_USER_ID = re.compile(r"[1-9]\d{0,9}")

_OLDEST = 21
"""Older ones leak memory, or end, when they get packets of an unknown type. Source: fastd v21, CVE-2020-27638."""


def parse(outputs: Mapping[str, CommandResult]) -> SolutionSupport:
    """Translate the answers. Source: what fastd 21, 22 and 23 of Debian 11, 12 and 13 print."""
    version = _VERSION.search(discovering.text_of(outputs, "version"))
    missing = discovering.missing_programs({"fastd": version is not None}, NAME)
    missing += discovering.missing_kernel_parts(outputs, ("tun",), NAME)
    accepted = set(discovering.stdout_of(outputs, "methods").split())
    note = FASTD_TOO_OLD(version=version[1]) if version is not None and int(version[1]) < _OLDEST else ""
    return SolutionSupport(
        solution=NAME,
        is_available=not missing and not note,
        version=f"{version[1]}{version[2]}" if version else "",
        features=(USER_FEATURE,) if _USER_ID.fullmatch(discovering.stdout_of(outputs, "user").strip()) else (),
        ciphers=tuple(method for method in METHODS if method in accepted),
        missing=missing,
        note=note,
    )
