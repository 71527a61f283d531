"""The LAN ports that a deployment joins, and whether there is another way between them already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from app.deployment.lan.bridge import Bridging
from app.deployment.lan.interfaces import LanInterface, choose_bridging, lan_interfaces
from app.deployment.lan.loop_test import are_joined
from app.deployment.lan.messages import (
    BRIDGE_HAS_TUNNEL,
    LANS_JOINED_ALREADY,
    LOOP_UNKNOWN,
    LOOP_UNKNOWN_HINT,
    ONE_LAN_ONLY,
    REMOVE_WHAT_JOINS,
    RING_IS_PARTED,
    WOULD_MAKE_LOOP,
)
from app.deployment.lan.obstacles import firewall_obstacles
from app.deployment.lan.rules import read_lan_rules
from app.deployment.slots import bridge_name
from app.deployment.status import is_own_bridge, read_interface
from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.concurrency import run_sides
from app.domain.deployment import DeploymentObstacle, DeploymentOptions
from app.domain.hosts import PairSpec, Side
from app.domain.link import STATE_DIR, Link
from app.domain.messages import sentences
from app.domain.messages.lists import enumerated
from app.tunnel.preflight import remote_hosts


@dataclass(frozen=True, slots=True)
class SlotDeployments:
    """Deployments in a pair's slot.

    Attributes:
        ids: The deployments, by side; empty where there is none.
        interfaces: The interfaces with their own addresses, by side: the bridges where LAN ports are joined.
    """

    ids: Mapping[Side, str]
    interfaces: Mapping[Side, str]

    @property
    def replaced(self) -> dict[Side, str]:
        """The deployments that are to be replaced."""
        return {side: one for side, one in self.ids.items() if one}

    @property
    def own_bridges(self) -> dict[Side, str]:
        """The bridges that they have made: their ports are free for what comes next."""
        return {side: name if is_own_bridge(name) else "" for side, name in self.interfaces.items()}

    @property
    def is_on_both(self) -> bool:
        """Whether both hosts have the same deployment."""
        found = {self.ids.get(side, "") for side in Side}
        return len(found) == 1 and found != {""}


def read_deployments(
    sessions: SessionPair, slot: str, ids: Mapping[Side, str], *, token: CancelToken
) -> SlotDeployments:
    """Ask both hosts about the deployments in a slot.

    Args:
        ids: What is confirmed there, by side.
    """
    hosts = remote_hosts(sessions, STATE_DIR)

    def read(side: Side) -> str:
        return read_interface(hosts[side], slot, ids[side], token=token) if ids.get(side) else ""

    return SlotDeployments(ids, {side: name for side, name in run_sides(read).items() if name})


def choose_ports(
    sessions: SessionPair,
    discovery: Discovery,
    options: DeploymentOptions,
    link: Link,
    present: SlotDeployments,
    *,
    token: CancelToken,
) -> tuple[dict[Side, Bridging], tuple[DeploymentObstacle, ...]]:
    """Return what each side is joined with, and notes about it.

    Args:
        present: The deployments that are replaced.

    Raises:
        InvalidOption: A LAN port cannot be joined.
    """
    found: dict[Side, Bridging] = {}
    joined: set[Side] = set()
    warnings: list[DeploymentObstacle] = []
    for side, session, check in ((Side.A, sessions.a, discovery.a), (Side.B, sessions.b, discovery.b)):
        name = options.bridge(side)
        if not name:
            continue
        label = discovery.pair.host(side).label
        own = present.own_bridges.get(side, "")
        interfaces = lan_interfaces(session, check.facts, link.underlay(side), token=token, own_bridge=own)
        found[side], notes = choose_bridging(interfaces, name, bridge_name(link), label)
        warnings += [DeploymentObstacle(side, text) for text in notes]
        is_joined = joins(interfaces, name, present.interfaces.get(side, ""))
        joined |= {side} if is_joined else set()
        own_tunnel = link.names.ethernet_interface
        warnings += second_tunnel(side, label, interfaces, name, own_tunnel, is_replaced=is_joined)
        rules = read_lan_rules(remote_hosts(sessions, STATE_DIR)[side], name, found[side].bridge, token=token)
        found[side] = replace(found[side], noted=rules.noted)
        # The copies of what is replaced go with it.
        if not is_joined or options.moves_lan_rules or rules.has_copies:
            found[side] = replace(found[side], rules=rules.moved if options.moves_lan_rules else ())
            warnings += firewall_obstacles(side, found[side], rules, label)
    if len(found) == 1:
        warnings.append(_one_lan_only(discovery.pair, next(iter(found))))
    # The deployment that is replaced joins these very ports: the test would hear its tunnel, and they were tested then.
    if len(found) == len(Side) and not (present.is_on_both and joined == set(Side)):
        warnings += loop_obstacles(sessions, found, present, token=token)
    return found, tuple(warnings)


def _one_lan_only(pair: PairSpec, joined: Side) -> DeploymentObstacle:
    text = ONE_LAN_ONLY(other=pair.host(joined).label, host=pair.host(joined.other).label)
    return DeploymentObstacle(joined.other, text)


def joins(interfaces: tuple[LanInterface, ...], name: str, present: str) -> bool:
    """Return whether a host's deployment joins a LAN port now.

    Args:
        interfaces: The host's; those of the deployment's own bridge are freed.
        present: The interface with the deployment's address.
    """
    port = next((one for one in interfaces if one.name == name), None)
    return bool(present) and port is not None and (port.is_freed or name == present)


def second_tunnel(
    side: Side, label: str, interfaces: tuple[LanInterface, ...], name: str, tunnel: str, *, is_replaced: bool
) -> Iterator[DeploymentObstacle]:
    """Yield notes on a bridge that has the tunnel of another deployment as a port.

    Args:
        label: Its name for people.
        tunnel: The new tunnel's interface.
        is_replaced: Whether the host's deployment joins the chosen one, and is replaced.
    """
    there = next((one.tunnels for one in interfaces if one.name == name), ())
    others = [one for one in there if one != tunnel]
    # What is replaced may have another number: where it was deployed from another computer.
    if not others or (is_replaced and len(there) == 1):
        return
    yield DeploymentObstacle(
        side,
        BRIDGE_HAS_TUNNEL(bridge=name, host=label, others=enumerated(others), tunnel=tunnel),
        RING_IS_PARTED(),
        needs_person=True,
    )


def loop_obstacles(
    sessions: SessionPair, bridging: Mapping[Side, Bridging], present: SlotDeployments, *, token: CancelToken
) -> Iterator[DeploymentObstacle]:
    """Return notes on another path between the two LAN ports, where both sides have one.

    Args:
        bridging: LAN port or bridge, by side.
        present: What is replaced; it may be the other path itself, where it joins other ports of the same LANs.
    """
    found = are_joined(sessions, bridging[Side.A].lan_port, bridging[Side.B].lan_port, token=token)
    if found.is_joined is None:
        yield DeploymentObstacle(
            None,
            LOOP_UNKNOWN(why=found.why),
            LOOP_UNKNOWN_HINT(),
            needs_person=True,
        )
    elif found.is_joined:
        remove = REMOVE_WHAT_JOINS() if present.is_on_both else ""
        yield DeploymentObstacle(
            None,
            LANS_JOINED_ALREADY(),
            sentences((WOULD_MAKE_LOOP(), remove)),
            is_blocking=True,
        )
