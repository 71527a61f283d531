"""Differences between candidates: all rounds of all candidates compared at once.

A candidate's latency in a round is taken as the product of its own, of the round's, and of chance, since what disturbs
a path (load, drift, another clock rate of the CPU) multiplies its latency:

    ln latency[candidate, round] = effect[candidate] + effect[round] + residual
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

SIGNIFICANCE = 0.05
"""Probability, over all pairs together, of calling any two equal candidates different."""

PRIOR_FREEDOM = 3.0
"""Degrees of freedom with which the variance of all pairs counts beside that of one pair.

Source: Smyth, Linear models and empirical Bayes methods, Stat. Appl. Genet. Mol. Biol. 3 (2004), moderated variance;
the weight is our choice. Where candidates are unequally noisy, the variance of all pairs is too small for those of the
noisy one: the more weight it has, the more false differences; docs/statistics.md has what 3 and 4 led to.
"""

LEAST_RATIO_OF_TWO_ROUNDS = 1.3
"""With two rounds smaller ratios are not distinguished from chance. Source: our choice, see `PRIOR_FREEDOM`."""

_EQUAL_LOG = 1e-9
"""Mean log ratios below this are rounding, not measurement (RTTs come in whole µs)."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference of two candidates.

    Attributes:
        log_ratio: Natural logarithm of first over second, mean of the rounds that hold both.
        half_width: Of the interval around it, at the level at which Holm's procedure stopped, so that the interval
            excludes 1 where the pair differs; of two rounds it may do so where it does not, see
            `LEAST_RATIO_OF_TWO_ROUNDS`. Infinite where fewer than two rounds hold both.
        p_value: Two-sided probability of a difference this large if there were none, 0 to 1.
        error: Standard error of `log_ratio`; infinite where fewer than two rounds hold both.
        rounds: Rounds that hold both.
        freedom: Degrees of freedom of the error; 0 where fewer than two rounds hold both.
    """

    log_ratio: float
    half_width: float
    p_value: float
    error: float = math.inf
    rounds: int = 0
    freedom: float = 0.0

    @property
    def reversed(self) -> Difference:
        """The difference of second over first."""
        return replace(self, log_ratio=-self.log_ratio)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Lowest and highest ratio of first over second; None where it is not known."""
        if not math.isfinite(self.half_width):
            return None
        return math.exp(self.log_ratio - self.half_width), math.exp(self.log_ratio + self.half_width)


@dataclass(frozen=True, slots=True)
class Differences:
    """All candidates that were compared, by position.

    Attributes:
        typical_ms: Latency of each with the rounds' effects taken off, in ms.
        decided: Positions (faster, slower) of the pairs whose difference is more than chance explains.
        pairs: By positions (smaller, larger).
    """

    typical_ms: tuple[float, ...]
    decided: frozenset[tuple[int, int]]
    pairs: Mapping[tuple[int, int], Difference]

    def between(self, first: int, second: int) -> Difference:
        """Return how the first differs from the second, for two different positions."""
        found = self.pairs[min(first, second), max(first, second)]
        return found if first < second else found.reversed


def differences(series: Sequence[Mapping[int, float]], significance: float = SIGNIFICANCE) -> Differences:
    """Compare all candidates.

    Args:
        series: One mapping of round to positive latency in ms per candidate, none of them empty.
        significance: Probability, over all pairs together, of calling any two equal candidates different.

    Returns:
        The differences. Holm's correction keeps the probability of any false one at the significance, however many
        there are. Intervals belong to the level at which it stopped: with one pair left, or none, that is the
        significance itself, so that each interval is one of 95 % by itself then, and not of all together.

    Source: Student, The probable error of a mean, Biometrika 6 (1908); Holm, A simple sequentially rejective multiple
        test procedure, Scand. J. Statist. 6 (1979).
    """
    values = _logs(series)
    if not values.size:
        return Differences((), frozenset(), {})
    fit = _fit(values)
    typical, pooled, freedom = fit.typical, fit.pooled, fit.freedom
    tests = {(i, j): _test(values[i] - values[j], pooled, freedom) for i, j in combinations(range(len(series)), 2)}
    p_values = {key: one.p_value for key, one in tests.items()}
    decided, threshold = _holm(tests, p_values, significance)
    pairs = {key: one.difference(threshold, p_values[key]) for key, one in tests.items()}
    return Differences(tuple(math.exp(one) for one in typical), frozenset(decided), pairs)


def fitted(series: Sequence[Mapping[int, float]]) -> Differences:
    """Return what candidates are by themselves: as `differences`, with no pair tested or decided."""
    values = _logs(series)
    if not values.size:
        return Differences((), frozenset(), {})
    fit = _fit(values)
    return Differences(tuple(math.exp(one) for one in fit.typical), frozenset(), {})


