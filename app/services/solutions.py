"""Names of all solutions that there is an adapter for."""

from __future__ import annotations

from vpn_adapters.registry import ADAPTERS


def solution_names() -> tuple[str, ...]:
    """Return the names, references first. Needs no host."""
    return tuple(ADAPTERS)
