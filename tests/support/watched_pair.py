"""A pair with a confirmed deployment, as watching it sees it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from fake_deployment_values import INSPECTED_AT, healthy_end
from sample_records import pair

from app.domain.deployment import Deployment, DeploymentOptions, DeploymentState
from app.domain.deployment_status import PairStatus
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.verdicts import Verdict


def confirmed_deployment() -> Deployment:
    """Return what was deployed and confirmed at `INSPECTED_AT`."""
    return Deployment(
        "1" * 16,
        pair(),
        "wireguard",
        "chacha20-poly1305",
        "WireGuard",
        Verdict.RECOMMENDED,
        DeploymentOptions(),
        "1f2e",
        Link("198.51.100.1", "198.51.100.2"),
        "meier on office-7",
        INSPECTED_AT,
        DeploymentState.CONFIRMED,
        INSPECTED_AT,
    )


def healthy_status(deployment: Deployment) -> PairStatus:
    """Return how its pair is at `INSPECTED_AT` while nothing is wrong."""
    a, b = (healthy_end(deployment.pair, side, deployment) for side in Side)
    return PairStatus("north", INSPECTED_AT, deployment, deployment.state, a, b)


def after(status: PairStatus, seconds: float) -> PairStatus:
    """Return the same status, seen so much later."""
    return replace(status, at=status.at + timedelta(seconds=seconds))
