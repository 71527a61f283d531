"""The E-model against the values that ITU-T publishes."""

from __future__ import annotations

import pytest

from app.domain.speech_quality import mean_opinion_score, speech_quality


def test_defaults_are_those_of_the_recommendation() -> None:
    """Source: G.107 (06/2015), clause 7.7: R = 93.2; annex B: a mean opinion score of 4.41."""
    found = speech_quality(0.0, 0.0)
    assert round(found.rating, 1) == 93.2
    assert round(found.mos, 2) == 4.41


@pytest.mark.parametrize(("rating", "mos"), [(90, 4.34), (80, 4.03), (70, 3.60), (60, 3.10), (50, 2.58)])
def test_scores_are_those_of_table_b1(rating: float, mos: float) -> None:
    """Source: G.107, table B.1, limits of the categories of user satisfaction."""
    assert mean_opinion_score(rating) == pytest.approx(mos, abs=0.0101)


def test_scores_end_at_their_limits() -> None:
    assert [mean_opinion_score(rating) for rating in (-5, 0, 100, 120)] == [1.0, 1.0, 4.5, 4.5]
    assert mean_opinion_score(3) == 1.0  # the equation alone falls below 1 there


def test_loss_is_the_effective_equipment_impairment() -> None:
    """Source: G.107, equation 7-29, with G.113's Bpl of 25.1 for G.711 with concealment."""
    best = speech_quality(0.0, 0.0).rating
    assert best - speech_quality(0.0, 1.0).rating == pytest.approx(95 / 26.1)
    assert best - speech_quality(0.0, 2.0, burst_ratio=2.0).rating == pytest.approx(190 / 26.1)


def test_delay_matters_little_to_150_ms_and_much_beyond() -> None:
    """Source: G.114 (05/2003), which recommends no more than 150 ms, and limits the delay to 400 ms."""
    ratings = [speech_quality(delay, 0.0).rating for delay in (0, 100, 150, 250, 400)]
    assert ratings == sorted(ratings, reverse=True)
    assert ratings[2] > 89.0
    assert ratings[3] < 80.0
    assert 60.0 < ratings[4] < 65.0
