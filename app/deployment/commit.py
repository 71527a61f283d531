"""Two-host commit of a provisional deployment: A first, then B, each by one atomic step.

The boot bundle is installed on both hosts before either commits. If B then reports a rollback, A is rolled back too.
If B cannot be reached, its state is unknown (the two generals' problem): A keeps the deployment, and the next contact
reads B's state and repairs.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial

from app.deployment.messages import (
    COMMIT_UNANSWERED,
    CONFIRMING_TOO_LONG,
    KEEPS_ALONE,
    KEEPS_ALONE_BECAUSE,
    NOT_ASKED_WHETHER_KEPT,
    NOT_KEPT,
    STEP_CONFIRM,
    STEP_CONFIRM_END,
    STEP_INSTALL,
    STEP_REMOVE_REPLACED,
    STEP_RETIRE,
)
from app.deployment.slots import current_path, slot_dir
from app.domain.adapters import root_command
from app.domain.cancel import CancelToken
from app.domain.concurrency import WorkerPool
from app.domain.errors import CommandFailed, ConnectionLost, DeadlineExceeded, EnvironmentFault, HostUnreachable
from app.domain.hosts import Side
from app.domain.messages import sentences
from app.domain.script_files import bare_script, host_script
from app.host.parallel import on_both
from app.host.remote_host import RemoteHost, printable
from app.host.script_events import find
from app.tunnel.acquire import begin_error
from app.tunnel.audit import Ledger, Planned
from app.tunnel.rollback import reconnect

INSTALL_NUMBER = "0800"
COMMIT_TIMEOUT_S = 30.0
REACH_S = 25.0
"""Time to keep trying to reach a host whose answer was lost, in seconds; its rollback timer runs meanwhile."""

_TIDY_SCRIPT = bare_script("deployment/tidy.sh")


class CommitState(StrEnum):
    """State of the commit on one host."""

    YES = "yes"
    REFUSED = "refused"  # it rolled back, or is about to
    UNKNOWN = "unknown"  # it could not be asked
    NOT_TRIED = "not-tried"


@dataclass(frozen=True, slots=True)
class CommitOutcome:
    """Outcome of a commit on both hosts.

    Attributes:
        hosts: By side.
        reason: Why it is not YES on both, as a sentence; empty if it is.
    """

    hosts: Mapping[Side, CommitState]
    reason: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether both hosts have confirmed."""
        return all(one is CommitState.YES for one in self.hosts.values())

    @property
    def kept(self) -> tuple[Side, ...]:
        """Hosts that have confirmed, or may have: they must not be rolled back."""
        return tuple(side for side, one in self.hosts.items() if one in (CommitState.YES, CommitState.UNKNOWN))

    @property
    def may_be_half(self) -> bool:
        """Whether one host may have confirmed while the other has not."""
        return not self.is_complete and bool(self.kept)


class _AskedHost:
    """A host that is asked to confirm, in a thread of its own.

    Args:
        pool: Has the thread.
        ask: Asks; calls what it gets as soon as the host has confirmed, and returns when the host has done all.
    """

    def __init__(self, pool: WorkerPool, ask: Callable[[Callable[[], None]], tuple[CommitState, str]]) -> None:
        self._is_decided = threading.Event()
        self._has_confirmed = False
        self._future = pool.submit(ask, self._on_confirmed)
        self._future.add_done_callback(lambda _future: self._is_decided.set())

    def is_confirmed(self, *, at_once: bool) -> bool:
        """Wait and return whether the host has confirmed.

        Args:
            at_once: Do not wait for what it does afterwards.
        """
        if at_once:
            self._is_decided.wait()
        return (at_once and self._has_confirmed) or self.answer()[0] is CommitState.YES

    def answer(self) -> tuple[CommitState, str]:
        """Wait until the host has finished, and return the state; a commit is not reverted."""
        try:
            outcome, reason = self._future.result()
        except EnvironmentFault:
            if not self._has_confirmed:
                raise
            return CommitState.YES, ""
        return (CommitState.YES, "") if self._has_confirmed else (outcome, reason)

    def _on_confirmed(self) -> None:
        self._has_confirmed = True
        self._is_decided.set()


