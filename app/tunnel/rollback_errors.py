"""Errors reported after a rollback."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from app.domain.errors import (
    Cancelled,
    CleanupFailed,
    ConnectionLost,
    EnvironmentFault,
    HostUnreachable,
    TunnelmarkError,
)
from app.domain.hosts import Side
from app.domain.messages import sentences
from app.domain.messages.lists import enumerated
from app.host.remote_host import RemoteHost
from app.tunnel.messages import (
    NOT_AS_BEFORE,
    ROLLBACK_LEFT_TO_TIMER,
    ROLLED_BACK_IN_PART,
    RUN_ON_CONSOLE,
    WAS_CANCELLED,
)
from app.tunnel.rollback import RollbackResult, RollbackState


def failure_of(
    hosts: Mapping[Side, RemoteHost],
    undone: Mapping[Side, RollbackResult | None],
    failed: Mapping[Side, EnvironmentFault],
    *,
    lease_s: float,
    cause: BaseException | None,
) -> EnvironmentFault | None:
    """Return the error that a rollback of both hosts ended with.

    Args:
        undone: What it came to where it was done; None where nothing had been begun.
        failed: Why it could not be done, by side.
        lease_s: Lease in seconds, after which a host that could not be reached rolls back.
        cause: Why the tunnel ended; None if everything went well.

    Returns:
        None if both hosts are as they were.
    """
    left = {side: text for side, one in undone.items() if one is not None and (text := _left_on(hosts[side], one))}
    logs = [f"{hosts[side].label}:\n{one.log}" for side, one in undone.items() if one is not None and side in left]
    lost = {side: error for side, error in failed.items() if isinstance(error, (ConnectionLost, HostUnreachable))}
    left |= {side: error.message for side, error in failed.items() if side not in lost}
    left_to_timers = [ROLLBACK_LEFT_TO_TIMER(host=hosts[side].label, seconds=lease_s) for side in lost]
    hint = _console_hint(hosts, [*left, *lost])
    if left:
        context = {**_context_of(cause), "undo": "\n".join(logs)}
        return CleanupFailed(sentences([*left.values(), *left_to_timers]), hint=hint, context=context)
    if lost:
        texts = dict.fromkeys([*(error.message for error in lost.values()), *left_to_timers])
        return ConnectionLost(sentences(texts), hint=hint, context=_context_of(cause))
    return None


def _left_on(host: RemoteHost, undone: RollbackResult) -> str:
    """Return what is not as it was on one host, as a sentence; empty if nothing is."""
    if undone.state is RollbackState.FAILED:
        return ROLLED_BACK_IN_PART(host=host.label)
    return NOT_AS_BEFORE(host=host.label, differences=sentences(undone.ours)) if undone.ours else ""


def _console_hint(hosts: Mapping[Side, RemoteHost], sides: Iterable[Side]) -> str:
    found = tuple(hosts[side] for side in sides)
    commands = tuple(dict.fromkeys(host.console_command for host in found))
    return RUN_ON_CONSOLE(hosts=enumerated(host.label for host in found), commands=commands)


def _context_of(cause: BaseException | None) -> dict[str, str]:
    if isinstance(cause, TunnelmarkError):
        log = {"log": cause.context["log"]} if "log" in cause.context else {}
        return {"cause": cause.message, "cause_reason": cause.reason, **log}
    return {"cause": WAS_CANCELLED()} if isinstance(cause, Cancelled) else {}
