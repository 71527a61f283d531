"""The two-ended transaction: both hosts get the tunnel, or both are as before.

Order, on both hosts at the same time, each line one round trip:

1. lock, undo script, timer; a look at the host (what is in the way, what it looks like); then the key, in Tunnelmark's
   own folder; its public part comes back;
2. the plan's files, and the steps, each written into the host's journal with its undo before it runs; then asking until
   the tunnel is up, frames cross and the negotiated suite can be read; meanwhile, after the last change, a new SSH
   connection is tried;
3. undo, newest change first; once all of it has been taken back: timer disarmed, lock released, folder removed; another
   look, which must show the host as it was.

Up to the end of 1, nothing has been changed on a host but Tunnelmark's own folder.

Why an undo never takes away what was there before: preflight refuses names, numbers, ports and paths that are in use;
right before the first step the host checks again, under the lock, that the interfaces are not there, and each file
outside the tunnel's folder is checked before it is written down; and an entry is in the journal only if its step was at
least about to run. What is left is somebody else who makes an interface of our name in the ms between that check and
our step.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from app.domain.adapters import PublicIdentity
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.errors import Cancelled, EnvironmentFault, PreflightRefused, TunnelDown, TunnelmarkError
from app.domain.events import Stage
from app.domain.hosts import Side
from app.host.inspection import Inspection
from app.host.parallel import deadline_token, on_both, on_both_to_the_end
from app.host.remote_host import new_id
from app.host.script_events import ScriptEvent
from app.host.snapshots import HostSnapshot
from app.tunnel import active_runs
from app.tunnel.acquire import Acquired, AcquireRequest, HostLocked, begin
from app.tunnel.active_tunnel import LOG_S, ActiveTunnel, collect_logs
from app.tunnel.apply import Building, build, negotiated_text
from app.tunnel.audit import AuditSink, Ledger
from app.tunnel.lease import Lease
from app.tunnel.lock_conflict import begin_both
from app.tunnel.preflight import obstacles_on, outside_paths, own_words, remote_hosts, state_dir_of
from app.tunnel.preview import configuration_of
from app.tunnel.psk_transfer import share_secrets
from app.tunnel.request import DeployRequest, Obstacle
from app.tunnel.rollback import RollbackResult, in_time, roll_back
from app.tunnel.rollback_errors import failure_of
from app.tunnel.switch import Switcher

CLEANUP_S = 60.0
"""How long putting both hosts back may take, in seconds."""
PATIENCE_S = 5.0
"""How long cancelling waits for a host's timer to be armed, in seconds; it takes a fraction of one."""

StageSink = Callable[[Stage, str], None]


