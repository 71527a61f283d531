"""Deployments of the window's fake services: shaped like one of WireGuard on two small gateways; nothing is touched."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from fake_deployment_values import dry_run_of, end_of, ports_of, seen_of, with_end
from sample_records import pair as sample_pair

from app.deployment.events import (
    EXTENSION_S,
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
from app.deployment.slots import slot_of
from app.discovery.pair_discovery import Discovery
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.capture import CaptureReport, LeakProof, LeakVerdict
from app.domain.deployment import Deployment, DeploymentOptions, DeploymentState, DryRun, LanPort
from app.domain.deployment_status import PairStatus
from app.domain.errors import Cancelled, InvalidPlan, NotFound, TunnelmarkError
from app.domain.hosts import PairSpec, Side
from app.domain.link import Link
from app.domain.progress import ProgressSink
from app.domain.verdicts import Verdict

BEGUN = datetime(2026, 3, 5, 14, 2, tzinfo=UTC)
BUILDING = (
    DeploymentStage.PREPARE,
    DeploymentStage.ARM,
    DeploymentStage.IDENTITY,
    DeploymentStage.APPLY,
    DeploymentStage.VERIFY,
)
LEAK = LeakProof(LeakVerdict.PROTECTED, 40, 40, {"a": 44, "b": 44}, {"a": 0, "b": 0}, {"a": 4, "b": 4})


class _NoUser:
    def wait(self, timeout_s: float, *, token: CancelToken) -> Decision | None:
        raise AssertionError("Nobody is asked.")


@dataclass(kw_only=True)
class FakeDeployments:
    """The methods of the services that are about deployments.

    Attributes:
        deployed: Stored deployments, newest first.
        stage_gate: Stages go on while it is set; tests clear it to inspect that moment.
        undo_gate: The same for the way back.
        tick_s: How long a second of the countdown lasts.
        obstacles_block: Whether a dry run finds something in the way.
        deployment_fails_at: The stage in which B gets lost.
        statuses: Answers to questions for the status, the last one again and again; empty for a healthy one.
        asked_options: What was asked for last.
        audits_written: Files that were written.
        silent: Hosts that cannot be asked.
        undone_on: Hosts from which the active deployment was removed alone.
        unfinished_on: Hosts with files of a deployment that was interrupted before it was confirmed.
        worked_on: Hosts on which another instance works.
        repair_gate: A repair begins while it is set.
        undo_error: What goes wrong during the removal from one host alone.
    """

    deployed: list[Deployment] = field(default_factory=list)
    stage_gate: threading.Event = field(default_factory=threading.Event)
    undo_gate: threading.Event = field(default_factory=threading.Event)
    tick_s: float = 0.02
    obstacles_block: bool = False
    deployment_fails_at: DeploymentStage | None = None
    statuses: list[PairStatus] = field(default_factory=list)
    asked_options: DeploymentOptions | None = None
    audits_written: list[Path] = field(default_factory=list)
    silent: set[Side] = field(default_factory=set)
    undone_on: set[Side] = field(default_factory=set)
    unfinished_on: set[Side] = field(default_factory=set)
    worked_on: set[Side] = field(default_factory=set)
    repair_gate: threading.Event = field(default_factory=threading.Event)
    undo_error: TunnelmarkError | None = None

    def _call(self, name: str) -> None:
        raise NotImplementedError(name)

    def lan_ports(self, discovery: Discovery, *, token: CancelToken) -> tuple[LanPort, ...]:
        self._call("lan_ports")
        return ports_of(discovery)

    def dry_run(
        self,
        discovery: Discovery,
        key: tuple[str, str],
        options: DeploymentOptions,
        *,
        token: CancelToken,
        on_progress: ProgressSink,
    ) -> DryRun:
        self._call("dry_run")
        self.asked_options = options
        on_progress("Reading what is on both hosts", None)
        active = self._active(discovery.pair.name)
        candidate = next(one for one in discovery.candidates if (one.solution, one.suite) == key)
        return dry_run_of(
            discovery,
            candidate,
            options,
            is_blocked=self.obstacles_block,
            replaces=active.id if active is not None else "",
        )

    def deploy(
        self,
        discovery: Discovery,
        key: tuple[str, str],
        options: DeploymentOptions,
        *,
        token: CancelToken,
        emit: DeploymentSink,
        confirmation: Confirmation,
    ) -> Deployment:
        self._call("deploy")
        candidate = next(one for one in discovery.candidates if (one.solution, one.suite) == key)
        if not candidate.verdict.is_deployable and not options.legacy_reason:
            raise InvalidPlan(f"{candidate.title} is never deployed.", hint="Choose another.")
        made = self.made(discovery.pair, candidate.solution, candidate.suite, candidate.title, options)
        return self._deploy(replace(made, verdict=candidate.verdict), token, emit, confirmation)

    def made(
        self, pair: PairSpec, solution: str, suite: str, title: str, options: DeploymentOptions | None = None
    ) -> Deployment:
        """Return a deployment that has just begun."""
        options = options or DeploymentOptions()
        number = len(self.deployed) + 1
        at = BEGUN + timedelta(days=number - 1)
        active = self._active(pair.name)
        return Deployment(
            id=f"{number:016x}",
            pair=pair,
            solution=solution,
            suite=suite,
            title=title,
            verdict=Verdict.RECOMMENDED,
            options=options,
            slot=slot_of(pair),
            link=Link(pair.underlay_a, pair.underlay_b),
            by="meier on office-7",
            prepared_at=at,
            state=DeploymentState.PREPARED,
            state_at=at,
            a=end_of(Side.A, options, solution),
            b=end_of(Side.B, options, solution),
            replaces=active.id if active is not None else "",
            timings_s={"prepare": 2.1, "apply": 3.4, "verify": 2.2},
            policy="Tunnelmark policy 2026-03",
            tunnelmark_version="0.3.0",
        )

    def store(self, deployment: Deployment, state: DeploymentState, message: str = "") -> Deployment:
        """Keep a deployment in a new state; the one before it is replaced where this one is active."""
        stored = replace(deployment, state=state, message=message, state_at=deployment.prepared_at)
        if state is DeploymentState.CONFIRMED:
            stored = replace(stored, confirmed_at=stored.prepared_at)
            for nth, other in enumerate(self.deployed):
                if other.pair.name == deployment.pair.name and other.state.is_on_host and other.id != deployment.id:
                    self.deployed[nth] = replace(other, state=DeploymentState.REPLACED)
        self.deployed[:] = [other for other in self.deployed if other.id != deployment.id]
        self.deployed.insert(0, stored)
        return stored

    def _active(self, pair_name: str) -> Deployment | None:
        return next((one for one in self.deployed if one.pair.name == pair_name and one.state.is_on_host), None)

    def _deploy(
        self, made: Deployment, token: CancelToken, emit: DeploymentSink, confirmation: Confirmation
    ) -> Deployment:
        try:
            for stage in BUILDING:
                self._enter(stage, emit, token)
            applied = replace(made, state=DeploymentState.APPLIED)
            emit(DeploymentApplied(applied, CaptureReport(LEAK)))
            within_s = made.options.confirm_within_s
            if within_s is not None:
                emit(DeploymentStageStarted(DeploymentStage.CONFIRM))
                decision = self._decision(within_s, emit, token, confirmation)
                if decision is not Decision.CONFIRM:
                    why = (
                        "The user did not confirm the deployment."
                        if decision
                        else f"It was not confirmed within {within_s:g} s."
                    )
                    return self._roll_back(made, emit, DeploymentState.REMOVED, why)
            self._enter(DeploymentStage.ENABLE, emit, token)
        except Cancelled:
            self._roll_back(made, emit, DeploymentState.REMOVED, "It was cancelled.")
            raise
        except NotFound as error:
            self._roll_back(made, emit, DeploymentState.FAILED, error.message)
            raise
        ended = self.store(made, DeploymentState.CONFIRMED)
        emit(DeploymentEnded(ended))
        return ended

    def _enter(self, stage: DeploymentStage, emit: DeploymentSink, token: CancelToken) -> None:
        emit(DeploymentStageStarted(stage))
        if stage is DeploymentStage.APPLY:
            emit(DeploymentStageStarted(stage, "gateway-b: Make the interface"))
        if stage is DeploymentStage.VERIFY:
            text = "gateway-b cannot capture packets: whether frames leak was looked at on gateway-a alone."
            emit(DeploymentNote(text, is_warning=True, sides=(Side.B,)))
        while not self.stage_gate.wait(0.01):
            token.raise_if_cancelled()
        token.raise_if_cancelled()
        if stage is self.deployment_fails_at:
            raise NotFound("gateway-b does not answer any more.", hint="Look at its cable.")

    def _decision(
        self, within_s: float, emit: DeploymentSink, token: CancelToken, confirmation: Confirmation
    ) -> Decision | None:
        left_s = within_s
        while left_s > 0:
            emit(DeploymentCountdown(left_s, within_s))
            decision = confirmation.wait(self.tick_s, token=token)
            token.raise_if_cancelled()
            if decision is Decision.EXTEND:
                left_s, within_s = left_s + EXTENSION_S, within_s + EXTENSION_S
            elif decision is not None:
                return decision
            left_s -= 1.0
        return None

    def _roll_back(self, made: Deployment, emit: DeploymentSink, state: DeploymentState, message: str) -> Deployment:
        emit(DeploymentStageStarted(DeploymentStage.ROLLBACK))
        assert self.undo_gate.wait(120)
        ended = self.store(made, state, message)
        emit(DeploymentEnded(ended))
        return ended

    def status(self, pair: PairSpec, *, token: CancelToken) -> PairStatus:
        self._call("status")
        if self.statuses:
            return self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        active = self._active(pair.name)
        seen = seen_of(pair, active, silent=self.silent, undone=self.undone_on, unfinished=self.unfinished_on)
        for side in self.worked_on:
            seen = with_end(seen, side, seen.sentences, is_worked_on=True)
        return seen

    def undeploy(self, pair: PairSpec, *, token: CancelToken, emit: DeploymentSink) -> Deployment:
        self._call("undeploy")
        active = self._active(pair.name)
        if active is None:
            raise NotFound(f"Nothing is deployed on {pair.name}.")
        for stage in (DeploymentStage.PREPARE, DeploymentStage.ARM, DeploymentStage.APPLY, DeploymentStage.ROLLBACK):
            emit(DeploymentStageStarted(stage))
        assert self.undo_gate.wait(120)
        ended = self.store(active, DeploymentState.REMOVED, "")
        emit(DeploymentEnded(ended))
        return ended

    def undeploy_one(self, pair: PairSpec, side: Side, *, token: CancelToken, emit: DeploymentSink) -> Deployment:
        self._call("undeploy_one")
        active, label = self._active(pair.name), pair.host(side).label
        if active is None or side in self.undone_on:
            raise NotFound(f"Nothing is deployed on {label}.")
        emit(DeploymentStageStarted(DeploymentStage.ROLLBACK, label))
        assert self.undo_gate.wait(120)
        if self.undo_error is not None:
            raise self.undo_error
        self.undone_on.add(side)
        text = f"It was removed from {label} alone. {pair.host(side.other).label} was not asked."
        ended = self.store(replace(active, is_ending=True), DeploymentState.HALF_CONFIRMED, text)
        emit(DeploymentNote(text, is_warning=True))
        emit(DeploymentEnded(ended))
        return ended

    def rotate_keys(
        self, pair: PairSpec, *, token: CancelToken, emit: DeploymentSink, confirmation: Confirmation
    ) -> Deployment:
        self._call("rotate_keys")
        active = self._active(pair.name)
        assert active is not None
        return self._again(active, token, emit, confirmation)

    def redeploy(
        self,
        deployment_id: str,
        *,
        token: CancelToken,
        emit: DeploymentSink,
        confirmation: Confirmation,
        confirm_within_s: float | None = None,
    ) -> Deployment:
        self._call("redeploy")
        former = next(one for one in self.deployed if one.id == deployment_id)
        options = replace(former.options, confirm_within_s=confirm_within_s or former.options.confirm_within_s)
        return self._again(replace(former, options=options), token, emit, confirmation)

    def _again(
        self, former: Deployment, token: CancelToken, emit: DeploymentSink, confirmation: Confirmation
    ) -> Deployment:
        made = self.made(former.pair, former.solution, former.suite, former.title, former.options)
        return self._deploy(made, token, emit, confirmation)

    def repair(self, pair: PairSpec, *, token: CancelToken, emit: DeploymentSink) -> Deployment | None:
        self._call("repair")
        assert self.repair_gate.wait(120)
        half = self._active(pair.name)
        if half is None or half.state is not DeploymentState.HALF_CONFIRMED:
            return None
        if half.is_ending:
            self.undone_on.clear()
            return self.store(half, DeploymentState.REMOVED, "")
        options = replace(half.options, confirm_within_s=None)
        made = self.made(half.pair, half.solution, half.suite, half.title, options)
        return self._deploy(made, token, emit, _NoUser())

    def remove_unfinished(self, pair: PairSpec, *, token: CancelToken) -> None:
        self._call("remove_unfinished")
        assert self.repair_gate.wait(120)
        self.unfinished_on &= self.silent  # what cannot be asked keeps it

    def confirm(self, pair: PairSpec, *, token: CancelToken, emit: DeploymentSink) -> Deployment:
        self._call("confirm")
        waiting = self._active(pair.name)
        if waiting is None or waiting.state is not DeploymentState.APPLIED:
            raise NotFound(f"Nothing waits for a confirmation on {pair.name}.")
        return self.store(waiting, DeploymentState.CONFIRMED)

    def deployments(self, pair_name: str | None = None) -> tuple[Deployment, ...]:
        self._call("deployments")
        return tuple(one for one in self.deployed if pair_name in (None, one.pair.name))

    def audit_log(self, pair_name: str | None = None) -> tuple[AuditEntry, ...]:
        self._call("audit_log")
        lines = []
        for nth, (command, what, status) in enumerate(
            (
                ("ip link del tml0", "Take the interface away", None),
                ("systemctl enable tunnelmark-1f2e.service", "Start with the host", 0),
                ("ip link add tml0 type l2tp", "Make the interface", 0),
            )
        ):
            entry = AuditEntry(
                BEGUN + timedelta(minutes=-nth),
                "192.0.2.10",
                Side.A,
                command,
                status,
                what,
                "meier on office-7",
                f"{1:016x}",
            )
            lines.append(entry)
        return tuple(lines) if pair_name in (None, sample_pair().name) else ()

    def write_audit(self, path: Path, pair_name: str | None = None) -> Path:
        self._call("write_audit")
        self.audits_written.append(path)
        return path
