"""Weighted average of ranks: the heuristic of Khanvilkar and Khokhar 2004 for choosing among several attributes.

Candidates are ranked by each attribute, and each attribute has a weight:

    mean rank = sum(weight * rank) / sum(weight)

The lowest mean is first. Ranks drop how far candidates are apart, and a candidate's mean depends on which others there
are; Tunnelmark's own weighting (app/ranking/weighting.py) has neither fault.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import TypeVar

C = TypeVar("C", bound=Hashable)
"""A candidate."""


def ranks(figures: Mapping[C, float]) -> dict[C, float]:
    """Return the rank of each candidate, 1 for the lowest figure; equal ones share the mean of their places.

    Args:
        figures: By candidate; lower is better.
    """
    ordered = sorted(figures.values())
    return {name: ordered.index(value) + (ordered.count(value) + 1) / 2 for name, value in figures.items()}


def mean_ranks(attributes: Mapping[str, Mapping[C, float]], weights: Mapping[str, float]) -> dict[C, float]:
    """Return the weighted average of each candidate's ranks.

    Args:
        attributes: Figures by attribute and candidate; lower is better.
        weights: By attribute, proportional to its importance, at least 0; one without a weight does not count.

    Returns:
        The means by candidate, in the order of the first attribute that counts.

    Raises:
        ValueError: No attribute has a weight above 0, a weight is negative or not finite, or a figure is missing.
    """
    used = {name: weights[name] for name in attributes if weights.get(name)}
    if not used or not all(0 < weight < math.inf for weight in used.values()):
        raise ValueError(f"weights {dict(weights)} for {list(attributes)}")
    ranked = {name: ranks(attributes[name]) for name in used}
    candidates = list(next(iter(ranked.values())))
    if any(one.keys() != set(candidates) for one in ranked.values()):
        raise ValueError("a candidate lacks a figure")
    total = math.fsum(used.values())
    return {one: math.fsum(weight * ranked[name][one] for name, weight in used.items()) / total for one in candidates}
