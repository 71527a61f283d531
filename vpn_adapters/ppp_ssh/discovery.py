"""Capabilities of a host's OpenSSH and pppd: programs of both roles, since either host may be A."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.commands import Command, CommandResult
from app.domain.hosts import SolutionSupport
from vpn_adapters.ppp_ssh.info import NAME
from vpn_adapters.shared import ppp
from vpn_adapters.shared.openssh import discovery as openssh

COMMANDS: Mapping[str, Command] = {
    **openssh.QUERIES,
    **ppp.STREAM_QUERIES,
}


def parse(outputs: Mapping[str, CommandResult]) -> SolutionSupport:
    """Translate the answers. Source: what OpenSSH 9.2 and ppp 2.4.9 of Debian 12 print."""
    missing = ppp.missing_stream_parts(outputs, NAME)
    return openssh.parse(outputs, NAME, missing=missing, features=ppp.path_feature(outputs))
