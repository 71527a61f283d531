"""Removal of a deployment, with the same care as deploying it: both hosts end it, or both keep it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from app.deployment.deploy import RolloutRun
from app.deployment.events import RolloutEnded, RolloutNote, RolloutSink, RolloutStage, RolloutStageStarted
from app.deployment.host_changes import look, lost_on_the_way
from app.deployment.slots import slot_of
from app.deployment.transactions import RemovalTransaction
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.deployment import Deployment, DeploymentState, RolloutOptions
from app.domain.errors import CommandFailed, NotFound
from app.domain.events import Stage
from app.domain.hosts import PairSpec, Side
from app.domain.link import Link
from app.domain.verdicts import Verdict
from app.storage import Store


def end_deployment(
    store: Store,
    sessions: SessionPair,
    pair: PairSpec,
    current: Mapping[Side, str],
    *,
    token: CancelToken,
    emit: RolloutSink,
) -> Deployment:
    """Remove a pair's deployment.

    Args:
        store: Where it is written down.
        current: The deployment on each host, by side; nothing where a host has none.
        token: Cancels it; both hosts then go on with the deployment.

    Returns:
        The deployment as it has ended.

    Raises:
        NotFound: Nothing is deployed there.
        CommandFailed: A host did not end it.
    """
    slot = slot_of(pair)
    if not current:
        raise NotFound(f"Nothing is deployed on {pair.name}.")
    deployment = known_deployment(store, pair, slot, tuple(current.values()))
    run = RolloutRun(store, sessions, emit)

    def on_stage(stage: Stage, detail: str) -> None:
        # No key is made: all that happens is what would come before it, the suspension.
        run.on_stage(Stage.CLEANUP if stage is Stage.IDENTITY else stage, detail)

    transaction = RemovalTransaction(
        sessions,
        pair,
        slot,
        current,
        on_stage=on_stage,
        audit=run.auditor(deployment.id),
        lease_s=run.lease_s,
    )
    ended = deployment
    with transaction.provisional(token=token):
        emit(RolloutStageStarted(RolloutStage.UNDO))
        if deployment.solution:
            # Stored first: the next instance that makes contact after the end of this process completes it.
            run.save(replace(deployment, is_ending=True), deployment.state)
        outcome = transaction.confirm(token=token)
        if outcome.is_complete:
            ended = run.save(deployment, DeploymentState.UNDONE)
        elif outcome.may_be_half:
            ended = run.save(replace(deployment, is_ending=True), DeploymentState.HALF_CONFIRMED, outcome.reason)
        elif deployment.solution:
            run.save(deployment, deployment.state)
    for text in transaction.work.warnings:
        emit(RolloutNote(text, is_warning=True))
    if not outcome.is_complete:
        raise CommandFailed(
            f"The deployment has not ended on both hosts. {outcome.reason}".strip(),
            hint="Run undeploy again once both hosts can be reached.",
        )
    if deployment.solution:
        # It has ended: nothing that is cancelled now may tell otherwise.
        for text in lost_on_the_way(pair, deployment.link, transaction.before, look(sessions, token=CancelToken())):
            emit(RolloutNote(text, is_warning=True))
    emit(RolloutEnded(ended))
    return ended


def known_deployment(store: Store, pair: PairSpec, slot: str, ids: tuple[str, ...]) -> Deployment:
    """Return what is stored of it; what another computer deployed can be removed just as well."""
    for one in ids:
        try:
            return store.get_deployment(one)
        except NotFound:
            continue
    now = datetime.now(UTC)
    return Deployment(
        id=ids[0],
        pair=pair,
        solution="",
        suite="",
        title="A deployment of another computer",
        verdict=Verdict.ACCEPTABLE,
        options=RolloutOptions(),
        slot=slot,
        link=Link(pair.underlay_a, pair.underlay_b),
        by="",
        prepared_at=now,
        state=DeploymentState.CONFIRMED,
        state_at=now,
    )
