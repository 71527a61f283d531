"""Capabilities of a host's OpenSSH, and of its kernel, for tap devices with a second name."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.domain.commands import Command, CommandResult
from app.domain.hosts import SolutionSupport
from vpn_adapters.shared import discovering
from vpn_adapters.shared.messages import NO_SECOND_NAME
from vpn_adapters.shared.openssh import discovery as openssh
from vpn_adapters.ssh.info import NAME

MINIMUM_KERNEL = (5, 5)
"""An interface with a second name, by which OpenSSH opens the tap device. Source: Linux 5.5, ip-link(8) `altname`."""

COMMANDS: Mapping[str, Command] = {
    **openssh.QUERIES,
    "ip": discovering.query("ip", "-V"),
    "kernel": discovering.query("uname", "-r"),
    "modules": discovering.modules_query("tun"),
}

_KERNEL = re.compile(r"(\d{1,3})\.(\d{1,3})")


def parse(outputs: Mapping[str, CommandResult]) -> SolutionSupport:
    """Translate the answers. Source: what OpenSSH 8.4 and 10.0 print."""
    missing = discovering.missing_kernel_parts(outputs, ("tun",), NAME)
    return openssh.parse(outputs, NAME, missing=missing, note=_old_kernel(outputs))


def _old_kernel(outputs: Mapping[str, CommandResult]) -> str:
    kernel = _KERNEL.match(discovering.text_of(outputs, "kernel"))
    if kernel is not None and (int(kernel.group(1)), int(kernel.group(2))) < MINIMUM_KERNEL:
        return NO_SECOND_NAME(version=kernel.group(0))
    return ""
