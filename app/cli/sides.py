"""Options of deployments: those given once for each side (`A=VALUE`, `B=VALUE`), and those for joined LANs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from app.cli.messages import INNER_ADDRESSES, OPTION_FOR_SIDE, SIDE_GIVEN_TWICE
from app.domain.deployment import BROADCASTS_PER_S, DeploymentOptions
from app.domain.errors import InvalidOption
from app.domain.hosts import Side
from app.domain.keepalive import Keepalive


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


def deployment_options(options: argparse.Namespace) -> DeploymentOptions:
    """Return what was chosen besides the solution, for `deploy` and `export-config`; `check_options` checks it.

    Raises:
        InvalidOption: `--inner` is not two addresses, or a bridge is for neither side.
    """
    inner = [word.strip() for word in (options.inner or ",").split(",")]
    if len(inner) != 2:
        raise InvalidOption(INNER_ADDRESSES())
    bridge_a, bridge_b = by_side(options.bridge, "--bridge")
    return DeploymentOptions(
        bridge_a=bridge_a,
        bridge_b=bridge_b,
        inner_a=inner[0],
        inner_b=inner[1],
        confirm_within_s=getattr(options, "confirm_within", None),
        legacy_reason=options.reason or "",
        moves_lan_rules=bool(getattr(options, "move_lan_rules", None)),
        broadcast_limit=BROADCASTS_PER_S if options.broadcast_limit is None else options.broadcast_limit,
        blocks_dhcp=options.block_dhcp,
        blocks_router_advertisements=options.block_router_advertisements,
        keepalive=Keepalive(options.keepalive or Keepalive.WIRED),
        fits_path_mtu=options.mtu == "fit",
    )
