"""Beginning on both hosts, with what to do where one of them is locked."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from app.domain.cancel import CancelToken
from app.domain.hosts import Side
from app.host.inspection import inspect_host
from app.host.parallel import on_both_to_the_end
from app.host.remote_host import RemoteHost
from app.tunnel.acquire import Acquired, HostLocked
from app.tunnel.audit import AuditSink
from app.tunnel.recovery import free_if_abandoned, is_abandoned

PATIENCE_S = 8.0
"""Time for which A's holder waits for an instance that took B at the same moment and will release it, in seconds."""

BeginOne = Callable[[Side, CancelToken], Acquired]

CLEARING_S = 10.0
"""Time to keep trying to remove a folder whose maker died while it locked the host, in seconds."""


def begin_both(
    hosts: Mapping[Side, RemoteHost], begin_one: BeginOne, *, token: CancelToken, audit: AuditSink | None
) -> dict[Side, Acquired]:
    """Begin on both hosts at the same time; take over what a dead Tunnelmark left.

    Args:
        begin_one: Begins on one host.
        audit: Gets every command that changed a host.

    Returns:
        What came of it, by side.

    Raises:
        HostLocked: A living Tunnelmark works on a host. One of the two hosts may have been begun on.
        TunnelmarkError, Cancelled: Whatever else went wrong first.
    """
    begun, failures = on_both_to_the_end(begin_one, token=token)
    token.raise_if_cancelled()
    for error in failures.values():
        if not isinstance(error, HostLocked):
            raise error
    for side in Side:
        held = failures.get(side)
        if isinstance(held, HostLocked):
            # The instance that has A keeps it; one that took B without A gives B up. So one of two always gets through.
            may_wait = side is Side.B and Side.A in begun
            begun[side] = _despite_lock(hosts[side], held, begin_one, token, audit, patience_s=PATIENCE_S * may_wait)
    return begun


def raise_if_held(hosts: Mapping[Side, RemoteHost], *, token: CancelToken) -> None:
    """Raise if another instance works on a host: what is seen there meanwhile belongs to it.

    Raises:
        HostLocked: A living Tunnelmark works on a host.
        CommandFailed: A host could not be inspected.
    """
    for host in hosts.values():
        lock = inspect_host(host, token=token).lock
        if lock is not None and not is_abandoned(lock):
            raise HostLocked(host, lock)


def _despite_lock(
    host: RemoteHost,
    held: HostLocked,
    begin_one: BeginOne,
    token: CancelToken,
    audit: AuditSink | None,
    *,
    patience_s: float,
) -> Acquired:
    """Begin on a host that was locked, if its owner is dead or lets go."""
    until = time.monotonic() + patience_s
    while True:
        if held.lock is not None and is_abandoned(held.lock):
            if not free_if_abandoned(host, held.lock, token=token, audit=audit):
                raise held
        elif held.lock is not None and not held.lock.is_complete and time.monotonic() < until + CLEARING_S:
            free_if_abandoned(host, held.lock, token=token, audit=audit)
        elif time.monotonic() >= until or (held.lock is not None and held.lock.age_s > patience_s):
            raise held
        else:
            token.sleep(0.3)
        try:
            return begin_one(host.side, token)
        except HostLocked as error:
            held = error
