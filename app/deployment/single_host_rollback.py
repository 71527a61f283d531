"""Removal on one host alone: the other one is out of reach, or parts of the deployment are gone or never counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from app.deployment.events import RolloutEnded, RolloutNote, RolloutSink, RolloutStage, RolloutStageStarted
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
from app.domain.user import this_user
from app.host.remote_host import RemoteHost, printable
from app.storage import Store
from app.tunnel.audit import Ledger
from app.tunnel.lock_owner import owner_text
from app.tunnel.preflight import remote_hosts

REMOVE_TIMEOUT_S = 120.0
_WARNING = "tunnelmark: warning: "


def roll_back_one(
    store: Store, session: HostSession, pair: PairSpec, side: Side, *, token: CancelToken, emit: RolloutSink
) -> Deployment:
    """Remove the deployment of one host; the other one is not asked.

    Args:
        store: Where it is stored; the next contact with both hosts removes it on the other one, too.
        token: Cancels it before anything is changed.

    Returns:
        The deployment, of which the other host may still have its end.

    Raises:
        NotFound: Nothing is deployed there.
        CommandFailed: It could not be removed, or another instance works on the host.
    """
    slot, end = slot_of(pair), RemoteHost(side, session, STATE_DIR)
    found = read_slot(end, slot, token=token)
    if not found.is_standing:
        raise NotFound(f"Nothing is deployed on {end.label}.")
    deployment = known_deployment(store, pair, slot, (found.deployment_id,))
    token.raise_if_cancelled()
    emit(RolloutStageStarted(RolloutStage.UNDO, end.label))
    ending = replace(deployment, is_ending=True)
    if deployment.solution:
        # Stored first: the next instance that makes contact after the end of this process completes it.
        _save(store, ending, deployment.state)
    try:
        told = _remove(store, end, slot, found, "Remove the deployment, on this host alone")
    except CommandFailed:
        if deployment.solution:
            _save(store, deployment, deployment.state)
        raise
    other = pair.host(side.other).label
    text = (
        f"It was removed from {end.label} alone. {other} was not asked and may still have it. Once both can be "
        f"reached, remove it there with: tunnelmark status {pair.name} --repair"
    )
    ended = _save(store, ending, DeploymentState.HALF_CONFIRMED, text)
    if found.is_damaged or _WARNING in told:
        emit(RolloutNote(told, is_warning=True))
    emit(RolloutNote(text, is_warning=True))
    emit(RolloutEnded(ended))
    return ended


def end_damaged(
    store: Store,
    sessions: SessionPair,
    pair: PairSpec,
    found: Mapping[Side, SlotState],
    *,
    token: CancelToken,
    emit: RolloutSink,
) -> Deployment:
    """Remove what is left on hosts of which one has parts of a deployment only, on each host by itself.

    Args:
        store: Where it is written down.
        found: What is in the place of both.
        token: Cancels it before anything is changed.
        emit: Gets what happens; also what may still run.

    Returns:
        The deployment as it has ended.

    Raises:
        CommandFailed: A host did not end it; repeat to remove what is left.
    """
    slot, ends = slot_of(pair), remote_hosts(sessions, STATE_DIR)
    deployment = known_deployment(store, pair, slot, tuple(one.deployment_id for one in found.values()))
    token.raise_if_cancelled()
    if deployment.solution:
        _save(store, replace(deployment, is_ending=True), deployment.state)
    for side in (side for side, one in found.items() if one.kind != "empty"):
        emit(RolloutStageStarted(RolloutStage.UNDO, ends[side].label))
        told = _remove(store, ends[side], slot, found[side], "Remove what is left of a damaged deployment")
        if found[side].is_damaged or _WARNING in told:
            emit(RolloutNote(told, is_warning=True))
    ended = _save(store, deployment, DeploymentState.UNDONE)
    emit(RolloutEnded(ended))
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
    end = RemoteHost(side, session, STATE_DIR)
    _remove(store, end, slot_of(pair), UNFINISHED, "Remove the files of a deployment that was broken off")


def _remove(store: Store, end: RemoteHost, slot: str, seen: SlotState, what: str) -> str:
    """Have a host remove a place while that is in it which was seen, write it down, and return what the host says."""
    script, words = host_script("remove.sh"), (slot, seen.seen, owner_text())
    result = end.run_script(script, words, token=CancelToken(), timeout_s=REMOVE_TIMEOUT_S)
    who = this_user()
    ledger = Ledger(end, lambda entry: store.audit(replace(entry, who=who, deployment=seen.deployment_id)))
    ledger.write(what, f"sh remove.sh {slot}", result.exit_status)
    if not result.is_ok:
        raise CommandFailed(
            f"It could not be removed on {end.label}. {printable(result.stderr, limit=500)}".strip(),
            context={"host": end.label, "exit_status": str(result.exit_status)},
        )
    return f"{end.label}: {printable(result.stdout, limit=500)}"


def _save(store: Store, deployment: Deployment, state: DeploymentState, message: str = "") -> Deployment:
    """Write down what became of a deployment, unless not even its name is known."""
    changed = replace(deployment, state=state, state_at=datetime.now(UTC), message=message or deployment.message)
    if deployment.id:
        store.save_deployment(changed)
    return changed
