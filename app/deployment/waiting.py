"""A deployment that another instance has left to the hosts' rollback timers: found, confirmed, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from app.deployment.commit import TwoHostCommit
from app.deployment.deploy import DeploymentContext, mark_replaced
from app.deployment.messages import (
    DEPLOY_WITH,
    LAST_KNOWN,
    LAST_OF_PAIR,
    NOT_CONFIRMED_ON_BOTH,
    NOTHING_TO_CONFIRM,
    NOTHING_WAITS,
    ROLLS_BACK_WHEN_OVER,
    SEE_STATUS,
    UNKNOWN_WHETHER_WAITING,
)
from app.deployment.reconcile import Reached, silent_text, waiting_on
from app.deployment.status import current_ids
from app.domain.cancel import CancelToken
from app.domain.deployment import Deployment, DeploymentState
from app.domain.errors import CommandFailed, EnvironmentFault, NotFound, TunnelmarkError
from app.domain.hosts import PairSpec, Side
from app.domain.link import STATE_DIR
from app.domain.messages import sentences
from app.domain.messages.words import STATES
from app.storage import Store
from app.tunnel.audit import Ledger
from app.tunnel.lease import kept_waiting
from app.tunnel.preflight import remote_hosts


def find_waiting(store: Store, pair: PairSpec, reached: Mapping[Side, Reached]) -> Deployment | None:
    """Return the deployment that both hosts hold until it is confirmed; None where only one was asked."""
    if len(reached) < len(Side):
        return None
    return next((one for one in store.list_deployments(pair.name) if waiting_on(one, reached)), None)


def confirm_waiting(run: DeploymentContext, waiting: Deployment, *, token: CancelToken) -> Deployment:
    """Confirm what another instance has applied.

    Raises:
        CommandFailed: It was too late; both hosts roll back.
    """
    hosts = remote_hosts(run.sessions, STATE_DIR)
    confirmer = TwoHostCommit(
        hosts,
        {side: waiting.tunnels[side.value] for side in Side},
        {side: Ledger(host, run.auditor(waiting.id)) for side, host in hosts.items()},
        waiting.slot,
        waiting.id,
        waiting.link.run_dir,
        {side: one for side, one in current_ids(run.sessions, waiting.slot, token=token).items() if one},
    )
    # Until now, what is left of their time was not renewed.
    with kept_waiting(hosts, confirmer.tunnels, run.lease_s, token=token):
        confirmer.install(token=token)
        outcome = confirmer.commit(token=token)
    confirmed = replace(waiting, confirmed_at=datetime.now(UTC), expires_at=None)
    if not outcome.is_complete:
        if outcome.may_be_half:
            run.save(confirmed, DeploymentState.HALF_CONFIRMED, outcome.reason)
        else:
            run.save(waiting, DeploymentState.FAILED, outcome.reason)
        raise CommandFailed(NOT_CONFIRMED_ON_BOTH(why=outcome.reason))
    confirmed = run.save(confirmed, DeploymentState.CONFIRMED)
    mark_replaced(run, confirmed)
    return confirmed


def nothing_waits(store: Store, pair: PairSpec, reached: Mapping[Side, Reached]) -> TunnelmarkError:
    """Return why there is nothing to confirm on a pair, as far as its hosts say."""
    last = next(iter(store.list_deployments(pair.name)), None)
    if silent := silent_text((pair.host(side).label, one.error) for side, one in reached.items() if not one.state):
        known = LAST_KNOWN(number=last.id[:8], state=STATES[last.state]()) if last else ""
        hint = sentences((known, ROLLS_BACK_WHEN_OVER(), see_status(pair)))
        return EnvironmentFault(sentences((UNKNOWN_WHETHER_WAITING(pair=pair.name), silent)), hint=hint)
    is_on_host = any(one.state is not None and one.state.deployment_id for one in reached.values())
    if last is None and not is_on_host:
        return NotFound(NOTHING_TO_CONFIRM(pair=pair.name), hint=DEPLOY_WITH(pair=pair.name))
    what = LAST_OF_PAIR(number=last.id[:8], state=STATES[last.state]()) if last is not None else ""
    return NotFound(NOTHING_WAITS(pair=pair.name), hint=sentences((what, see_status(pair))))


def see_status(pair: PairSpec) -> str:
    """Return a hint that names the command that inspects a pair."""
    return SEE_STATUS(pair=pair.name)
