"""Actions on a deployment: the question to the user, and the task that follows a yes."""

from __future__ import annotations

from dataclasses import dataclass

from app.deployment.contact import OnlyHost
from app.domain.deployment import Deployment
from app.domain.hosts import PairSpec
from app.services.interfaces.deployments import DeploymentServices
from app.wording.titles import local_title
from ui.common.deployment_states import moment
from ui.common.texts import tr
from ui.deployments.single_host_rollback import one_host_removal_text
from ui.deployments.task import DeploymentTask
from ui.deployments.texts import unless_confirmed


@dataclass(frozen=True)
class Proposal:
    """A question and what is done when it is answered with yes.

    Attributes:
        title: The question.
        text: What follows from a yes.
        yes: Word on the button that says it.
        task: What is done then.
    """

    title: str
    text: str
    yes: str
    task: DeploymentTask


def removal_proposal(services: DeploymentServices, pair: PairSpec, active: Deployment) -> Proposal:
    """Remove the deployment from both hosts."""
    task = DeploymentTask(
        tr("Removing"),
        active.title,
        pair,
        lambda token, emit, _confirmation: services.undeploy(pair, token=token, emit=emit),
        is_removal=True,
    )
    text = tr(
        "Both hosts are restored to their state before it: files, services, interfaces. Traffic through the "
        "tunnel is interrupted. You can deploy it again later."
    )
    title = tr("Remove %1 from %2?", local_title(active.title), pair.name)
    return Proposal(title, text, tr("Remove"), task)


def one_host_removal_proposal(
    services: DeploymentServices, pair: PairSpec, active: Deployment, alone: OnlyHost
) -> Proposal:
    """Remove the deployment from the only reachable host."""
    side, label = alone.side, alone.reached.label
    task = DeploymentTask(
        tr("Removing on %1 alone", label),
        active.title,
        pair,
        lambda token, emit, _confirmation: services.undeploy_one(pair, side, token=token, emit=emit),
        is_removal=True,
        only=side,
    )
    title = tr("Remove %1 from %2 alone?", local_title(active.title), label)
    return Proposal(title, one_host_removal_text(alone), tr("Remove from %1 alone", label), task)


def rotate_proposal(services: DeploymentServices, pair: PairSpec, active: Deployment) -> Proposal:
    """Deploy the same tunnel again with new keys."""
    task = DeploymentTask(
        tr("Rotating keys"),
        active.title,
        pair,
        lambda token, emit, confirmation: services.rotate_keys(pair, token=token, emit=emit, confirmation=confirmation),
        active.title,
        active.options.confirm_within_s,
    )
    text = tr("Both hosts generate new keys, and the tunnel is set up again with them. It is down for some seconds.")
    title = tr("Rotate the keys of %1?", pair.name)
    return Proposal(title, f"{text} {_how(task)}", tr("Rotate keys"), task)


def again_proposal(
    services: DeploymentServices, former: Deployment, replaced: Deployment | None, *, confirm_within_s: float
) -> Proposal:
    """Deploy an earlier deployment again.

    Args:
        services: Deployment service.
        replaced: The deployment that it replaces; None for none.
        confirm_within_s: Time the user has to confirm, in seconds, whatever the earlier one was deployed with.
    """
    task = DeploymentTask(
        tr("Deploying again"),
        former.title,
        former.pair,
        lambda token, emit, confirmation: services.redeploy(
            former.id, token=token, emit=emit, confirmation=confirmation, confirm_within_s=confirm_within_s
        ),
        replaced.title if replaced is not None else "",
        confirm_within_s,
    )
    place = (
        tr("It replaces %1.", local_title(replaced.title))
        if replaced is not None
        else tr("No tunnel is deployed on the pair now.")
    )
    title = tr("Deploy %1 of %2 again?", local_title(former.title), moment(former.prepared_at))
    return Proposal(title, f"{place} {_how(task)}", tr("Deploy it again"), task)


def keep_task(services: DeploymentServices, pair: PairSpec, waiting: Deployment) -> DeploymentTask:
    """Return the task that confirms what waits for it; that needs no question."""
    return DeploymentTask(
        tr("Confirming"),
        waiting.title,
        pair,
        lambda token, emit, _confirmation: services.confirm(pair, token=token, emit=emit),
        is_confirming=True,
    )


def _how(task: DeploymentTask) -> str:
    if task.within_s is None:
        return tr("If it cannot be verified, both hosts roll back.")
    return f"{tr('You are asked to confirm it.')} {unless_confirmed(task.former)}"
