"""Recovery of hosts after a Tunnelmark that died, as done by `tunnelmark recover`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, SessionPair
from app.domain.concurrency import run_both
from app.domain.errors import TunnelmarkError
from app.domain.hosts import HostSpec, PairSpec, Side
from app.domain.link import MAX_INSTANCES, STATE_DIR, Link
from app.domain.messages import sentences
from app.domain.messages.lists import enumerated
from app.domain.script_files import bare_script
from app.host.inspection import LockInfo, inspect_host
from app.host.parallel import on_both_to_the_end
from app.host.remote_host import RemoteHost
from app.tunnel.active_runs import is_live
from app.tunnel.audit import AuditSink, Ledger
from app.tunnel.lock_owner import LET_GO, REMOVING, is_dead, owner_key
from app.tunnel.messages import (
    A_TUNNELMARK,
    ANOTHER_INSTANCE,
    AWAITS_CONFIRMATION_ALONE,
    DIED_WHILE_LOCKING,
    IS_REMOVING,
    IS_WORKING,
    LEFT_AND_ROLLED_BACK,
    LEFT_IN_PART,
    LEFT_WITHOUT_JOURNAL,
    NODE_NEVER_CHANGED,
    NODE_NOT_ROLLED_BACK,
    NOTHING_TO_ROLL_BACK,
    REMOVAL_INTERRUPTED,
    ROLL_BACK_AFTER_DEATH,
)
from app.tunnel.rollback import RollbackState, roll_back

UNDO_LIMIT_S = 300.0
"""An abandoned journal says itself how long its entries may take; this bounds all of them together, in seconds."""
INCOMPLETE_S = 2.0
"""Longest time between locking a host and writing its lease, in seconds; it takes some ms."""


class Found(StrEnum):
    """State of a host before its recovery."""

    NOTHING = "nothing"
    IN_USE = "in-use"
    ABANDONED = "abandoned"
    LEFTOVERS = "leftovers"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class HostRecovery:
    """Outcome of the recovery of one host.

    Attributes:
        side: The host.
        found: What was found.
        is_clean: Whether the host is as it was before Tunnelmark came.
        sentence: The same for people.
        log: Output of the undo.
    """

    side: Side
    found: Found
    is_clean: bool
    sentence: str
    log: str = ""


@dataclass(frozen=True, slots=True)
class RecoveryReport:
    """Outcome of the recovery of both hosts, and of the machines behind them."""

    a: HostRecovery
    b: HostRecovery
    nodes: tuple[HostRecovery, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether all of them are as they were before Tunnelmark came."""
        return self.are_gateways_clean and all(one.is_clean for one in self.nodes)

    @property
    def are_gateways_clean(self) -> bool:
        """Whether both hosts are as they were before Tunnelmark came, whatever the machines behind them are."""
        return self.a.is_clean and self.b.is_clean

    @property
    def has_leftovers(self) -> bool:
        """Whether one of them may not be as it was, other than by the work of a living Tunnelmark."""
        return any(not one.is_clean and one.found is not Found.IN_USE for one in (self.a, self.b, *self.nodes))

    def sentences(self) -> tuple[str, ...]:
        """Return one sentence per host."""
        return tuple(one.sentence for one in (self.a, self.b, *self.nodes))


def recover(
    sessions: SessionPair,
    *,
    token: CancelToken,
    audit: AuditSink | None = None,
    state_dir: str = STATE_DIR,
    pair: str = "",
) -> RecoveryReport:
    """Roll back both hosts after a run that died. A host that a living Tunnelmark works on is left alone.

    Args:
        audit: Gets every command that changed a host.
        state_dir: Tunnelmark's folder on the hosts.
        pair: The pair's name, for hints; empty where it is not known.

    Returns:
        What was found and done.

    Raises:
        Cancelled: The token was cancelled.
    """
    hosts = {Side.A: sessions.a, Side.B: sessions.b}
    return _recover_both(lambda side, _child: RemoteHost(side, hosts[side], state_dir, pair), audit, token=token)