@dataclass(frozen=True, slots=True)
class TwoHostCommit:
    """Inputs of a commit; all of them are known even after the process that built the tunnel has ended.

    Attributes:
        hosts: The hosts.
        tunnels: The random id of the work on each host.
        ledgers: Get what was done.
        slot: The slot.
        deployment_id: The deployment to commit; empty to commit a removal.
        run_dir: The folder of this work's running parts.
        replaced: What it replaces, by side; empty where nothing was there.
    """

    hosts: Mapping[Side, RemoteHost]
    tunnels: Mapping[Side, str]
    ledgers: Mapping[Side, Ledger]
    slot: str
    deployment_id: str
    run_dir: str
    replaced: Mapping[Side, str] = field(default_factory=dict)

    def install(self, *, token: CancelToken) -> None:
        """Install the boot bundle on both hosts; nothing is committed yet, and the undo removes it.

        Raises:
            CommandFailed, DiskFull, ConnectionLost: It did not work; the hosts must be rolled back.
        """
        if self.deployment_id:
            on_both(self._install, token=token)

    def commit(self, *, token: CancelToken) -> CommitOutcome:
        """Confirm on A, then on B. Roll back A if B is known to have refused.

        Args:
            token: Cancels it while nothing is confirmed yet.
        """
        token.raise_if_cancelled()
        hosts = dict.fromkeys(Side, CommitState.NOT_TRIED)
        reasons: list[str] = []
        with WorkerPool(len(Side)) as pool:
            asked: dict[Side, _AskedHost] = {}
            for side in Side:
                asked[side] = _AskedHost(pool, partial(self._commit_on, side))
                # What has ended is then removed, which takes seconds: B need not wait for that.
                if not asked[side].is_confirmed(at_once=not self.deployment_id):
                    break
            for side, one in asked.items():
                hosts[side], reason = one.answer()
                if reason:
                    reasons.append(reason)
        if hosts[Side.A] is CommitState.YES and hosts[Side.B] is CommitState.REFUSED and self.deployment_id:
            hosts[Side.A] = self._retire(Side.A, reasons)
        outcome = CommitOutcome(hosts, sentences(reasons))
        if outcome.is_complete:
            self._tidy()
        return outcome

    def _install(self, side: Side, token: CancelToken) -> None:
        host, ledger = self.hosts[side], self.ledgers[side]
        command = f"{slot_dir(self.slot)}/{self.deployment_id}"
        undo = f"sh {host.state_dir}/uninstall.sh {self.slot} {self.deployment_id}"
        ledger.plan(Planned(INSTALL_NUMBER, STEP_INSTALL(), command, undo, 60.0))
        word = self.tunnels[side]
        events, result = host.run_with_events(
            host_script("install.sh"),
            (host.state_dir, word, self.slot, self.deployment_id),
            word=word,
            token=token,
            timeout_s=COMMIT_TIMEOUT_S,
        )
        if find(events, "finished") is None:
            ledger.done(INSTALL_NUMBER, 1)
            raise begin_error(host, events, result, ledger)
        ledger.done(INSTALL_NUMBER, 0)

    def _commit_on(self, side: Side, on_confirmed: Callable[[], None]) -> tuple[CommitState, str]:
        """Ask until there is an answer. If it was lost, ask again: the host repeats its first answer."""
        host = self.hosts[side]
        until: float | None = None
        while True:
            must_reconnect = False
            try:
                outcome, reason = self._ask_to_commit(host, on_confirmed)
            except (ConnectionLost, DeadlineExceeded, HostUnreachable) as error:
                outcome, must_reconnect = CommitState.UNKNOWN, True
                reason = NOT_ASKED_WHETHER_KEPT(host=host.label, why=error.message)
            if outcome is not CommitState.UNKNOWN:
                return outcome, reason
            now = time.monotonic()
            until = now + REACH_S if until is None else until
            if now >= until:
                return outcome, reason
            if must_reconnect:
                # If this fails, the next question raises again.
                with suppress(ConnectionLost, DeadlineExceeded, HostUnreachable):
                    reconnect(host, token=CancelToken(), within_s=until - now)

    def _ask_to_commit(self, host: RemoteHost, on_confirmed: Callable[[], None]) -> tuple[CommitState, str]:
        word = self.tunnels[host.side]

        def on_event(words: tuple[str, ...]) -> None:
            if words == ("confirmed",):
                on_confirmed()

        events, result = host.run_with_events(
            host_script("commit.sh"),
            (host.state_dir, word, self.slot, self.deployment_id, self.run_dir),
            word=word,
            token=CancelToken(),
            timeout_s=COMMIT_TIMEOUT_S,
            on_event=on_event,
        )
        if find(events, "busy") is not None:
            return CommitState.UNKNOWN, CONFIRMING_TOO_LONG(host=host.label)
        is_confirmed = find(events, "confirmed") is not None
        what = STEP_CONFIRM() if self.deployment_id else STEP_CONFIRM_END()
        text = f"echo {self.deployment_id or '-'} > {current_path(self.slot)}"
        self.ledgers[host.side].write(what, text, 0 if is_confirmed else result.exit_status)
        if is_confirmed:
            return CommitState.YES, ""
        refused = find(events, "refused")
        why = " ".join(refused.words[1:]) if refused is not None else printable(result.stderr, limit=300)
        return CommitState.REFUSED, NOT_KEPT(host=host.label, why=why or COMMIT_UNANSWERED())

    def _retire(self, side: Side, reasons: list[str]) -> CommitState:
        host = self.hosts[side]
        old = self.replaced.get(side, "")
        try:
            result = host.run_script(
                host_script("retire.sh"),
                (self.slot, self.deployment_id, old),
                token=CancelToken(),
                timeout_s=COMMIT_TIMEOUT_S + 60.0,
            )
        except (ConnectionLost, DeadlineExceeded, HostUnreachable) as error:
            reasons.append(KEEPS_ALONE_BECAUSE(host=host.label, why=error.message))
            return CommitState.YES
        self.ledgers[side].write(STEP_RETIRE(), "sh retire.sh", result.exit_status)
        if not result.is_ok:
            reasons.append(KEEPS_ALONE(host=host.label))
            return CommitState.YES
        return CommitState.REFUSED

    def _tidy(self) -> None:
        """Remove what was replaced; a host that cannot be reached just now does it when it starts."""
        for side in Side:
            old = self.replaced.get(side, "")
            if not old or not self.deployment_id or old == self.deployment_id:
                continue
            words = (slot_dir(self.slot), old, self.run_dir)
            command = root_command(_TIDY_SCRIPT, *words, timeout_s=COMMIT_TIMEOUT_S)
            try:
                result = self.hosts[side].session.run(command, token=CancelToken())
            except (ConnectionLost, DeadlineExceeded, HostUnreachable, CommandFailed):
                continue
            self.ledgers[side].write(STEP_REMOVE_REPLACED(), f"rm -rf {slot_dir(self.slot)}/{old}", result.exit_status)
