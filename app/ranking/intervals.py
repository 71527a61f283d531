"""Means over rounds with their uncertainty, and tests whether two candidates differ."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from app.domain.ranking import Estimate

CONFIDENCE = 0.95
"""Confidence of every interval."""

SIGNIFICANCE = 1.0 - CONFIDENCE
"""Probability, over all pairs together, of calling any two equal candidates different."""

_EQUAL_LOG = 1e-9
"""Mean log ratios below this are rounding, not measurement (RTTs come in whole µs)."""


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


@dataclass(frozen=True, slots=True)
class Difference:
    """How two candidates differ.

    Attributes:
        log_ratio: Natural logarithm of first over second, on the average; below 0 the first one is smaller.
        p_value: Two-sided probability of a difference this large if there were none, 0 to 1.
    """

    log_ratio: float
    p_value: float


def difference(first: Mapping[int, float], second: Mapping[int, float]) -> Difference:
    """Test whether two candidates differ.

    Logarithms are compared, since what disturbs a path (load, drift, another clock rate of the CPU) multiplies its
    latency rather than adding to it. Where two or more rounds hold both candidates, the rounds are paired (Student's
    paired t), so that drift from round to round cancels; else Welch's test is used; with one round there is nothing to
    tell chance from difference with, and p is 1.

    Args:
        first: Positive value by round.
        second: The same for the other candidate.

    Returns:
        The difference.

    Source: Student 1908; Welch, The generalization of 'Student's' problem, Biometrika 34 (1947).
    """
    first_logs, second_logs = _logs(first), _logs(second)
    shared = sorted(first_logs.keys() & second_logs.keys())
    if len(shared) >= 2:
        ratios = np.array([first_logs[key] - second_logs[key] for key in shared])
        mean = float(ratios.mean())
        return Difference(mean, _p_value(mean, float(ratios.var(ddof=1)) / len(shared), len(shared) - 1.0))
    return _welch(np.array(list(first_logs.values())), np.array(list(second_logs.values())))


def _logs(values: Mapping[int, float]) -> dict[int, float]:
    return {key: math.log(value) for key, value in values.items() if value > 0}


def _welch(first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]) -> Difference:
    if first.size < 2 or second.size < 2:
        return Difference(0.0, 1.0)
    parts = np.array([first.var(ddof=1) / first.size, second.var(ddof=1) / second.size])
    variance = float(parts.sum())
    spread = float((parts**2 / np.array([first.size - 1, second.size - 1])).sum())
    freedom = variance**2 / spread if spread > 0 else float(first.size + second.size - 2)
    mean = float(first.mean() - second.mean())
    return Difference(mean, _p_value(mean, variance, freedom))


def _p_value(mean: float, variance: float, freedom: float) -> float:
    if abs(mean) < _EQUAL_LOG:
        return 1.0
    if variance <= 0:
        return 0.0
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(mean) / math.sqrt(variance)))


def significant_pairs(series: Sequence[Mapping[int, float]]) -> set[tuple[int, int]]:
    """Return which candidates differ, all pairs judged together.

    Holm's correction keeps the probability of any false difference in the whole table at 5 %, however many candidates
    there are.

    Args:
        series: One mapping of round to positive value per candidate.

    Returns:
        Positions (smaller, larger) of every pair that differs significantly.

    Source: Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statist. 6 (1979).
    """
    tests = {(i, j): difference(series[i], series[j]) for i, j in combinations(range(len(series)), 2)}
    found: set[tuple[int, int]] = set()
    for done, (i, j) in enumerate(sorted(tests, key=lambda pair: tests[pair].p_value)):
        if tests[i, j].p_value > SIGNIFICANCE / (len(tests) - done):
            break
        found.add((i, j) if tests[i, j].log_ratio < 0 else (j, i))
    return found
