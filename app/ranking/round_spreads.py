"""Spread of each candidate's rounds, so that one candidate that varies leaves the spreads of the others small."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from app.ranking.differences import residuals_of

FEWEST_CANDIDATES = 3
"""In a round of fewer it is not known which candidate differs: the median of two is their mean."""

_MOST_SWEEPS = 20
_SAME = 1e-9
"""Changes of a logarithm below it are rounding."""


def round_spreads(series: Sequence[Mapping[int, float]]) -> tuple[float, ...]:
    """Return the standard deviation of each candidate's rounds without the effects of the rounds, as logarithm.

    The effect of a round is the median over the candidates. Least squares would take a part of what a single candidate
    does for the round's effect, and leave it in all others: of three candidates, half of it in each.

    Args:
        series: One mapping of round to positive latency in ms per candidate, none of them empty.

    Returns:
        In the order of the candidates; NaN for one with fewer than two rounds that hold `FEWEST_CANDIDATES`.

    Source: Tukey, Exploratory Data Analysis (1977), median polish.
    """
    left = residuals_of(series)
    if not left.size:
        return ()
    known = np.isfinite(left).sum(axis=0) >= FEWEST_CANDIDATES
    return tuple(_deviation(row) for row in _polished(left[:, known]))


def _polished(left: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Take medians of rounds and of candidates off in turn until none is left.

    Where every round holds every candidate, the first medians of the rounds are the last that change a spread.
    """
    for _ in range(_MOST_SWEEPS):
        rounds = _medians(left.T)
        left = left - rounds
        candidates = _medians(left)
        left = left - candidates[:, np.newaxis]
        if max(np.abs(rounds).max(initial=0.0), np.abs(candidates).max(initial=0.0)) < _SAME:
            break
    return left


def _medians(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the median of each row's known values, 0 where there are none."""
    known = [row[np.isfinite(row)] for row in rows]
    return np.array([float(np.median(row)) if row.size else 0.0 for row in known])


def _deviation(row: npt.NDArray[np.float64]) -> float:
    known = row[np.isfinite(row)]
    return float(known.std(ddof=1)) if known.size > 1 else math.nan
