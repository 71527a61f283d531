"""Registry of the tunnels that this process is working on.

A lock whose owner is this process, but which belongs to none of them, was left by a clean-up that failed: the next
run takes it over, without waiting for the host's rollback timer.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable

_lock = threading.Lock()
_tunnels: set[str] = set()


def enter(tunnels: Iterable[str]) -> None:
    """Remember that these are being worked on."""
    with _lock:
        _tunnels.update(tunnels)


def leave(tunnels: Iterable[str]) -> None:
    """Remove tunnels from the registry of this process."""
    with _lock:
        _tunnels.difference_update(tunnels)


def is_live(tunnel: str) -> bool:
    """Return whether this process works on it."""
    with _lock:
        return tunnel in _tunnels
