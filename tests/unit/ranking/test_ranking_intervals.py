from __future__ import annotations

import math
from types import ModuleType

import numpy as np
import pytest

from app.ranking.intervals import difference, estimate, significant_pairs


@pytest.fixture(scope="module")
def stats() -> ModuleType:
    """Return scipy.stats; importing it takes more than a second, which only the process that runs these tests needs."""
    from scipy import stats as loaded

    return loaded


def test_interval_equals_a_textbook_table() -> None:
    found = estimate([10.0, 12.0, 14.0])
    assert found is not None
    # s = 2, t(0.975; 2) = 4.302653 in every table: 4.302653·2/√3 = 4.968276
    assert found.mean == pytest.approx(12.0)
    assert found.ci == pytest.approx((12 - 4.968276, 12 + 4.968276), abs=1e-5)
    assert found.rounds == 3


def test_interval_equals_scipy(stats: ModuleType) -> None:
    values = np.random.default_rng(3).normal(5, 1, 8)
    found = estimate(list(values))
    assert found is not None
    expected = stats.t.interval(0.95, 7, loc=values.mean(), scale=stats.sem(values))
    assert found.ci == pytest.approx(expected)


def test_one_round_has_no_interval_and_none_has_no_estimate() -> None:
    found = estimate([1.5])
    assert found is not None
    assert (found.mean, found.ci, found.rounds) == (1.5, None, 1)
    assert estimate([]) is None


def test_interval_of_a_positive_figure_does_not_reach_below_zero() -> None:
    found = estimate([0.1, 5.0])
    assert found is not None
    assert found.ci is not None
    assert found.ci[0] == 0.0


def test_paired_test_equals_scipy_on_logarithms(stats: ModuleType) -> None:
    rng = np.random.default_rng(5)
    first, second = rng.uniform(1, 2, 6), rng.uniform(1, 2, 6)
    found = difference(dict(enumerate(first)), dict(enumerate(second)))
    assert found.p_value == pytest.approx(stats.ttest_rel(np.log(first), np.log(second)).pvalue)
    assert found.log_ratio == pytest.approx(float(np.mean(np.log(first / second))))


def test_rounds_that_do_not_pair_up_are_compared_after_welch(stats: ModuleType) -> None:
    first, second = [1.0, 1.1, 1.2], [1.5, 1.9, 1.6, 1.7]
    found = difference(dict(zip((1, 2, 3), first, strict=True)), dict(zip((4, 5, 6, 7), second, strict=True)))
    expected = stats.ttest_ind(np.log(first), np.log(second), equal_var=False).pvalue
    assert found.p_value == pytest.approx(expected)


def test_drift_common_to_both_cancels(stats: ModuleType) -> None:
    drift = [1.0, 1.5, 2.2]
    first = {
        number: 1.00 * factor * wobble for number, (factor, wobble) in enumerate(zip(drift, (1, 1.01, 1), strict=True))
    }
    second = {number: 1.20 * factor for number, factor in enumerate(drift)}
    assert difference(first, second).p_value < 0.01
    unpaired = stats.ttest_ind(np.log(list(first.values())), np.log(list(second.values())), equal_var=False).pvalue
    assert unpaired > 0.2


@pytest.mark.parametrize(("first", "second"), [({1: 1.0}, {1: 9.0}), ({}, {1: 1.0}), ({1: 1.0}, {2: 2.0, 3: 2.0})])
def test_one_round_tells_nothing(first: dict[int, float], second: dict[int, float]) -> None:
    assert difference(first, second).p_value == 1.0


def test_equal_in_every_round_is_equal_and_a_constant_ratio_is_a_difference() -> None:
    same = {1: 1.0, 2: 1.3, 3: 0.9}
    assert difference(same, dict(same)).p_value == 1.0
    assert difference(same, {number: 2 * value for number, value in same.items()}).p_value < 1e-6


def test_pairs_name_the_smaller_one_first_whatever_the_order() -> None:
    slow = {number: 2.0 + 0.01 * number for number in range(5)}
    fast = {number: 1.0 + 0.02 * number for number in range(5)}
    assert significant_pairs([slow, fast]) == {(1, 0)}
    assert significant_pairs([fast, slow]) == {(0, 1)}


def test_holm_keeps_false_differences_rare_where_single_tests_do_not() -> None:
    rng = np.random.default_rng(11)
    corrected = uncorrected = 0
    for _ in range(300):
        series = [dict(enumerate(np.exp(rng.normal(0, 0.05, 4)))) for _ in range(6)]
        corrected += bool(significant_pairs(series))
        uncorrected += any(difference(series[i], series[j]).p_value < 0.05 for i in range(6) for j in range(i))
    assert corrected / 300 < 0.08
    assert uncorrected / 300 > 0.25


def test_zero_values_are_left_out_rather_than_taken_to_a_logarithm() -> None:
    found = difference({1: 0.0, 2: 1.0, 3: 1.0}, {1: 1.0, 2: 2.0, 3: 2.0})
    assert math.isfinite(found.p_value)
