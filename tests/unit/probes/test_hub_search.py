"""Search for the highest rate that holds."""

from __future__ import annotations

import pytest

from app.probes.hub_search import LEAST_S, PRECISION, search_rate


@pytest.mark.parametrize("capacity", [0.3, 1.0, 3.9, 4.0, 5.0, 27.0, 80.0, 399.0])
def test_the_rate_found_holds_and_one_a_little_higher_does_not(capacity: float) -> None:
    tried: list[float] = []

    def succeeds(rate: float) -> bool:
        tried.append(rate)
        return rate <= capacity

    found = search_rate(succeeds, 4.0)
    assert found in tried
    assert found <= capacity
    assert found * PRECISION >= capacity or found * PRECISION >= min(one for one in tried if one > capacity)
    assert len(tried) <= 12


def test_there_is_none_where_not_even_the_lowest_rate_holds() -> None:
    tried: list[float] = []
    assert search_rate(lambda rate: bool(tried.append(rate)), 4.0) == 0.0
    assert LEAST_S <= min(tried) < 2 * LEAST_S


def test_no_rate_above_the_highest_is_tried() -> None:
    tried: list[float] = []
    assert search_rate(lambda rate: tried.append(rate) is None, 4.0, most_s=50.0) == 50.0
    assert max(tried) == 50.0
