"""Repairs of what one host alone keeps.

A removal that was asked for is carried through when the window makes contact with both hosts. Deploying once more
waits for the user, as `status` does for `--repair`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from app.deployment.contact import RepairAttempts
from app.deployment.events import Confirmation, DeploymentSink
from app.domain.cancel import CancelToken
from app.domain.deployment import Deployment
from app.domain.deployment_status import PairStatus
from app.domain.errors import NotFound
from app.domain.hosts import PairSpec
from app.services.interfaces.deployments import DeploymentServices
from ui.common.texts import tr
from ui.deployments.task import DeploymentTask


@dataclass
class Repairs:
    """Repairs on this page.

    Attributes:
        may_begin: Whether the place where it is done is free.
        attempts: What was begun or offered.
        running: Name of the pair that is being repaired; empty where none is.
    """

    may_begin: Callable[[], bool] = lambda: True
    attempts: RepairAttempts = field(default_factory=RepairAttempts)
    running: str = ""

    def is_due(self, status: PairStatus) -> bool:
        """Whether a repair begins or is offered now, and remember it."""
        if status.deployment is None or not self.attempts.is_due(status):
            return False
        if not self.may_begin():
            return False  # the next check tries again
        self.attempts.note(status.pair, status.deployment)
        return True

    def waits_for_user(self, deployment: Deployment | None) -> bool:
        """Whether a repair was offered, or tried in vain, and is not running."""
        if deployment is None or deployment.pair.name == self.running:
            return False
        return self.attempts.was_tried(deployment.pair.name, deployment)


def half_words(pair: str) -> tuple[str, str]:
    """Return title and hint for a pair of which only one host kept the deployment."""
    return (
        tr("%1 has its tunnel on one host only.", pair),
        tr("Repair deploys it on both hosts again. If it was removed on purpose, remove it from the other host."),
    )


def repair_task(services: DeploymentServices, pair: PairSpec, half: Deployment) -> DeploymentTask:
    """Return the task that puts a pair right.

    Args:
        services: Does it.
        half: What one host alone keeps.
    """

    def job(token: CancelToken, emit: DeploymentSink, _confirmation: Confirmation) -> Deployment:
        repaired = services.repair(pair, token=token, emit=emit)
        if repaired is None:
            raise NotFound(tr("%1 needs no repair any more.", pair.name))
        return repaired

    return DeploymentTask(tr("Repairing"), half.title, pair, job, half.title, is_removal=half.is_ending)
