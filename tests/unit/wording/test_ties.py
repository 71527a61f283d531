from __future__ import annotations

from app.domain.profiles import ADAPTIVE_PROFILE, PROFILES, ProfileName
from app.wording.ties import tie_note


def test_an_interval_without_1_beside_a_shared_rank_is_explained_where_it_can_happen() -> None:
    assert tie_note(PROFILES[ProfileName.STANDARD], 3) == "= tied: the difference is not significant."
    assert "a stricter level than that of the 95 % intervals" in tie_note(ADAPTIVE_PROFILE, 3)


def test_after_one_round_nothing_is_called_insignificant_since_nothing_was_tested() -> None:
    for profile in (PROFILES[ProfileName.QUICK], ADAPTIVE_PROFILE):
        assert tie_note(profile, 1) == "= tied: one round cannot tell a difference from chance."
