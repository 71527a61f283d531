"""Comparison of what the hosts say of a pair's deployments with what is stored of them."""

from __future__ import annotations

from app.domain.deployment import Deployment, DeploymentState
from app.domain.deployment_status import PairStatus
from ui.deployments.deployments_table import DeploymentEntry


def identity_of(deployment: Deployment | None) -> tuple[str, DeploymentState] | None:
    """Return which deployment it is, and in which state; None for none."""
    return (deployment.id, deployment.state) if deployment is not None else None


def is_news(one: DeploymentEntry | None, status: PairStatus) -> bool:
    """Whether the hosts' status changes what is stored of a pair."""
    if one is None:
        return False
    if status.deployment is None:
        is_nothing = status.state is None and status.a.is_reachable and status.b.is_reachable
        return is_nothing and one.active is not None
    known = next((each for each in one.deployments if each.id == status.deployment.id), None)
    return known is None or known.state is not status.deployment.state
