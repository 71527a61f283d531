"""Waiting for conditions."""

from __future__ import annotations

from collections.abc import Callable

from app.domain.cancel import CancelToken

LONG_S = 120.0
"""Time limit for what happens within seconds on a computer that does nothing else."""


def wait_until(condition: Callable[[], bool], what: str, timeout_s: float = LONG_S) -> None:
    """Wait for a condition; fail with what was awaited."""
    CancelToken().wait_for(condition, timeout_s=timeout_s, what=what)