class Transaction:
    """One tunnel, from the first look to the last.

    Args:
        sessions: Connections to both hosts.
        request: What is to be built.
        on_stage: Gets each stage as it begins, one call at a time, from any thread.
        audit: Gets every command that changed a host.
        lease_s: For how long a host waits to hear of us before it puts itself back, in seconds.
    """

    cleanup_s = CLEANUP_S

    def __init__(
        self,
        sessions: SessionPair,
        request: DeployRequest,
        *,
        on_stage: StageSink,
        audit: AuditSink | None,
        lease_s: float,
    ) -> None:
        self._request = request
        self._ends = remote_hosts(sessions, state_dir_of(request), request.pair.name)
        self._on_stage = on_stage
        self._stage_lock = threading.Lock()
        self._lease_s = lease_s
        # One per host: hosts that share their processes (namespaces of one machine) end only their own.
        self._tunnels = {side: new_id() for side in Side}
        self._lease = Lease(self._ends, self._tunnels, lease_s)
        self._audit = audit
        self._ledgers = {side: Ledger(end, audit) for side, end in self._ends.items()}
        self._surveys: dict[Side, Inspection] = {}
        self._warnings: tuple[Obstacle, ...] = ()
        self._begun: set[Side] = set()
        self._plan = request.adapter.plan(request.plan_request())
        self.timings_s: dict[str, float] = {}
        self.differences: tuple[str, ...] = ()

    # --- building -----------------------------------------------------------------------------------------------------

    def build(self, *, token: CancelToken) -> ActiveTunnel:
        """Do everything up to the standing tunnel.

        Raises:
            TunnelmarkError, Cancelled: It did not work; `undo` must be called.
        """
        started_s = time.monotonic()
        self._warnings, identities = self._open(token)
        self._plan = self._request.adapter.plan(self._request.plan_request(identities[Side.A], identities[Side.B]))
        share_secrets(self._ends, self._request, token=token)
        is_changing = any(end.steps or end.files or end.interface for end in (self._plan.a, self._plan.b))
        negotiated = self._apply(token) if is_changing else ""
        active = ActiveTunnel(
            self._request,
            self._plan,
            self._ends,
            configuration=configuration_of(self._request, self._plan),
            negotiated=negotiated,
            warnings=self._warnings,
            lost=lambda: self._lease.lost,
            switcher=Switcher(self._ends, self._tunnels, self._ledgers, identities),
        )
        active.setup_s = time.monotonic() - started_s
        active.timings_s = self.timings_s
        return active

    @property
    def before(self) -> Mapping[Side, HostSnapshot]:
        """What the hosts looked like, with their locks taken and timers armed, before any other change."""
        return {side: survey.snapshot for side, survey in self._surveys.items()}

    @property
    def has_begun(self) -> bool:
        """Whether anything may have been changed on a host."""
        return bool(self._begun)

    @property
    def _asked(self) -> str:
        """A small file whose first line each host is asked for once it is locked; empty for none."""
        return ""

    def _stage(self, stage: Stage, detail: str = "") -> None:
        with self._stage_lock:
            self._on_stage(stage, detail)

    @contextmanager
    def _timed(self, phase: str) -> Iterator[None]:
        started_s = time.monotonic()
        try:
            yield
        finally:
            self.timings_s[phase] = round(time.monotonic() - started_s, 3)

    def _open(self, token: CancelToken) -> tuple[tuple[Obstacle, ...], dict[Side, PublicIdentity]]:
        """Lock, arm, look, make keys; return the warnings and the public keys."""
        self._stage(Stage.PREFLIGHT)
        with self._timed("begin"):
            begun = begin_both(self._ends, self._begin_end, token=token, audit=self._audit)
        obstacles = self._obstacles()
        blocking = [obstacle for obstacle in obstacles if obstacle.is_blocking]
        if blocking:
            raise PreflightRefused(
                " ".join(obstacle.what for obstacle in blocking),
                hint=" ".join(dict.fromkeys(obstacle.hint for obstacle in blocking)),
                context={"count": str(len(blocking))},
            )
        outputs = {side: one.outputs for side, one in begun.items()}
        identities = {
            side: self._request.adapter.parse_identity(outputs[side]) if outputs[side] else PublicIdentity()
            for side in Side
        }
        return tuple(obstacles), identities

    def _obstacles(self) -> list[Obstacle]:
        return [item for side in Side for item in obstacles_on(side, self._request, self._plan, self._surveys)]

    def _begin_end(self, side: Side, token: CancelToken) -> Acquired:
        """Begin on one host.

        Cancelling waits until the timer is armed, though not for long: from then on, undoing finds what was done.
        """
        own = CancelToken()
        is_armed = False

        def on_mark(words: tuple[str, ...]) -> None:
            nonlocal is_armed
            if words[0] == "hello":
                self._stage(Stage.ARM, self._ends[side].label)
            elif words[0] == "armed":
                is_armed = True
                # Making keys takes its time, and so may getting hold of the other host.
                self._lease.start(side)
                if token.is_cancelled:
                    own.cancel()
            elif words[0] == "identity":
                self._stage(Stage.IDENTITY, self._ends[side].label)

        def on_cancel() -> None:
            if is_armed:
                own.cancel()
            else:
                impatience.start()

        impatience = threading.Timer(PATIENCE_S, own.cancel)
        impatience.daemon = True
        beginning = AcquireRequest(
            self._tunnels[side],
            self._lease_s,
            self._request.link.run_dir,
            self._request.adapter.identity(self._request.plan_request(), side),
            self._request.link.underlay(side.other),
            outside_paths(self._request, self._plan.end(side)),
            self._asked,
        )
        token.raise_if_cancelled()
        active_runs.enter([self._tunnels[side]])
        self._begun.add(side)
        unregister = token.on_cancel(on_cancel)
        try:
            begun = begin(self._ends[side], beginning, self._ledgers[side], token=own, on_mark=on_mark)
        except HostLocked:
            self._begun.discard(side)
            active_runs.leave([self._tunnels[side]])
            raise
        finally:
            unregister()
            impatience.cancel()
        self._surveys[side] = begun.survey
        return begun

    def _apply(self, token: CancelToken) -> str:
        building = Building(self._request, self._plan, self._tunnels)
        self._stage(Stage.APPLY)
        with self._timed("build"):
            marks = self._build_both(building, token)
        texts = {side: negotiated_text(self._ends[side], self._plan, marks[side], token=token) for side in Side}
        return "\n".join(f"{self._ends[side].label}: {text}" for side, text in texts.items() if text)

    def _build_both(self, building: Building, token: CancelToken) -> dict[Side, tuple[ScriptEvent, ...]]:
        """Build both ends, and try a new SSH connection to each as soon as its last change has been made."""
        built: set[Side] = set()
        checks: dict[Side, Future[float]] = {}
        checking = CancelToken()

        with ThreadPoolExecutor(2, thread_name_prefix="tunnelmark-new-connection") as pool:

            def work(side: Side, child: CancelToken) -> tuple[ScriptEvent, ...]:
                def on_mark(words: tuple[str, ...]) -> None:
                    if words[0] == "built":
                        checks[side] = pool.submit(self._check_connection, side, checking)
                        built.add(side)
                        if len(built) == len(Side):
                            self._stage(Stage.VERIFY)

                return build(self._ends[side], building, self._ledgers[side], token=child, on_mark=on_mark)

            unregister = token.on_cancel(checking.cancel)
            try:
                marks = on_both(work, token=token)
                for check in checks.values():
                    check.result()
            except BaseException:
                checking.cancel()
                raise
            finally:
                unregister()
        return marks

    def _check_connection(self, side: Side, token: CancelToken) -> float:
        duration_s = self._ends[side].session.check_new_connection(token=token)
        self.timings_s[f"new connection to {side.upper()}"] = round(duration_s, 3)
        return duration_s

    # --- undoing ------------------------------------------------------------------------------------------------------

    def add_logs(self, error: TunnelmarkError) -> None:
        """Put the daemons' logs into an error's context, as far as the hosts can be asked; and the warnings before."""
        if isinstance(error, TunnelDown) and self._warnings:
            error.hint = " ".join([*(f"{one.what} {one.hint}" for one in self._warnings), error.hint])
        if not self.has_begun or "log" in error.context:
            return
        try:
            with deadline_token(LOG_S) as token:
                log = collect_logs(self._ends, self._plan, token=token)
        except (EnvironmentFault, Cancelled):
            return
        if log:
            error.context["log"] = log

    def undo(self, *, cause: BaseException | None) -> None:
        """Put both hosts back, look at them, let them go.

        Args:
            cause: Why the tunnel ends; None if everything went well.

        Raises:
            CleanupFailed: A host is not as it was.
            ConnectionLost: A host could not be reached; its timer puts it back.
        """
        self._lease.stop()
        if not self._begun:
            return
        try:
            self._stage(Stage.CLEANUP)
        finally:
            try:
                self._undo_both(cause)
            finally:
                active_runs.leave(self._tunnels.values())

    def _undo_both(self, cause: BaseException | None) -> None:
        with self._timed("undo"), deadline_token(self.cleanup_s) as token:
            undone, failures = on_both_to_the_end(self._undo_end, token=token)
        failed = {side: in_time(error, self._ends[side], self.cleanup_s) for side, error in failures.items()}
        self.differences = tuple(
            f"{self._ends[side].label}: {text}"
            for side, one in undone.items()
            if one is not None
            for text in one.others
        )
        failure = failure_of(self._ends, undone, failed, lease_s=self._lease_s, cause=cause)
        if failure is not None:
            raise failure from cause

    def _undo_end(self, side: Side, token: CancelToken) -> RollbackResult | None:
        if side not in self._begun:
            return None
        end = self._ends[side]
        before = self._surveys.get(side)
        return roll_back(
            end,
            self._tunnels[side],
            before.snapshot if before is not None else None,
            self._ledgers[side],
            token=token,
            words=own_words(self._request, self._plan, side),
        )


