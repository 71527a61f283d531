"""Order of own figures against that of published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import correlation
from typing import Any, TypeVar

from app.domain.transfers import Agreement
from app.ranking.mean_ranks import ranks

ALIKE = 0.05
"""Published figures that differ by no more than this share are not compared. Source: our choice."""

C = TypeVar("C", bound=Any)
"""Cells of a table; they can be sorted."""


def agreement(own: Mapping[C, float], published: Mapping[C, float]) -> Agreement[C]:
    """Compare the order of own figures with the published one.

    Args:
        own: Own figures by cell.
        published: Published ones, in the same unit.

    Returns:
        Over the cells that both have, pairs within one condition and across them alike.
    """
    shared = sorted(own.keys() & published.keys())
    apart = [
        (one, other)
        for one, other in combinations(shared, 2)
        if abs(published[one] - published[other]) > ALIKE * min(published[one], published[other])
    ]
    against = [
        (one, other) for one, other in apart if (published[one] - published[other]) * (own[one] - own[other]) <= 0
    ]
    against.sort(key=lambda pair: -_apart(published[pair[0]], published[pair[1]]))
    return Agreement(len(apart), len(apart) - len(against), _spearman(own, published, shared), tuple(against))


def _apart(one: float, other: float) -> float:
    """Return the difference of two figures as a share of the larger one; they are not both 0, one of them may be."""
    return abs(one - other) / max(abs(one), abs(other))


def _spearman(own: Mapping[C, float], published: Mapping[C, float], cells: Sequence[C]) -> float | None:
    """Return Spearman's rank correlation; None with fewer than three cells, or where one side is all alike."""
    mine, theirs = (list(ranks({one: values[one] for one in cells}).values()) for values in (own, published))
    if len(cells) < 3 or len(set(mine)) < 2 or len(set(theirs)) < 2:
        return None
    return correlation(mine, theirs)
