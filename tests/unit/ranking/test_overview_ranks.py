"""Mean ranks of the overview of 2004 by own figures."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from app.domain.capture import CaptureReport, FrameOverhead
from app.domain.profiles import FRAME_BYTES
from app.domain.results import CampaignRecord, Candidate
from app.policy.overview import OVERVIEW, overview_systems
from app.ranking import rank
from app.ranking.comparison_study import Cell, Figures, comparison_studies
from app.ranking.overview_ranks import SETUP, TASKS, overview_ranks
from app.ranking.own_study_figures import compared_orders, own_figures
from app.ranking.repeated_study import RepeatedStudy, unmeasured_study
from app.reports import html_report
from app.reports.file_study import comparison_study_data
from app.reports.mean_rank_table import mean_rank_table
from support import sample_records as sample

STUDY = comparison_studies()[OVERVIEW]
BARE, OPENVPN = ("baseline", "none", "both"), ("openvpn-udp", "cipher-bf-cbc", "both")
TINC, PPTP = ("tinc", "cipher-aes-128-cbc", "both"), ("pptp", "mppe-128", "both")


def figures(*values: float | None) -> Figures:
    """Return a cell's figures in the order of the study's."""
    return dict(zip((one.name for one in STUDY.figure), values, strict=True))


def same(value: float) -> Figures:
    return figures(*(value for _ in STUDY.figure))


def test_systems_are_ranked_by_own_figures_and_by_what_is_published_of_them() -> None:
    own: dict[Cell, Figures] = {BARE: same(1.0), OPENVPN: same(2.0), TINC: same(2.0), PPTP: same(2.0)}
    found = overview_ranks(STUDY, own)
    number = len(STUDY.figure)
    # Equal figures share rank 2; setup 2, 3, 4 and tasks 190, 40, 460 tell them apart. The bare link is no system.
    expected = {OPENVPN: (2 * number + 1 + 2), TINC: (2 * number + 2 + 1), PPTP: (2 * number + 3 + 3)}
    means = {cell: one.mean for cell, one in found.items()}
    assert means == {cell: pytest.approx(total / (number + 2)) for cell, total in expected.items()}
    assert found[TINC].ranks == {**{one.name: 2.0 for one in STUDY.figure}, SETUP: 2.0, TASKS: 1.0}
    assert list(found)[-1] == PPTP


def test_more_throughput_and_less_of_all_else_is_better() -> None:
    values = [1.0 if one.is_higher_better else 3.0 for one in STUDY.figure]
    own: dict[Cell, Figures] = {PPTP: same(2.0), TINC: figures(*values)}
    number = len(STUDY.figure)
    means = {cell: one.mean for cell, one in overview_ranks(STUDY, own).items()}
    assert means == {TINC: (2 * number + 2) / (number + 2), PPTP: (number + 4) / (number + 2)}


def test_a_system_without_one_of_the_figures_has_no_mean() -> None:
    missing = figures(None, *(1.0 for _ in STUDY.figure[1:]))
    assert list(overview_ranks(STUDY, {OPENVPN: same(1.0), TINC: missing})) == [OPENVPN]
    assert overview_ranks(STUDY, {TINC: missing}) == {}


def test_every_candidate_but_the_bare_link_is_a_system_of_the_overview() -> None:
    names = {one.published.name for one in overview_systems()}
    assert [one.published for one in STUDY.candidate if one.published not in names] == ["Ethernet"]


def ranked_record() -> CampaignRecord:
    """Return a comparison of the study in which tinc has all its figures."""
    costs = tuple(FrameOverhead(size, 1, size + 60.0, size + 60, is_fragmented=False) for size in FRAME_BYTES)
    record = sample.sample_record(rounds=1)
    attempts = []
    for one in record.attempts:
        is_other = one.key.solution != "wireguard"
        key = one.key if is_other else replace(one.key, solution="tinc", suite="cipher-aes-128-cbc")
        attempts.append(replace(one, key=key, capture=CaptureReport(overhead=costs)))
    plan = replace(record.plan, seed=STUDY.seed, candidates=tuple(map(as_tinc, record.plan.candidates)))
    return replace(record, plan=plan, attempts=tuple(attempts))


def as_tinc(one: Candidate) -> Candidate:
    """Return the study's candidate in the place of WireGuard."""
    return replace(one, solution=TINC[0], suite=TINC[1]) if one.solution == "wireguard" else one


def test_overhead_is_what_captures_show_beyond_the_frames_and_json_has_the_means() -> None:
    record = ranked_record()
    own = own_figures(STUDY, record)
    assert own[TINC]["overhead_bytes"] == pytest.approx(60.0)
    data = json.loads(json.dumps(comparison_study_data(STUDY, record, own, compared_orders(STUDY, own))))
    assert data["order"] is None
    assert [one["solution"] for one in data["mean_ranks"]] == [cell[0] for cell in overview_ranks(STUDY, own)]
    assert data["mean_ranks"]
    for one in data["mean_ranks"]:
        assert set(one["ranks"]) == {*(figure.name for figure in STUDY.figure), SETUP, TASKS}
        assert one["mean_rank"] == pytest.approx(sum(one["ranks"].values()) / len(one["ranks"]), abs=0.001)
    assert data["heat_maps"] == [], "it publishes neither figures nor places"


def repeated(own: dict[Cell, Figures]) -> RepeatedStudy:
    return RepeatedStudy(STUDY, own, compared_orders(STUDY, own))


def test_the_table_has_each_mean_with_the_ranks_it_is_made_of() -> None:
    table = mean_rank_table(repeated({BARE: same(1.0), PPTP: same(2.0), TINC: same(2.0)}))
    assert table is not None
    assert table.headings[:3] == ("VPN in the study", "Mean rank", "Weighted latency")
    assert table.headings[-2:] == ("Setup", "Tasks")
    # Both share ranks 1 and 2 of each figure; the study prints less setup and fewer tasks for tinc.
    half = tuple("1.5" for _ in STUDY.figure)
    assert table.rows == (("Tinc", "1.33", *half, "1.0", "1.0"), ("PPTP", "1.67", *half, "2.0", "2.0"))
    assert mean_rank_table(repeated({BARE: same(1.0)})) is None
    assert mean_rank_table(unmeasured_study(STUDY)) is None
    other = comparison_studies()["industrial-2019"]
    assert mean_rank_table(RepeatedStudy(other, {OPENVPN: same(1.0)}, ())) is None


@pytest.mark.usefixtures("without_figures")
def test_the_page_of_the_comparison_has_the_mean_ranks() -> None:
    record = ranked_record()
    page = html_report.to_html(record, rank(record))
    assert "<h3>Mean ranks</h3>" in page
    rows = [row for row in page.splitlines() if ">Tinc</th>" in row]
    assert len(rows) == 1
    assert rows[0].count("<td") == len(STUDY.figure) + 3, "the mean, a rank for each figure, setup and tasks"
    other = sample.sample_record(rounds=1)
    assert "Mean ranks" not in html_report.to_html(other, rank(other))
