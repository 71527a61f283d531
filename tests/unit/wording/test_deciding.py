from __future__ import annotations

from dataclasses import replace

import pytest
from sample_records import sample_record

from app.domain.profiles import ADAPTIVE_PROFILE, PROFILES, ProfileName
from app.domain.ranking import Ranking
from app.ranking import rank
from ui.results.deciding import deciding_profile, deciding_words

QUICK = PROFILES[ProfileName.QUICK]


def ranking(*, is_clear: bool = False, minutes: int | None = None, solution: str | None = "wireguard") -> Ranking:
    found = rank(sample_record(rounds=1))
    advice = replace(found.recommendation, solution=solution, is_clear=is_clear, minutes_to_decide=minutes)
    return replace(found, recommendation=advice)


def test_one_round_is_decided_by_an_adaptive_comparison() -> None:
    assert deciding_profile(QUICK, ranking()) == ADAPTIVE_PROFILE
    assert deciding_words(ADAPTIVE_PROFILE)[0] == "Measure again with &Adaptive"


def test_an_adaptive_comparison_gets_the_time_that_it_lacked() -> None:
    wanted = deciding_profile(ADAPTIVE_PROFILE, ranking(minutes=12))
    assert wanted == replace(ADAPTIVE_PROFILE, budget_s=17 * 60.0)
    text, tip = deciding_words(wanted)
    assert text == "Measure again, &at most 17 min"
    assert "at most 17 min" in tip


@pytest.mark.parametrize(
    ("profile", "found"),
    [
        (QUICK, ranking(is_clear=True)),
        (QUICK, ranking(solution=None)),
        (PROFILES[ProfileName.STANDARD], replace(ranking(), rounds=3)),
        (ADAPTIVE_PROFILE, ranking(minutes=None)),
        (ADAPTIVE_PROFILE, ranking(minutes=5_000)),
    ],
)
def test_nothing_is_offered_where_nothing_is_open_or_nothing_would_decide(profile: object, found: Ranking) -> None:
    assert deciding_profile(profile, found) is None  # type: ignore[arg-type]
