from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sample_records import hostile_record, sample_record

from app.domain.profiles import FRAME_BYTES
from app.domain.results import CampaignStatus
from app.ranking import rank
from app.reports import to_json, write_report

LATENCY_FIELDS = {
    "frame_bytes",
    "sent",
    "received",
    "duplicates",
    "mean_ms",
    "p5_ms",
    "p50_ms",
    "p95_ms",
    "p99_ms",
    "p999_ms",
    "max_ms",
    "stdev_ms",
    "over_deadline_pct",
    "note",
    "jitter_ms",
}


def data(**options: object) -> dict[str, Any]:
    record = sample_record(**options)  # type: ignore[arg-type]
    return to_json(record, rank(record))


def result(report: dict[str, Any], solution: str, suite: str = "") -> dict[str, Any]:
    return next(one for one in report["results"] if one["solution"] == solution and suite in one["suite"])


def test_has_the_promised_fields() -> None:
    report = data()
    assert report["format"] == 1
    assert (report["campaign_id"], report["status"], report["tunnelmark_version"]) == (7, "completed", "0.1.0")
    wireguard = result(report, "wireguard")
    assert (wireguard["status"], wireguard["reason"], wireguard["verdict"]) == ("completed", None, "recommended")
    low, high = wireguard["weighted_latency_ci_ms"]
    assert low < wireguard["weighted_latency_ms"] < high
    assert [one["frame_bytes"] for one in wireguard["latency"]] == list(FRAME_BYTES)
    assert set(wireguard["latency"][0]) == LATENCY_FIELDS
    assert set(wireguard["throughput_mbit_s"]) == {"a_to_b", "b_to_a"}
    assert set(wireguard["cpu_pct"]) == {"a", "b"}
    assert all(isinstance(value, float) for value in wireguard["cpu_pct"].values())
    assert wireguard["latency_vs_baseline"] > 1
    assert [attempt["round"] for attempt in wireguard["attempts"]] == [1, 2, 3]
    assert report["ranking"][0] == {"rank": 1, "solution": "wireguard", "suite": "chacha20-poly1305", "tied_with": []}
    assert report["hosts"]["a"]["kernel"].startswith("6.12")


def test_figures_can_be_recomputed_from_the_samples() -> None:
    record = sample_record(rounds=1, pings=500)
    report = to_json(record, rank(record))
    samples = next(one for one in record.attempts if one.key.solution == "wireguard").latency[2].rtt_us / 1000
    found = result(report, "wireguard")["latency"][2]
    assert found["frame_bytes"] == 256
    assert found["mean_ms"] == pytest.approx(samples.mean(), abs=1e-6)
    assert found["p95_ms"] == pytest.approx(np.percentile(samples, 95), abs=1e-6)
    assert found["p999_ms"] == pytest.approx(np.percentile(samples, 99.9), abs=1e-6)
    assert found["max_ms"] == pytest.approx(samples.max())


def test_what_is_not_known_is_null() -> None:
    report = data(rounds=1)
    assert result(report, "wireguard")["weighted_latency_ci_ms"] is None
    failed = result(report, "openvpn-udp", "bf-cbc")
    assert failed["status"] == "failed"
    assert failed["reason"] == "tunnel-down"
    assert failed["weighted_latency_ms"] is None
    assert failed["latency"] == []
    assert failed["throughput_mbit_s"] == {"a_to_b": None, "b_to_a": None}
    assert failed["cpu_pct"] == {"a": None, "b": None}


def test_without_a_deadline_nothing_is_late() -> None:
    report = data(deadline_ms=None)
    assert report["deadline_ms"] is None
    assert result(report, "baseline")["latency"][0]["over_deadline_pct"] is None


@pytest.mark.parametrize("kept", [0, 3])
def test_an_unfinished_campaign(kept: int) -> None:
    report = data(attempts_kept=kept, status=CampaignStatus.CANCELLED)
    assert report["status"] == "cancelled"
    assert result(report, "openvpn-tcp")["status"] == "not-run"
    assert json.loads(json.dumps(report)) == report


def test_survives_a_round_trip_through_a_file(tmp_path: Path) -> None:
    record = sample_record(pings=30)
    path = tmp_path / "report.json"
    write_report(record, rank(record), path)
    assert json.loads(path.read_text(encoding="utf-8")) == to_json(record, rank(record))


def test_hostile_text_remains_inside_its_strings(tmp_path: Path) -> None:
    record = hostile_record()
    path = tmp_path / "report.json"
    write_report(record, rank(record), path)
    report = json.loads(path.read_text(encoding="utf-8"))
    assert report["hosts"]["a"]["hostname"].startswith("<script>alert(1)</script>&\"'`")


def test_every_field_is_in_the_documentation() -> None:
    text = (Path(__file__).parents[3] / "docs" / "data-format.md").read_text(encoding="utf-8")
    report = data()
    one = report["results"][0]
    fields = {*report, *one, *one["latency"][0], *one["attempts"][0], *report["ranking"][0]}
    fields |= {*report["recommendation"], *report["drift"], *report["profile"], *report["pair"]}
    assert {field for field in fields if f"`{field}`" not in text} == set()
