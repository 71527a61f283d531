"""Predicted times of the studies that can be measured again: a user waits at most ten minutes for the part quick."""

from __future__ import annotations

import pytest

from app.measurement.lab_studies import LAB_STUDIES
from app.ranking.comparison_study import comparison_studies
from app.ranking.study_parts import SATCOM, cells_of, predicted_s

MOST_S = 600.0
STUDIES = (SATCOM, *comparison_studies(), *LAB_STUDIES)


def predicted_quick_s(study: str, *, is_shaped: bool) -> float:
    """Return about how long all of a study's part quick takes, as it is printed before a run."""
    if study == SATCOM:
        return predicted_s(cells_of("quick"), is_shaped=is_shaped)
    if study in LAB_STUDIES:
        lab = LAB_STUDIES[study]
        return lab.predicted_s("quick", lab.missing("quick", ()), is_shaped=is_shaped)
    of_comparison = comparison_studies()[study]
    return of_comparison.parts["quick"].predicted_s(len(of_comparison.candidate))


@pytest.mark.parametrize("is_shaped", [False, True])
@pytest.mark.parametrize("study", STUDIES)
def test_the_part_quick_takes_at_most_ten_minutes(study: str, *, is_shaped: bool) -> None:
    assert 0.0 < predicted_quick_s(study, is_shaped=is_shaped) <= MOST_S


def test_every_study_that_is_measured_again_is_one_of_them() -> None:
    assert {SATCOM, "satcom-applications", "industrial-2019", "industrial-2019-extended"} < set(STUDIES)
    assert {"ipsec-tls-2011", "oslv-2004", "iiot-hub"} < set(STUDIES)
