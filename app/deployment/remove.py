"""Removal of a deployment: removed on both hosts, or unchanged on both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from app.deployment.commit import CommitOutcome
from app.deployment.deploy import DeploymentContext
from app.deployment.events import (
    DeploymentEnded,
    DeploymentNote,
    DeploymentSink,
    DeploymentStage,
    DeploymentStageStarted,
)
from app.deployment.host_changes import lost_on_the_way, take_snapshots
from app.deployment.messages import NOT_ENDED_ON_BOTH, NOTHING_DEPLOYED, OF_ANOTHER_COMPUTER
from app.deployment.slots import slot_of
from app.deployment.transactions import RemovalTransaction, commit
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.deployment import Deployment, DeploymentOptions, DeploymentState
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
    emit: DeploymentSink,
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
        raise NotFound(NOTHING_DEPLOYED(pair=pair.name))
    deployment = known_deployment(store, pair, slot, tuple(current.values()))
    run = DeploymentContext(store, sessions, emit)

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
    with transaction.provisional(token=token):
        emit(DeploymentStageStarted(DeploymentStage.ROLLBACK))
        if deployment.solution:
            # Stored first: the next instance that makes contact after the end of this process completes it.
            run.save(replace(deployment, is_ending=True), deployment.state)
        outcome = commit(transaction, token=token)
        ended = _store_outcome(run, deployment, outcome)
    _warn(emit, transaction.work.warnings)
    if not outcome.is_complete:
        raise CommandFailed(NOT_ENDED_ON_BOTH(why=outcome.reason))
    if deployment.solution:
        # It has ended: nothing that is cancelled now may tell otherwise.
        after = take_snapshots(sessions, token=CancelToken())
        _warn(emit, lost_on_the_way(pair, deployment.link, transaction.before, after))
    emit(DeploymentEnded(ended))
    return ended


def _warn(emit: DeploymentSink, texts: Iterable[str]) -> None:
    for text in texts:
        emit(DeploymentNote(text, is_warning=True))


def _store_outcome(run: DeploymentContext, deployment: Deployment, outcome: CommitOutcome) -> Deployment:
    """Write down what became of a deployment that both hosts were to end; return it."""
    if outcome.is_complete:
        return run.save(deployment, DeploymentState.REMOVED)
    if outcome.may_be_half:
        return run.save(replace(deployment, is_ending=True), DeploymentState.HALF_CONFIRMED, outcome.reason)
    return run.save(deployment, deployment.state) if deployment.solution else deployment


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
        title=OF_ANOTHER_COMPUTER(),
        verdict=Verdict.ACCEPTABLE,
        options=DeploymentOptions(),
        slot=slot,
        link=Link(pair.underlay_a, pair.underlay_b),
        by="",
        prepared_at=now,
        state=DeploymentState.CONFIRMED,
        state_at=now,
    )
