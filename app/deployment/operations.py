"""Operations on the deployments of a pair, for every front end."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from app.deployment import dry_run
from app.deployment.again import OptionChanges, chosen_again
from app.deployment.deploy import DeploymentContext, DeploymentRun, new_deployment
from app.deployment.events import Confirmation, DeploymentSink, DeploymentStage, DeploymentStageStarted
from app.deployment.file_diffs import FileDiffs
from app.deployment.lan.interfaces import LanInterface, lan_interfaces
from app.deployment.lan.ports import read_deployments
from app.deployment.messages import (
    KEYS_NOT_REPLACED,
    NOT_FROM_HERE,
    NOT_REPAIRABLE_NOW,
    NOTHING_TO_REPEAT,
    READING_DEPLOYMENTS,
    UNKNOWN_WHETHER_DEPLOYED,
    VERDICT_WORSE,
)
from app.deployment.planning import Prepared, RequestedDeployment, plan_deployment
from app.deployment.reconcile import Reached, pair_status, reach, reach_one, silent_text
from app.deployment.remove import end_deployment
from app.deployment.single_host_rollback import end_damaged, remove_unfinished, roll_back_one
from app.deployment.slots import slot_of
from app.deployment.status import current_ids, read_slots
from app.deployment.unconfirmed import held_unconfirmed, roll_back_unconfirmed
from app.deployment.waiting import confirm_waiting, find_waiting, nothing_waits, see_status
from app.discovery.candidates import possible_in
from app.discovery.pair_discovery import Discovery
from app.domain.adapters import Adapter, find_suite
from app.domain.cancel import CancelToken
from app.domain.commands import HostSession, SessionPair
from app.domain.concurrency import run_sides
from app.domain.deployment import Deployment, DeploymentOptions, DeploymentState, DryRun, LanPort
from app.domain.deployment_status import PairStatus
from app.domain.errors import CommandFailed, EnvironmentFault, NotFound, PreflightRefused, TunnelmarkError
from app.domain.hosts import HostSpec, PairSpec, Side
from app.domain.messages import sentences
from app.domain.messages.lists import enumerated
from app.domain.messages.words import VERDICTS
from app.policy import POLICY_NAME, POLICY_VERSION, judge_possible
from app.storage import Store


class Hosts(Protocol):
    """Connections to hosts."""

    def host(self, spec: HostSpec, *, token: CancelToken) -> HostSession:
        """Return a connection to one host."""
        ...

    def pair(self, pair: PairSpec, *, token: CancelToken) -> SessionPair:
        """Return connections to both hosts of a pair."""
        ...


@dataclass
class DeploymentOperations:
    """Operations on deployments, for window, command line and fleet.

    Attributes:
        store: Where deployments are stored.
        adapters: By solution.
        hosts: Connects to them.
        discover: Finds out what a pair can do, and emits notes about it.
        remember_consent: Stores whether the user agreed that a pair's firewalls are opened.
        guidelines: Returns the ids of the guidelines that apply.
        diffs: Shows differences of files, without secrets.
        header: Returns the comment lines of generated files.
        version: Returns Tunnelmark's.
    """

    store: Store
    adapters: Mapping[str, Adapter]
    hosts: Hosts
    discover: Callable[[PairSpec, CancelToken, DeploymentSink], Discovery]
    remember_consent: Callable[[PairSpec], object]
    guidelines: Callable[[], Collection[str]]
    diffs: FileDiffs
    header: Callable[[], tuple[str, ...]]
    version: Callable[[], str]

    def hosts_of(self, *given: object) -> tuple[HostSpec, ...]:
        """Return the hosts that an operation is about, from its arguments: a pair, a discovery or a deployment's id.

        Where sides are among them, those hosts alone.
        """
        pairs = [one.pair if isinstance(one, Discovery) else one for one in given]
        pair = next((one for one in pairs if isinstance(one, PairSpec)), None)
        if pair is None:
            pair = self.store.get_deployment(str(given[0])).pair
        sides = [one for one in given if isinstance(one, Side)] or list(Side)
        return tuple(pair.host(side) for side in sides)

    # --- before -------------------------------------------------------------------------------------------------------

    def lan_ports(self, discovery: Discovery, *, token: CancelToken) -> tuple[LanPort, ...]:
        """Return the interfaces of both hosts, and of each whether it may be joined with a tunnel."""
        pair = discovery.pair
        sessions, slot = self.hosts.pair(pair, token=token), slot_of(pair)
        current = current_ids(sessions, slot, token=token)
        own = read_deployments(sessions, slot, current, token=token).own_bridges

        def read(side: Side) -> tuple[LanInterface, ...]:
            facts, bridge = discovery.on(side).facts, own.get(side, "")
            return lan_interfaces(sessions.on(side), facts, pair.underlay(side), token=token, own_bridge=bridge)

        return tuple(
            LanPort(side, one.name, sentences((one.note, *one.warnings)), one.refusal)
            for side, found in run_sides(read).items()
            for one in found
        )

    def dry_run(
        self,
        discovery: Discovery,
        key: tuple[str, str],
        options: DeploymentOptions,
        *,
        token: CancelToken,
        on_progress: Callable[[str, None], object],
    ) -> DryRun:
        """Return what a deployment would do; change nothing.

        Raises:
            InvalidPlan: It is never deployed, or a reason is missing.
        """
        on_progress(READING_DEPLOYMENTS(), None)
        prepared = self._plan(discovery, key, options, token=token)
        return dry_run.dry_run(prepared, diffs=self.diffs, token=token)

    def _plan(
        self,
        discovery: Discovery,
        key: tuple[str, str],
        options: DeploymentOptions,
        *,
        token: CancelToken,
        on_connected: Callable[[], object] = lambda: None,
    ) -> Prepared:
        pair = discovery.pair
        known = functools.partial(self.store.list_deployments, pair.name)
        wanted = RequestedDeployment(discovery, key, options, self.adapters, self.guidelines(), known, self.header())

        def connect() -> SessionPair:
            sessions = self.hosts.pair(pair, token=token)
            on_connected()
            return sessions

        return plan_deployment(wanted, connect, token=token)

    # --- changing -----------------------------------------------------------------------------------------------------

    def deploy(
        self,
        discovery: Discovery,
        key: tuple[str, str],
        options: DeploymentOptions,
        *,
        token: CancelToken,
        emit: DeploymentSink,
        confirmation: Confirmation | None = None,
        is_confirmed_before: bool = False,
    ) -> Deployment:
        """Deploy. Returns when the tunnel is active, waits for a confirmation, or both hosts are as they were before.

        A tunnel with unproven claims waits, unless the user has confirmed the same before.

        Args:
            key: Solution and suite.
            options: What else was chosen.
            token: Cancels it; both hosts then roll back.
            emit: Gets what happens, in whatever thread it happens.
            confirmation: Answers for the user; None if no user can be asked.
            is_confirmed_before: Whether the user has confirmed the same before.

        Raises:
            InvalidPlan: It is never deployed, or a reason is missing.
            TunnelmarkError, Cancelled: It did not work; both hosts are as they were, or roll back by themselves.
        """
        self.remember_consent(discovery.pair)
        started = functools.partial(emit, DeploymentStageStarted(DeploymentStage.PREPARE))
        prepared = self._plan(discovery, key, options, token=token, on_connected=started)
        blocking = [one for one in prepared.warnings if one.is_blocking]
        if blocking:
            raise PreflightRefused(
                sentences(one.what for one in blocking), hint=sentences(one.hint for one in blocking)
            )
        policy = f"{POLICY_NAME} {POLICY_VERSION}"
        deployment = new_deployment(prepared, policy=policy, version=self.version())
        running = DeploymentRun(DeploymentContext(self.store, prepared.sessions, emit), prepared, deployment)
        return running.deploy(token=token, confirmation=confirmation, is_confirmed_before=is_confirmed_before)

    def redeploy(
        self,
        deployment_id: str,
        *,
        token: CancelToken,
        emit: DeploymentSink,
        confirmation: Confirmation | None = None,
        confirm_within_s: float | None = None,
        pair: PairSpec | None = None,
    ) -> Deployment:
        """Deploy an earlier deployment again, with new keys.

        Args:
            confirmation: Answers for the user; None if no user can be asked.
            confirm_within_s: Time to confirm, in seconds; None: as the earlier one was deployed.
            pair: The pair as it is known now; None: as it was.
        """
        earlier = self.store.get_deployment(deployment_id)
        # Where no user can be asked, Tunnelmark confirms by itself.
        within_s = (confirm_within_s or earlier.options.confirm_within_s) if confirmation is not None else None
        key, options = chosen_again(earlier, pair or earlier.pair, OptionChanges(), confirm_within_s=within_s)
        found = self.discover(pair or earlier.pair, token, emit)
        return self.deploy(found, key, options, token=token, emit=emit, confirmation=confirmation)

    def rotate_keys(
        self, pair: PairSpec, *, token: CancelToken, emit: DeploymentSink, confirmation: Confirmation | None = None
    ) -> Deployment:
        """Deploy what is active on a pair once more, with new keys.

        Raises:
            EnvironmentFault: A host cannot be asked.
            NotFound: Nothing is deployed there.
        """
        active = self._active(pair, token=token)
        return self.redeploy(active.id, token=token, emit=emit, confirmation=confirmation, pair=pair)

    def confirm(self, pair: PairSpec, *, token: CancelToken, emit: DeploymentSink) -> Deployment:
        """Confirm what another instance has applied and left to the hosts' rollback timers.

        Raises:
            EnvironmentFault: A host cannot be asked, so what waits is not known.
            NotFound: Nothing waits for a confirmation.
            CommandFailed: It was too late; both hosts roll back.
        """
        reached = self.reach(pair, token=token)
        waiting = find_waiting(self.store, pair, reached)
        if waiting is None:
            raise nothing_waits(self.store, pair, reached)
        run = DeploymentContext(self.store, self.hosts.pair(pair, token=token), emit)
        return confirm_waiting(run, waiting, token=token)

    def undeploy(self, pair: PairSpec, *, token: CancelToken, emit: DeploymentSink) -> Deployment:
        """Remove what is deployed on a pair: both hosts are then as they were before the first deployment.

        Where parts of it are gone on a host, each host removes what it can, and what may still run is reported. A
        deployment that waits for its confirmation is rolled back; what it replaced is active again.

        Raises:
            NotFound: Nothing is deployed there.
        """
        reached = self.reach(pair, token=token)
        if waiting := held_unconfirmed(self.store.list_deployments(pair.name), reached):
            return roll_back_unconfirmed(self.store, pair, waiting, reached, token=token, emit=emit)
        sessions = self.hosts.pair(pair, token=token)
        found = read_slots(sessions, slot_of(pair), token=token)
        if any(one.is_damaged for one in found.values()):
            return end_damaged(self.store, sessions, pair, found, token=token, emit=emit)
        current = {side: one.deployment_id for side, one in found.items() if one.is_on_host}
        return end_deployment(self.store, sessions, pair, current, token=token, emit=emit)

    def undeploy_one(self, pair: PairSpec, side: Side, *, token: CancelToken, emit: DeploymentSink) -> Deployment:
        """Remove what is deployed on one host, because the other one cannot be reached; see `roll_back_one`.

        Raises:
            NotFound: Nothing is deployed there.
            CommandFailed: It could not be removed.
        """
        session = self.hosts.host(pair.host(side), token=token)
        reached = {side: reach_one(session, side, slot_of(pair), token=token)}
        if waiting := held_unconfirmed(self.store.list_deployments(pair.name), reached):
            return roll_back_unconfirmed(self.store, pair, waiting, reached, token=token, emit=emit)
        return roll_back_one(self.store, session, pair, side, token=token, emit=emit)

    def repair(self, pair: PairSpec, *, token: CancelToken, emit: DeploymentSink) -> Deployment | None:
        """Carry through what was begun last and is on one host alone; None where nothing has to be repaired.

        What was deployed is deployed on both once more, what was being removed is removed. The user is not asked
        again: it was confirmed before. What was interrupted before it was confirmed is removed.

        Raises:
            CommandFailed: It cannot be repaired just now: a host cannot be reached, or rolls back by itself.
        """
        status = self.status(pair, token=token)
        self._clean(pair, status, token=token)
        half = status.deployment
        if status.state is not DeploymentState.HALF_CONFIRMED or half is None:
            return None
        if not status.can_be_repaired:
            raise CommandFailed(NOT_REPAIRABLE_NOW(status=sentences(status.sentences)))
        if half.is_ending:
            return self.undeploy(pair, token=token, emit=emit)
        found = self.discover(pair, token, emit)
        options = replace(half.options, confirm_within_s=None)
        key = half.solution, half.suite
        return self.deploy(found, key, options, token=token, emit=emit, is_confirmed_before=True)

    def remove_unfinished(self, pair: PairSpec, *, token: CancelToken) -> None:
        """Remove what an interrupted deployment left on a host; nothing else.

        Raises:
            CommandFailed: It could not be removed, or another instance works on the host.
        """
        self._clean(pair, self.status(pair, token=token), token=token)

    def _clean(self, pair: PairSpec, status: PairStatus, *, token: CancelToken) -> None:
        for unfinished in status.unfinished:
            session = self.hosts.host(pair.host(unfinished.side), token=token)
            remove_unfinished(self.store, session, pair, unfinished.side, token=token)

    # --- status -------------------------------------------------------------------------------------------------------

    def status(self, pair: PairSpec, *, token: CancelToken) -> PairStatus:
        """Inspect a pair; what is written down here is brought up to date."""
        status = pair_status(pair, self.store, self.reach(pair, token=token), diffs=self.diffs, token=token)
        return self._judged(pair, status)

    def _judged(self, pair: PairSpec, status: PairStatus) -> PairStatus:
        """Return a status with today's verdict, as far as that can be known."""
        deployment = status.deployment
        adapter = self.adapters.get(deployment.solution) if deployment is not None else None
        if deployment is None or adapter is None:
            return status
        a, b = (self.store.latest_snapshot(pair.name, side) for side in Side)
        suite = find_suite(adapter, a, b, deployment.suite) if a is not None and b is not None else None
        if a is None or b is None or suite is None:
            return replace(status, verdict=deployment.verdict)
        possible = possible_in(adapter.suites(a, b), adapter.census(a, b))
        verdict, findings = judge_possible(suite, adapter.info, possible, guidelines=self.guidelines())
        texts = status.sentences
        if verdict.severity > deployment.verdict.severity:
            worse = VERDICT_WORSE(verdict=VERDICTS[verdict](), earlier=VERDICTS[deployment.verdict]())
            texts = (*texts, worse)
        return replace(status, verdict=verdict, findings=findings, sentences=texts)

    def _active(self, pair: PairSpec, *, token: CancelToken) -> Deployment:
        status = self.status(pair, token=token)
        theirs = [host.label for host in (status.a, status.b) if host.deployment_id]
        if status.deployment is None and theirs:
            raise CommandFailed(
                NOT_FROM_HERE(hosts=enumerated(theirs), pair=pair.name),
            )
        if silent := silent_text((host.label, host.note) for host in (status.a, status.b) if not host.is_reachable):
            what = UNKNOWN_WHETHER_DEPLOYED(pair=pair.name)
            if status.deployment is not None:
                what = KEYS_NOT_REPLACED(number=status.deployment.id[:8], pair=pair.name)
            raise EnvironmentFault(sentences((what, silent)), hint=see_status(pair))
        if status.deployment is None or status.state is None:
            raise NotFound(NOTHING_TO_REPEAT(pair=pair.name))
        return status.deployment

    def reach(self, pair: PairSpec, *, token: CancelToken) -> dict[Side, Reached]:
        """Ask both hosts how they are; one that cannot be reached does not keep the other waiting."""

        def open_host(side: Side) -> HostSession | TunnelmarkError:
            try:
                return self.hosts.host(pair.host(side), token=token)
            except TunnelmarkError as error:
                return error

        return reach(run_sides(open_host), slot_of(pair), token=token)
