"""Adapters and suites of the satellite study's VPNs, and of others beside them, on a pair."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from contextlib import suppress

from app.discovery.pair_discovery import Discovery
from app.domain.adapters import Adapter, find_suite
from app.domain.errors import InvalidOption
from app.domain.hosts import Side
from app.domain.solutions import BASELINE, Suite
from app.domain.transfers import TransferCell
from app.measurement.messages import NO_SAFE_SUITE
from app.measurement.messages.studies import STUDY_SOLUTION_MISSING, STUDY_SUITE_MISSING

BARE = (BASELINE, "none")
"""Solution and suite of the bare link."""


def satellite_choices(
    adapters: Mapping[str, Adapter], discovery: Discovery, cells: Iterable[TransferCell]
) -> Mapping[str, tuple[Adapter, Suite]]:
    """Return adapter and suite by the study's name of a VPN; the suite is the safe default of these hosts.

    Raises:
        InvalidOption: A VPN is not possible on these hosts, or has no safe default there.
    """
    chosen = {}
    for name in sorted({cell.solution for cell in cells}):
        solution, suite = BARE if name == "none" else _default(discovery, name)
        adapter, facts = adapters[solution], discovery.facts
        found = find_suite(adapter, facts[Side.A.value], facts[Side.B.value], suite)
        if found is None:
            raise InvalidOption(STUDY_SUITE_MISSING(suite=suite, solution=solution))
        chosen[name] = (adapter, found)
    return chosen


def suites_today(
    adapters: Mapping[str, Adapter], discovery: Discovery, cells: Iterable[TransferCell]
) -> dict[Hashable, str]:
    """Return the titles of the suites that would be measured now, by cell; without what the hosts do not have."""
    found: dict[Hashable, str] = {}
    for cell in cells:
        with suppress(InvalidOption):
            found[cell] = satellite_choices(adapters, discovery, [cell])[cell.solution][1].title
    return found


def _default(discovery: Discovery, solution: str) -> tuple[str, str]:
    key = next((key for key in discovery.defaults if key[0] == solution), None)
    if key is None:
        why = discovery.unavailable.get(solution, NO_SAFE_SUITE())
        raise InvalidOption(STUDY_SOLUTION_MISSING(solution=solution, why=why, pair=discovery.pair.name))
    return key
