"""Groups of tunnels that may be up side by side on one pair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from app.domain.declared import declared
from app.domain.link import MAX_INSTANCES
from app.domain.transfers import TransferCell


def claims_of(solution: str) -> frozenset[str]:
    """Return what a solution has for itself on a pair's underlay, as its adapter declares."""
    return frozenset(claim for folder in declared().values() for claim in folder.claims.get(solution, ()))


def side_by_side(solutions: Sequence[str], most: int = MAX_INSTANCES) -> tuple[tuple[int, ...], ...]:
    """Divide tunnels into groups whose members may be up together, as few as possible in the given order.

    Args:
        solutions: Solution of each tunnel.
        most: Limit of a group, MAX_INSTANCES or less.

    Returns:
        Positions in `solutions`, each in one group, in ascending order; at most `most` in a group.
    """
    groups: list[list[int]] = []
    claimed: list[set[str]] = []
    for position, solution in enumerate(solutions):
        claims = claims_of(solution)
        for group, taken in zip(groups, claimed, strict=True):
            if len(group) < most and taken.isdisjoint(claims):
                group.append(position)
                taken |= claims
                break
        else:
            groups.append([position])
            claimed.append(set(claims))
    return tuple(tuple(group) for group in groups)


def builds(cells: Iterable[TransferCell], *, is_shaped: bool) -> Iterator[tuple[TransferCell, ...]]:
    """Yield the cells of each build: those whose tunnels, one for each VPN and proxy, are up together.

    Cells of a build have one congestion control.

    Args:
        cells: In any order.
        is_shaped: Whether the hosts shape the link themselves. A build has one condition then, and one tunnel fewer:
            what shapes the link is a member of the group.
    """
    key = attrgetter("congestion", "condition") if is_shaped else attrgetter("congestion")
    for _, some in groupby(sorted(cells, key=key), key=key):
        yield from _cells_side_by_side(tuple(some), MAX_INSTANCES - is_shaped)


def _cells_side_by_side(cells: Sequence[TransferCell], most: int) -> Iterator[tuple[TransferCell, ...]]:
    ways = list(dict.fromkeys((one.solution, one.proxy) for one in cells))
    for group in side_by_side([solution for solution, _ in ways], most):
        yield tuple(one for one in cells if ways.index((one.solution, one.proxy)) in group)
