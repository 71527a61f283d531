"""Search for the highest rate at which everything succeeds: doubled until it fails, then halved in between."""

from __future__ import annotations

import math
from collections.abc import Callable

PRECISION = 1.15
"""The search ends once the lowest rate that failed is at most this times the highest one that did not."""
MOST_S = 400.0
"""Rates above it are not tried. Source: our choice."""
LEAST_S = 0.2
"""Nor are rates below it."""


def search_rate(
    succeeds: Callable[[float], bool], first_s: float, *, precision: float = PRECISION, most_s: float = MOST_S
) -> float:
    """Return the highest rate that was tried and succeeded, in 1/s; 0 where not even the lowest one does.

    Args:
        succeeds: Tries a rate.
        first_s: Rate that is tried first.
        precision: When it ends; see PRECISION.
        most_s: Highest rate that is tried.
    """
    rate = first_s
    if succeeds(rate):
        low, high = rate, math.inf
        while low < most_s and high == math.inf:
            rate = min(most_s, 2 * low)
            low, high = (rate, high) if succeeds(rate) else (low, rate)
    else:
        low, high = 0.0, rate
        while low == 0.0 and high / 2 >= LEAST_S:
            rate = high / 2
            low, high = (rate, high) if succeeds(rate) else (low, rate)
    while low and high != math.inf and high / low > precision:
        rate = math.sqrt(low * high)
        low, high = (rate, high) if succeeds(rate) else (low, rate)
    return low
