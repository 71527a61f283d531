"""Results of workloads, candidate beside candidate."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from app.domain.results import Attempt, CampaignRecord
from app.domain.workloads import WorkloadResult
from app.probes.workloads import WORKLOADS
from app.ranking import rank
from app.ranking.workloads import AT_LEAST, workload_table
from app.reports.csv_report import to_csv
from app.reports.json_report import to_json as to_json_report
from app.reports.view_setting import repeat_command, workloads_view
from app.storage.codec import from_json, to_json
from support.sample_records import sample_record

MOS = {"baseline": 4.40, "wireguard": 4.30, "openvpn-udp": 4.31, "openvpn-tcp": 2.10}


@pytest.fixture(name="record")
def measured() -> CampaignRecord:
    """A comparison in which each attempt of some candidates has the workload voice."""
    record = sample_record(rounds=2)
    attempts = []
    for one in record.attempts:
        mos = MOS.get(one.key.solution)
        result = WorkloadResult("voice", message="No packet of the call arrived.")
        if mos is not None:
            result = WorkloadResult("voice", {"mos": mos + 0.02 * one.key.round, "delay": 80.0})
        attempts.append(replace(one, workloads=(result,)))
    return replace(record, plan=replace(record.plan, workloads=("voice",)), attempts=tuple(attempts))


def test_those_whose_ranges_overlap_the_best_are_marked_and_the_bare_link_is_no_rival(record: CampaignRecord) -> None:
    found = workload_table(record)
    assert found is not None
    main = found.rows[0]
    assert (main.workload, main.kind.name, main.is_main) == ("voice", "mos", True)
    best = {key[0]: cell.is_best for key, cell in main.cells.items()}
    assert (best["baseline"], best["wireguard"], best["openvpn-udp"], best["openvpn-tcp"]) == (False, True, True, False)
    cell = next(cell for key, cell in main.cells.items() if key[0] == "wireguard")
    assert (cell.rounds, cell.low, cell.high) == (2, pytest.approx(4.32), pytest.approx(4.34))
    assert "4.32 to 4.34" in cell.words


def test_rates_within_one_step_of_their_search_are_both_the_best(record: CampaignRecord) -> None:
    rates = {"wireguard": 19.03, "openvpn-udp": 22.63, "openvpn-tcp": 16.0}
    attempts = tuple(
        replace(one, workloads=(WorkloadResult("key-exchanges", {"rate": rates[one.key.solution]}),))
        for one in record.attempts
        if one.key.solution in rates
    )
    found = workload_table(
        replace(record, plan=replace(record.plan, workloads=("key-exchanges",)), attempts=attempts),
    )
    assert found is not None
    best = {key[0] for key, cell in found.rows[0].cells.items() if cell.is_best}
    assert best == {"wireguard", "openvpn-udp"}


@pytest.mark.parametrize(
    ("rates", "bounds", "best"),
    [
        ({"wireguard": 90.5, "openvpn-udp": 13.9}, {"wireguard"}, {"wireguard"}),
        ({"wireguard": 90.5, "openvpn-udp": 13.9}, {"openvpn-udp"}, set()),
        ({"wireguard": 90.5, "openvpn-udp": 13.9}, {"wireguard", "openvpn-udp"}, set()),
        ({"wireguard": 15.0, "openvpn-udp": 13.9}, {"wireguard"}, set()),
    ],
    ids=["known", "the other may be better", "either may be better", "within a step"],
)
def test_the_best_is_marked_only_where_no_rate_that_can_be_exceeded_leaves_it_open(
    record: CampaignRecord, rates: dict[str, float], bounds: set[str], best: set[str]
) -> None:
    def result(name: str) -> WorkloadResult:
        return WorkloadResult("key-exchanges", {"rate": rates[name]}, lower_bounds=("rate",) * (name in bounds))

    attempts = tuple(
        replace(one, workloads=(result(one.key.solution),)) for one in record.attempts if one.key.solution in rates
    )
    found = workload_table(
        replace(record, plan=replace(record.plan, workloads=("key-exchanges",)), attempts=attempts),
    )
    assert found is not None
    assert {key[0] for key, cell in found.rows[0].cells.items() if cell.is_best} == best


def test_a_figure_that_a_candidate_can_exceed_says_so_everywhere(record: CampaignRecord) -> None:
    rates = {"wireguard": 90.5, "openvpn-udp": 13.9}
    doubt = "Other work took 0.9 cores."
    results = {
        "wireguard": WorkloadResult("key-exchanges", {"rate": 90.5}, lower_bounds=("rate",), doubt=doubt),
        "openvpn-udp": WorkloadResult("key-exchanges", {"rate": 13.9}),
    }
    attempts = tuple(
        replace(one, workloads=(results[one.key.solution],)) for one in record.attempts if one.key.solution in rates
    )
    record = replace(record, plan=replace(record.plan, workloads=("key-exchanges",)), attempts=attempts)
    stored = tuple(from_json(Attempt, to_json(replace(one, latency=()))) for one in attempts)
    assert [one.workloads for one in stored] == [one.workloads for one in attempts]
    found = workload_table(record)
    assert found is not None
    words = {key[0]: cell.words for key, cell in found.rows[0].cells.items()}
    assert words == {"wireguard": f"{AT_LEAST}90.5 (90.5 to 90.5) *", "openvpn-udp": "13.9 (13.9 to 13.9)"}
    assert any("round 1" in note and doubt in note for note in found.notes)
    assert doubt in " ".join(to_json_report(record, rank(record))["workload_notes"])
    (rate, *_) = to_json_report(record, rank(record))["workloads"]
    assert {one["solution"]: one["is_lower_bound"] for one in rate["values"]} == {
        "wireguard": True,
        "openvpn-udp": False,
    }
    lines = list(csv.DictReader(io.StringIO(to_csv(record, rank(record)).decode("utf-8-sig"))))
    bounds = {
        (one["solution"], one["key_exchanges_rate_per_s"], one["key_exchanges_rate_is_lower_bound"]) for one in lines
    }
    assert bounds == {("wireguard", "90.5", "1"), ("openvpn-udp", "13.9", "0")}


def test_one_round_marks_none(record: CampaignRecord) -> None:
    first = tuple(one for one in record.attempts if one.key.round == 1)
    found = workload_table(replace(record, attempts=first))
    assert found is not None
    assert not any(cell.is_best for row in found.rows for cell in row.cells.values())


def test_why_something_was_not_measured_is_reported_beside_the_source(record: CampaignRecord) -> None:
    found = workload_table(record)
    assert found is not None
    assert any("was not measured in round 1: No packet of the call arrived." in note for note in found.notes)
    assert any("G.107" in note for note in found.notes)


def test_reports_have_what_the_registry_declares(record: CampaignRecord) -> None:
    data = json.loads(json.dumps(to_json_report(record, rank(record))))
    assert [one["figure"] for one in data["workloads"]] == [kind.name for kind in WORKLOADS["voice"].figures]
    assert data["workloads"][0]["unit"] == ""
    view = workloads_view(record)
    assert view is not None
    assert len(view["rows"]) == len(WORKLOADS["voice"].figures)
    assert "--workload voice" in repeat_command(record)


def test_a_comparison_without_workloads_has_no_table() -> None:
    assert workload_table(sample_record()) is None
    assert workloads_view(sample_record()) is None


def test_the_size_of_a_file_is_in_titles_json_and_the_command_that_repeats_it(record: CampaignRecord) -> None:
    plan = replace(record.plan, workloads=("transfer",), transfer_mb=16)
    attempts = tuple(replace(one, workloads=(WorkloadResult("transfer", {"b-to-a": 5.0}),)) for one in record.attempts)
    larger = replace(record, plan=plan, attempts=attempts)
    found = workload_table(larger)
    assert found is not None
    assert found.rows[0].workload_title == "File transfer of 16 MB"
    assert any(note.startswith("File transfer of 16 MB: iperf3 -n") for note in found.notes)
    assert to_json_report(larger, rank(larger))["transfer_mb"] == 16
    assert " --workload transfer --transfer-mb 16" in repeat_command(larger)
    usual = replace(larger, plan=replace(plan, transfer_mb=4))
    assert "--transfer-mb" not in repeat_command(usual)
    assert to_json_report(record, rank(record))["transfer_mb"] is None
