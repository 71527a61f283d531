"""Obstacles and notes about a host's firewall where a LAN port is joined."""

from __future__ import annotations

from collections.abc import Iterator

from app.deployment.lan.bridge import Bridging
from app.deployment.lan.matches import shown
from app.deployment.lan.messages import (
    BRIDGED_FILTERED,
    BRIDGED_FILTERED_HINT,
    CHANGE_RULES_FIRST,
    MOVE_LAN_RULES,
    MOVED_RULES_APPLY,
    RULE_CANNOT_MOVE,
    RULE_IS_ADDED,
    RULE_NAMES_PORT,
    RULES_ARE_ADDED,
    RULES_CANNOT_MOVE,
    RULES_NAME_PORT,
)
from app.deployment.lan.rules import LanRules, texts_of
from app.domain.deployment import DeploymentObstacle
from app.domain.hosts import Side


def firewall_obstacles(side: Side, bridging: Bridging, rules: LanRules, label: str) -> Iterator[DeploymentObstacle]:
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


def _moved(side: Side, bridging: Bridging, label: str) -> DeploymentObstacle:
    own, other = side.value.upper(), side.other.value.upper()
    rules, port = bridging.rules, bridging.lan_port
    return DeploymentObstacle(
        side,
        (RULE_IS_ADDED if len(rules) == 1 else RULES_ARE_ADDED)(
            number=len(rules), host=label, bridge=bridging.bridge, port=port, rule=shown(rules[0].words)
        ),
        MOVED_RULES_APPLY(port=port, own=own, other=other),
    )


def _left(side: Side, bridging: Bridging, rules: tuple[str, ...], label: str) -> DeploymentObstacle:
    own, other = side.value.upper(), side.other.value.upper()
    port, bridge = bridging.lan_port, bridging.bridge
    return DeploymentObstacle(
        side,
        (RULE_NAMES_PORT if len(rules) == 1 else RULES_NAME_PORT)(
            number=len(rules), port=port, host=label, rule=shown(rules[0]), bridge=bridge
        ),
        MOVE_LAN_RULES(bridge=bridge, own=own, other=other),
        needs_person=True,
    )


def _refused(side: Side, bridging: Bridging, rules: tuple[str, ...], label: str) -> DeploymentObstacle:
    port, bridge = bridging.lan_port, bridging.bridge
    return DeploymentObstacle(
        side,
        (RULE_CANNOT_MOVE if len(rules) == 1 else RULES_CANNOT_MOVE)(
            number=len(rules), port=port, host=label, bridge=bridge, rule=rules[0]
        ),
        CHANGE_RULES_FIRST(port=port, bridge=bridge),
        needs_person=True,
    )


def _forward(side: Side, bridge: str, rule: str, label: str) -> DeploymentObstacle:
    return DeploymentObstacle(
        side,
        BRIDGED_FILTERED(host=label, rule=rule),
        BRIDGED_FILTERED_HINT(bridge=bridge),
        needs_person=True,
    )
