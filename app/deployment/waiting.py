"""A deployment that another instance has left to the hosts' timers: found, confirmed, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from app.deployment.commit import TwoHostCommit
from app.deployment.deploy import RolloutRun, mark_replaced
from app.deployment.planning import current_ids
from app.deployment.reconcile import Reached, silent_text, waiting_on
from app.domain.cancel import CancelToken
from app.domain.deployment import Deployment, DeploymentState
from app.domain.errors import CommandFailed, EnvironmentFault, NotFound, TunnelmarkError
from app.domain.hosts import PairSpec, Side
from app.domain.link import STATE_DIR
from app.storage import Store
from app.tunnel.audit import Ledger
from app.tunnel.lease import kept_waiting
from app.tunnel.preflight import remote_hosts


def find_waiting(store: Store, pair: PairSpec, reached: Mapping[Side, Reached]) -> Deployment | None:
    """Return the deployment that both hosts hold until it is confirmed."""
    return next((one for one in store.list_deployments(pair.name) if waiting_on(one, reached)), None)


def confirm_waiting(run: RolloutRun, waiting: Deployment, *, token: CancelToken) -> Deployment:
    """Confirm what another instance has applied.

    Raises:
        CommandFailed: It was too late; both hosts roll back.
    """
    ends = remote_hosts(run.sessions, STATE_DIR)
    confirmer = TwoHostCommit(
        ends,
        {side: waiting.tunnels[side.value] for side in Side},
        {side: Ledger(end, run.auditor(waiting.id)) for side, end in ends.items()},
        waiting.slot,
        waiting.id,
        waiting.link.run_dir,
        {side: one for side, one in current_ids(run.sessions, waiting.slot, token=token).items() if one},
    )
    # Until now, what is left of their time was not renewed.
    with kept_waiting(ends, confirmer.tunnels, run.lease_s, token=token):
        confirmer.install(token=token)
        outcome = confirmer.commit(token=token)
    if not outcome.is_complete:
        state = DeploymentState.HALF_CONFIRMED if outcome.may_be_half else DeploymentState.FAILED
        run.save(waiting, state, outcome.reason)
        raise CommandFailed(f"The deployment was not confirmed on both hosts. {outcome.reason}".strip())
    confirmed = replace(waiting, confirmed_at=datetime.now(UTC), expires_at=None)
    confirmed = run.save(confirmed, DeploymentState.CONFIRMED)
    mark_replaced(run, confirmed)
    return confirmed


def nothing_waits(store: Store, pair: PairSpec, reached: Mapping[Side, Reached]) -> TunnelmarkError:
    """Return why there is nothing to confirm on a pair, as far as its hosts say."""
    last = next(iter(store.list_deployments(pair.name)), None)
    if silent := silent_text((pair.host(side).label, one.error) for side, one in reached.items() if not one.state):
        known = f"The last deployment known here, {last.id[:8]}, is {last.state.value}. " if last else ""
        hint = f"{known}What waits is rolled back when its time is up. {see_status(pair)}"
        what = f"It is not known whether anything waits for a confirmation on {pair.name}."
        return EnvironmentFault(f"{what} {silent}", hint=hint)
    is_on_host = any(one.state is not None and one.state.deployment_id for one in reached.values())
    if last is None and not is_on_host:
        hint = f"Deploy with: tunnelmark deploy {pair.name} SOLUTION"
        return NotFound(f"There is nothing to confirm on {pair.name}: nothing is deployed.", hint=hint)
    what = f"Its last deployment, {last.id[:8]}, is {last.state.value}. " if last is not None else ""
    return NotFound(f"Nothing waits for a confirmation on {pair.name}.", hint=f"{what}{see_status(pair)}")


def see_status(pair: PairSpec) -> str:
    """Return a hint that names the command that inspects a pair."""
    return f"See how the hosts are with: tunnelmark status {pair.name}"
