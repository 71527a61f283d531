"""Capabilities of a host's vtund and pppd."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.commands import Command, CommandResult
from app.domain.hosts import SolutionSupport
from vpn_adapters.shared import ppp
from vpn_adapters.shared.vtund import discovery as vtund
from vpn_adapters.vtun_ppp.info import NAME

COMMANDS: Mapping[str, Command] = {
    **vtund.QUERIES,
    **ppp.STREAM_QUERIES,
}


def parse(outputs: Mapping[str, CommandResult]) -> SolutionSupport:
    """Translate the answers. Source: what VTun 3.0.4 and ppp 2.4.9 of Debian 12 print."""
    missing = ppp.missing_stream_parts(outputs, NAME)
    return vtund.parse(outputs, NAME, missing=missing, features=ppp.path_feature(outputs))