def recover_pair(
    pair: PairSpec,
    connect: Callable[[HostSpec, CancelToken], HostSession],
    *,
    token: CancelToken,
    audit: AuditSink | None = None,
    was_changed: Callable[[HostSpec], bool] = lambda _host: True,
) -> RecoveryReport:
    """Roll back both hosts of a pair, and its nodes, as `recover` does; one that is out of reach delays no other.

    The sentence of a node that is out of reach says what to do next; the gateways are rolled back without it. A node
    that is out of reach and was never changed is as it was before.

    Args:
        connect: Logs in to a host.
        audit: Gets every command that changed a host.
        was_changed: Whether a node may ever have been changed from this computer, in doubt too.
    """

    def of(hosts: Mapping[Side, HostSpec]) -> RecoveryReport:
        return _recover_both(
            lambda side, child: RemoteHost(side, connect(hosts[side], child), STATE_DIR, pair.name), audit, token=token
        )

    gateways, nodes = {side: pair.host(side) for side in Side}, {side: node.host for side, node in pair.nodes.items()}
    if not nodes:
        return of(gateways)
    report, behind = run_both(lambda: of(gateways), lambda: of(nodes))
    return replace(report, nodes=tuple(_of_node(one, pair, was_changed) for one in (behind.a, behind.b)))


def _of_node(found: HostRecovery, pair: PairSpec, was_changed: Callable[[HostSpec], bool]) -> HostRecovery:
    """Return the outcome of a node; of one out of reach, what to do next, or that there is nothing to roll back."""
    if found.found is not Found.UNREACHABLE:
        return found
    host = pair.nodes[found.side].host
    names = {"host": host.label, "gateway": pair.host(found.side).label, "pair": pair.name}
    if not was_changed(host):
        return replace(found, is_clean=True, sentence=NODE_NEVER_CHANGED(**names, why=found.sentence))
    message = NODE_NOT_ROLLED_BACK(**names, why=found.sentence)
    return replace(found, sentence=sentences((message, message.hint)))


def _recover_both(
    reach: Callable[[Side, CancelToken], RemoteHost], audit: AuditSink | None, *, token: CancelToken
) -> RecoveryReport:
    def work(side: Side, child: CancelToken) -> HostRecovery:
        try:
            return _recover_host(reach(side, child), audit, token=child)
        except TunnelmarkError as error:
            return HostRecovery(side, Found.UNREACHABLE, is_clean=False, sentence=error.sentence())

    results, failures = on_both_to_the_end(work, token=token)
    token.raise_if_cancelled()
    for error in failures.values():
        raise error
    return RecoveryReport(results[Side.A], results[Side.B])


def free_if_abandoned(host: RemoteHost, lock: LockInfo, *, token: CancelToken, audit: AuditSink | None = None) -> bool:
    """Roll back a host if the process that locked it no longer lives.

    Args:
        lock: What was found there.
        audit: Gets every command that changed the host.

    Returns:
        Whether the host is free now; false where its owner may live, or where the rollback failed.
    """
    if not lock.is_complete:
        return _clear_incomplete(host, token=token)
    if not is_abandoned(lock):
        return False
    ledger = Ledger(host, audit)
    outcome = roll_back(host, lock.tunnel, None, ledger, token=token, undo_limit_s=UNDO_LIMIT_S)
    if outcome.state is RollbackState.DONE:
        ledger.write(ROLL_BACK_AFTER_DEATH(), host.console_command, 0)
    return outcome.state in (RollbackState.DONE, RollbackState.GONE)


def is_abandoned(lock: LockInfo) -> bool:
    """Return whether a lock is abandoned.

    That is so if the lease is over, if the owner was a process on this computer that is gone, or if it is this very
    process, which has given that tunnel up.
    """
    if not lock.is_complete:
        return False
    is_given_up = lock.owner_key == owner_key() and not is_live(lock.tunnel)
    return lock.left_s <= 0 or is_given_up or is_dead(lock.owner_key)


