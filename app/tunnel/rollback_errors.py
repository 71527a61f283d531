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
from app.host.remote_host import RemoteHost
from app.tunnel.rollback import RollbackResult, RollbackState


def failure_of(
    ends: Mapping[Side, RemoteHost],
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
    left = {side: text for side, one in undone.items() if one is not None and (text := _left_on(ends[side], one))}
    logs = [f"{ends[side].label}:\n{one.log}" for side, one in undone.items() if one is not None and side in left]
    lost = {side: error for side, error in failed.items() if isinstance(error, (ConnectionLost, HostUnreachable))}
    left |= {side: error.message for side, error in failed.items() if side not in lost}
    sentences_lost = [
        f"{ends[side].label} could not be reached for the rollback; its rollback timer runs it within {lease_s:g} s."
        for side in lost
    ]
    hint = _console_hint(ends, [*left, *lost])
    if left:
        context = {**_context_of(cause), "undo": "\n".join(logs)}
        return CleanupFailed(" ".join([*left.values(), *sentences_lost]), hint=hint, context=context)
    if lost:
        texts = dict.fromkeys([*(error.message for error in lost.values()), *sentences_lost])
        return ConnectionLost(" ".join(texts), hint=hint, context=_context_of(cause))
    return None


def _left_on(end: RemoteHost, undone: RollbackResult) -> str:
    """Return what is not as it was on one host, as a sentence; empty if nothing is."""
    if undone.state is RollbackState.FAILED:
        return f"{end.label} could not be rolled back completely."
    return f"{end.label} is not as it was: {' '.join(undone.ours)}" if undone.ours else ""


def _console_hint(ends: Mapping[Side, RemoteHost], sides: Iterable[Side]) -> str:
    hosts = " and ".join(ends[side].label for side in sides)
    commands = dict.fromkeys(ends[side].console_command for side in sides)
    return f"If it does not, run on the console of {hosts}: {' '.join(commands)}"


def _context_of(cause: BaseException | None) -> dict[str, str]:
    if isinstance(cause, TunnelmarkError):
        log = {"log": cause.context["log"]} if "log" in cause.context else {}
        return {"cause": cause.message, "cause_reason": cause.reason, **log}
    return {"cause": "It was cancelled."} if isinstance(cause, Cancelled) else {}
