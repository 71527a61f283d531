"""Predicted times of the studies that can be measured again: a user waits at most ten minutes for the part quick."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.measurement.lab_studies import LAB_STUDIES
from app.ranking.comparison_study import comparison_studies
from app.ranking.study_parts import SATCOM, cells_of, predicted_s

DOCS = Path(__file__).parents[3] / "docs"
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


@pytest.mark.parametrize("part", ["quick", "all"])
def test_documented_minutes_of_the_hub_are_those_that_are_predicted(part: str) -> None:
    hub = LAB_STUDIES["iiot-hub"]
    minutes = f"{hub.predicted_s(part, hub.missing(part, ())) / 60:.0f}"
    section = (DOCS / "studies.md").read_text(encoding="utf-8").partition("\n## iiot-hub")[2]
    (row,) = re.findall(rf"^\| `{part}` \|.*\| (\d+) minutes \|$", section, re.MULTILINE)
    assert row == minutes
    (line,) = re.findall(
        r"^\| `tunnelmark study run iiot-hub .*$", (DOCS / "user-guide.md").read_text("utf-8"), re.MULTILINE
    )
    assert f"some {minutes} min" in line


def test_every_study_that_is_measured_again_is_one_of_them() -> None:
    assert {SATCOM, "satcom-applications", "industrial-2019", "industrial-2019-extended"} < set(STUDIES)
    assert {"ipsec-tls-2011", "oslv-2004", "iiot-hub"} < set(STUDIES)
