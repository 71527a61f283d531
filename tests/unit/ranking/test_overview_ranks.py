"""Mean ranks of the overview of 2004 by own figures."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from app.domain.capture import CaptureReport, FrameOverhead
from app.domain.profiles import FRAME_BYTES
from app.policy.overview import OVERVIEW, overview_systems
from app.ranking.comparison_study import Cell, Figures, comparison_studies
from app.ranking.overview_ranks import overview_ranks
from app.ranking.own_study_figures import compared_orders, own_figures
from app.reports.file_study import comparison_study_data
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
    assert found == {cell: pytest.approx(total / (number + 2)) for cell, total in expected.items()}
    assert list(found)[-1] == PPTP


def test_more_throughput_and_less_of_all_else_is_better() -> None:
    values = [1.0 if one.is_higher_better else 3.0 for one in STUDY.figure]
    own: dict[Cell, Figures] = {PPTP: same(2.0), TINC: figures(*values)}
    number = len(STUDY.figure)
    assert overview_ranks(STUDY, own) == {TINC: (2 * number + 2) / (number + 2), PPTP: (number + 4) / (number + 2)}


def test_a_system_without_one_of_the_figures_has_no_mean() -> None:
    missing = figures(None, *(1.0 for _ in STUDY.figure[1:]))
    assert list(overview_ranks(STUDY, {OPENVPN: same(1.0), TINC: missing})) == [OPENVPN]
    assert overview_ranks(STUDY, {TINC: missing}) == {}


def test_every_candidate_but_the_bare_link_is_a_system_of_the_overview() -> None:
    names = {one.published.name for one in overview_systems()}
    assert [one.published for one in STUDY.candidate if one.published not in names] == ["Ethernet"]


def test_overhead_is_what_captures_show_beyond_the_frames_and_json_has_the_means() -> None:
    costs = tuple(FrameOverhead(size, 1, size + 60.0, size + 60, is_fragmented=False) for size in FRAME_BYTES)
    record = sample.sample_record(rounds=1)
    attempts = []
    for one in record.attempts:
        is_other = one.key.solution != "wireguard"
        key = one.key if is_other else replace(one.key, solution="tinc", suite="cipher-aes-128-cbc")
        attempts.append(replace(one, key=key, capture=CaptureReport(overhead=costs)))
    record = replace(record, attempts=tuple(attempts))
    own = own_figures(STUDY, record)
    assert own[TINC]["overhead_bytes"] == pytest.approx(60.0)
    data = json.loads(json.dumps(comparison_study_data(STUDY, record, own, compared_orders(STUDY, own))))
    assert data["order"] is None
    assert [one["solution"] for one in data["mean_ranks"]] == [cell[0] for cell in overview_ranks(STUDY, own)]
    assert data["mean_ranks"]
