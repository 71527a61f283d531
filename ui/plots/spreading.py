"""Places of labels beside curves: apart from each other, and near to where they belong."""

from __future__ import annotations

from collections.abc import Sequence


def spread(wanted: Sequence[float], distance: float, low: float, high: float) -> list[float]:
    """Move sorted positions as little as possible until none is nearer to its neighbour than a distance.

    Args:
        wanted: Positions, ascending.
        distance: Least distance between two.
        low: No position below, as far as there is room.
        high: No position above, as far as there is room.

    Returns:
        New positions in the same order.
    """
    groups: list[list[float]] = []  # each: sum of wanted first positions, number of members
    for position in wanted:
        groups.append([position, 1])
        while len(groups) > 1:
            (sum_a, n_a), (sum_b, n_b) = groups[-2], groups[-1]
            if sum_a / n_a + (n_a + n_b) / 2 * distance <= sum_b / n_b:
                break
            groups[-2:] = [[sum_a + sum_b, n_a + n_b]]
    result: list[float] = []
    for total, members in groups:
        first = total / members - (members - 1) / 2 * distance
        result.extend(first + nth * distance for nth in range(int(members)))
    if result:
        excess = max(0.0, result[-1] + distance / 2 - high)
        result = [position - excess for position in result]
        for nth, position in enumerate(result):
            floor = low + distance / 2 if nth == 0 else result[nth - 1] + distance
            result[nth] = max(position, floor)
    return result
