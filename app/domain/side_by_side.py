"""Groups of tunnels that may be up side by side on one pair."""

from __future__ import annotations

from collections.abc import Sequence

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


def cells_side_by_side(
    cells: Sequence[TransferCell], most: int = MAX_INSTANCES
) -> tuple[tuple[TransferCell, ...], ...]:
    """Divide cells into groups whose tunnels, one for each VPN and proxy, may be up together.

    Args:
        cells: With one congestion control.
        most: Limit of the tunnels of a group.
    """
    ways = list(dict.fromkeys((one.solution, one.proxy) for one in cells))
    groups = side_by_side([solution for solution, _ in ways], most)
    return tuple(tuple(one for one in cells if ways.index((one.solution, one.proxy)) in group) for group in groups)
