"""Options that a census tries, and their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.domain.adapters import Adapter
from app.domain.census import CensusItem, CensusPlan
from app.domain.errors import InvalidOption
from app.domain.hosts import HostFacts, PairSpec, Side
from app.domain.messages import mark
from app.domain.solutions import CensusOption, OptionKind
from app.measurement.messages import CENSUS_NO_OPTIONS, CENSUS_NOTHING, CENSUS_UNKNOWN_OPTIONS, CENSUS_UNKNOWN_SOLUTION

DEFAULT_PINGS = 20

GUESS_S = 4.0
"""Seconds that an option takes, until one has been tried."""


def plan_census(
    pair: PairSpec,
    adapters: Mapping[str, Adapter],
    facts: Mapping[str, HostFacts],
    *,
    solutions: Sequence[str] = (),
    names: Sequence[str] = (),
    kinds: Sequence[OptionKind] = (),
    pings: int = DEFAULT_PINGS,
    allow_load: bool = False,
) -> CensusPlan:
    """Plan a census.

    Args:
        adapters: By solution.
        facts: What was found on the hosts, by `a` and `b`.
        solutions: Which solutions; empty for all that have something to choose on these hosts.
        names: Only options of these names; empty for all.
        kinds: Only options of these kinds; empty for all.
        pings: Echo requests that have to be answered for each option.
        allow_load: Whether the user consented to load on a live link.

    Returns:
        Every option, solution by solution, in the order in which the programs list them.

    Raises:
        InvalidOption: A solution or an option is not there.
    """
    offered = {name: adapter.census(facts[Side.A.value], facts[Side.B.value]) for name, adapter in adapters.items()}
    wanted = tuple(dict.fromkeys(solutions)) or tuple(name for name, options in offered.items() if options)
    _check_solutions(wanted, offered, pair.name)
    items: list[CensusItem] = []
    for solution in wanted:
        chosen = [
            one for one in offered[solution] if (not names or one.name in names) and (not kinds or one.kind in kinds)
        ]
        items += [_item(len(items) + index, solution, one) for index, one in enumerate(chosen)]
    _check_names(names, items, wanted)
    return CensusPlan(pair, wanted, tuple(items), pings=pings, allow_load=allow_load)


def _check_solutions(wanted: Sequence[str], offered: Mapping[str, Sequence[CensusOption]], pair: str) -> None:
    known = ", ".join(name for name, options in offered.items() if options) or mark("none")
    for solution in wanted:
        if solution not in offered:
            raise InvalidOption(CENSUS_UNKNOWN_SOLUTION(solution=solution, known=known))
        if not offered[solution]:
            raise InvalidOption(CENSUS_NO_OPTIONS(solution=solution, known=known))
    if not wanted:
        raise InvalidOption(
            CENSUS_NOTHING(pair=pair),
        )


def _check_names(names: Sequence[str], items: Sequence[CensusItem], wanted: Sequence[str]) -> None:
    there = {item.name for item in items}
    unknown = [name for name in names if name not in there]
    if unknown:
        raise InvalidOption(
            CENSUS_UNKNOWN_OPTIONS(options=tuple(unknown), solutions=tuple(wanted)),
        )


def _item(position: int, solution: str, option: CensusOption) -> CensusItem:
    return CensusItem(
        position=position,
        solution=solution,
        name=option.name,
        kind=option.kind,
        suite=option.suite.name,
        alias_of=option.alias_of,
        is_unprotected=option.is_unprotected,
        note=option.note,
    )
