"""Obstacles and notes about a host's firewall where a LAN port is joined."""

from __future__ import annotations

from collections.abc import Iterator

from app.deployment.lan.bridge import Bridging
from app.deployment.lan.matches import shown
from app.deployment.lan.rules import LanRules, texts_of
from app.domain.deployment import RolloutObstacle
from app.domain.hosts import Side


def firewall_obstacles(side: Side, bridging: Bridging, rules: LanRules, label: str) -> Iterator[RolloutObstacle]:
    """Report which rules of a host's firewall no longer apply to its LAN port, or are moved, or drop bridged frames.

    Args:
        bridging: What its end is joined with, with the rules that are added for it.
        rules: What was found.
        label: The host for users.
    """
    if bridging.rules:
        yield _moved(side, bridging, label)
    elif rules.moved:
        yield _left(side, bridging, tuple(dict.fromkeys(one.source for one in rules.moved)), label)
    if rules.refused:
        yield _refused(side, bridging, texts_of(rules.refused), label)
    if rules.forward:
        yield _forward(side, bridging.bridge, rules.forward, label)


def _moved(side: Side, bridging: Bridging, label: str) -> RolloutObstacle:
    own, other = side.value.upper(), side.other.value.upper()
    rules, port = bridging.rules, bridging.lan_port
    number = "A rule is" if len(rules) == 1 else f"{len(rules)} rules are"
    return RolloutObstacle(
        side,
        f"{number} added to the firewall of {label} for the bridge {bridging.bridge} while {port} is joined, for "
        f"example: {shown(rules[0].words)}.",
        f"What the rules for {port} accept or drop then applies to the LAN of {own} and to everything that the LAN of "
        f"{other} sends to {own}.",
    )


def _left(side: Side, bridging: Bridging, rules: tuple[str, ...], label: str) -> RolloutObstacle:
    own, other = side.value.upper(), side.other.value.upper()
    port, bridge = bridging.lan_port, bridging.bridge
    return RolloutObstacle(
        side,
        f"{_count(rules)} the LAN port {port} in the firewall of {label}, for example: {shown(rules[0])}. Once it is "
        f"joined, packets arrive by the bridge {bridge}, and these rules apply neither to its LAN nor to what the "
        f"other LAN sends to {label}.",
        f"With --move-lan-rules (a box in the window) they are added for {bridge} while the port is joined; they then "
        f"apply to the LAN of {own} and to what the LAN of {other} sends to {own}. Else confirm to go on without them.",
        needs_person=True,
    )


def _refused(side: Side, bridging: Bridging, rules: tuple[str, ...], label: str) -> RolloutObstacle:
    port, bridge = bridging.lan_port, bridging.bridge
    return RolloutObstacle(
        side,
        f"{_count(rules)} the LAN port {port} in the firewall of {label} and cannot be moved to the bridge {bridge}, "
        f"for example: {rules[0]}.",
        f"Change them by hand first: a rule that excepts {port} has to except {bridge}, too, in the same rule.",
        needs_person=True,
    )


def _forward(side: Side, bridge: str, rule: str, label: str) -> RolloutObstacle:
    return RolloutObstacle(
        side,
        f"{label} passes bridged frames to its firewall (bridge-nf), which may drop what crosses between the LANs: "
        f"{rule}. The pings that prove the tunnel do not pass there.",
        "Set the sysctl net.bridge.bridge-nf-call-iptables (and -ip6tables) to 0, or accept what is bridged only: "
        f"iptables -I FORWARD -i {bridge} -o {bridge} -j ACCEPT",
        needs_person=True,
    )


def _count(rules: tuple[str, ...]) -> str:
    return "A rule names" if len(rules) == 1 else f"{len(rules)} rules name"
