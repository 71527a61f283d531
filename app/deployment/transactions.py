"""Deployment and removal, composed of the phases of a transaction.

Until it is confirmed, everything of a deployment lies below /run, and both hosts' rollback timers run. Whatever
happens, both roll back to what they were, which is the deployment before this one where there was one. A removal
suspends what is there, and confirms that nothing is to be there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from app.deployment.commit import CommitOutcome, TwoHostCommit
from app.deployment.deployment_steps import SUSPEND_S, suspend_step
from app.deployment.messages import CHANGED_MEANWHILE
from app.deployment.restart import restart_from_bundle
from app.deployment.slots import current_path, run_dir_of, slot_dir
from app.deployment.status import deployment_id_in
from app.domain.adapters import IdentityRecipe, TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.errors import PairLocked
from app.domain.events import Stage
from app.domain.hosts import PairSpec, Side
from app.domain.link import STATE_DIR
from app.domain.messages.lists import enumerated
from app.host.remote_host import new_id
from app.host.snapshots import HostSnapshot
from app.tunnel.acquire import AcquireRequest
from app.tunnel.audit import AuditSink
from app.tunnel.build import TunnelBuild
from app.tunnel.preflight import remote_hosts, state_dir_of
from app.tunnel.request import DeployRequest, Obstacle
from app.tunnel.transaction import CLEANUP_S, StageSink, Transaction


@dataclass(frozen=True, slots=True)
class DeploymentTarget:
    """Target of a deployment.

    Attributes:
        deployment_id: Its name.
        slot: The slot.
        replaced: The deployment that is there, by side.
    """

    deployment_id: str
    slot: str
    replaced: Mapping[Side, str] = field(default_factory=dict)


class DeploymentTransaction:
    """A deployment, the first in its slot or in place of another, until it is confirmed or rolled back.

    Phases: acquire (where another is replaced, it is suspended), preflight, keys, apply; then, as `DeploymentRun` goes
    on, prove, restart, hold, commit; roll back where it was not confirmed.

    Args:
        target: Where it goes.
        on_stage: Gets each stage as it begins, one call at a time, from any thread.
        audit: Gets every command that changed a host.
        lease_s: For how long a host waits to hear of us before it rolls back, in seconds.
    """

    def __init__(
        self,
        sessions: SessionPair,
        request: DeployRequest,
        target: DeploymentTarget,
        *,
        on_stage: StageSink,
        audit: AuditSink | None,
        lease_s: float,
    ) -> None:
        self._request = request
        self._target = target
        self.work = Transaction(
            remote_hosts(sessions, state_dir_of(request), request.pair.name),
            on_stage=on_stage,
            audit=audit,
            lease_s=lease_s,
            cleanup_s=CLEANUP_S + SUSPEND_S,  # what was suspended is started again
        )
        self._build = TunnelBuild(self.work, request)

    @contextmanager
    def provisional(self, *, token: CancelToken) -> Iterator[None]:
        """Build it; at the end of the `with` block both hosts are rolled back, unless it was confirmed or let go.

        Raises:
            As `temporary_tunnel`.
        """
        with self.work.rolled_back_at_end(self._build.words, self._build.add_logs):
            acquired = self._build.acquire(token=token, asked=current_path(self._target.slot))
            refuse_changed_slot(self.work, self._target.replaced, self._request.pair)
            self._build.refuse_obstacles()
            self._build.exchange_keys(acquired, token=token)
            self._build.apply(token=token)
            yield

    @property
    def plan(self) -> TunnelPlan:
        """The plan that was built."""
        return self._build.plan

    @property
    def warnings(self) -> tuple[Obstacle, ...]:
        """Warnings of preflight."""
        return self._build.warnings

    @property
    def confirmer(self) -> TwoHostCommit:
        """The commit of this deployment."""
        target, work = self._target, self.work
        run_dir = self._request.link.run_dir
        return TwoHostCommit(
            work.hosts, work.ids, work.ledgers, target.slot, target.deployment_id, run_dir, target.replaced
        )

    def start_from_boot_bundle(self, *, token: CancelToken) -> str:
        """Start the tunnel on both hosts with the very scripts that will start it with the hosts, and wait for it.

        Returns:
            What both sides report as negotiated.

        Raises:
            CommandFailed, DiskFull, TunnelDown: It did not work; the hosts must be rolled back.
        """
        self.work.stage(Stage.VERIFY)
        with self.work.timed("restart"):
            target = self._target
            return restart_from_bundle(
                self.work, self._request, self.plan, target.deployment_id, target.slot, token=token
            )


class RemovalTransaction:
    """The removal of what is confirmed in a slot: acquire, which suspends it, and commit; else it is started again.

    Args:
        current: What is confirmed there, by side.
        on_stage: As for `DeploymentTransaction`.
        audit: As for `DeploymentTransaction`.
        lease_s: As for `DeploymentTransaction`.
    """

    def __init__(
        self,
        sessions: SessionPair,
        pair: PairSpec,
        slot: str,
        current: Mapping[Side, str],
        *,
        on_stage: StageSink,
        audit: AuditSink | None,
        lease_s: float,
    ) -> None:
        self._pair = pair
        self._slot = slot
        self._current = current
        self._run_dir = run_dir_of(new_id())
        self.work = Transaction(
            remote_hosts(sessions, STATE_DIR, pair.name),
            on_stage=on_stage,
            audit=audit,
            lease_s=lease_s,
            cleanup_s=CLEANUP_S + SUSPEND_S,
        )

    @contextmanager
    def provisional(self, *, token: CancelToken) -> Iterator[None]:
        """Suspend it; at the end of the `with` block it is started again, unless its removal was confirmed.

        Raises:
            PairLocked: Another instance is at work, or has changed what is there.
            CommandFailed, CleanupFailed, ConnectionLost, Cancelled: As `temporary_tunnel`.
        """
        step = suspend_step(slot_dir(self._slot))
        requests = {
            side: AcquireRequest(
                self._run_dir,
                IdentityRecipe(steps=(step,) if side in self._current else ()),
                self._pair.underlay(side.other),
                asked=current_path(self._slot),
            )
            for side in Side
        }
        with self.work.rolled_back_at_end(lambda _side: (self._run_dir,)):
            self.work.acquire(requests, token=token)
            # Whatever else is wrong with a host, a deployment can be removed.
            refuse_changed_slot(self.work, self._current, self._pair)
            yield

    @property
    def before(self) -> Mapping[Side, HostSnapshot]:
        """The hosts with the deployment."""
        return {side: one.snapshot for side, one in self.work.inspections.items()}

    @property
    def confirmer(self) -> TwoHostCommit:
        """The commit of this removal: of nothing."""
        work = self.work
        return TwoHostCommit(work.hosts, work.ids, work.ledgers, self._slot, "", self._run_dir, self._current)


def refuse_changed_slot(work: Transaction, expected: Mapping[Side, str], pair: PairSpec) -> None:
    """Stop if the slot has changed since it was read: now that it is locked, it cannot change.

    Raises:
        PairLocked: It has.
    """
    found = {side: deployment_id_in(one.asked) for side, one in work.inspections.items()}
    changed = [work.hosts[side].label for side in Side if found[side] != expected.get(side, "")]
    if changed:
        raise PairLocked(
            CHANGED_MEANWHILE(hosts=enumerated(changed), pair=pair.name),
        )


def commit(transaction: DeploymentTransaction | RemovalTransaction, *, token: CancelToken) -> CommitOutcome:
    """Confirm a deployment or a removal on both hosts.

    Where this raises, or where no host confirms it, the hosts must be rolled back.

    Raises:
        CommandFailed, DiskFull, ConnectionLost, Cancelled: Nothing has been confirmed.
    """
    work, confirmer = transaction.work, transaction.confirmer
    with work.timed("install"):
        confirmer.install(token=token)
    with work.timed("confirm"):
        outcome = confirmer.commit(token=token)
    work.release(outcome.kept)
    return outcome
