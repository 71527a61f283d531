"""LAN guards of both hosts, and obstacles where a host can have none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app.deployment.lan.bridge import Bridging
from app.deployment.lan.guard import LanGuard
from app.deployment.lan.messages import (
    DHCP_CROSSES,
    HAS_NO_NFT,
    INSTALL_NFT,
    NFT_REFUSES,
    NFT_REFUSES_BECAUSE,
    NO_LOOP_GUARD,
    OR_NOT_BLOCK,
    OR_STATIC_ADDRESS,
    OWN_DHCP_CROSSES,
    ROUTERS_CONFIGURE,
)
from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.commands import CommandResult, HostSession, SessionPair
from app.domain.deployment import DeploymentObstacle, DeploymentOptions
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.messages import sentences
from app.host.remote_host import printable


def guard_ports(
    sessions: SessionPair,
    discovery: Discovery,
    options: DeploymentOptions,
    link: Link,
    bridging: Mapping[Side, Bridging],
    *,
    token: CancelToken,
) -> tuple[dict[Side, Bridging], tuple[DeploymentObstacle, ...]]:
    """Return what each end is joined with, guarded where the host can, and what is to be known. Changes nothing.

    Args:
        bridging: What each end is joined with.
    """
    found: dict[Side, Bridging] = {}
    obstacles: list[DeploymentObstacle] = []
    for side, session, check in ((Side.A, sessions.a, discovery.a), (Side.B, sessions.b, discovery.b)):
        if side not in bridging:
            continue
        client = bridging[side].client
        guard = replace(LanGuard.of(options), keeps_own_requests=bool(client) or bridging[side].has_client)
        has_nft = "nft" in check.facts.tools
        why = _why_not(session, guard, bridging[side], link, side, token=token) if has_nft else HAS_NO_NFT()
        found[side] = replace(bridging[side], guard=None if why else guard)
        if why:
            label = discovery.pair.host(side).label
            is_own_bridge = bridging[side].bridge != bridging[side].lan_port
            obstacles.append(
                _client_obstacle(side, label, why) if client else _obstacle(side, label, why, guard, is_own_bridge)
            )
    return found, tuple(obstacles)


def _why_not(
    session: HostSession, guard: LanGuard, bridging: Bridging, link: Link, side: Side, *, token: CancelToken
) -> str:
    """Return why a host does not take the firewall table; empty where it does."""
    ports = (link.names.ethernet_interface, bridging.bridge, bridging.lan_port)
    return why_refused(session.run(guard.check(ports, link, side), token=token))


def why_refused(result: CommandResult) -> str:
    """Return why nft did not take a firewall table that it was asked about; empty where it did."""
    if result.is_ok:
        return ""
    lines = [line for line in printable(result.stderr, limit=400).splitlines() if line.strip()]
    return NFT_REFUSES_BECAUSE(why=lines[0].strip()) if lines else NFT_REFUSES()


def _client_obstacle(side: Side, label: str, why: str) -> DeploymentObstacle:
    return DeploymentObstacle(
        side,
        OWN_DHCP_CROSSES(host=label, why=why),
        sentences((INSTALL_NFT(), OR_STATIC_ADDRESS())),
        is_blocking=True,
    )


def _obstacle(side: Side, label: str, why: str, guard: LanGuard, is_own_bridge: bool) -> DeploymentObstacle:  # noqa: FBT001
    if guard.blocks_dhcp or guard.blocks_router_advertisements:
        return DeploymentObstacle(
            side,
            DHCP_CROSSES(host=label, why=why),
            sentences((INSTALL_NFT(), OR_NOT_BLOCK())),
            is_blocking=True,
        )
    return DeploymentObstacle(
        side,
        sentences((NO_LOOP_GUARD(host=label, why=why), "" if is_own_bridge else ROUTERS_CONFIGURE())),
        INSTALL_NFT(),
        needs_person=True,
    )
