"""Rollback of a deployment that hosts hold until it is confirmed, for a process that did not begin it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    CONFIRMED_MEANWHILE,
    ROLLBACK_INCOMPLETE,
    ROLLED_BACK_BEFORE,
    ROLLS_BACK_LATER,
    WAITS_ELSEWHERE,
)
from app.deployment.reconcile import Reached, waiting_on
from app.deployment.status import read_slot
from app.domain.cancel import CancelToken
from app.domain.deployment import Deployment, DeploymentState
from app.domain.errors import CommandFailed
from app.domain.hosts import PairSpec, Side
from app.domain.messages import sentences
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
    waiting = next((one for one in known if waiting_on(one, reached)), None)
    locks = [one.state.lock for one in reached.values() if one.state is not None]
    asking = next((lock.owner for lock in locks if lock is not None and _is_attended(lock)), None)
    if waiting is not None and asking is not None:
        raise CommandFailed(
            WAITS_ELSEWHERE(title=waiting.title, pair=waiting.pair.name, owner=asking),
        )
    return waiting


def _is_attended(lock: LockInfo) -> bool:
    return lock.owner_key != LET_GO and not is_abandoned(lock)


def roll_back_unconfirmed(
    store: Store,
    pair: PairSpec,
    waiting: Deployment,
    reached: Mapping[Side, Reached],
    *,
    token: CancelToken,
    emit: DeploymentSink,
) -> Deployment:
    """Roll back a deployment that waits for its confirmation; what it suspended is active again.

    Args:
        store: Where it is written down.
        reached: Both hosts, or the only one that can be reached: the other one rolls back when its time is over.
        token: Cancels it before anything is changed.

    Raises:
        CommandFailed: A host did not roll back, or it was confirmed meanwhile.
    """
    hosts = {side: one.host for side, one in reached.items() if one.host is not None}
    token.raise_if_cancelled()
    emit(DeploymentStageStarted(DeploymentStage.ROLLBACK, ", ".join(host.label for host in hosts.values())))

    def work(side: Side, child: CancelToken) -> RollbackResult | None:
        if side not in hosts:
            return None
        ledger = Ledger(hosts[side], lambda entry: store.audit(replace(entry, deployment=waiting.id)))
        return roll_back(hosts[side], waiting.tunnels[side.value], None, ledger, token=child, undo_limit_s=UNDO_LIMIT_S)

    results, failures = on_both_to_the_end(work, token=CancelToken())
    for side, result in results.items():
        if result is not None and result.state is not RollbackState.DONE:
            _refuse_if_confirmed(hosts[side], waiting)
        if result is not None and result.state is RollbackState.FAILED:
            failures[side] = _incomplete(hosts[side])
    for error in failures.values():
        raise error
    text: str = ROLLED_BACK_BEFORE()
    if missing := [side for side in Side if side not in hosts]:
        text = sentences((text, ROLLS_BACK_LATER(host=pair.host(missing[0]).label)))
        emit(DeploymentNote(text, is_warning=True))
    ended = store_state(store, waiting, DeploymentState.REMOVED, text)
    emit(DeploymentEnded(ended))
    return ended


def _incomplete(host: RemoteHost) -> CommandFailed:
    return CommandFailed(ROLLBACK_INCOMPLETE(host=host.label, command=host.console_command))


def _refuse_if_confirmed(host: RemoteHost, waiting: Deployment) -> None:
    if read_slot(host, waiting.slot, token=CancelToken()).deployment_id == waiting.id:
        raise CommandFailed(
            CONFIRMED_MEANWHILE(title=waiting.title, host=host.label, pair=waiting.pair.name),
        )
