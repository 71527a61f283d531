"""Figures of a workload in every report, from its declaration alone."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from app.cli.results import print_ranking, ranking_table
from app.cli.terminal import CleanConsole
from app.domain.results import CampaignRecord
from app.probes.workloads import WORKLOADS
from app.ranking import rank
from app.reports import write_report
from app.reports.csv_report import to_csv
from app.reports.json_report import to_json
from support.made_up_workload import MADE_UP, made_up_record
from support.sample_records import sample_record


@pytest.fixture(name="record")
def made_up(monkeypatch: pytest.MonkeyPatch) -> CampaignRecord:
    """A comparison with a workload that is registered for this test alone."""
    monkeypatch.setitem(cast("dict[str, object]", WORKLOADS), MADE_UP.name, MADE_UP)
    return made_up_record()


def test_json_has_its_figures_with_titles_and_units(record: CampaignRecord) -> None:
    data = json.loads(json.dumps(to_json(record, rank(record))))["workloads"]
    assert [(one["workload"], one["figure"], one["unit"]) for one in data] == [
        ("made-up", "jobs", "jobs/min"),
        ("made-up", "idle-share", "%"),
        ("made-up", "s", "s"),
    ]
    means = {one["solution"]: one["mean"] for one in data[0]["values"]}
    assert (means["wireguard"], means["openvpn-udp"], "baseline" in means) == (10.0, 30.0, False)


def test_csv_has_a_column_for_each_figure_of_each_attempt(record: CampaignRecord) -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(record, rank(record)).decode())))
    columns = ("made_up_jobs_jobs_min", "made_up_idle_share_pct", "made_up_s")
    assert tuple(rows[0])[-3:] == columns
    found = {
        (one["solution"], one["round"]): tuple(one[name] for name in columns) for one in rows if one["frame_bytes"]
    }
    assert found["openvpn-udp", "1"] == ("29.0", "25.0", "2.5")
    assert found["openvpn-udp", "2"] == ("31.0", "25.0", "2.5")
    assert found["baseline", "1"] == ("", "", "")
    plain = csv.DictReader(io.StringIO(to_csv(sample_record(), rank(sample_record())).decode()))
    assert (plain.fieldnames or [""])[-2:] == ["post_quantum", "jitter_ms"], "no column without workloads"


@pytest.mark.usefixtures("without_figures")
def test_the_report_has_its_table(record: CampaignRecord, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_report(record, rank(record), path)
    text = path.read_text(encoding="utf-8")
    assert all(words in text for words in ("Made-up work", "Jobs in a minute, jobs/min", "30.0 (29.0 to 31.0)"))


def test_the_terminal_has_its_table_and_a_column_of_the_ranking(record: CampaignRecord) -> None:
    table = ranking_table(record, rank(record))
    assert [one.name for one in table.columns][-1] == "Jobs jobs/min"
    cells = {row[1]: row[-1] for row in table.rows}
    title = record.plan.candidates[2].title
    assert cells[title] == "10.0"
    assert cells[record.plan.candidates[0].title] == "-"
    out = CleanConsole(file=io.StringIO(), width=400)
    print_ranking(out, record, rank(record))
    text = cast("io.StringIO", out.file).getvalue()
    assert "Jobs in a minute, jobs/min" in text
    narrow = CleanConsole(file=io.StringIO(), width=90)
    ranking_table(record, rank(record)).print(narrow)
    assert "Left out at this width" in cast("io.StringIO", narrow.file).getvalue()


@pytest.mark.usefixtures("without_figures")
def test_idle_data_name_the_keepalive_that_they_hold_for(tmp_path: Path) -> None:
    record = sample_record(pings=30)
    record = replace(record, plan=replace(record.plan, workloads=("idle-data",)))
    ranking, path, out = rank(record), tmp_path / "report.html", CleanConsole(file=io.StringIO(), width=400)
    write_report(record, ranking, path)
    print_ranking(out, record, ranking)
    month = "Idle data in 30 days with keepalive wired, both directions"
    assert month in path.read_text(encoding="utf-8")
    assert month in cast("io.StringIO", out.file).getvalue()
    assert month in [one["title"] for one in to_json(record, ranking)["workloads"]]
    assert [one.name for one in ranking_table(record, ranking).columns][-1] == "Idle data (wired) MB"


def test_no_rank_depends_on_it(record: CampaignRecord) -> None:
    without = replace(record, attempts=tuple(replace(one, workloads=()) for one in record.attempts))
    plain = replace(without, plan=replace(record.plan, workloads=()))
    assert rank(record).ranking == rank(plain).ranking
    assert rank(record).recommendation == rank(plain).recommendation
