"""Adapters and suites of the satellite study's VPNs, and of others beside them, on a pair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress

from app.discovery.pair_discovery import Discovery
from app.domain.adapters import Adapter, find_suite
from app.domain.errors import InvalidOption
from app.domain.hosts import Side
from app.domain.solutions import BASELINE, Suite
from app.domain.transfers import NO_VPN, TransferCell
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
    return {name: _choice(adapters, discovery, name) for name in sorted({cell.solution for cell in cells})}


def _choice(adapters: Mapping[str, Adapter], discovery: Discovery, name: str) -> tuple[Adapter, Suite]:
    solution, suite = BARE if name == NO_VPN else _default(discovery, name)
    adapter, facts = adapters[solution], discovery.facts
    found = find_suite(adapter, facts[Side.A.value], facts[Side.B.value], suite)
    if found is None:
        raise InvalidOption(STUDY_SUITE_MISSING(suite=suite, solution=solution))
    return adapter, found


def todays_suites(
    cells: Iterable[TransferCell], adapters: Mapping[str, Adapter], discovery: Discovery
) -> dict[TransferCell, str]:
    """Return the titles of the suites that cells would be measured with, of VPNs that the hosts have."""
    cells, today = tuple(cells), dict[str, str]()
    for name in {cell.solution for cell in cells}:
        with suppress(InvalidOption):
            today[name] = _choice(adapters, discovery, name)[1].title
    return {cell: today[cell.solution] for cell in cells if cell.solution in today}


def _default(discovery: Discovery, solution: str) -> tuple[str, str]:
    key = next((key for key in discovery.defaults if key[0] == solution), None)
    if key is None:
        why = discovery.unavailable.get(solution, NO_SAFE_SUITE())
        raise InvalidOption(STUDY_SOLUTION_MISSING(solution=solution, why=why, pair=discovery.pair.name))
    return key