def _clear_incomplete(host: RemoteHost, *, token: CancelToken) -> bool:
    """Remove a folder whose maker died before it wrote the lease: it cannot have changed anything else.

    Returns:
        Whether it is gone; false where another instance was just about to lock the host, and now has.
    """
    token.sleep(INCOMPLETE_S)
    command = Command(
        shell_step_argv(bare_script("tunnel/clear-incomplete.sh"), host.state_dir), timeout_s=10.0, is_root=True
    )
    return host.session.run(command, token=token).is_ok


def _usual_interfaces() -> tuple[str, ...]:
    """Return the names that a measurement's tunnels have on hosts with nothing in their way."""
    usual = [Link("", "").instance(number).names for number in range(MAX_INSTANCES)]
    return tuple(name for one in usual for name in (one.ethernet_interface, one.wireguard_interface))


def _recover_host(host: RemoteHost, audit: AuditSink | None, *, token: CancelToken) -> HostRecovery:
    found = inspect_host(host, token=token)
    lock = found.lock
    if lock is None:
        left = [name for name in _usual_interfaces() if name in found.snapshot.part("interface")]
        if left:
            sentence = LEFT_WITHOUT_JOURNAL(host=host.label, left=enumerated(left), first=left[0])
            return HostRecovery(host.side, Found.LEFTOVERS, is_clean=False, sentence=sentence)
        return HostRecovery(host.side, Found.NOTHING, is_clean=True, sentence=NOTHING_TO_ROLL_BACK(host=host.label))
    if not lock.is_complete and _clear_incomplete(host, token=token):
        sentence = DIED_WHILE_LOCKING(host=host.label)
        return HostRecovery(host.side, Found.ABANDONED, is_clean=True, sentence=sentence)
    if not is_abandoned(lock) and lock.is_complete and lock.owner_key == LET_GO:
        sentence = AWAITS_CONFIRMATION_ALONE(owner=lock.owner, host=host.label, how=host.how_to_confirm(lock.left_s))
        return HostRecovery(host.side, Found.IN_USE, is_clean=False, sentence=sentence)
    if not is_abandoned(lock) and lock.owner_key == REMOVING:
        sentence = IS_REMOVING(owner=lock.owner, host=host.label, age_s=lock.age_s)
        return HostRecovery(host.side, Found.IN_USE, is_clean=False, sentence=sentence)
    if not is_abandoned(lock):
        owner, left_s = lock.owner or ANOTHER_INSTANCE(), max(1, lock.left_s)
        sentence = IS_WORKING(owner=owner, host=host.label, age_s=lock.age_s, left_s=left_s)
        return HostRecovery(host.side, Found.IN_USE, is_clean=False, sentence=sentence)
    return _roll_back(host, lock, audit, token=token)


def _roll_back(host: RemoteHost, lock: LockInfo, audit: AuditSink | None, *, token: CancelToken) -> HostRecovery:
    ledger = Ledger(host, audit)
    outcome = roll_back(host, lock.tunnel, None, ledger, token=token, undo_limit_s=UNDO_LIMIT_S)
    whose = {"host": host.label, "owner": lock.owner or A_TUNNELMARK(), "age_s": lock.age_s}
    if outcome.state is RollbackState.FAILED:
        sentence = LEFT_IN_PART(**whose, command=host.console_command)
        return HostRecovery(host.side, Found.ABANDONED, is_clean=False, sentence=sentence, log=outcome.log)
    if lock.owner_key == REMOVING:
        sentence = REMOVAL_INTERRUPTED(host=host.label)
        return HostRecovery(host.side, Found.ABANDONED, is_clean=True, sentence=sentence, log=outcome.log)
    if outcome.state is RollbackState.DONE:
        ledger.write(ROLL_BACK_AFTER_DEATH(), host.console_command, 0)
    return HostRecovery(
        host.side, Found.ABANDONED, is_clean=True, sentence=LEFT_AND_ROLLED_BACK(**whose), log=outcome.log
    )
