"""Work on both hosts under their locks: either all of it counts, or both hosts are as they were before.

A transaction is composed of phases. Order, on both hosts at the same time, each line one round trip:

1. acquire: lock, undo script, timer; an inspection (obstacles, the host's snapshot); then what is
   replaced is suspended and the key is made in Tunnelmark's own folder; its public part comes back;
2. apply and verify: the plan's files, and the steps, each written into the host's journal with its undo before it runs;
   then asking until the tunnel is up, frames cross and the negotiated suite can be read; meanwhile, after the last
   change, a new SSH connection is tried;
3. release, on a host that is to keep what was done, or roll back: undo, newest change first; once all of it has been
   undone: timer disarmed, lock released, folder removed; another inspection, which must show the host as it was.

Up to the end of 1, nothing has been changed on a host but Tunnelmark's own folder and what is replaced.

Why an undo never removes what was there before: preflight refuses names, numbers, ports and paths that are in use;
right before the first step the host checks again, under the lock, that the interfaces are not there, and each file
outside the tunnel's folder is checked before it is written down; and an entry is in the journal only if its step was at
least about to run. What is left is another program that makes an interface of our name in the ms between that check and
our step.

Compositions: `app.tunnel.temporary`, `app.deployment.transactions`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from app.domain.cancel import CancelToken
from app.domain.errors import TunnelmarkError
from app.domain.events import Stage
from app.domain.hosts import Side
from app.host.inspection import Inspection
from app.host.parallel import deadline_token, on_both_to_the_end
from app.host.remote_host import RemoteHost, new_id
from app.tunnel import active_runs
from app.tunnel.acquire import Acquired, AcquireRequest, HostLocked, begin
from app.tunnel.audit import AuditSink, Ledger
from app.tunnel.lease import Lease
from app.tunnel.lock_conflict import begin_both
from app.tunnel.messages import OF_HOST
from app.tunnel.rollback import RollbackResult, in_time, roll_back
from app.tunnel.rollback_errors import failure_of

CLEANUP_S = 60.0
"""Time limit for rolling back both hosts, in seconds."""
PATIENCE_S = 5.0
"""Time for which cancelling waits for a rollback timer to be armed, in seconds; it takes a fraction of one."""

StageSink = Callable[[Stage, str], None]


class Transaction:
    """The locks, leases and journals of both hosts, from the first lock to the last release.

    Args:
        on_stage: Gets each stage as it begins, one call at a time, from any thread.
        audit: Gets every command that changed a host.
        lease_s: For how long a host waits to hear of us before it rolls back, in seconds.
        cleanup_s: How long rolling back may take, in seconds.
        busy_s: For how long what is built may keep a host too busy to answer, in seconds; lease and rollback take
            longer by it.

    Attributes:
        busy_s: As above.
        ids: The random id of this work on each host: hosts that share their processes (namespaces of one machine) end
            only their own.
        ledgers: Get what was done on each host.
        inspections: Each host with its lock taken and its timer armed, before any other change.
        timings_s: Seconds per phase.
        differences: What was not as before after the rollback, though it does not concern this work, as sentences.
    """

    def __init__(
        self,
        hosts: Mapping[Side, RemoteHost],
        *,
        on_stage: StageSink,
        audit: AuditSink | None,
        lease_s: float,
        cleanup_s: float = CLEANUP_S,
        busy_s: float = 0.0,
    ) -> None:
        self.hosts = hosts
        self.busy_s = busy_s
        self.lease_s = lease_s + busy_s
        self.ids = {side: new_id() for side in Side}
        self.ledgers = {side: Ledger(host, audit) for side, host in hosts.items()}
        self.inspections: dict[Side, Inspection] = {}
        self.timings_s: dict[str, float] = {}
        self.differences: tuple[str, ...] = ()
        self._audit = audit
        self._cleanup_s = cleanup_s + busy_s
        self._on_stage = on_stage
        self._stage_lock = threading.Lock()
        self._lease = Lease(hosts, self.ids, self.lease_s)
        self._held: set[Side] = set()

    @property
    def is_held(self) -> bool:
        """Whether a host is locked on which something may have been changed."""
        return bool(self._held)

    @property
    def lost(self) -> Mapping[Side, str]:
        """Host that rolled back although it was held, with the reason as a sentence."""
        return self._lease.lost

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings of steps and rollbacks that succeeded, as sentences."""
        return tuple(text for ledger in self.ledgers.values() for text in ledger.warnings)

    def stage(self, stage: Stage, detail: str = "") -> None:
        """Report that a stage begins."""
        with self._stage_lock:
            self._on_stage(stage, detail)

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Note how long a `with` block takes."""
        started_s = time.monotonic()
        try:
            yield
        finally:
            self.timings_s[phase] = round(time.monotonic() - started_s, 3)

    # --- acquire ------------------------------------------------------------------------------------------------------

    def acquire(self, requests: Mapping[Side, AcquireRequest], *, token: CancelToken) -> dict[Side, Acquired]:
        """Lock both hosts, arm their rollback timers, inspect them and run the first steps.

        Raises:
            HostLocked: Another instance works on a host.
            TunnelmarkError, Cancelled: Anything else went wrong; both hosts must be rolled back.
        """
        self.stage(Stage.PREFLIGHT)

        def acquire_host(side: Side, child: CancelToken) -> Acquired:
            return self._acquire_host(side, requests[side], child)

        with self.timed("begin"):
            return begin_both(self.hosts, acquire_host, token=token, audit=self._audit)

    def _acquire_host(self, side: Side, request: AcquireRequest, token: CancelToken) -> Acquired:
        """Begin on one host.

        Cancelling waits until the rollback timer is armed, though not for long: from then on, a rollback finds every
        change.
        """
        host, tunnel, ledger = self.hosts[side], self.ids[side], self.ledgers[side]
        own = CancelToken()
        is_armed = False

        def on_event(words: tuple[str, ...]) -> None:
            nonlocal is_armed
            if words[0] == "hello":
                self.stage(Stage.ARM, host.label)
            elif words[0] == "armed":
                is_armed = True
                # Making keys takes its time, and so may getting hold of the other host.
                self._lease.start(side)
                if token.is_cancelled:
                    own.cancel()
            elif words[0] == "identity":
                self.stage(Stage.IDENTITY, host.label)

        def on_cancel() -> None:
            if is_armed:
                own.cancel()
            else:
                impatience.start()

        impatience = threading.Timer(PATIENCE_S, own.cancel)
        impatience.daemon = True
        token.raise_if_cancelled()
        active_runs.enter([tunnel])
        self._held.add(side)
        unregister = token.on_cancel(on_cancel)
        try:
            acquired = begin(host, tunnel, request, ledger, lease_s=self.lease_s, token=own, on_event=on_event)
        except HostLocked:
            self._let_go([side])
            raise
        finally:
            unregister()
            impatience.cancel()
        self.inspections[side] = acquired.inspection
        return acquired

    def check_connection(self, side: Side, token: CancelToken) -> None:
        """Try a new SSH connection to a host: what was changed there must not have locked us out.

        Raises:
            EnvironmentFault: As `HostSession.check_new_connection`.
        """
        duration_s = self.hosts[side].session.check_new_connection(token=token)
        self.timings_s[f"new connection to {side.upper()}"] = round(duration_s, 3)

    # --- hold ---------------------------------------------------------------------------------------------------------

    def pause_lease(self) -> None:
        """Stop renewing the hosts' rollback timers: without another word to them, they roll back."""
        self._lease.stop()

    def resume_lease(self) -> None:
        """Go on renewing the hosts' rollback timers."""
        self._lease = Lease(self.hosts, self.ids, self.lease_s)
        self._lease.start()

    def release(self, sides: Iterable[Side]) -> None:
        """Leave hosts as they are now: nothing is rolled back there any more."""
        self._let_go(sides)
        if not self._held:
            self._lease.stop()

    def _let_go(self, sides: Iterable[Side]) -> None:
        for side in sides:
            self._held.discard(side)
            active_runs.leave([self.ids[side]])

    # --- roll back ----------------------------------------------------------------------------------------------------

    @contextmanager
    def rolled_back_at_end(
        self, words: Callable[[Side], Sequence[str]], explain: Callable[[TunnelmarkError], None] | None = None
    ) -> Iterator[None]:
        """Roll back, at the end of a `with` block, whichever hosts have not been released by then.

        Args:
            words: Returns the names, paths and addresses of this work on a host.
            explain: Adds to an error what only the hosts know, before they are rolled back.

        Raises:
            CleanupFailed, ConnectionLost: As `roll_back`.
        """
        try:
            yield
        except BaseException as error:
            if isinstance(error, TunnelmarkError) and explain is not None:
                explain(error)
            self.roll_back(words, cause=error)
            raise
        else:
            self.roll_back(words, cause=None)

    def roll_back(self, words: Callable[[Side], Sequence[str]], *, cause: BaseException | None) -> None:
        """Roll back both hosts, inspect them, release them.

        Args:
            words: Returns the names, paths and addresses of this work on a host.
            cause: Why the work ends; None if everything went well.

        Raises:
            CleanupFailed: A host is not as it was.
            ConnectionLost: A host could not be reached; its timer rolls it back.
        """
        self._lease.stop()
        if not self._held:
            return
        try:
            self.stage(Stage.CLEANUP)
        finally:
            try:
                self._roll_back_both(words, cause)
            finally:
                active_runs.leave(self.ids.values())

    def _roll_back_both(self, words: Callable[[Side], Sequence[str]], cause: BaseException | None) -> None:
        def work(side: Side, token: CancelToken) -> RollbackResult | None:
            if side not in self._held:
                return None
            found = self.inspections.get(side)
            before = found.snapshot if found is not None else None
            ledger = self.ledgers[side]
            return roll_back(self.hosts[side], self.ids[side], before, ledger, token=token, words=words(side))

        with self.timed("undo"), deadline_token(self._cleanup_s) as token:
            undone, failures = on_both_to_the_end(work, token=token)
        failed = {side: in_time(error, self.hosts[side], self._cleanup_s) for side, error in failures.items()}
        self.differences = tuple(
            OF_HOST(host=self.hosts[side].label, what=text)
            for side, one in undone.items()
            if one is not None
            for text in one.others
        )
        failure = failure_of(self.hosts, undone, failed, lease_s=self.lease_s, cause=cause)
        if failure is not None:
            raise failure from cause
