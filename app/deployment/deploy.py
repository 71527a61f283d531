"""One deployment from the first inspection to its end; every change of its state is stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from app.deployment.commit import CommitOutcome
from app.deployment.dry_run import deployed_endpoint
from app.deployment.events import (
    Confirmation,
    Decision,
    DeploymentApplied,
    DeploymentCountdown,
    DeploymentEnded,
    DeploymentNote,
    DeploymentSink,
    DeploymentStage,
    DeploymentStageStarted,
)
from app.deployment.hold import leave, wait_for_decision
from app.deployment.host_changes import reported_differences
from app.deployment.messages import (
    BOTH_ROLL_BACK,
    CONFIRMED_ELSEWHERE,
    NOT_ALL_PROVEN,
    NOT_CONFIRMED,
    NOT_CONFIRMED_ALONE,
    NOT_CONFIRMED_WITHIN,
    NOT_WANTED,
    ONE_HOST_KEEPS_IT,
    REPAIR_WITH,
)
from app.deployment.planning import Prepared
from app.deployment.proof import can_be_proven, fit_sentence, prove_by_captures
from app.deployment.transactions import DeploymentTransaction, commit
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.capture import CaptureReport, Property, properties_of
from app.domain.commands import SessionPair
from app.domain.deployment import CONFIRM_WITHIN_S, Deployment, DeploymentState
from app.domain.errors import Cancelled, CommandFailed, InputFault, PairLocked, PreflightRefused, TunnelmarkError
from app.domain.events import Stage
from app.domain.hosts import Side
from app.domain.injection import PropertyVerdict, doubtful_sides
from app.domain.messages import sentences
from app.domain.user import this_user
from app.storage import Store
from app.tunnel.messages import WAS_CANCELLED
from app.wording.capture_sentences import crossing_sentence, property_sentence, unproven_sentences

LEASE_S = 30.0
PROOFS = 3
"""Most packet tests of a deployment, where hosts that could prove everything did not."""

_STAGES = {
    Stage.PREFLIGHT: DeploymentStage.PREPARE,
    Stage.ARM: DeploymentStage.ARM,
    Stage.IDENTITY: DeploymentStage.IDENTITY,
    Stage.APPLY: DeploymentStage.APPLY,
    Stage.VERIFY: DeploymentStage.VERIFY,
    Stage.PACKET_TESTS: DeploymentStage.VERIFY,
    Stage.CLEANUP: DeploymentStage.ROLLBACK,
}


@dataclass(frozen=True, slots=True)
class DeploymentContext:
    """Dependencies of a deployment.

    Attributes:
        store: Where it is stored.
        sessions: Connections to both hosts.
        emit: Receives events.
        lease_s: Lease: how long a host waits for a renewal before it rolls back, in seconds.
    """

    store: Store
    sessions: SessionPair
    emit: DeploymentSink
    lease_s: float = LEASE_S

    def auditor(self, deployment_id: str) -> Callable[[AuditEntry], None]:
        """Return what writes a command that changed a host into the audit log."""
        return lambda entry: self.store.audit(replace(entry, deployment=deployment_id))

    def on_stage(self, stage: Stage, detail: str) -> None:
        """Report a stage as an event."""
        self.emit(DeploymentStageStarted(_STAGES.get(stage, DeploymentStage.APPLY), detail))

    def save(self, deployment: Deployment, state: DeploymentState, message: str = "") -> Deployment:
        """Write down that a deployment is in another state."""
        return store_state(self.store, deployment, state, message)


def store_state(store: Store, deployment: Deployment, state: DeploymentState, message: str = "") -> Deployment:
    """Write down what became of a deployment, unless not even its name is known."""
    changed = replace(deployment, state=state, state_at=datetime.now(UTC), message=message or deployment.message)
    if deployment.id:
        store.save_deployment(changed)
    return changed


def new_deployment(prepared: Prepared, *, policy: str, version: str) -> Deployment:
    """Return a deployment that is about to begin.

    Args:
        policy: Name and version of the policy that judged it.
        version: Tunnelmark's.
    """
    now = datetime.now(UTC)
    choice = prepared.choice
    return Deployment(
        id=prepared.target.deployment_id,
        pair=prepared.request.pair,
        solution=choice.adapter.info.name,
        suite=choice.suite.name,
        title=choice.title,
        verdict=choice.verdict,
        options=prepared.options,
        slot=prepared.target.slot,
        link=prepared.request.link,
        by=this_user(),
        prepared_at=now,
        state=DeploymentState.PREPARED,
        state_at=now,
        replaces=next(iter(prepared.target.replaced.values()), ""),
        policy=policy,
        tunnelmark_version=version,
    )


class DeploymentRun:
    """One deployment.

    Args:
        run: What it needs.
        deployment: As it is about to begin.
    """

    def __init__(self, run: DeploymentContext, prepared: Prepared, deployment: Deployment) -> None:
        self._run = run
        self._prepared = prepared
        self._deployment = deployment
        self._transaction = DeploymentTransaction(
            run.sessions,
            prepared.request,
            prepared.target,
            on_stage=run.on_stage,
            audit=run.auditor(deployment.id),
            lease_s=run.lease_s,
        )

    def deploy(
        self, *, token: CancelToken, confirmation: Confirmation | None, is_confirmed_before: bool = False
    ) -> Deployment:
        """Deploy; returns once nothing of the deployment is left, or all of it remains.

        Where the user's confirmation is wanted and no user can be asked, the hosts' rollback timers run, and another
        Tunnelmark can confirm until they expire. The same holds for what the packet tests did not prove, unless the
        user confirmed the same before, and where it is unknown whether the LANs are joined already.

        Raises:
            TunnelmarkError, Cancelled: It could not be deployed; both hosts have rolled back, or will by themselves.
        """
        self._save(DeploymentState.PREPARED)
        try:
            with self._transaction.provisional(token=token):
                within_s = self._apply(token, is_confirmed_before=is_confirmed_before)
                if within_s is not None and confirmation is None:
                    self._leave(within_s, token)
                elif within_s is None or confirmation is None or self._is_kept(within_s, confirmation, token):
                    self._confirm(token)
        except BaseException as error:
            # Only what raised before any host had confirmed it gets here.
            if not self._deployment.state.is_kept:
                was_stopped = isinstance(error, (Cancelled, KeyboardInterrupt))
                message = error.message if isinstance(error, TunnelmarkError) else WAS_CANCELLED()
                is_refused = isinstance(error, (PreflightRefused, PairLocked, InputFault))
                # What it replaces is suspended before anything is inspected.
                is_unchanged = not self._prepared.target.replaced and "build" not in self._transaction.work.timings_s
                self._deployment = replace(self._deployment, is_refused=is_refused and is_unchanged)
                self._save(DeploymentState.REMOVED if was_stopped else DeploymentState.FAILED, message)
            raise
        finally:
            is_replacing = bool(self._prepared.target.replaced)
            for text in reported_differences(self._transaction.work.differences, is_replacing=is_replacing):
                self._note(text)
            for text in self._transaction.work.warnings:
                self._note(text)
            self._run.emit(DeploymentEnded(self._deployment))
        return self._deployment

    def _save(self, state: DeploymentState, message: str = "") -> None:
        timings_s = dict(self._transaction.work.timings_s)
        self._deployment = self._run.save(replace(self._deployment, timings_s=timings_s), state, message)

    def _note(
        self,
        text: str,
        *,
        is_warning: bool = True,
        sides: tuple[Side, ...] = (),
        stage: DeploymentStage | None = None,
    ) -> None:
        self._run.emit(DeploymentNote(text, is_warning, sides, stage))

    def _apply(self, token: CancelToken, *, is_confirmed_before: bool) -> float | None:
        """Test the tunnel; return how many seconds to wait for the user's confirmation, None if none is needed."""
        for warning in self._transaction.warnings:
            self._note_warning(sentences((warning.what, warning.hint)), warning.side)
        for doubt in self._prepared.warnings:
            self._note_warning(sentences((doubt.what, doubt.hint)), doubt.side)
        report, negotiated = self._prove(token)
        self._note_untried(report)
        open_questions = [one.what for one in self._prepared.warnings if one.needs_person]
        unproven = [*unproven_sentences(report.leak), *open_questions]
        within_s = self._deployment.options.confirm_within_s
        # That the same was confirmed before says nothing about a loop that may be there now.
        if within_s is None and (open_questions or (unproven and not is_confirmed_before)):
            within_s = CONFIRM_WITHIN_S
            self._note(NOT_CONFIRMED_ALONE(within_s=within_s))
        plan = self._transaction.plan
        self._deployment = replace(
            self._deployment,
            a=deployed_endpoint(self._prepared, plan, Side.A),
            b=deployed_endpoint(self._prepared, plan, Side.B),
            tunnels={side.value: one for side, one in self._transaction.work.ids.items()},
            negotiated=negotiated,
            properties={kind.value: result for kind, result in properties_of(report).items()},
            expires_at=datetime.now(UTC) + timedelta(seconds=within_s or self._run.lease_s),
        )
        self._save(DeploymentState.APPLIED, sentences(unproven))
        self._run.emit(DeploymentApplied(self._deployment, report))
        return within_s

    def _note_warning(self, text: str, side: Side | None) -> None:
        sides = tuple(Side) if side is None else (side,)
        self._note(text, sides=sides, stage=DeploymentStage.PREPARE)

    def _note_untried(self, report: CaptureReport) -> None:
        """Report what the packet tests left open."""
        for text in unproven_sentences(report.leak):
            self._note(text, sides=tuple(Side))
        for kind, result in properties_of(report).items():
            if kind is not Property.CONFIDENTIAL and result.verdict is PropertyVerdict.NOT_TRIED:
                sides = tuple(Side(one) for one in doubtful_sides(report.injection))
                self._note(property_sentence(kind, result), sides=sides)

    def _prove(self, token: CancelToken) -> tuple[CaptureReport, str]:
        """Run the packet tests, and start the tunnel from its boot bundles.

        A busy host may lose packets that it was to capture: tests that proved nothing are repeated.
        """
        number = 1
        while True:
            report = prove_by_captures(
                self._transaction.work,
                self._run.sessions,
                self._prepared.request,
                self._transaction.plan,
                token=token,
                audit=self._run.auditor(self._deployment.id),
            )
            leak = report.leak
            negotiated = self._transaction.start_from_boot_bundle(token=token)
            is_last = number >= PROOFS or not can_be_proven(self._run.sessions, self._prepared.request)
            if not unproven_sentences(leak) or is_last:
                for one in report.crossings:
                    if one.has_crossed is False:
                        self._note(crossing_sentence(one), sides=tuple(Side))
                self._note_fit(report)
                return report, negotiated
            self._note(NOT_ALL_PROVEN(), is_warning=False)
            number += 1

    def _note_fit(self, report: CaptureReport) -> None:
        """Report whether the largest frames that fit the path cross in one packet each, where that was wanted."""
        if self._prepared.options.fits_path_mtu:
            text, is_doubtful = fit_sentence(self._transaction.plan, report)
            if text:
                self._note(text, sides=tuple(Side), is_warning=is_doubtful)

    def _is_kept(self, within_s: float, confirmation: Confirmation, token: CancelToken) -> bool:
        """Ask the user; without a confirmation in time, both hosts roll back."""
        self._run.emit(DeploymentStageStarted(DeploymentStage.CONFIRM))
        total_s = left_before_s = within_s

        def on_left(left_s: float) -> None:
            nonlocal left_before_s
            left_before_s = left_s
            self._run.emit(DeploymentCountdown(left_s, total_s))

        def on_extended(left_s: float) -> None:
            nonlocal total_s
            total_s += left_s - left_before_s
            self._deployment = replace(self._deployment, expires_at=datetime.now(UTC) + timedelta(seconds=left_s))
            self._save(DeploymentState.APPLIED)

        work = self._transaction.work
        decision = wait_for_decision(
            work,
            within_s,
            confirmation,
            token=token,
            on_left=on_left,
            on_extended=on_extended,
            is_confirmed=self._is_confirmed_elsewhere,
        )
        if self._is_confirmed_elsewhere():
            work.release(Side)
            self._deployment = self._run.store.get_deployment(self._deployment.id)
            self._note(CONFIRMED_ELSEWHERE(), is_warning=False)
            return False
        if decision is Decision.CONFIRM:
            return True
        why = NOT_WANTED() if decision is Decision.ROLLBACK else NOT_CONFIRMED_WITHIN(total_s=total_s)
        self._save(DeploymentState.REMOVED, why)
        return False

    def _is_confirmed_elsewhere(self) -> bool:
        return self._run.store.get_deployment(self._deployment.id).state is DeploymentState.CONFIRMED

    def _leave(self, within_s: float, token: CancelToken) -> None:
        leave(self._transaction.work, within_s, token=token)
        expires_at = datetime.now(UTC) + timedelta(seconds=within_s)
        self._deployment = replace(self._deployment, expires_at=expires_at)
        self._save(DeploymentState.APPLIED)
        self._note(BOTH_ROLL_BACK(within_s=within_s), is_warning=False)

    def _confirm(self, token: CancelToken) -> None:
        self._run.emit(DeploymentStageStarted(DeploymentStage.ENABLE))
        outcome = commit(self._transaction, token=token)
        if outcome.is_complete or outcome.may_be_half:
            self._deployment = replace(self._deployment, confirmed_at=datetime.now(UTC), expires_at=None)
        if outcome.is_complete:
            self._save(DeploymentState.CONFIRMED)
            mark_replaced(self._run, self._deployment)
        elif outcome.may_be_half:
            text = half_text(outcome, self._deployment.pair.name)
            self._save(DeploymentState.HALF_CONFIRMED, text)
            self._note(text)
        else:
            raise CommandFailed(NOT_CONFIRMED(why=outcome.reason))


def half_text(outcome: CommitOutcome, pair: str) -> str:
    """Return what a user should know of a pair, given by name, of which one host alone has a deployment."""
    return sentences((ONE_HOST_KEEPS_IT(), outcome.reason, REPAIR_WITH(pair=pair)))


def mark_replaced(run: DeploymentContext, deployment: Deployment) -> None:
    """Write down that earlier deployments of the pair have ended."""
    for other in run.store.list_deployments(deployment.pair.name):
        if other.id != deployment.id and other.slot == deployment.slot and other.state.is_on_host:
            run.save(other, DeploymentState.REPLACED)