@contextmanager
def temporary_tunnel(
    sessions: SessionPair,
    request: DeployRequest,
    *,
    token: CancelToken,
    on_stage: StageSink,
    audit: AuditSink | None = None,
    lease_s: float = 30.0,
) -> Iterator[ActiveTunnel]:
    """Build a tunnel for the time of a `with` block; both hosts are put back at its end, however it ends.

    Args:
        sessions: Connections to both hosts.
        request: What is to be built.
        token: Cancels building; putting back then runs on a token of its own with its own deadline.
        on_stage: Gets each stage as it begins, one call at a time, from any thread.
        audit: Gets every command that changed a host, from any thread.
        lease_s: For how long a host waits to hear of us before it puts itself back, in seconds. A third of it passes
            between two renewals, each of which costs a host a short command.

    Yields:
        The tunnel.

    Raises:
        PreflightRefused: Something is in the way; nothing was changed.
        PairLocked: Another Tunnelmark is at work.
        CommandFailed, DiskFull, TunnelDown: It could not be built. `context["log"]` holds the daemons' logs.
        CleanupFailed: A host is not as it was before.
        ConnectionLost: A connection broke and could not be made again, so that a host is left to its timer.
        Cancelled: The token was cancelled.
    """
    transaction = Transaction(sessions, request, on_stage=on_stage, audit=audit, lease_s=lease_s)
    active: ActiveTunnel | None = None
    try:
        active = transaction.build(token=token)
        yield active
    except BaseException as error:
        if isinstance(error, TunnelmarkError) and active is None:
            transaction.add_logs(error)
        elif isinstance(error, TunnelmarkError) and active is not None and active.lost:
            error.context["lost"] = " ".join(active.lost.values())
        _undo(transaction, active, cause=error)
        raise
    else:
        _undo(transaction, active, cause=None)


def _undo(transaction: Transaction, active: ActiveTunnel | None, *, cause: BaseException | None) -> None:
    started_s = time.monotonic()
    try:
        transaction.undo(cause=cause)
    finally:
        if active is not None:
            active.cleanup_s = time.monotonic() - started_s
            active.differences = transaction.differences
