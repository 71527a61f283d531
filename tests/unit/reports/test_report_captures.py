from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from sample_records import hostile_record, sample_record, with_open_device

from app.cli.results import print_ranking
from app.cli.terminal import CleanConsole
from app.domain.capture import CaptureReport, LeakProof, LeakVerdict
from app.domain.messages.results import NO_REPLAY_GOT_IN
from app.domain.results import CampaignRecord
from app.probes.capture.messages import NO_NFT_TO_HOLD
from app.ranking import rank
from app.reports import write_report
from app.reports.html_report import to_html
from app.reports.json_report import to_json
from app.reports.pdf_report import to_pdf
from app.reports.view import report_view
from app.wording.capture_sentences import capture_line
from support.sample_captures import capture_report

pytestmark = pytest.mark.usefixtures("without_figures")


def without_captures(record: CampaignRecord) -> CampaignRecord:
    return replace(record, attempts=tuple(replace(one, capture=None) for one in record.attempts))


def test_the_page_says_what_captures_showed() -> None:
    record = with_open_device(sample_record())
    page = to_html(record, rank(record))
    assert "Results of the packet tests" in page
    for words in (
        "✓ confidential",
        "? authentic",
        "✓ replay-proof",
        "– unencrypted (by design)",
        "✓ fail-closed",
        "✕ fails open",
        "2 (fragments)",
    ):
        assert words in page
    assert NO_NFT_TO_HOLD(host="gw-b") in page
    assert NO_REPLAY_GOT_IN(sent=6) in page
    assert "An MTU of 1417 bytes inside avoids fragments." in page
    assert (
        "The device is deleted on gw-b: 16 canary frames were sent, 0 answered. Seen in the clear: 0 on A and 8 on B."
        in page
    )
    assert "VLAN-tagged frames could not be tested." in page
    assert "Multicast does not cross." in page


def test_no_word_of_a_verdict_is_broken_beside_a_wide_column() -> None:
    record = sample_record(rounds=1, pings=30)
    style = " ".join(to_html(record, rank(record)).partition("</style>")[0].split())
    assert ".packet-tests .verdict { overflow-wrap: normal; }" in style, "cells of the table break anywhere"
    assert ".verdict { white-space: nowrap;" in style


def test_where_no_one_inspected_nothing_is_reported() -> None:
    record = without_captures(sample_record())
    page = to_html(record, rank(record))
    assert "Results of the packet tests" not in page
    assert "<h3>Packet tests</h3>" not in page
    assert to_pdf(record, rank(record)).startswith(b"%PDF")


def test_link_protocols_are_shown_through_the_tunnel_and_between_lans() -> None:
    record = with_open_device(sample_record())
    view = report_view(record, rank(record))
    made = next(one["packet_tests"] for one in view["candidates"] if one["solution"] == "openvpn-udp")
    rows = {row["name"]: (row["tunnel"]["word"], row["joined"]["word"], row["note"]) for row in made["protocols"]}
    assert rows["Spanning tree (BPDU)"] == ("crosses", "crosses", "")
    assert rows["LLDP"] == ("crosses", "does not cross", "")
    assert rows["MRP"] == ("does not cross", "does not cross", "From B to A: 0 of 3 frames arrived.")
    assert rows["Priority tag (VLAN 0)"] == ("arrives changed", "arrives changed", "From B to A: The tag was removed.")
    without_perl = "From B to A: not tried, because gw-b has no Perl to send whole frames with."
    assert rows["PTP over Ethernet"] == ("crosses from A to B", "crosses from A to B", without_perl)
    page = to_html(record, rank(record))
    for words in ("Through the tunnel", "Between joined LANs", "PROFINET DCP", without_perl, "01:80:C2:00:00:01 to 0F"):
        assert words in page
    data = next(one for one in to_json(record, rank(record))["results"] if one["solution"] == "openvpn-udp")
    protocols = {one["protocol"]: one for one in data["wire"]["protocols"]}
    assert protocols["mrp"]["verdict"] == "lost"
    assert protocols["mrp"]["ways"]["b_to_a"] == {"verdict": "lost", "sent": 3, "arrived": 0, "note": ""}
    assert {name: one["between_lans"] for name, one in protocols.items() if one["between_lans"] != "crosses"} == {
        "lldp": "lost",
        "ptp-peer-delay": "lost",
        "mrp": "lost",
        "priority-tag": "changed",
    }


