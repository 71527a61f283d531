from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from app.ranking.intervals import estimate


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