def residuals_of(series: Sequence[Mapping[int, float]]) -> npt.NDArray[np.float64]:
    """Return what chance added to each logarithm, shape (candidates, rounds); NaN where a round is missing."""
    values = _logs(series)
    return _fit(values).residuals if values.size else values


@dataclass(frozen=True, slots=True)
class _FittedEffects:
    """Effects of candidates in an average round, residuals (as `_logs`), their variance, and its freedom."""

    typical: tuple[float, ...]
    residuals: npt.NDArray[np.float64]
    pooled: float
    freedom: float


def _logs(series: Sequence[Mapping[int, float]]) -> npt.NDArray[np.float64]:
    """Return logarithms, shape (candidates, rounds); NaN where a round is missing."""
    rounds = sorted({number for one in series for number in one})
    return np.array([[math.log(one[number]) if number in one else math.nan for number in rounds] for one in series])


def _fit(values: npt.NDArray[np.float64]) -> _FittedEffects:
    """Fit effects of candidates and rounds by least squares; missing rounds are left out."""
    candidates, rounds = values.shape
    who, when = np.nonzero(np.isfinite(values))
    design = np.zeros((who.size, candidates + rounds))
    design[np.arange(who.size), who] = 1.0
    design[np.arange(who.size), candidates + when] = 1.0
    observed = values[who, when]
    effects, _, rank, _ = np.linalg.lstsq(design, observed, rcond=None)
    freedom = float(who.size - rank)
    residuals = observed - design @ effects
    pooled = float(residuals @ residuals) / freedom if freedom > 0 else 0.0
    typical = effects[:candidates] + effects[candidates:].mean()
    table = np.full(values.shape, math.nan)
    table[who, when] = residuals
    return _FittedEffects(tuple(float(one) for one in typical), table, pooled, freedom)


@dataclass(frozen=True, slots=True)
class _Test:
    """A pair: mean log ratio, variance of that mean, its degrees of freedom (0: not tested), and rounds."""

    mean: float
    variance: float
    freedom: float
    rounds: int

    @property
    def p_value(self) -> float:
        if self.freedom <= 0 or abs(self.mean) < _EQUAL_LOG:
            return 1.0
        if self.rounds == 2 and abs(self.mean) <= math.log(LEAST_RATIO_OF_TWO_ROUNDS):
            return 1.0
        if self.variance <= 0:
            return 0.0
        from scipy.special import stdtr

        return float(2 * stdtr(self.freedom, -abs(self.mean) / math.sqrt(self.variance)))

    def difference(self, significance: float, p_value: float) -> Difference:
        """Return the difference with the interval that belongs to a level of significance."""
        half_width = math.inf
        if self.freedom > 0:
            from scipy.special import stdtrit

            half_width = float(stdtrit(self.freedom, 1 - significance / 2)) * math.sqrt(self.variance)
        return Difference(self.mean, half_width, p_value, math.sqrt(self.variance), self.rounds, self.freedom)


def _test(ratios: npt.NDArray[np.float64], pooled: float, freedom: float) -> _Test:
    """Test one pair by its rounds, with the variance raised towards that of all pairs where there are more than one.

    A pair that varies more than the others keeps its own variance.
    """
    shared = ratios[np.isfinite(ratios)]
    rounds = int(shared.size)
    mean = float(shared.mean()) if rounds else 0.0
    if rounds < 2:
        return _Test(mean, math.inf, 0.0, rounds)
    own, own_freedom = float(shared.var(ddof=1)), rounds - 1.0
    if freedom <= own_freedom:  # two candidates: their residuals are those of the pair
        return _Test(mean, own / rounds, own_freedom, rounds)
    moderated = (PRIOR_FREEDOM * 2 * pooled + own_freedom * own) / (PRIOR_FREEDOM + own_freedom)
    return _Test(mean, max(own, moderated) / rounds, min(PRIOR_FREEDOM + own_freedom, freedom), rounds)


def _holm(
    tests: Mapping[tuple[int, int], _Test], p_values: Mapping[tuple[int, int], float], significance: float
) -> tuple[set[tuple[int, int]], float]:
    """Return the pairs (faster, slower) that differ significantly, and the level at which the procedure stopped."""
    decided: set[tuple[int, int]] = set()
    level = significance / max(1, len(tests))
    for done, ((i, j), p_value) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        level = significance / (len(tests) - done)
        if p_value > level:
            break
        decided.add((i, j) if tests[i, j].mean < 0 else (j, i))
    return decided, level
