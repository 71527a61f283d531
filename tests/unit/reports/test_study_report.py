"""Report of a repetition of the satellite study."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib
import pytest

from app.domain.conditions import ConditionCheck, MeasuredCondition, Quantity
from app.domain.errors import InvalidOption
from app.domain.messages.results import BBR_HERE
from app.domain.topology import Topology
from app.domain.transfers import BBR_ON_GATEWAYS, TransferCell, TransferResult, of_solutions
from app.measurement.messages import CONDITION_NOT_MET
from app.ranking.published_transfers import published_transfers
from app.ranking.study_parts import cells_of
from app.reports.heat_map_view import heat_lines, heat_text
from app.reports.messages import UNKNOWN_STUDY_KIND
from app.reports.study_report import study_json, study_to_html, write_study
from app.reports.study_view import cell_name, link_lines, own_text, part_view, published_text, study_view, suite_lines
from app.storage.study_results import StudyResults
from app.wording.colours import HEAT_NEGATIVE, HEAT_POSITIVE
from support.message_checks import has_message

_TAG = "{http://www.w3.org/1999/xhtml}"
CELLS = tuple(cell for cell in published_transfers() if cell.condition == "geo" and cell.congestion == "bbr2")


def results() -> StudyResults:
    """Return times that are the published ones but for one VPN."""
    found = StudyResults("satcom-2021", "lab:<x>", "1.0", 30_000_000)
    for cell in CELLS[:-1]:
        seconds = published_transfers()[cell] * (2.0 if cell.solution == "none" else 1.0)
        found = found.with_result(TransferResult(cell, seconds, 30_000_000, 3, "bbr", topology=Topology.ROUTED_NODES))
    return found


def heat_maps(page: str) -> list[list[list[tuple[str, str, str]]]]:
    """Return text, class and style of each cell of each heat map."""
    tables = [one for one in html5lib.parse(page).iter(f"{_TAG}table") if "heat" in one.get("class", "").split()]
    return [
        [[_cell(cell) for cell in row.iter(f"{_TAG}td")] for row in table.iter(f"{_TAG}tr")][1:] for table in tables
    ]


def _cell(cell: Element) -> tuple[str, str, str]:
    return "".join(cell.itertext()), cell.get("class", ""), cell.get("style", "")


def test_own_and_published_figures_are_side_by_side(tmp_path: Path) -> None:
    page = study_to_html(results(), CELLS)
    assert page.count("<h2>Figure 4: no loss, GEO, BBR") == 1
    for whose in ("own", "published"):
        assert re.search(rf"<caption>Figure 4: no loss, GEO, BBR[^<]*, {whose}</caption>", page)
    assert "lab:&lt;x&gt;" in page
    assert "Last measured by Tunnelmark 1.0, between nodes" in page, "earlier times may be of earlier versions"
    assert "Missed: Order" in page
    assert "none" in page
    assert write_study(results(), CELLS, tmp_path / "study.html") == tmp_path / "study.html"
    assert (tmp_path / "study.html").read_text(encoding="utf-8") == page


def test_heat_maps_have_a_figure_and_a_colour_in_each_cell_and_say_what_is_missing() -> None:
    page = study_to_html(results(), CELLS)
    own, published = heat_maps(page)
    assert [len(row) for row in own] == [len(row) for row in published] == [8] * 8
    for nth in range(8):
        assert own[nth][nth] == published[nth][nth] == ("", "self", "")
    assert {cell[0] for cell in own[7][:7]} == {"–"}, "the last cell was not measured"
    assert {row[7][0] for row in own[:7]} == {"–"}
    assert all(re.fullmatch(r"−?\d+", cell[0]) for row in published for cell in row if cell[1] != "self")
    blue, orange = (
        ", ".join(str(int(one[at : at + 2], 16)) for at in (1, 3, 5)) for one in (HEAT_POSITIVE, HEAT_NEGATIVE)
    )
    for text, _, style in (cell for row in published for cell in row if cell[1] != "self"):
        assert (orange if text.startswith("−") else blue) in style
    assert "Not measured (–): 8 wireguard, PEP B." in page


def test_cells_in_the_other_order_are_marked_and_named_with_the_correlation() -> None:
    view = study_view(results(), CELLS)
    (found,) = view.comparisons
    own, published = heat_maps(study_to_html(results(), CELLS))
    marked = {(row, column) for row in range(8) for column in range(8) if own[row][column][1] == "against"}
    assert marked == {(row, column) for row in range(8) for column in range(8) if found.is_reversed(row, column)}
    assert len(marked) == 2 * len(found.agreement.against) > 0
    assert all((0 in pair or 1 in pair) for pair in marked), "the two without VPN take twice as long"
    assert all(own[row][column][0].endswith("*") for row, column in marked)
    assert not [cell for row in published for cell in row if cell[1] == "against" or "*" in cell[0]]
    lines = heat_lines(found)
    assert re.fullmatch(r"Rank correlation: −?\d\.\d\d\.", lines[0])
    assert lines[1].startswith("In the other order (*): ")
    assert lines[1].count(" and ") == len(found.agreement.against)


def test_the_link_is_reported_as_it_was_measured() -> None:
    found = results().with_rtt("geo", 501.2).with_rtt("leo", 40.0)
    assert link_lines(found, CELLS) == [
        "geo: round trip 501 ms at least on the bare link, 500 ms asked for on the average."
    ]
    assert f"<li>{link_lines(found, CELLS)[0]}</li>" in study_to_html(found, CELLS)
    assert link_lines(results(), CELLS) == []


def link_found(*, is_met: bool) -> MeasuredCondition:
    """Return a measured condition."""
    checks = (
        ConditionCheck(Quantity.RTT, "", 500.0, 501.2 if is_met else 40.0, 490.0, 510.0, is_met),
        ConditionCheck(Quantity.RATE, "b_to_a", 10.0, 9.9, 9.7, 10.3, is_met=True),
    )
    return MeasuredCondition("geo", datetime(2026, 11, 28, tzinfo=UTC), checks)


def with_conditions() -> StudyResults:
    """Return results under a measured condition, the last of them under one that was not met."""
    found = results().with_rtt("geo", 501.2)
    met = tuple(replace(one, measured_condition=link_found(is_met=True)) for one in found.results)
    why = CONDITION_NOT_MET(condition="geo", missed="round trip 40 ms")
    missed = TransferResult(
        *(CELLS[-1], None, 0), message=why, measured_condition=link_found(is_met=False), is_condition_missed=True
    )
    return replace(found, results=met).with_result(missed)


def test_a_condition_is_reported_with_all_that_was_measured_of_it() -> None:
    met = StudyResults("satcom-2021", "lab:x", "1.0", 30_000_000)
    for one in with_conditions().results[:-1]:
        met = met.with_result(one)
    title = f"Bare link, geo, {BBR_HERE.text}"
    (line,) = link_lines(met.with_rtt("geo", 501.2), CELLS)
    assert line.startswith(f"{title}: as asked for: round trip: 501.2 ms")
    assert "9.9" in line
    cells = study_json(met, CELLS)["cells"]
    assert isinstance(cells, list)
    assert cells[0]["measured_condition"]["is_met"] is True
    assert [one["quantity"] for one in cells[0]["measured_condition"]["checks"]] == ["rtt", "rate"]
    assert cells[-1]["measured_condition"] is None, "it was not measured"


def test_cells_whose_condition_was_missed_are_not_measured_with_the_reason() -> None:
    found = with_conditions()
    view = study_view(found, CELLS)
    assert view.failed == {}
    assert CELLS[-1] not in found.done()
    assert own_text(view, CELLS[-1]) == "not measured"
    assert list(view.reasons) == [CELLS[-1]]
    assert any("not as asked for" in line for line in link_lines(found, CELLS))
    page = study_to_html(found, CELLS)
    assert "The link is not as the condition geo asks for: round trip 40 ms." in page
    cells = study_json(found, CELLS)["cells"]
    assert isinstance(cells, list)
    assert [one["is_condition_missed"] for one in cells] == [False] * 7 + [True]
    assert cells[-1]["measured_condition"]["is_met"] is False
    assert cells[-1]["message"].startswith("The link is not as the condition geo asks for")


def test_a_part_of_which_nothing_is_measured_has_its_comparison() -> None:
    none = StudyResults("satcom-2021", "lab:x", "1.0", 30_000_000)
    view = study_view(none, CELLS)
    (found,) = view.comparisons
    assert heat_text(found, 0, 1, is_own=True) == "–"
    assert heat_text(found, 0, 1, is_own=False) == "−9"
    (line,) = heat_lines(found)
    assert line.startswith("Not measured (–): 1 none, 2 ")
    page = study_to_html(none, CELLS)
    (published,) = heat_maps(page)
    assert published[0][1][0] == "−9", "the published map alone"
    assert "Rank correlation: too few cells have an own time." in page
    assert "Too few cells have an own time." in page


def test_failed_cells_are_not_called_unmeasured() -> None:
    found = results().with_result(TransferResult(CELLS[-1], None, 0, message="It did not end."))
    earlier = TransferResult(CELLS[0], 20.0, 30_000_000)  # between the hosts, of an earlier version
    found = replace(found, results=(earlier, *(one for one in found.results if one.cell != CELLS[0])))
    view = study_view(found, CELLS)
    assert view.failed == {CELLS[-1]: "It did not end."}
    assert [own_text(view, cell) for cell in (CELLS[0], CELLS[-1])] == ["not measured", "failed"]
    lines = heat_lines(view.comparisons[0])
    assert lines[-2:] == ["Not measured (–): 1 none.", "Failed (–): 8 wireguard, PEP B."]


def test_the_same_order_throughout_is_a_sentence() -> None:
    found = StudyResults("satcom-2021", "lab:x", "1.0", 30_000_000)
    for cell in CELLS:
        seconds = published_transfers()[cell]
        found = found.with_result(TransferResult(cell, seconds, 30_000_000, topology=Topology.ROUTED_NODES))
    view = study_view(found, CELLS)
    assert found.done() == set(CELLS)
    assert heat_lines(view.comparisons[0]) == [
        "Rank correlation: 1.00.",
        "No pair that differs by more than 5 % in the study is in the other order.",
    ]


def test_cells_that_the_study_gives_a_range_for_have_it() -> None:
    (split,) = [one for one in cells_of("loss") if one.congestion == BBR_ON_GATEWAYS and one.condition == "geo-loss"][
        :1
    ]
    assert published_text(split) == "32–46 (section IV.A)"
    assert published_text(split, has_section=False) == "32–46"
    assert published_text(CELLS[0]) == f"{published_transfers()[CELLS[0]]:.1f}"


def added() -> tuple[TransferCell, ...]:
    """Return the cells of a VPN that the study does not have."""
    return tuple(one for one in of_solutions(CELLS, ("fastd",)) if one.solution == "fastd")


def with_added(seconds: float = 9.0) -> StudyResults:
    """Return results with times of a VPN that the study does not have, which came first."""
    found = StudyResults("satcom-2021", "lab:<x>", "1.0", 30_000_000)
    for cell in added():
        found = found.with_result(TransferResult(cell, seconds, 30_000_000, 3, "bbr", topology=Topology.ROUTED_NODES))
    for one in results().results:
        found = found.with_result(one)
    return found


def test_an_added_vpn_is_shown_behind_the_study_and_counts_in_no_comparison_with_it() -> None:
    assert [(one.solution, one.proxy) for one in added()] == [("fastd", "none"), ("fastd", "B")]
    cells, before = (*CELLS, *added()), study_json(results(), CELLS)
    data = study_json(with_added(), cells)
    rows = data["cells"]
    assert isinstance(rows, list)
    assert [(one["solution"], one["proxy"], one["seconds"], one["published_s"]) for one in rows[8:]] == [
        ("fastd", "none", 9.0, None),
        ("fastd", "B", 9.0, None),
    ]
    assert rows[:8] == before["cells"]
    for name in ("pairs", "same_order", "rank_correlation", "against", "goals", "heat_maps"):
        assert data[name] == before[name], name
    assert any("fastd" in text for text in study_view(with_added(), cells).advice), "the fastest of one's own"
    page = study_to_html(with_added(), cells)
    found = re.findall(r'scope="row">([^<]*fastd[^<]*)</th><td[^>]*>([^<]*)</td><td[^>]*>([^<]*)</td>', page)
    assert found == [(cell_name(one), "9.0", "–") for one in added()]
    assert heat_maps(page) == heat_maps(study_to_html(results(), CELLS))
    assert published_text(added()[0]) == published_text(added()[0], has_section=False) == "–"


def test_the_view_of_a_part_has_what_is_stored_of_other_vpns() -> None:
    assert part_view(with_added(), CELLS).cells == (*CELLS, *added())
    assert part_view(results(), CELLS).cells == CELLS
    other = tuple(one for one in published_transfers() if (one.condition, one.congestion) == ("leo", "bbr2"))
    assert part_view(with_added(), other).cells == other, "it was not measured there"
    one = TransferResult(added()[1], None, 0, message="It did not end.", topology=Topology.ROUTED_NODES)
    failed = part_view(results().with_result(one), CELLS)
    assert failed.cells == (*CELLS, added()[1])
    assert own_text(failed, added()[1]) == "failed"
    assert failed.reasons[added()[1]] == "It did not end."


def test_json_names_what_is_in_the_other_order_and_what_is_missing() -> None:
    data = study_json(results(), CELLS)
    cells = data["cells"]
    assert isinstance(cells, list)
    assert cells[-1]["seconds"] is None
    assert cells[-1]["message"] == "not measured"
    against = data["against"]
    assert isinstance(against, list)
    assert against
    assert all("none" in " ".join(pair) for pair in against)


def test_the_ending_of_a_file_says_what_is_written(tmp_path: Path) -> None:
    write_study(results(), CELLS, tmp_path / "study.json")
    assert json.loads((tmp_path / "study.json").read_text(encoding="utf-8")) == study_json(results(), CELLS)
    with pytest.raises(InvalidOption, check=has_message(UNKNOWN_STUDY_KIND, kind=".pdf")):
        write_study(results(), CELLS, tmp_path / "study.pdf")


def test_lines_name_the_suites_and_that_several_of_one_vpn_do_not_compare() -> None:
    one = suite_lines([("none", ""), ("wireguard", "ChaCha20"), ("wireguard", "ChaCha20")])
    assert one == ["wireguard was measured with ChaCha20."]
    (several,) = suite_lines([("wireguard", "ChaCha20"), ("wireguard", "AES-256")])
    assert (
        several == "wireguard was measured with different suites, whose figures do not compare: ChaCha20 and AES-256."
    )
