"""Waiting for conditions."""

from __future__ import annotations

from collections.abc import Callable

from app.domain.cancel import CancelToken


def wait_until(condition: Callable[[], bool], what: str, timeout_s: float = 30.0) -> None:
    """Wait for a condition; fail with what was awaited."""
    CancelToken().wait_for(condition, timeout_s=timeout_s, what=what)
