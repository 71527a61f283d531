"""Removal on one host alone: the other one is out of reach, or parts of the deployment are gone or never counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app.deployment.deploy import store_state
from app.deployment.events import (
    DeploymentEnded,
    DeploymentNote,
    DeploymentSink,
    DeploymentStage,
    DeploymentStageStarted,
)
from app.deployment.messages import (
    NOT_REMOVED,
    NOTHING_ON_HOST,
    REMOVED_FROM_ONE,
    STEP_REMOVE_ALONE,
    STEP_REMOVE_DAMAGED,
    STEP_REMOVE_UNFINISHED,
)
from app.deployment.remove import known_deployment
from app.deployment.slots import slot_of
from app.deployment.status import UNFINISHED, SlotState, read_slot
from app.domain.cancel import CancelToken
from app.domain.commands import HostSession, SessionPair
from app.domain.deployment import Deployment, DeploymentState
from app.domain.errors import CommandFailed, NotFound
from app.domain.hosts import PairSpec, Side
from app.domain.link import STATE_DIR
from app.domain.script_files import host_script
from app.host.remote_host import RemoteHost, printable
from app.storage import Store
from app.tunnel.audit import Ledger
from app.tunnel.lock_owner import owner_text
from app.tunnel.preflight import remote_hosts

REMOVE_TIMEOUT_S = 120.0
_WARNING = "tunnelmark: warning: "


def roll_back_one(
    store: Store, session: HostSession, pair: PairSpec, side: Side, *, token: CancelToken, emit: DeploymentSink
) -> Deployment:
    """Remove the deployment of one host; the other one is not asked.

    Args:
        store: Where it is stored; the next contact with both hosts removes it on the other one, too.
        token: Cancels it before anything is changed.

    Returns:
        The deployment, of which the other host may still have its half.

    Raises:
        NotFound: Nothing is deployed there.
        CommandFailed: It could not be removed, or another instance works on the host.
    """
    slot, host = slot_of(pair), RemoteHost(side, session, STATE_DIR)
    found = read_slot(host, slot, token=token)
    if not found.is_on_host:
        raise NotFound(NOTHING_ON_HOST(host=host.label))
    deployment = known_deployment(store, pair, slot, (found.deployment_id,))
    token.raise_if_cancelled()
    emit(DeploymentStageStarted(DeploymentStage.ROLLBACK, host.label))
    ending = replace(deployment, is_ending=True)
    if deployment.solution:
        # Stored first: the next instance that makes contact after the end of this process completes it.
        store_state(store, ending, deployment.state)
    try:
        outcome = _remove(store, host, slot, found, STEP_REMOVE_ALONE())
    except CommandFailed:
        if deployment.solution:
            store_state(store, deployment, deployment.state)
        raise
    other = pair.host(side.other).label
    text = REMOVED_FROM_ONE(host=host.label, other=other, pair=pair.name)
    ended = store_state(store, ending, DeploymentState.HALF_CONFIRMED, text)
    if found.is_damaged or _WARNING in outcome:
        emit(DeploymentNote(outcome, is_warning=True))
    emit(DeploymentNote(text, is_warning=True))
    emit(DeploymentEnded(ended))
    return ended


def end_damaged(
    store: Store,
    sessions: SessionPair,
    pair: PairSpec,
    found: Mapping[Side, SlotState],
    *,
    token: CancelToken,
    emit: DeploymentSink,
) -> Deployment:
    """Remove what is left on hosts of which one has parts of a deployment only, on each host by itself.

    Args:
        store: Where it is written down.
        found: What is in the slot of both.
        token: Cancels it before anything is changed.
        emit: Gets what happens; also what may still run.

    Returns:
        The deployment as it has ended.

    Raises:
        CommandFailed: A host did not end it; repeat to remove what is left.
    """
    slot, hosts = slot_of(pair), remote_hosts(sessions, STATE_DIR)
    deployment = known_deployment(store, pair, slot, tuple(one.deployment_id for one in found.values()))
    token.raise_if_cancelled()
    if deployment.solution:
        store_state(store, replace(deployment, is_ending=True), deployment.state)
    for side in (side for side, one in found.items() if one.kind != "empty"):
        emit(DeploymentStageStarted(DeploymentStage.ROLLBACK, hosts[side].label))
        outcome = _remove(store, hosts[side], slot, found[side], STEP_REMOVE_DAMAGED())
        if found[side].is_damaged or _WARNING in outcome:
            emit(DeploymentNote(outcome, is_warning=True))
    ended = store_state(store, deployment, DeploymentState.REMOVED)
    emit(DeploymentEnded(ended))
    return ended


def remove_unfinished(store: Store, session: HostSession, pair: PairSpec, side: Side, *, token: CancelToken) -> None:
    """Remove the files of a deployment that was interrupted while they were written, for example by a power loss.

    Args:
        store: Where it is written down.
        token: Cancels it before anything is changed.

    Raises:
        CommandFailed: They could not be removed, or another instance works on the host.
    """
    token.raise_if_cancelled()
    host = RemoteHost(side, session, STATE_DIR)
    _remove(store, host, slot_of(pair), UNFINISHED, STEP_REMOVE_UNFINISHED())


def _remove(store: Store, host: RemoteHost, slot: str, seen: SlotState, what: str) -> str:
    """Have a host remove a slot while that is in it which was seen, write it down, and return what the host says."""
    script, words = host_script("remove.sh"), (slot, seen.seen, owner_text())
    result = host.run_script(script, words, token=CancelToken(), timeout_s=REMOVE_TIMEOUT_S)
    ledger = Ledger(host, lambda entry: store.audit(replace(entry, deployment=seen.deployment_id)))
    ledger.write(what, f"sh remove.sh {slot}", result.exit_status)
    if not result.is_ok:
        raise CommandFailed(
            NOT_REMOVED(host=host.label, why=printable(result.stderr, limit=500)),
            context={"host": host.label, "exit_status": str(result.exit_status)},
        )
    return f"{host.label}: {printable(result.stdout, limit=500)}"
