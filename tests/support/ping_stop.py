"""Seeing that a cancelled measurement ends its ping."""

from __future__ import annotations

import time

import pytest
from lab_sessions import left_running, wait_until_clean

from app.domain.cancel import CancelToken
from app.domain.commands import HostSession
from app.domain.errors import Cancelled
from app.probes import LatencyRequest, measure_latency

STOP_S = 2.0


def assert_cancelling_ends_ping(measuring: HostSession, watching: HostSession, request: LatencyRequest) -> None:
    """Measure on a host, cancel it after some replies; it must stop soon and leave no process there.

    Args:
        measuring: The session that measures, of any user.
        watching: One of root's to the same host.
        request: More than is measured before it is cancelled.
    """
    token = CancelToken()
    cancelled_s = 0.0

    def on_samples(_frame: int, first: int, _rtt_ms: tuple[float, ...]) -> None:
        nonlocal cancelled_s
        if first > 100 and not cancelled_s:
            assert left_running(watching)
            cancelled_s = time.monotonic()
            token.cancel()

    with pytest.raises(Cancelled):
        measure_latency(measuring, request, token=token, on_samples=on_samples)
    assert time.monotonic() - cancelled_s < STOP_S
    wait_until_clean(watching, timeout_s=5)
