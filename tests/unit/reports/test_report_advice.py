"""The recommendation's heading in reports claims no more than its sentence does, and does not repeat it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from sample_records import MODELS, sample_record

from app.domain.condition_files import presets
from app.domain.profiles import ADAPTIVE_PROFILE
from app.probes.latency import LatencyRequest, ping_argv
from app.ranking import rank
from app.reports.html_report import to_html
from app.reports.json_report import to_json
from app.reports.view import report_view

pytestmark = pytest.mark.usefixtures("without_figures")


@pytest.mark.parametrize(
    ("rounds", "models", "heading", "is_clear"),
    [
        (1, MODELS, "Result", False),
        (3, MODELS, "Recommendation", True),
        (3, MODELS[:1], "Result", True),
    ],
)
def test_heading_says_whether_anything_is_recommended(
    rounds: int, models: tuple[object, ...], heading: str, is_clear: bool
) -> None:
    record = sample_record(rounds=rounds, models=models, noise=0.01)  # type: ignore[arg-type]
    ranking = rank(record)
    assert report_view(record, ranking)["recommendation"]["heading"] == heading
    assert heading.lower() not in ranking.recommendation.sentence.lower()
    assert f'<h2 id="advice">{heading}</h2>' in to_html(record, ranking)
    assert json.loads(json.dumps(to_json(record, ranking)))["recommendation"]["is_clear"] is is_clear


def test_an_adaptive_comparison_is_described_as_it_was_measured() -> None:
    record = sample_record(rounds=3)
    adaptive = replace(record, plan=replace(record.plan, profile=ADAPTIVE_PROFILE))
    view = report_view(adaptive, rank(adaptive))
    rows = {row["label"]: row["value"] for row in view["conditions"]}
    assert rows["Rounds"] == "3 of at most 8"
    assert rows["Echo requests"].startswith("blocks of 70, 60, 20, 20, 10, 10, 10 of the frame sizes")
    seconds = ADAPTIVE_PROFILE.seconds
    assert rows["TCP"] == f"{seconds} s in each direction, in the first round only"
    assert "block by block" in rows["Order of candidates"]
    assert any("up to 8 rounds" in row["value"] for row in view["facts"])
    method = " ".join(view["method"])
    assert "tested after each round" in method
    assert "paired t test" not in method
    fixed = " ".join(report_view(record, rank(record))["method"])
    assert "paired t test with the variance of each pair drawn towards that of all pairs" in fixed


def test_where_a_throughput_is_required_tcp_is_measured_in_two_rounds() -> None:
    record = sample_record(rounds=3)
    adaptive = replace(record, plan=replace(record.plan, profile=ADAPTIVE_PROFILE, min_rate_mbit_s=10.0))
    rows = {row["label"]: row["value"] for row in report_view(adaptive, rank(adaptive))["conditions"]}
    assert rows["TCP"].startswith(f"{ADAPTIVE_PROFILE.seconds} s in each direction, in the first two rounds only")


def test_the_report_names_the_options_of_ping_that_are_used() -> None:
    record = sample_record(rounds=2)
    request = LatencyRequest("192.0.2.2", None, (60,), 1)
    text = " ".join(report_view(record, rank(record))["method"])
    assert f"The program was {' '.join(ping_argv(request))} (" in text
    condition = next(iter(presets().values()))
    emulated = replace(record, plan=replace(record.plan, condition=condition))
    text = " ".join(report_view(emulated, rank(emulated))["method"])
    assert "with -i in place of -A" in text
    assert "in even steps where the condition makes the round trip long" in text
