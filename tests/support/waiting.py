"""Waiting for conditions."""

from __future__ import annotations

from collections.abc import Callable

from app.domain.cancel import CancelToken

PATIENCE_S = 120.0
"""Time limit of a wait for an event, in seconds: it takes ms, and many times as long on a busy computer."""

INSPECTIONS_S = 0.5
"""Pause between two questions that run scripts on a host, in seconds: what is awaited needs the processor as well."""


def wait_until(
    condition: Callable[[], bool], what: str, timeout_s: float = PATIENCE_S, *, interval_s: float = 0.05
) -> None:
    """Wait for a condition; fail with what was awaited."""
    CancelToken().wait_for(condition, timeout_s=timeout_s, what=what, interval_s=interval_s)
