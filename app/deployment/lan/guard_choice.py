"""LAN guards of both hosts, and obstacles where a host can have none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app.deployment.lan.bridge import Bridging
from app.deployment.lan.guard import LanGuard
from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.commands import HostSession, SessionPair
from app.domain.deployment import RolloutObstacle, RolloutOptions
from app.domain.hosts import Side
from app.domain.link import Link
from app.host.remote_host import printable

_INSTALL = "Install nftables there (Debian: apt install nftables; OpenWrt: opkg install nftables kmod-nft-bridge)."


def guard_ports(
    sessions: SessionPair,
    discovery: Discovery,
    options: RolloutOptions,
    link: Link,
    bridging: Mapping[Side, Bridging],
    *,
    token: CancelToken,
) -> tuple[dict[Side, Bridging], tuple[RolloutObstacle, ...]]:
    """Return what each end is joined with, guarded where the host can, and what is to be known. Changes nothing.

    Args:
        bridging: What each end is joined with.
    """
    found: dict[Side, Bridging] = {}
    obstacles: list[RolloutObstacle] = []
    for side, session, check in ((Side.A, sessions.a, discovery.a), (Side.B, sessions.b, discovery.b)):
        if side not in bridging:
            continue
        client = bridging[side].client
        guard = replace(LanGuard.of(options), keeps_own_requests=bool(client) or bridging[side].has_client)
        has_nft = "nft" in check.facts.tools
        why = _why_not(session, guard, bridging[side], link, side, token=token) if has_nft else "it has no nft"
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
    result = session.run(guard.check(ports, link, side), token=token)
    if result.is_ok:
        return ""
    lines = [line for line in printable(result.stderr, limit=400).splitlines() if line.strip()]
    return f"its nft refuses the firewall table: {lines[0].strip()}" if lines else "its nft refuses the firewall table"


def _client_obstacle(side: Side, label: str, why: str) -> RolloutObstacle:
    return RolloutObstacle(
        side,
        f"DHCP requests of {label} itself cannot be kept from crossing: {why}. A server of the other plant could "
        "lend it an address.",
        f"{_INSTALL} Or make the address of its LAN port static.",
        is_blocking=True,
    )


def _obstacle(side: Side, label: str, why: str, guard: LanGuard, is_own_bridge: bool) -> RolloutObstacle:  # noqa: FBT001
    if guard.blocks_dhcp or guard.blocks_router_advertisements:
        return RolloutObstacle(
            side,
            f"DHCP or router advertisements cannot be kept from crossing on {label}: {why}.",
            f"{_INSTALL} Or do not block them.",
            is_blocking=True,
        )
    routers = "" if is_own_bridge else " IPv6 routers of the other plant configure it if its bridge accepts them."
    return RolloutObstacle(
        side,
        f"{label} has no loop guard and no limit of broadcasts: {why}. If the two LANs are joined in another way "
        f"later, frames go round in circles through this host.{routers}",
        _INSTALL,
        needs_person=True,
    )
