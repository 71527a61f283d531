"""Reconnection to a lost host, with a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable

from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, SessionPair
from app.domain.errors import ConnectionLost, DeadlineExceeded, EnvironmentFault, HostUnreachable, TunnelmarkError
from app.domain.events import LogLevel, LogLine
from app.measurement.messages import CONNECTED_AGAIN, CONNECTION_LOST_AGAIN, HOST_LOST

RECONNECT_S = 60.0
"""Time for which a host may be unreachable, in seconds: a gateway that reboots answers again within it."""

PAUSE_S = 2.0
QUESTION_TIMEOUT_S = 10.0


class HostLost(EnvironmentFault):
    """A host cannot be reached any more, or not be put in order; the rest of the campaign cannot be run."""

    reason = HostUnreachable.reason
    is_retryable = True


def reach_again(
    sessions: SessionPair,
    last_error: TunnelmarkError | None,
    *,
    token: CancelToken,
    emit: Callable[[LogLine], None],
    clock: Callable[[], float] = time.monotonic,
) -> bool:
    """Make sure that both hosts can be reached, connecting anew where that is needed.

    Args:
        last_error: What ended the attempt before; a host is asked only after something that may have cut it off.
        emit: Gets log lines.
        clock: Monotonic seconds.

    Returns:
        Whether a connection had been lost.

    Raises:
        HostLost: A host did not come back in time.
        Cancelled: The token was cancelled.
    """
    is_doubtful = isinstance(last_error, ConnectionLost | DeadlineExceeded | HostUnreachable)
    lost = [host for host in (sessions.a, sessions.b) if not _is_there(host, token, should_ask=is_doubtful)]
    for host in lost:
        emit(LogLine(LogLevel.WARNING, CONNECTION_LOST_AGAIN(host=host.spec.label)))
    deadline_s = clock() + RECONNECT_S
    for host in lost:
        _reconnect(host, deadline_s, token, clock)
        emit(LogLine(LogLevel.INFO, CONNECTED_AGAIN(host=host.spec.label)))
    return bool(lost)


def _is_there(host: HostSession, token: CancelToken, *, should_ask: bool) -> bool:
    if not host.is_connected:
        return False
    if not should_ask:
        return True
    try:
        return host.run(Command(("true",), timeout_s=QUESTION_TIMEOUT_S), token=token).is_ok
    except (ConnectionLost, DeadlineExceeded):
        return False


def _reconnect(host: HostSession, deadline_s: float, token: CancelToken, clock: Callable[[], float]) -> None:
    while True:
        try:
            host.reconnect(token=token)
        except TunnelmarkError as error:
            if not error.is_retryable or clock() + PAUSE_S >= deadline_s:
                raise HostLost(
                    HOST_LOST(host=host.spec.label, why=error.message),
                    context={"host": host.spec.label},
                ) from error
            token.sleep(PAUSE_S)
        else:
            return
