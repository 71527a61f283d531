"""Groups of tunnels that may be up side by side on one pair."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.adapters import Adapter
from app.domain.declared import declared
from app.domain.link import MAX_INSTANCES
from app.domain.solutions import Suite

Choice = tuple[Adapter, Suite]


def claims_of(solution: str) -> frozenset[str]:
    """Return what a solution has for itself on a pair's underlay, as its adapter declares."""
    return frozenset(claim for folder in declared().values() for claim in folder.claims.get(solution, ()))


def side_by_side(choices: Sequence[Choice]) -> tuple[tuple[int, ...], ...]:
    """Divide tunnels into groups whose members may be up together, as few as possible in the given order.

    Args:
        choices: Adapters and suites.

    Returns:
        Positions in `choices`, each in one group, in ascending order; at most MAX_INSTANCES in a group.
    """
    groups: list[list[int]] = []
    claimed: list[set[str]] = []
    for position, (adapter, _suite) in enumerate(choices):
        claims = claims_of(adapter.info.name)
        for group, taken in zip(groups, claimed, strict=True):
            if len(group) < MAX_INSTANCES and taken.isdisjoint(claims):
                group.append(position)
                taken |= claims
                break
        else:
            groups.append([position])
            claimed.append(set(claims))
    return tuple(tuple(group) for group in groups)
