"""The LAN ports that a deployment joins, and whether there is another way between them already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from app.deployment.lan.bridge import Bridging
from app.deployment.lan.interfaces import LanInterface, choose_bridging, lan_interfaces
from app.deployment.lan.loop_test import are_joined
from app.deployment.lan.obstacles import firewall_obstacles
from app.deployment.lan.rules import read_lan_rules
from app.deployment.slots import bridge_name
from app.deployment.status import is_own_bridge, read_interface
from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.concurrency import run_both
from app.domain.deployment import RolloutObstacle, RolloutOptions
from app.domain.hosts import Side
from app.domain.link import STATE_DIR, Link
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
    ends = remote_hosts(sessions, STATE_DIR)

    def read(side: Side) -> str:
        return read_interface(ends[side], slot, ids[side], token=token) if ids.get(side) else ""

    a, b = run_both(lambda: read(Side.A), lambda: read(Side.B))
    return SlotDeployments(ids, {side: name for side, name in ((Side.A, a), (Side.B, b)) if name})


def choose_ports(
    sessions: SessionPair,
    discovery: Discovery,
    options: RolloutOptions,
    link: Link,
    standing: SlotDeployments,
    *,
    token: CancelToken,
) -> tuple[dict[Side, Bridging], tuple[RolloutObstacle, ...]]:
    """Return what each side is joined with, and notes about it.

    Args:
        standing: The deployments that are replaced.

    Raises:
        InvalidOption: A LAN port cannot be joined.
    """
    found: dict[Side, Bridging] = {}
    joined: set[Side] = set()
    warnings: list[RolloutObstacle] = []
    for side, session, check in ((Side.A, sessions.a, discovery.a), (Side.B, sessions.b, discovery.b)):
        name = options.bridge(side)
        if not name:
            continue
        label = discovery.pair.host(side).label
        own = standing.own_bridges.get(side, "")
        interfaces = lan_interfaces(session, check.facts, link.underlay(side), token=token, own_bridge=own)
        found[side], said = choose_bridging(interfaces, name, bridge_name(link), label)
        warnings += [RolloutObstacle(side, text) for text in said]
        is_joined = joins(interfaces, name, standing.interfaces.get(side, ""))
        joined |= {side} if is_joined else set()
        own_tunnel = link.names.ethernet_interface
        warnings += second_tunnel(side, label, interfaces, name, own_tunnel, is_replaced=is_joined)
        end = remote_hosts(sessions, STATE_DIR)[side]
        rules = read_lan_rules(end, name, found[side].bridge, token=token)
        found[side] = replace(found[side], noted=rules.noted)
        # The copies of what is replaced go with it.
        if not is_joined or options.moves_lan_rules or rules.has_copies:
            found[side] = replace(found[side], rules=rules.moved if options.moves_lan_rules else ())
            warnings += firewall_obstacles(side, found[side], rules, label)
    if len(found) == 1:
        side = next(iter(found)).other
        warnings.append(
            RolloutObstacle(
                side,
                f"Only the LAN of {discovery.pair.host(side.other).label} is joined; "
                f"{discovery.pair.host(side).label} itself is the other side of the tunnel.",
            )
        )
    # The deployment that is replaced joins these very ports: the test would hear its tunnel, and they were tested then.
    if len(found) == len(Side) and not (standing.is_on_both and joined == set(Side)):
        warnings += loop_obstacles(sessions, found, standing, token=token)
    return found, tuple(warnings)


def joins(interfaces: tuple[LanInterface, ...], name: str, standing: str) -> bool:
    """Return whether a host's deployment joins a LAN port now.

    Args:
        interfaces: The host's; those of the deployment's own bridge are freed.
        standing: The interface with the deployment's address.
    """
    port = next((one for one in interfaces if one.name == name), None)
    return bool(standing) and port is not None and (port.is_freed or name == standing)


def second_tunnel(
    side: Side, label: str, interfaces: tuple[LanInterface, ...], name: str, tunnel: str, *, is_replaced: bool
) -> Iterator[RolloutObstacle]:
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
    yield RolloutObstacle(
        side,
        f"The bridge {name} on {label} has {' and '.join(others)} as a port already, the tunnel of another deployment; "
        f"{tunnel} would be one more.",
        "If the LANs behind the two tunnels are ever joined with each other, each tunnel in that ring finds the loop "
        "and is parted: the LAN here then loses all of them until the other connection has gone. "
        "See docs/deployment.md, “Loops, broadcast, DHCP”.",
        needs_person=True,
    )


def loop_obstacles(
    sessions: SessionPair, bridging: Mapping[Side, Bridging], standing: SlotDeployments, *, token: CancelToken
) -> Iterator[RolloutObstacle]:
    """Return notes on another path between the two LAN ports, where both sides have one.

    Args:
        bridging: LAN port or bridge, by side.
        standing: What is replaced; it may be the other path itself, where it joins other ports of the same LANs.
    """
    found = are_joined(sessions, bridging[Side.A].lan_port, bridging[Side.B].lan_port, token=token)
    if found.is_joined is None:
        yield RolloutObstacle(
            None,
            f"Whether the two LANs are joined already could not be found out ({found.why}).",
            "If they are, do not roll this out: frames would go round in circles.",
            needs_person=True,
        )
    elif found.is_joined:
        hint = "A tunnel between them would make a loop. Part them first, or choose other ports."
        if standing.is_on_both:
            hint += " If the present deployment joins them, remove it first with `tunnelmark undeploy`."
        yield RolloutObstacle(
            None,
            "The two LANs are joined already: what leaves the one port arrives at the other one without any tunnel.",
            hint,
            is_blocking=True,
        )
