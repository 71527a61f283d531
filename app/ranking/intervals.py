"""Means over rounds with their uncertainty."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from app.domain.ranking import Estimate

CONFIDENCE = 0.95
"""Confidence of every interval."""


def estimate(values: Sequence[float]) -> Estimate | None:
    """Return mean and 95 % interval of one value per round.

    Args:
        values: One non-negative value per round.

    Returns:
        Mean and Student's t interval, mean ± t(0.975; n - 1)·s/√n, cut off at 0, since no figure here can be negative;
        without an interval for one round; None for no value.

    Source: Student, The probable error of a mean, Biometrika 6 (1908).
    """
    if not values:
        return None
    data = np.asarray(values, dtype=np.float64)
    mean = float(data.mean())
    if data.size < 2:
        return Estimate(mean, None, int(data.size))
    from scipy.special import stdtrit

    quantile = float(stdtrit(data.size - 1, 0.5 + CONFIDENCE / 2))
    half_width = quantile * float(data.std(ddof=1)) / math.sqrt(data.size)
    return Estimate(mean, (max(0.0, mean - half_width), mean + half_width), int(data.size))
