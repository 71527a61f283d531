"""`tunnelmark diff` in words: states, and what its factors are of."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from sample_records import MODELS, sample_record

from app.cli.diff import diff_data, print_diff
from app.cli.terminal import CleanConsole
from app.domain.condition_files import presets
from app.domain.results import AttemptStatus, CampaignRecord
from app.ranking.comparing import ComparisonDiff, compare_records
from app.ranking.rank import rank


def later(record: CampaignRecord) -> CampaignRecord:
    """Return a comparison whose WireGuard has rare long round trips, and in which OpenVPN was skipped."""
    attempts = []
    for one in record.attempts:
        if one.key.solution == "wireguard":
            times = [each.rtt_us.copy() for each in one.latency]
            for each in times:
                each[::5] = 20 * each.min()
            series = zip(one.latency, times, strict=True)
            attempts.append(replace(one, latency=tuple(replace(each, rtt_us=rtt_us) for each, rtt_us in series)))
        else:
            is_skipped = one.key.solution == "openvpn-udp"
            attempts.append(replace(one, status=AttemptStatus.SKIPPED) if is_skipped else one)
    return replace(record, campaign_id=2, attempts=tuple(attempts))


@pytest.fixture(scope="module")
def found() -> ComparisonDiff:
    old = sample_record(models=MODELS[:5], rounds=1)
    new = later(old)
    return compare_records((old, rank(old)), (new, rank(new)))


def test_a_factor_that_contradicts_the_means_is_called_one_of_medians(found: ComparisonDiff) -> None:
    out = io.StringIO()
    print_diff(CleanConsole(file=out, width=200), found)
    assert "Factors are of medians; the means beside them may be in another ratio." in out.getvalue()


def test_a_skipped_candidate_is_called_so(found: ComparisonDiff) -> None:
    out = io.StringIO()
    print_diff(CleanConsole(file=out, width=200), found)
    (line,) = [line for line in out.getvalue().splitlines() if line.startswith("OpenVPN") and "skipped" in line]
    assert line.rstrip().endswith("skipped in the later one")


def test_the_data_say_how_a_candidate_ended_each_time(found: ComparisonDiff) -> None:
    rows = json.loads(json.dumps(diff_data(found)))["candidates"]
    assert {row["solution"]: row["outcomes"] for row in rows}["openvpn-udp"] == ["completed", "skipped"]


def test_the_data_say_whether_each_comparison_has_a_candidate() -> None:
    old, new = sample_record(models=MODELS[:5], rounds=1), sample_record(models=MODELS[:4], rounds=1)
    data = json.loads(json.dumps(diff_data(compare_records((old, rank(old)), (new, rank(new))))))
    assert data["format"] == 1
    rows = {row["solution"]: (row["was_tried"], row["outcomes"]) for row in data["candidates"]}
    assert rows["openvpn-tcp"] == ([True, False], ["completed", None])
    assert rows["wireguard"] == ([True, True], ["completed", "completed"])


def test_every_field_of_the_data_is_documented(found: ComparisonDiff) -> None:
    text = (Path(__file__).parents[3] / "docs" / "data-format.md").read_text(encoding="utf-8")
    section = text.partition("## Two comparisons\n")[2].partition("\n## ")[0]
    data = diff_data(found)
    fields = {*data, *json.loads(json.dumps(data))["candidates"][0]}
    assert [field for field in sorted(fields) if f"`{field}`" not in section] == []


def test_different_conditions_are_named_before_the_figures() -> None:
    old = sample_record(models=MODELS[:3], rounds=1)
    new = replace(old, campaign_id=2, plan=replace(old.plan, condition=presets()["geo"]))
    found = compare_records((old, rank(old)), (new, rank(new)))
    out = io.StringIO()
    print_diff(CleanConsole(file=out, width=100), found)
    assert "The link was under different conditions" in out.getvalue().splitlines()[0]
    assert diff_data(found)["is_same_condition"] is False
