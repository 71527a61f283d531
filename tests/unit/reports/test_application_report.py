"""Report of applications over a satellite link: own shares beside the published range, and what was not measured."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fake_studies import own_application_result

from app.domain.conditions import ConditionCheck, MeasuredCondition, Quantity
from app.domain.workloads import WorkloadResult
from app.ranking.application_study import APPLICATION_STUDY, application_cells, published_flows, share_agreement
from app.reports.lab_study import (
    lab_study_data,
    outcome_lines,
    outcome_tables,
    published_table,
    result_words,
    write_lab_study,
)
from app.storage.lab_results import ApplicationResults

CELLS = application_cells("quick")
LOSSY = application_cells("loss")[0]


def link(*, is_met: bool = True) -> MeasuredCondition:
    check = ConditionCheck(Quantity.RTT, "", 500.0, 501.0, 490.0, 510.0, is_met)
    return MeasuredCondition("geo", datetime(2026, 11, 28, tzinfo=UTC), (check,))


def with_share(share: float, nth: int = 0) -> ApplicationResults:
    """Return results of which one has another share."""
    some = [replace(own_application_result(cell), measured_condition=link()) for cell in CELLS]
    flows = WorkloadResult("two-flows", {"fairness": 0.6, "second-share": share})
    some[nth] = replace(some[nth], workloads=(*some[nth].workloads[:2], flows))
    return ApplicationResults(APPLICATION_STUDY, "lab:<x>", "quick", "1.0", tuple(some))


@pytest.mark.parametrize(("share", "within"), [(40.0, 3), (60.0, 3), (39.0, 2), (75.0, 2)])
def test_own_shares_are_judged_by_the_published_range(share: float, within: int) -> None:
    found = share_agreement(with_share(share).results)
    assert (found.cells, found.within) == (3, within)
    assert found.outside == (() if within == 3 else ((CELLS[0], share),))


def test_shares_with_loss_and_of_a_busy_computer_do_not_count() -> None:
    disturbed = replace(own_application_result(CELLS[0]), own_load_cores=0.9)
    assert share_agreement((own_application_result(LOSSY), disturbed)).cells == 0


def test_a_vpn_that_the_study_does_not_have_is_behind_it_without_a_published_share() -> None:
    added = [replace(own_application_result(replace(one, solution="fastd"))) for one in CELLS[1:]]
    flows = WorkloadResult("two-flows", {"fairness": 0.6, "second-share": 90.0})
    added[0] = replace(added[0], workloads=(*added[0].workloads[:2], flows))
    results = with_share(44.0)
    results = replace(results, results=(*added, *results.results))
    found = share_agreement(results.results)
    assert (found.cells, found.within, found.outside) == (3, 3, ())
    (table,) = outcome_tables(results)
    assert [(row[2], row[8], row[9]) for row in table.rows] == [
        ("none", "44", "40–60"),
        ("wireguard", "44", "40–60"),
        ("wireguard", "44", "40–60"),
        ("fastd", "90", "–"),
        ("fastd", "44", "–"),
    ]


def test_figures_are_beside_what_is_published_and_links_and_faults_are_named(tmp_path: Path) -> None:
    results = with_share(25.0)
    missed = replace(
        own_application_result(CELLS[2]),
        workloads=(),
        message="No.",
        is_condition_missed=True,
        measured_condition=link(is_met=False),
    )
    results = replace(results, results=(*results.results[:2], missed))
    (table,) = outcome_tables(results)
    assert all(len(row) == len(table.headings) for row in table.rows)
    assert [row[8:10] for row in table.rows] == [("25", "40–60"), ("44", "40–60"), ("–", "40–60")]
    lines = outcome_lines(results)
    assert "1 of 2 cells within 40–60 %" in lines[0]
    assert any(line.startswith("Outside of it: geo CUBIC none, 25 %") for line in lines)
    assert any("not as asked for" in line for line in lines)
    assert "Not measured: geo CUBIC wireguard, PEP B: No." in lines
    assert result_words(missed) == "not measured: No."
    assert result_words(results.results[1]) == "page 4.10 s, MOS 3.70, share 44 %"
    page = write_lab_study(results, tmp_path / "x.html").read_text(encoding="utf-8")
    assert "lab:&lt;x&gt;" in page
    assert page.count(">40–60</td>") == 3
    assert "<li>Not measured: geo CUBIC wireguard, PEP B: No.</li>" in page


def test_json_has_all_figures_with_their_condition(tmp_path: Path) -> None:
    results = with_share(44.0)
    data = lab_study_data(results)
    assert json.loads(write_lab_study(results, tmp_path / "x.json").read_text(encoding="utf-8")) == data
    assert data["published_share_pct"] == list(published_flows().share_pct)
    rows = data["results"]
    assert isinstance(rows, list)
    assert rows[0]["workloads"]["voice"]["rating"] == 71.5
    assert rows[0]["measured_condition"]["is_met"] is True
    lossy = replace(results, results=(own_application_result(LOSSY),))
    (row,) = lab_study_data(lossy)["results"]  # type: ignore[misc]
    assert row["published_share_pct"] is None


def test_what_is_published_is_a_range_of_shares() -> None:
    flows = published_flows()
    assert (flows.share_pct, flows.first_s, flows.later_s, flows.second_s) == ((40.0, 60.0), 100, 10, 80)
    table = published_table(APPLICATION_STUDY)
    assert [row[-1] for row in table.rows] == ["40–60"]
