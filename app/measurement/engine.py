"""Runs a campaign, a comparison or a census: task after task, each attempt stored when it ends."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, cast

from app.domain.adapters import Adapter
from app.domain.commands import SessionPair
from app.domain.errors import (
    Cancelled,
    CleanupFailed,
    CommandFailed,
    ConnectionLost,
    DeadlineExceeded,
    EnvironmentFault,
    HostUnreachable,
    PreflightRefused,
    ProbeFailed,
    ProgramMissing,
    TunnelDown,
    TunnelmarkError,
    UnderlayDown,
    left_by,
)
from app.domain.events import (
    AttemptDropped,
    AttemptEnded,
    AttemptStarted,
    CampaignEnded,
    CampaignStarted,
    EventOf,
    LogLevel,
    LogLine,
)
from app.domain.history import EntryKind
from app.domain.hosts import HostFacts
from app.domain.hubs import Hub
from app.domain.link import Link, LinkHealer
from app.domain.messages import sentences
from app.domain.results import CampaignStatus
from app.measurement.control import CampaignControl
from app.measurement.interfaces import CampaignStore, ConditionedLink, Tunnels
from app.measurement.messages import (
    BROKE_OFF,
    HOST_UNSTEADY,
    HOSTS_NOT_ROLLED_BACK,
    OF_CANDIDATE,
    TRYING_AGAIN,
    WORK_CANCELLED,
)
from app.measurement.reconnect import HostLost, reach_again
from app.measurement.tunnels import DeployedTunnels
from app.measurement.work import A, CampaignContext, Done, P, R, Task, Work
from app.probes import UnderlayGuard, UnderlayWatch

PASSING = (ConnectionLost, DeadlineExceeded, HostUnreachable, ProbeFailed)
"""Transient errors: a task that raises one is tried once more on hosts that have been cleaned up."""

CAUSED_BY_LINK = (PreflightRefused, TunnelDown, CommandFailed, *PASSING)
"""Errors by which a dead link may appear within a task; other errors are taken as they are."""

_REACH_TRIES = 3


@dataclass(frozen=True, slots=True)
class CampaignHosts:
    """Both hosts of a campaign, and what there is to measure on them.

    Attributes:
        sessions: Connections to both.
        adapters: By solution.
        link: What tunnels are built on.
        facts: What was found on the hosts, by `a` and `b`.
        header: Comment lines for every file on the hosts.
        tunnels: Builds tunnels; None means `app.tunnel`.
        healer: Gets the link between the hosts back; None where it is not ours.
        guests: Process ids of a practice lab's virtual machines on this computer; empty for other pairs.
        conditioned: Emulates a condition of the link; None where that is not possible.
        hubs: Hubs with many clients, by solution.
    """

    sessions: SessionPair
    adapters: Mapping[str, Adapter]
    link: Link
    facts: Mapping[str, HostFacts]
    header: tuple[str, ...]
    tunnels: Tunnels | None = None
    healer: LinkHealer | None = None
    guests: tuple[int, ...] = ()
    conditioned: ConditionedLink | None = None
    hubs: Mapping[str, Hub] = field(default_factory=dict)


def run_campaign(
    work: type[Work[P, A, R]],
    plan: P,
    hosts: CampaignHosts,
    *,
    store: CampaignStore,
    control: CampaignControl,
    emit: Callable[[EventOf[P, A]], None],
    version: str,
    resume_id: int | None = None,
) -> R:
    """Run a campaign to its end, whatever that is.

    Args:
        work: `Comparison` or `Census`.
        plan: What to do; when resuming, the stored plan counts.
        store: Where attempts go as they end.
        control: How the user steers it.
        emit: Gets every event.
        resume_id: Go on with the campaign of this number.

    Returns:
        The campaign as stored. Cancelling, candidates that fail and a link that remains dead are results, not errors;
        for a comparison an unreachable host is one as well.

    Raises:
        InvalidPlan: There is no consent to load on a live link; nothing was touched.
        PackageMissing: A host lacks what the probes need; nothing was touched.
        EnvironmentFault: Of a census: a host is unreachable, or could not be rolled back; earlier results are stored.
        StorageFault, DiskFull: Results could not be stored; the hosts have been rolled back.
    """
    if resume_id is not None:
        plan = cast("P", work.load(store, resume_id).plan)
    work.check(plan, hosts.facts)
    tunnels = hosts.tunnels if hosts.tunnels is not None else _deployed_tunnels(work, plan, hosts, store)
    if resume_id is not None:
        store.claim_campaign(resume_id, work.kind)
    number = resume_id if resume_id is not None else store.create_campaign(plan, hosts.facts, version)
    done = work.final_attempts(stored := work.load(store, number))
    recorder = _Recorder(number, work.kind, store, emit, {attempt.key.position for attempt in done})
    context = CampaignContext(
        plan,
        hosts.sessions,
        hosts.adapters,
        hosts.link,
        hosts.facts,
        tunnels,
        control,
        emit,
        work.meter(plan, frozenset(recorder.kept), emit),
        recorder.keep,
        store.audit,
        hosts.guests,
        hosts.conditioned,
        partial(store.save_condition, number),
        partial(store.save_attempt, number),
        hosts.hubs,
    )
    emit(CampaignStarted(number, plan, done))
    # A practice lab's gateways answer pings; elsewhere that is only known once one was answered.
    watch = UnderlayWatch(hosts.sessions, hosts.link, has_answered=plan.pair.is_lab or any(map(work.is_crossed, done)))
    underlay = UnderlayGuard(watch, healer=hosts.healer, emit=emit)
    recorder.run(_Engine(work(context, stored), underlay, recorder.kept, needs_recovery=resume_id is not None))
    return work.load(store, number)


def _deployed_tunnels(
    work: type[Work[P, A, R]], plan: P, hosts: CampaignHosts, store: CampaignStore
) -> DeployedTunnels:
    return DeployedTunnels(
        plan.pair,
        hosts.sessions,
        hosts.link,
        hosts.facts,
        hosts.header,
        store.audit,
        minds_firewalls=work.minds_firewalls,
        shaping=work.shaping(plan),
        listening=work.listening(plan),
    )


class _Recorder(Generic[P, A]):
    """Stores what becomes of a campaign, and reports it.

    Args:
        store: Where it is stored.
        emit: Gets events.
        kept: Positions of attempts that have a result; grows.
    """

    def __init__(
        self,
        number: int,
        kind: EntryKind,
        store: CampaignStore,
        emit: Callable[[EventOf[P, A]], None],
        kept: set[int],
    ) -> None:
        self._number = number
        self._kind = kind
        self._store = store
        self._emit = emit
        self.kept = kept

    def keep(self, attempt: A) -> None:
        """Store an attempt that ended."""
        self._store.save_attempt(self._number, attempt)
        self.kept.add(attempt.key.position)
        self._emit(AttemptEnded(attempt))

    def run(self, engine: _Engine[P, A, R]) -> None:
        """Run the engine, and store how the campaign ended."""
        try:
            status, message = engine.run()
        except BaseException as error:
            message = error.sentence() if isinstance(error, TunnelmarkError) else BROKE_OFF(error=f"{error!r:.200}")
            with suppress(TunnelmarkError):  # the error that ended it says more than what follows from it
                self._finish(CampaignStatus.INTERRUPTED, message)
            left = left_by(error) or engine.left
            self._emit(CampaignEnded(self._number, CampaignStatus.INTERRUPTED, message, left))
            raise
        self._finish(status, message)
        self._emit(CampaignEnded(self._number, status, message, engine.left))

    def _finish(self, status: CampaignStatus, message: str) -> None:
        self._store.finish_campaign(self._number, status, message, self._kind)


class _Engine(Generic[P, A, R]):
    """One run of a campaign.

    Args:
        work: What is run.
        underlay: Watches the bare link.
        kept: Positions of attempts that have a result; grows meanwhile.
        needs_recovery: Whether an earlier run may have left something on the hosts.

    Attributes:
        left: Why a host may not be restored now, as a sentence; empty where both are.
    """

    def __init__(self, work: Work[P, A, R], underlay: UnderlayGuard, kept: set[int], *, needs_recovery: bool) -> None:
        self._work = work
        self._context = work.context
        self._control = work.context.control
        self._underlay = underlay
        self._kept = kept
        self._needs_recovery = needs_recovery
        self._last_error: TunnelmarkError | None = None
        self.left = ""

    def run(self) -> tuple[CampaignStatus, str]:
        """Run all tasks; return how the campaign ended, and what happened where it did not complete."""
        try:
            with closing(self._work.tasks()) as tasks:
                return self._run_all(tasks), ""
        except Cancelled:
            message = WORK_CANCELLED(kind=self._work.kind)
            return CampaignStatus.CANCELLED, self._leave(Cancelled.reason, message)
        except HostLost as error:
            self.left = left_by(error)
            if not self._work.is_ended_by_lost_host:
                raise error.__cause__ or error from None
            return CampaignStatus.INTERRUPTED, self._leave(error.reason, error.sentence())
        except UnderlayDown as error:
            return CampaignStatus.INTERRUPTED, self._leave(error.reason, error.sentence())

    def _run_all(self, tasks: Generator[Task[A], Done[A], CampaignStatus]) -> CampaignStatus:
        is_begun = False
        try:
            task = next(tasks)
            is_begun = True
            while True:
                try:
                    done = self._make(task)
                    self._control.token.raise_if_cancelled()
                except (HostLost, UnderlayDown):
                    raise
                except TunnelmarkError as error:
                    task = tasks.throw(error)
                else:
                    task = tasks.send(done)
        except StopIteration as end:
            if not is_begun:  # nothing was left to do, but an earlier run may have left something on the hosts
                self._reach()
            status: CampaignStatus = end.value
            return status

    def _leave(self, reason: str, message: str) -> str:
        left = [key for key, _ in self._work.predicted(self._context.plan) if key.position not in self._kept]
        return self._work.leave(left, reason, message)

    def _make(self, task: Task[A]) -> Done[A]:
        """Return the outcome of a task that counts; what a dead link, a lost host or busy hosts spoiled does not."""
        is_first = True
        while True:
            self._get_ready()
            try:
                done = self._try(task)
            except TunnelmarkError as error:
                self._last_error, self.left = error, left_by(error)
                if isinstance(error, CAUSED_BY_LINK) and self._has_died(is_good=False):
                    self._drop(task)
                elif isinstance(error, PASSING) and not isinstance(error, ProgramMissing) and is_first:
                    self._context.emit(LogLine(LogLevel.WARNING, sentences((error.message, TRYING_AGAIN()))))
                    is_first, self._needs_recovery = False, True
                else:
                    raise
                continue
            self._last_error, self.left = done.error, left_by(done.error)
            if done.is_doubtful and self._has_died(is_good=done.is_good):
                self._drop(task)
            elif done.again is not None:
                done.again()
                self._drop(task)
            else:
                self._count(task, done)
                return done

    def _try(self, task: Task[A]) -> Done[A]:
        token, end = self._control.begin_attempt()
        for key, title in zip(task.keys, task.titles, strict=True):
            self._context.emit(AttemptStarted(key, title))
            self._context.meter.begin(key.position, title)
        try:
            return task.run(token, self._underlay.doubts)
        finally:
            end()

    def _count(self, task: Task[A], done: Done[A]) -> None:
        self._needs_recovery = isinstance(done.error, CleanupFailed)
        if done.error is not None:
            self._context.emit(
                LogLine(LogLevel.ERROR, OF_CANDIDATE(title=", ".join(task.titles), what=done.error.sentence()))
            )
        for attempt in done.attempts:
            self._context.keep(attempt)
        self._underlay.settle()
        for key in task.keys:
            self._context.meter.end(key.position, is_typical=done.is_typical, text=done.text)

    def _has_died(self, *, is_good: bool) -> bool:
        """Return whether the link died during a task, so that its outcome says nothing."""
        try:
            return self._underlay.has_died(token=self._control.token)
        except Cancelled:
            return not is_good  # why it failed is not known any more

    def _drop(self, task: Task[A]) -> None:
        self._needs_recovery = self._work.is_tunnel_up or isinstance(self._last_error, CleanupFailed)
        for key in task.keys:
            self._context.meter.drop()
            self._context.emit(AttemptDropped(key))

    # --- before each task ---------------------------------------------------------------------------------------------

    def _get_ready(self) -> None:
        """Return when no pause is wanted, both hosts are there and in order, and frames cross the link between them."""
        while True:
            if self._control.is_pause_wanted:
                self._work.release()
            self._control.wait_while_paused(self._context.emit)
            self._control.token.raise_if_cancelled()
            try:
                self._ensure_hosts_and_link()
            except UnderlayDown as error:
                if not self._control.is_attended:
                    raise
                self._control.pause(error.sentence())
            else:
                return

    def _ensure_hosts_and_link(self) -> None:
        for _ in range(_REACH_TRIES):
            self._reach()
            try:
                self._underlay.ensure(token=self._control.token)
            except (ConnectionLost, DeadlineExceeded, CommandFailed) as error:
                self._last_error = error
            else:
                return
        raise HostLost(
            HOST_UNSTEADY(why=self._last_error.message if self._last_error else ""),
        ) from self._last_error

    def _reach(self) -> None:
        context, token = self._context, self._control.token
        was_lost = reach_again(context.sessions, self._last_error, token=token, emit=context.emit)
        if not was_lost and not self._needs_recovery:
            self.left = ""  # a rollback made its own connection
            return
        with suppress(EnvironmentFault):  # what is left of it is rolled back now
            self._work.release()
        try:
            sentences = context.tunnels.recover(token=token)
        except TunnelmarkError as error:
            message = HOSTS_NOT_ROLLED_BACK(why=error.message, pair=context.plan.pair.name)
            raise HostLost(message, hint=error.hint) from error
        self._needs_recovery, self.left = False, ""
        for sentence in sentences:
            context.emit(LogLine(LogLevel.INFO, sentence))
