"""Rollback of a deployment that hosts hold until it is confirmed, for a process that did not begin it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from app.deployment.events import RolloutEnded, RolloutNote, RolloutSink, RolloutStage, RolloutStageStarted
from app.deployment.reconcile import Reached
from app.deployment.status import read_slot
from app.domain.cancel import CancelToken
from app.domain.deployment import Deployment, DeploymentState
from app.domain.errors import CommandFailed
from app.domain.hosts import PairSpec, Side
from app.domain.user import this_user
from app.host.inspection import LockInfo
from app.host.parallel import on_both_to_the_end
from app.host.remote_host import RemoteHost
from app.storage import Store
from app.tunnel.audit import Ledger
from app.tunnel.lock_owner import LET_GO
from app.tunnel.recovery import UNDO_LIMIT_S, is_abandoned
from app.tunnel.rollback import RollbackResult, RollbackState, roll_back


def held_unconfirmed(known: Iterable[Deployment], reached: Mapping[Side, Reached]) -> Deployment | None:
    """Return the deployment that every host that was asked holds until it is confirmed.

    Raises:
        CommandFailed: The instance that deploys it still asks for the confirmation.
    """
    locks = {side: one.state.lock if one.state is not None else None for side, one in reached.items()}
    for one in known:
        if one.tunnels and all(_holds(lock, one.tunnels.get(side.value)) for side, lock in locks.items()):
            asking = next((lock.owner for lock in locks.values() if lock is not None and _is_attended(lock)), None)
            if asking is not None:
                raise CommandFailed(
                    f"{one.title} waits on {one.pair.name} for its confirmation, and {asking} asks for that.",
                    hint="Roll it back there.",
                )
            return one
    return None


def _holds(lock: LockInfo | None, tunnel: str | None) -> bool:
    return lock is not None and lock.tunnel == tunnel and lock.left_s > 0 and not lock.has_undo_begun


def _is_attended(lock: LockInfo) -> bool:
    return lock.owner_key != LET_GO and not is_abandoned(lock)


def roll_back_unconfirmed(
    store: Store,
    pair: PairSpec,
    waiting: Deployment,
    reached: Mapping[Side, Reached],
    *,
    token: CancelToken,
    emit: RolloutSink,
) -> Deployment:
    """Roll back a deployment that waits for its confirmation; what it suspended is active again.

    Args:
        store: Where it is written down.
        reached: Both hosts, or the only one that can be reached: the other one rolls back when its time is over.
        token: Cancels it before anything is changed.

    Raises:
        CommandFailed: A host did not roll back, or it was confirmed meanwhile.
    """
    ends = {side: one.end for side, one in reached.items() if one.end is not None}
    who = this_user()
    token.raise_if_cancelled()
    emit(RolloutStageStarted(RolloutStage.UNDO, ", ".join(end.label for end in ends.values())))

    def work(side: Side, child: CancelToken) -> RollbackResult | None:
        if side not in ends:
            return None
        ledger = Ledger(ends[side], lambda entry: store.audit(replace(entry, who=who, deployment=waiting.id)))
        return roll_back(ends[side], waiting.tunnels[side.value], None, ledger, token=child, undo_limit_s=UNDO_LIMIT_S)

    results, failures = on_both_to_the_end(work, token=CancelToken())
    for side, result in results.items():
        if result is not None and result.state is not RollbackState.DONE:
            _refuse_if_confirmed(ends[side], waiting)
        if result is not None and result.state is RollbackState.FAILED:
            failures[side] = CommandFailed(
                f"{ends[side].label} could not be rolled back completely.",
                hint=f"Run there: {ends[side].console_command}",
            )
    for error in failures.values():
        raise error
    text = "It was rolled back before it was confirmed."
    if missing := [side for side in Side if side not in ends]:
        text += f" {pair.host(missing[0]).label} was not asked: it rolls back by itself when its time is over."
        emit(RolloutNote(text, is_warning=True))
    ended = replace(waiting, state=DeploymentState.UNDONE, state_at=datetime.now(UTC), message=text)
    store.save_deployment(ended)
    emit(RolloutEnded(ended))
    return ended


def _refuse_if_confirmed(end: RemoteHost, waiting: Deployment) -> None:
    if read_slot(end, waiting.slot, token=CancelToken()).deployment_id == waiting.id:
        raise CommandFailed(
            f"{waiting.title} was confirmed on {end.label} meanwhile.",
            hint=f"Remove it with: tunnelmark undeploy {waiting.pair.name}",
        )
