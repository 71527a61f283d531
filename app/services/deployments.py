"""Deployments, as the window and the command line ask for them: implements `RolloutServices`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from app.deployment import dry_run
from app.deployment.audit_export import AUDIT_TEXTS
from app.deployment.commit import TwoHostCommit
from app.deployment.deploy import Rollout, RolloutRun, mark_replaced, new_deployment
from app.deployment.events import Confirmation, RolloutNote, RolloutSink, RolloutStage, RolloutStageStarted
from app.deployment.lan.interfaces import lan_interfaces
from app.deployment.lan.ports import read_standing
from app.deployment.planning import choose, current_ids, prepare, read_places
from app.deployment.reconcile import Reached, pair_status, reach, reach_one, silent_text, waiting_on
from app.deployment.remove import end_deployment
from app.deployment.single_host_rollback import end_damaged, remove_unfinished, roll_back_one
from app.deployment.slots import slot_of
from app.deployment.unconfirmed import held_unconfirmed, roll_back_unconfirmed
from app.discovery.candidates import possible_in
from app.discovery.pair_discovery import Discovery
from app.domain.adapters import Adapter, find_suite
from app.domain.audit import AuditCheck, AuditEntry
from app.domain.cancel import CancelToken
from app.domain.commands import HostSession, SessionPair
from app.domain.concurrency import run_both
from app.domain.deployment import Deployment, DeploymentState, DryRun, RolloutOptions
from app.domain.deployment_status import PairStatus
from app.domain.errors import CommandFailed, EnvironmentFault, InvalidFile, NotFound, PreflightRefused, TunnelmarkError
from app.domain.hosts import HostSpec, PairSpec, Side
from app.domain.link import STATE_DIR
from app.policy import POLICY_NAME, POLICY_VERSION, judge_possible
from app.reports.files import write_atomically
from app.services import masked_diff
from app.services.file_header import file_header
from app.services.interfaces.comparison import ProgressSink
from app.services.interfaces.deployments import AuditLine, LanPort
from app.services.version import tunnelmark_version
from app.storage import Store
from app.tunnel.audit import Ledger
from app.tunnel.lease import kept_waiting
from app.tunnel.preflight import remote_hosts

if TYPE_CHECKING:
    from app.services.connections import Connections
    from app.services.firewalls import FirewallConsents
    from app.services.settings import Settings

AUDIT_LIMIT = 100_000
"""So many of the newest entries are shown; a file gets all of them."""


class RolloutOperations:
    """What `Services` can do about tunnels that stay."""

    if TYPE_CHECKING:  # these are what `Services` has
        store: Store
        adapters: Mapping[str, Adapter]
        firewall_consents: FirewallConsents
        _connections: Connections

        def settings(self) -> Settings:  # noqa: D102 - described where it is
            ...

        def sessions(self, pair: PairSpec, *, token: CancelToken) -> SessionPair:  # noqa: D102 - described where it is
            ...

        def discover(  # noqa: D102 - described where it is
            self, pair: PairSpec, *, token: CancelToken, on_progress: ProgressSink
        ) -> Discovery: ...

    # --- before -------------------------------------------------------------------------------------------------------

    def lan_ports(self, discovery: Discovery, *, token: CancelToken) -> tuple[LanPort, ...]:
        """Return the interfaces of both hosts, and of each whether it may be joined with a tunnel."""
        sessions, pair = self.sessions(discovery.pair, token=token), discovery.pair
        slot = slot_of(pair)
        current = current_ids(sessions, slot, token=token)
        own = read_standing(sessions, slot, current, token=token).own_bridges
        in_a, in_b = own.get(Side.A, ""), own.get(Side.B, "")
        a, b = run_both(
            lambda: lan_interfaces(sessions.a, discovery.a.facts, pair.underlay_a, token=token, own_bridge=in_a),
            lambda: lan_interfaces(sessions.b, discovery.b.facts, pair.underlay_b, token=token, own_bridge=in_b),
        )
        return tuple(
            LanPort(side, one.name, " ".join((one.note, *one.warnings)), one.refusal)
            for side, found in ((Side.A, a), (Side.B, b))
            for one in found
        )

    def dry_run(
        self,
        discovery: Discovery,
        key: tuple[str, str],
        options: RolloutOptions,
        *,
        token: CancelToken,
        on_progress: ProgressSink,
    ) -> DryRun:
        """Say what a deployment would do; changes nothing."""
        on_progress("Looking at what stands on both hosts", None)
        choice = choose(self.adapters, discovery, key, options, guidelines=self.settings().guidelines)
        sessions = self.sessions(discovery.pair, token=token)
        known = self.store.list_deployments(discovery.pair.name)
        prepared = prepare(sessions, discovery, choice, options, known=known, header=file_header(), token=token)
        return dry_run.dry_run(
            sessions, choice, prepared, pair_name=discovery.pair.name, diffs=masked_diff, token=token
        )

    # --- changing -----------------------------------------------------------------------------------------------------

    def deploy(
        self,
        discovery: Discovery,
        key: tuple[str, str],
        options: RolloutOptions,
        *,
        token: CancelToken,
        emit: RolloutSink,
        confirmation: Confirmation | None = None,
        is_confirmed_before: bool = False,
    ) -> Deployment:
        """Roll out. Returns when the tunnel stays, waits for a confirmation, or both hosts are as they were before.

        What was not proven on the wire waits, unless the user has confirmed the same before.

        Raises:
            InvalidPlan: It is never rolled out, or a reason is missing.
            TunnelmarkError, Cancelled: It did not work; both hosts are as they were, or put themselves back.
        """
        self.firewall_consents.change(discovery.pair, may_open=discovery.pair.may_open_firewall)
        choice = choose(self.adapters, discovery, key, options, guidelines=self.settings().guidelines)
        sessions = self.sessions(discovery.pair, token=token)
        known = self.store.list_deployments(discovery.pair.name)
        emit(RolloutStageStarted(RolloutStage.PREPARE))
        prepared = prepare(sessions, discovery, choice, options, known=known, header=file_header(), token=token)
        blocking = [one for one in prepared.warnings if one.is_blocking]
        if blocking:
            raise PreflightRefused(" ".join(one.what for one in blocking), hint=" ".join(one.hint for one in blocking))
        policy = f"{POLICY_NAME} {POLICY_VERSION}"
        deployment = new_deployment(prepared, choice, options, policy=policy, version=tunnelmark_version())
        rollout = Rollout(RolloutRun(self.store, sessions, emit), prepared, deployment)
        return rollout.deploy(token=token, confirmation=confirmation, is_confirmed_before=is_confirmed_before)

    def confirm(self, pair: PairSpec, *, token: CancelToken, emit: RolloutSink) -> Deployment:
        """Confirm what another Tunnelmark has applied and left to the hosts' timers.

        Raises:
            EnvironmentFault: A host cannot be asked, so what waits is not known.
            NotFound: Nothing waits for a confirmation.
            CommandFailed: It was too late; both hosts go back.
        """
        reached = self._reach(pair, token=token)
        waiting = self._waiting(pair, reached)
        if waiting is None:
            raise self._nothing_waits(pair, reached)
        sessions = self.sessions(pair, token=token)
        run = RolloutRun(self.store, sessions, emit)
        ends = remote_hosts(sessions, STATE_DIR)
        confirmer = TwoHostCommit(
            ends,
            {side: waiting.tunnels[side.value] for side in Side},
            {side: Ledger(end, run.auditor(waiting.id)) for side, end in ends.items()},
            waiting.slot,
            waiting.id,
            waiting.link.run_dir,
            {side: one for side, one in current_ids(sessions, waiting.slot, token=token).items() if one},
        )
        # Until now nobody has renewed what is left of their time.
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

    def _waiting(self, pair: PairSpec, reached: Mapping[Side, Reached]) -> Deployment | None:
        """Return the deployment that both hosts hold until it is confirmed."""
        return next((one for one in self.deployments(pair.name) if waiting_on(one, reached)), None)

    def _nothing_waits(self, pair: PairSpec, reached: Mapping[Side, Reached]) -> TunnelmarkError:
        last = next(iter(self.deployments(pair.name)), None)
        if silent := silent_text((pair.host(side).label, one.error) for side, one in reached.items() if not one.state):
            known = f"The last deployment known here, {last.id[:8]}, is {last.state.value}. " if last else ""
            hint = f"{known}What waits is rolled back when its time is up. {_see_status(pair)}"
            what = f"It is not known whether anything waits for a confirmation on {pair.name}."
            return EnvironmentFault(f"{what} {silent}", hint=hint)
        is_on_host = any(one.state is not None and one.state.deployment_id for one in reached.values())
        if last is None and not is_on_host:
            hint = f"Deploy with: tunnelmark deploy {pair.name} SOLUTION"
            return NotFound(f"There is nothing to confirm on {pair.name}: nothing is deployed.", hint=hint)
        what = f"Its last deployment, {last.id[:8]}, is {last.state.value}. " if last is not None else ""
        return NotFound(f"Nothing waits for a confirmation on {pair.name}.", hint=f"{what}{_see_status(pair)}")

    def undeploy(self, pair: PairSpec, *, token: CancelToken, emit: RolloutSink) -> Deployment:
        """Take what stands on a pair back: both hosts are then as they were before the first deployment.

        Where parts of it are gone on a host, each host takes back what it can, and what may still run is told. A
        deployment that waits for its confirmation is rolled back; what it replaced is active again.

        Raises:
            NotFound: Nothing is rolled out there.
        """
        reached = self._reach(pair, token=token)
        if waiting := held_unconfirmed(self.deployments(pair.name), reached):
            return roll_back_unconfirmed(self.store, pair, waiting, reached, token=token, emit=emit)
        sessions = self.sessions(pair, token=token)
        found = read_places(sessions, slot_of(pair), token=token)
        if any(one.is_damaged for one in found.values()):
            return end_damaged(self.store, sessions, pair, found, token=token, emit=emit)
        current = {side: one.deployment_id for side, one in found.items() if one.is_standing}
        return end_deployment(self.store, sessions, pair, current, token=token, emit=emit)

    def undeploy_one(self, pair: PairSpec, side: Side, *, token: CancelToken, emit: RolloutSink) -> Deployment:
        """Take back what stands on one host, because the other one cannot be reached; see `roll_back_one`.

        Raises:
            NotFound: Nothing is rolled out there.
            CommandFailed: It could not be taken back.
        """
        session = self._connections.host(pair.host(side), token=token)
        reached = {side: reach_one(session, side, slot_of(pair), token=token)}
        if waiting := held_unconfirmed(self.deployments(pair.name), reached):
            return roll_back_unconfirmed(self.store, pair, waiting, reached, token=token, emit=emit)
        return roll_back_one(self.store, session, pair, side, token=token, emit=emit)

    def redeploy(
        self,
        deployment_id: str,
        *,
        token: CancelToken,
        emit: RolloutSink,
        confirmation: Confirmation | None = None,
        confirm_within_s: float | None = None,
        pair: PairSpec | None = None,
    ) -> Deployment:
        """Roll out an earlier deployment again, with new keys.

        Args:
            deployment_id: The earlier one.
            token: Cancels it.
            emit: Is told what happens.
            confirmation: Answers for the user; None where nobody can be asked.
            confirm_within_s: Time to confirm, in seconds; None: as the earlier one was deployed.
            pair: The pair as it is known now; None: as it was.
        """
        earlier = self.store.get_deployment(deployment_id)
        found = self.discover(
            pair or earlier.pair, token=token, on_progress=lambda text, _share: emit(RolloutNote(text))
        )
        key = earlier.solution, earlier.suite
        # Where nobody can be asked, Tunnelmark confirms by itself.
        within_s = (confirm_within_s or earlier.options.confirm_within_s) if confirmation is not None else None
        options = replace(earlier.options, confirm_within_s=within_s)
        return self.deploy(found, key, options, token=token, emit=emit, confirmation=confirmation)

    def rotate_keys(
        self, pair: PairSpec, *, token: CancelToken, emit: RolloutSink, confirmation: Confirmation | None = None
    ) -> Deployment:
        """Roll out what stands on a pair once more, with new keys.

        Raises:
            EnvironmentFault: A host cannot be asked.
            NotFound: Nothing is rolled out there.
        """
        standing = self._standing(pair, token=token)
        return self.redeploy(standing.id, token=token, emit=emit, confirmation=confirmation, pair=pair)

    def repair(self, pair: PairSpec, *, token: CancelToken, emit: RolloutSink) -> Deployment | None:
        """Carry through what was begun last and is on one host alone; None where nothing has to be repaired.

        What was rolled out is rolled out on both once more, what was being taken back is taken back. Nobody is asked
        again: it was confirmed before. What was broken off before it counted is removed.

        Raises:
            CommandFailed: It cannot be repaired just now: a host cannot be reached, or goes back by itself.
        """
        status = self.status(pair, token=token)
        self._clean(pair, status, token=token)
        half = status.deployment
        if status.state is not DeploymentState.HALF_CONFIRMED or half is None:
            return None
        if not status.can_be_repaired:
            raise CommandFailed(" ".join(status.sentences), hint="Look again in half a minute.")
        if half.is_ending:
            return self.undeploy(pair, token=token, emit=emit)
        found = self.discover(pair, token=token, on_progress=lambda text, _share: emit(RolloutNote(text)))
        options = replace(half.options, confirm_within_s=None)
        key = half.solution, half.suite
        return self.deploy(found, key, options, token=token, emit=emit, is_confirmed_before=True)

    def remove_unfinished(self, pair: PairSpec, *, token: CancelToken) -> None:
        """Remove what was broken off on a host before it counted, and do nothing else.

        Raises:
            CommandFailed: It could not be removed, or somebody works on the host.
        """
        self._clean(pair, self.status(pair, token=token), token=token)

    def _clean(self, pair: PairSpec, status: PairStatus, *, token: CancelToken) -> None:
        for unfinished in status.unfinished:
            session = self._connections.host(pair.host(unfinished.side), token=token)
            remove_unfinished(self.store, session, pair, unfinished.side, token=token)

    # --- how it is ----------------------------------------------------------------------------------------------------

    def status(self, pair: PairSpec, *, token: CancelToken) -> PairStatus:
        """Say how a pair is now; what is written down here is brought up to date."""
        status = pair_status(pair, self.store, self._reach(pair, token=token), diffs=masked_diff, token=token)
        deployment = status.deployment
        adapter = self.adapters.get(deployment.solution) if deployment is not None else None
        if deployment is None or adapter is None:
            return status
        facts = tuple(self.store.latest_snapshot(pair.name, side) for side in Side)
        if facts[0] is None or facts[1] is None:
            return replace(status, verdict=deployment.verdict)
        suite = find_suite(adapter, facts[0], facts[1], deployment.suite)
        if suite is None:
            return replace(status, verdict=deployment.verdict)
        possible = possible_in(adapter.suites(facts[0], facts[1]), adapter.census(facts[0], facts[1]))
        verdict, findings = judge_possible(suite, adapter.info, possible, guidelines=self.settings().guidelines)
        sentences = status.sentences
        if verdict.severity > deployment.verdict.severity:
            sentences = (*sentences, f"Today's policy calls it {verdict}; it was {deployment.verdict}.")
        return replace(status, verdict=verdict, findings=findings, sentences=sentences)

    def deployments(self, pair_name: str | None = None) -> tuple[Deployment, ...]:
        """Return every deployment of a pair, or of all, newest first."""
        return self.store.list_deployments(pair_name)

    def _standing(self, pair: PairSpec, *, token: CancelToken) -> Deployment:
        status = self.status(pair, token=token)
        theirs = [end.label for end in (status.a, status.b) if end.deployment_id]
        if status.deployment is None and theirs:
            raise CommandFailed(
                f"What is rolled out on {' and '.join(theirs)} is not known on this computer, so it cannot be rolled "
                "out again as it is.",
                hint="Do that on the computer from which it was rolled out or exported, or replace it from here: "
                f"tunnelmark deploy {pair.name} SOLUTION",
            )
        if silent := silent_text((end.label, end.note) for end in (status.a, status.b) if not end.is_reachable):
            what = f"It is not known whether anything is deployed on {pair.name}."
            if status.deployment is not None:
                what = f"The keys of deployment {status.deployment.id[:8]} on {pair.name} were not replaced."
            raise EnvironmentFault(f"{what} {silent}", hint=_see_status(pair))
        if status.deployment is None or status.state is None:
            raise NotFound(
                f"Nothing is rolled out on {pair.name}.", hint=f"Roll out with: tunnelmark deploy {pair.name} SOLUTION"
            )
        return status.deployment

    def _reach(self, pair: PairSpec, *, token: CancelToken) -> dict[Side, Reached]:
        def open_host(spec: HostSpec) -> HostSession | TunnelmarkError:
            try:
                return self._connections.host(spec, token=token)
            except TunnelmarkError as error:
                return error

        a, b = run_both(lambda: open_host(pair.a), lambda: open_host(pair.b))
        return reach({Side.A: a, Side.B: b}, slot_of(pair), token=token)

    # --- what was done ------------------------------------------------------------------------------------------------

    def audit_log(self, pair_name: str | None = None) -> tuple[AuditLine, ...]:
        """Return what was run last on the hosts of a pair, or of all, newest first; see `AUDIT_LIMIT`."""
        entries = self._audit(pair_name, limit=AUDIT_LIMIT)
        return tuple(AuditLine(entry, entry.who, entry.deployment) for entry in entries)

    def write_audit(self, path: Path, pair_name: str | None = None) -> Path:
        """Write all of the audit log, in place of what stands there; the kind follows from the ending: .csv or .json.

        Raises:
            InvalidFile: The ending is another one.
            InvalidOption, DiskFull: It cannot be written there.
        """
        make = AUDIT_TEXTS.get(path.suffix)
        if make is None:
            raise InvalidFile(
                f"An audit log is written as .csv or .json, not as {path.name}.", hint=f"Name it {path.stem}.csv."
            )
        write_atomically(path, make(self._audit(pair_name, limit=None)).encode())
        return path

    def check_audit(self) -> AuditCheck:
        """Find out whether the audit log is what was written."""
        return self.store.check_audit()

    def _audit(self, pair_name: str | None, *, limit: int | None) -> tuple[AuditEntry, ...]:
        entries = self.store.list_audit(limit=limit)
        if pair_name is None:
            return entries
        hosts = self._addresses(pair_name)
        return tuple(entry for entry in entries if entry.host in hosts)

    def _addresses(self, pair_name: str) -> set[str]:
        pairs = [one.pair for one in self.store.list_deployments(pair_name)]
        if not pairs:
            pairs = [self.store.get_pair(pair_name)]
        return {pair.host(side).address for pair in pairs for side in Side}


def _see_status(pair: PairSpec) -> str:
    return f"See how the hosts are with: tunnelmark status {pair.name}"
