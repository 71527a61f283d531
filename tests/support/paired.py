"""Estimate of a ratio from pairs that were measured one right after the other."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

CONFIDENCE = 0.95


class Claim(StrEnum):
    """Whether a ratio is near 1."""

    SHOWN = "shown"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class PairedEstimate:
    """Median of the logarithms of paired ratios, with an interval of at least 95 %.

    Attributes:
        pairs: How many there were.
        log_ratio: Their median.
        low: Lower end of the interval; minus infinity where there are too few pairs for one.
        high: Upper end; infinity where there are too few.
    """

    pairs: int
    log_ratio: float
    low: float
    high: float

    @property
    def percent(self) -> tuple[float, float, float]:
        """Median, low and high end as changes in percent."""
        median, low, high = (100.0 * math.expm1(one) for one in (self.log_ratio, self.low, self.high))
        return median, low, high

    def claim(self, margin: float) -> Claim:
        """Return whether the ratio is within a share of 1: shown or refuted only where the whole interval agrees."""
        most = math.log1p(margin)
        if -most <= self.low and self.high <= most:
            return Claim.SHOWN
        return Claim.REFUTED if self.low > most or self.high < -most else Claim.UNDECIDED


def paired(ours: Sequence[float], theirs: Sequence[float]) -> PairedEstimate:
    """Compare values that were measured in pairs.

    The interval has order statistics as its ends: it holds for any noise, also where a few pairs are far off. There is
    one from six pairs on. What changes from pair to pair (a lab's speed) is in none of the ratios.

    Args:
        ours: Positive values.
        theirs: As many, each beside that of the same position.

    Source: the sign test's interval of a median; Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2.
    """
    return estimate([math.log(one / other) for one, other in zip(ours, theirs, strict=True)])


def estimate(logs: Sequence[float]) -> PairedEstimate:
    """Return the median of logarithms with its interval."""
    ordered, count = sorted(logs), len(logs)
    left_out = _left_out(count)
    if left_out == 0:
        return PairedEstimate(count, statistics.median(ordered), -math.inf, math.inf)
    return PairedEstimate(count, statistics.median(ordered), ordered[left_out - 1], ordered[count - left_out])


def weighted_logs(
    ours: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]], weights: Sequence[float]
) -> list[float]:
    """Return for each pair the logarithm of its ratio, weighted over frame sizes.

    Args:
        ours: By pair one positive value per frame size.
        theirs: The same.
        weights: Of the frame sizes; they sum to 1.
    """
    return [
        math.fsum(
            weight * math.log(one / other) for weight, one, other in zip(weights, ours_once, theirs_once, strict=True)
        )
        for ours_once, theirs_once in zip(ours, theirs, strict=True)
    ]


def _left_out(count: int) -> int:
    """Return which order statistic, from the least and from the largest, ends the interval; 0 if none does."""
    most, tail, found = (1.0 - CONFIDENCE) / 2, 0.0, 0
    for below in range(count // 2):
        tail += math.comb(count, below) / 2**count
        if tail > most:
            break
        found = below + 1
    return found