def test_comparisons_of_earlier_versions_have_no_table_of_protocols() -> None:
    record = with_open_device(sample_record())
    attempts = (
        replace(one, capture=replace(one.capture, protocols=()) if one.capture else None) for one in record.attempts
    )
    record = replace(record, attempts=tuple(attempts))
    assert "Between joined LANs" not in to_html(record, rank(record))
    assert to_pdf(record, rank(record)).startswith(b"%PDF")


def test_overhead_is_beside_its_arithmetic() -> None:
    record = with_open_device(sample_record())
    view = report_view(record, rank(record))
    made = next(one["packet_tests"] for one in view["candidates"] if one["solution"] == "openvpn-udp")
    by_size = {row[0].replace("\u202f", ""): row[1:] for row in made["overhead"]}
    assert by_size["60"] == ["1", "143", "143", "138", "33"]
    assert by_size["1514"][0] == "2 (fragments)"


def test_what_a_host_reported_remains_text() -> None:
    record = hostile_record()
    page = to_html(record, rank(record))
    assert "<h3>Packet tests</h3>" in page
    assert "<script>" not in page
    assert to_pdf(record, rank(record)).startswith(b"%PDF")


def test_the_report_for_programs_has_it_per_result_and_attempt() -> None:
    record = with_open_device(sample_record(rounds=2))
    result = next(one for one in to_json(record, rank(record))["results"] if one["solution"] == "wireguard")
    assert result["wire"]["leak"]["verdict"] == "protected"
    assert [one["verdict"] for one in result["wire"]["leak"]["broken"]] == ["fails-closed", "fails-open"]
    assert {name: one["verdict"] for name, one in result["wire"]["properties"].items()} == {
        "confidential": "holds",
        "authentic": "not-tried",
        "replay-proof": "holds",
    }
    assert result["wire"]["injection"]["hosts"]["b"]["missing"].keys() == {"altered"}
    assert result["wire"]["overhead"][0]["frame_bytes"] == 60
    assert result["attempts"][0]["wire"] == result["wire"]
    assert result["attempts"][1]["wire"] is None
    nothing = without_captures(record)
    assert all(one["wire"] is None for one in to_json(nothing, rank(nothing))["results"])


def test_the_table_has_columns_for_it(tmp_path: Path) -> None:
    record = with_open_device(sample_record(rounds=2))
    write_report(record, rank(record), tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(newline="", encoding="utf-8") as file:
        rows = [
            row for row in csv.DictReader(file) if row["solution"] == "openvpn-udp" and row["status"] == "completed"
        ]
    first = next(row for row in rows if row["round"] == "1" and row["frame_bytes"] == "1514")
    assert (first["leak"], first["breakage"], first["wire_packets"]) == ("protected", "fails-open", "2.0")
    assert (first["wire_bytes"], first["wire_theory_bytes"], first["wire_is_fragmented"]) == ("1631.0", "1597", "1")
    assert (first["authentic"], first["replay_proof"]) == ("not-tried", "holds")
    assert {row["leak"] + row["authentic"] for row in rows if row["round"] == "2"} == {""}


def test_the_command_line_prints_a_line_for_each_candidate() -> None:
    record = with_open_device(sample_record())
    with CleanConsole(width=200, record=True, file=None) as console, console.capture() as shown:
        print_ranking(console, record, rank(record))
    lines = [line for line in shown.get().splitlines() if ": packet tests: " in line]
    assert len(lines) == len({(one.key.solution, one.key.suite) for one in record.attempts if one.capture is not None})
    assert any(
        "✓ confidential; ? authentic; ✓ replay-proof; ✕ fails open; frames of 1514 B are fragmented" in line
        for line in lines
    )


@pytest.mark.parametrize(
    ("report", "line"),
    [
        (CaptureReport(), ""),
        (
            CaptureReport(leak=LeakProof(LeakVerdict.NOT_PROVEN, 0, 0, {}, {}, {}, note="gw-a has no tcpdump.")),
            "? not proven; gw-a has no tcpdump",
        ),
        (replace(capture_report(0, LeakVerdict.LEAKS), overhead=()), "✕ leaks"),
    ],
)
def test_one_line_says_what_matters(report: CaptureReport, line: str) -> None:
    assert capture_line(report) == line
