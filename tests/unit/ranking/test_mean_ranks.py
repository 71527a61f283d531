"""Weighted average of ranks, against values worked out by hand."""

from __future__ import annotations

import math

import pytest

from app.ranking.mean_ranks import mean_ranks, ranks

DELAY = {"a": 10.0, "b": 30.0, "c": 20.0}
OVERHEAD = {"a": 90.0, "b": 50.0, "c": 70.0}


def test_equal_weights_average_the_ranks() -> None:
    """a: (1 + 3) / 2, b: (3 + 1) / 2, c: (2 + 2) / 2."""
    assert mean_ranks({"delay": DELAY, "overhead": OVERHEAD}, {"delay": 1, "overhead": 1}) == {"a": 2, "b": 2, "c": 2}


def test_weights_decide_the_order_and_only_their_ratio_counts() -> None:
    """a: (3 x 1 + 1 x 3) / 4, b: (3 x 3 + 1 x 1) / 4, c: (3 x 2 + 1 x 2) / 4."""
    expected = {"a": 1.5, "b": 2.5, "c": 2.0}
    assert mean_ranks({"delay": DELAY, "overhead": OVERHEAD}, {"delay": 3, "overhead": 1}) == expected
    assert mean_ranks({"delay": DELAY, "overhead": OVERHEAD}, {"delay": 0.75, "overhead": 0.25}) == expected


def test_equal_figures_share_the_mean_of_their_places() -> None:
    assert ranks({"a": 5.0, "b": 5.0, "c": 9.0, "d": 5.0, "e": 1.0}) == {"a": 3, "b": 3, "c": 5, "d": 3, "e": 1}


def test_an_attribute_without_weight_does_not_count() -> None:
    expected = {"a": 1, "b": 3, "c": 2}
    assert mean_ranks({"delay": DELAY, "overhead": OVERHEAD}, {"delay": 2, "overhead": 0}) == expected
    assert mean_ranks({"delay": DELAY, "overhead": {}}, {"delay": 2}) == expected


@pytest.mark.parametrize("weights", [{}, {"delay": 0}, {"delay": -1}, {"delay": math.nan}, {"delay": math.inf}])
def test_impossible_weights_are_refused(weights: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="weights"):
        mean_ranks({"delay": DELAY}, weights)


def test_a_missing_figure_is_refused() -> None:
    with pytest.raises(ValueError, match="lacks a figure"):
        mean_ranks({"delay": DELAY, "overhead": {"a": 1.0, "b": 2.0}}, {"delay": 1, "overhead": 1})
