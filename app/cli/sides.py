"""Options of deployments: those given once for each side (`A=VALUE`, `B=VALUE`), and those for joined LANs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TypedDict

from app.cli.messages import INNER_ADDRESSES, OPTION_FOR_SIDE, SIDE_GIVEN_TWICE
from app.domain.errors import InvalidOption
from app.domain.hosts import Side


def by_side(values: Sequence[str] | None, option: str) -> tuple[str, str]:
    """Read values such as `A=eth1`.

    Args:
        values: What was given; None counts as nothing.
        option: The option, for the message.

    Returns:
        A's and B's value; empty where none was given.

    Raises:
        InvalidOption: One is not of that form, or a side was given twice.
    """
    found: dict[Side, str] = {}
    for text in values or ():
        side, separator, value = text.partition("=")
        if not separator or side.lower() not in set(Side) or not value:
            raise InvalidOption(OPTION_FOR_SIDE(option=option, text=text))
        if Side(side.lower()) in found:
            raise InvalidOption(SIDE_GIVEN_TWICE(option=option, side=side.upper()))
        found[Side(side.lower())] = value
    return found.get(Side.A, ""), found.get(Side.B, "")


def both_addresses(text: str | None) -> tuple[str, str]:
    """Read the value of `--inner`.

    Args:
        text: A's and B's address, separated by a comma; None counts as two empty ones.

    Returns:
        A's and B's address.

    Raises:
        InvalidOption: It is not two.
    """
    inner = [word.strip() for word in (text or ",").split(",")]
    if len(inner) != 2:
        raise InvalidOption(INNER_ADDRESSES())
    return inner[0], inner[1]


class LanGuardOptions(TypedDict, total=False):
    """Fields of `DeploymentOptions` that say what crosses between joined LANs."""

    broadcast_limit: int
    blocks_dhcp: bool
    blocks_router_advertisements: bool


def lan_guard_options(options: argparse.Namespace) -> LanGuardOptions:
    """Return what was given of `--broadcast-limit`, `--block-dhcp` and `--block-router-advertisements`."""
    found: LanGuardOptions = {}
    if options.broadcast_limit is not None:
        found["broadcast_limit"] = options.broadcast_limit
    if options.block_dhcp:
        found["blocks_dhcp"] = True
    if options.block_router_advertisements:
        found["blocks_router_advertisements"] = True
    return found
