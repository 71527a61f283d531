"""What can be done about a standing tunnel: the question that comes first, and the task that follows from a yes."""

from __future__ import annotations

from dataclasses import dataclass

from app.deployment.contact import OnlyHost
from app.domain.deployment import Deployment
from app.domain.hosts import PairSpec
from app.services.interfaces.deployments import RolloutServices
from ui.common.deployment_states import moment
from ui.common.texts import tr
from ui.deployments.single_host_rollback import undo_one_text
from ui.deployments.task import RolloutTask
from ui.deployments.texts import if_nobody_answers


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
    task: RolloutTask


def undo_proposal(services: RolloutServices, pair: PairSpec, standing: Deployment) -> Proposal:
    """Take back what stands, on both hosts."""
    task = RolloutTask(
        tr("Undoing"),
        standing.title,
        pair,
        lambda token, emit, _confirmation: services.undeploy(pair, token=token, emit=emit),
        is_undo=True,
    )
    text = tr(
        "Both hosts are put back as they were before it: files, services, interfaces. What goes through the tunnel "
        "now is cut off. It can be deployed again later."
    )
    title = tr("Undo %1 on %2?").replace("%1", standing.title).replace("%2", pair.name)
    return Proposal(title, text, tr("Undo it"), task)


def undo_one_proposal(services: RolloutServices, pair: PairSpec, standing: Deployment, alone: OnlyHost) -> Proposal:
    """Take back what stands on the only host that could be asked."""
    side, label = alone.side, alone.reached.label
    task = RolloutTask(
        tr("Undoing on %1 alone").replace("%1", label),
        standing.title,
        pair,
        lambda token, emit, _confirmation: services.undeploy_one(pair, side, token=token, emit=emit),
        is_undo=True,
        only=side,
    )
    title = tr("Undo %1 on %2 alone?").replace("%1", standing.title).replace("%2", label)
    return Proposal(title, undo_one_text(alone), tr("Undo it on %1 alone").replace("%1", label), task)


def rotate_proposal(services: RolloutServices, pair: PairSpec, standing: Deployment) -> Proposal:
    """Roll out what stands once more, with new keys."""
    task = RolloutTask(
        tr("Rotating keys"),
        standing.title,
        pair,
        lambda token, emit, confirmation: services.rotate_keys(pair, token=token, emit=emit, confirmation=confirmation),
        standing.title,
        standing.options.confirm_within_s,
    )
    text = tr("Both hosts make new keys and the tunnel is built anew with them: it is down for some seconds.")
    title = tr("New keys for %1?").replace("%1", pair.name)
    return Proposal(title, f"{text} {_how(task)}", tr("Rotate keys"), task)


def again_proposal(
    services: RolloutServices, former: Deployment, standing: Deployment | None, *, confirm_within_s: float
) -> Proposal:
    """Roll out an earlier deployment once more.

    Args:
        services: Do it.
        former: The earlier one.
        standing: What stands in its place now; None where nothing does.
        confirm_within_s: Time the user has to confirm, in seconds, whatever the earlier one was deployed with.
    """
    task = RolloutTask(
        tr("Deploying again"),
        former.title,
        former.pair,
        lambda token, emit, confirmation: services.redeploy(
            former.id, token=token, emit=emit, confirmation=confirmation, confirm_within_s=confirm_within_s
        ),
        standing.title if standing is not None else "",
        confirm_within_s,
    )
    place = (
        tr("It takes the place of %1.").replace("%1", standing.title)
        if standing is not None
        else tr("Nothing stands on the pair now.")
    )
    title = tr("Deploy %1 of %2 again?").replace("%1", former.title).replace("%2", moment(former.prepared_at))
    return Proposal(title, f"{place} {_how(task)}", tr("Deploy it again"), task)


def keep_task(services: RolloutServices, pair: PairSpec, waiting: Deployment) -> RolloutTask:
    """Return the task that confirms what waits for it; that needs no question."""
    return RolloutTask(
        tr("Confirming"),
        waiting.title,
        pair,
        lambda token, emit, _confirmation: services.confirm(pair, token=token, emit=emit),
        is_confirming=True,
    )


def _how(task: RolloutTask) -> str:
    if task.within_s is None:
        return tr("If it cannot be verified, both hosts go back by themselves.")
    return f"{tr('You are asked whether it is to stay.')} {if_nobody_answers(task.former)}"
