from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from sample_records import MODELS, attempt, hostile_record, sample_record

from app.domain.profiles import FRAME_BYTES
from app.domain.results import CampaignRecord
from app.ranking import rank
from app.reports import write_report, write_samples_csv


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def written(record: CampaignRecord, path: Path) -> list[dict[str, str]]:
    write_report(record, rank(record), path)
    return rows(path)


def test_one_line_per_attempt_and_size(tmp_path: Path) -> None:
    record = sample_record(pings=30)
    found = written(record, tmp_path / "report.csv")
    completed = [one for one in record.attempts if one.latency]
    assert len(found) == len(FRAME_BYTES) * len(completed) + len(record.attempts) - len(completed)
    first = found[0]
    assert (first["campaign_id"], first["solution"], first["round"], first["frame_bytes"]) == (
        "7",
        "baseline",
        "1",
        "60",
    )
    samples = record.attempts[0].latency[0].rtt_us
    assert float(first["mean_ms"]) == pytest.approx(samples.mean() / 1000)
    assert float(first["throughput_a_to_b_mbit_s"]) == pytest.approx(record.attempts[0].throughput[0].mbit_s)


def test_an_attempt_without_latency_has_a_line_with_its_reason(tmp_path: Path) -> None:
    found = [one for one in written(sample_record(pings=30), tmp_path / "r.csv") if one["suite"] == "bf-cbc"]
    assert len(found) == 3
    assert {(one["status"], one["reason"], one["frame_bytes"], one["mean_ms"]) for one in found} == {
        ("failed", "tunnel-down", "", "")
    }


def test_samples_are_all_there_and_lost_ones_empty(tmp_path: Path) -> None:
    import numpy as np

    record = sample_record(models=MODELS[:1], rounds=1, pings=20)
    lossy = attempt(MODELS[0], record.plan.attempts[0], np.random.default_rng(1), 20, lost=4)
    write_samples_csv(replace(record, attempts=(lossy,)), tmp_path / "samples.csv")
    found = rows(tmp_path / "samples.csv")
    assert len(found) == 20 * len(FRAME_BYTES)
    assert sum(one["rtt_us"] == "" for one in found) == 4 * len(FRAME_BYTES)
    assert [int(one["rtt_us"]) for one in found[:20] if one["rtt_us"]] == [
        int(value) for value in lossy.latency[0].rtt_us if value != 0xFFFFFFFF
    ]
    assert [int(one["index"]) for one in found[:20]] == list(range(20))


@pytest.mark.parametrize("text", ["=HYPERLINK(1)", "+1", "-1", "@SUM(1)", "\tx", "\rx"])
def test_text_from_hosts_is_no_formula(tmp_path: Path, text: str) -> None:
    record = sample_record(models=MODELS[5:], rounds=1)
    evil = replace(record, attempts=tuple(replace(one, message=text) for one in record.attempts))
    assert written(evil, tmp_path / "r.csv")[0]["message"] == f"'{text}"


def test_hostile_text_remains_in_its_cell(tmp_path: Path) -> None:
    record = hostile_record()
    found = written(record, tmp_path / "r.csv")
    assert {None} & set(found[0]) == set()
    assert {one["campaign_id"] for one in found} == {"7"}
