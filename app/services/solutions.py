"""Names of all solutions that there is an adapter for."""

from __future__ import annotations

from vpn_adapters.registry import ADAPTERS


def solution_names() -> tuple[str, ...]:
    """Return the names, references first. Needs no host."""
    return tuple(ADAPTERS)


def solution_titles() -> dict[str, str]:
    """Return the titles of all solutions by their names, references first. Needs no host."""
    return {name: adapter.info.title for name, adapter in ADAPTERS.items()}
