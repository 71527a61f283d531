"""A provisional deployment while it waits: for this user's decision, or for another instance's confirmation."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from app.deployment.events import EXTENSION_S, Confirmation, Decision
from app.domain.cancel import CancelToken
from app.domain.hosts import Side
from app.tunnel.lease import leave_to_timers, set_leases
from app.tunnel.transaction import Transaction

EXPIRY_MARGIN_S = 5.0
"""By how much a host's timer runs longer than the countdown that the user sees, in seconds."""


def wait_for_decision(
    work: Transaction,
    seconds: float,
    confirmation: Confirmation,
    *,
    token: CancelToken,
    on_left: Callable[[float], None],
    on_extended: Callable[[float], None],
    is_confirmed: Callable[[], bool] = lambda: False,
) -> Decision | None:
    """Wait for the user's decision; the rollback timers run meanwhile and are renewed only if the user extends them.

    Args:
        seconds: How long the user has.
        confirmation: Where the decision comes from.
        on_left: Gets the seconds that are left, about once a second.
        on_extended: Receives the seconds that are left once both hosts have acknowledged the extension.
        is_confirmed: Whether another instance has confirmed it meanwhile: then no decision counts.

    Returns:
        The decision; None if there was none in time, or it is confirmed.

    Raises:
        ConnectionLost, CommandFailed: A timer could not be set; the hosts must be rolled back.
    """
    work.pause_lease()
    set_leases(work.hosts, work.ids, seconds + EXPIRY_MARGIN_S, token=token)
    until = time.monotonic() + seconds
    decision: Decision | None = None
    while decision is None and (left_s := until - time.monotonic()) > 0:
        on_left(math.ceil(left_s))
        decision = confirmation.wait(min(1.0, left_s), token=token)
        token.raise_if_cancelled()
        if is_confirmed():
            return None
        if decision is Decision.EXTEND:
            decision, asked_at = None, time.monotonic()
            wanted_s = until - asked_at + EXTENSION_S
            granted_s = set_leases(work.hosts, work.ids, wanted_s + EXPIRY_MARGIN_S, token=token)
            until = asked_at + min(wanted_s, granted_s - EXPIRY_MARGIN_S)
            on_extended(math.ceil(until - time.monotonic()))
    if decision is Decision.CONFIRM:
        set_leases(work.hosts, work.ids, work.lease_s, token=token)
        work.resume_lease()
    return decision


def leave(work: Transaction, seconds: float, *, token: CancelToken) -> None:
    """Leave both hosts to their rollback timers for so long: another instance confirms, or they roll back.

    Raises:
        CommandFailed, ConnectionLost, DeadlineExceeded: As `set_leases`.
    """
    work.pause_lease()
    leave_to_timers(work.hosts, work.ids, seconds + EXPIRY_MARGIN_S, token=token)
    work.release(Side)
