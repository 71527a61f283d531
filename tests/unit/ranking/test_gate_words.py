"""Gates in reports and warnings: readings with their limits, and a warning where one is in doubt."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sample_records import MODELS, sample_record

from app.domain.gates import Gate, GateName, GateVerdict, HostReadings
from app.ranking import rank
from app.ranking.gates import LIMITS, gates_of, rounds_gate, shown_limits
from app.ranking.warnings import candidate_warnings, warnings_of
from app.reports.json_report import to_json
from app.reports.view import report_view
from app.wording.gates import GATE_COLUMNS, TITLES, gate_rows
from app.wording.numbers import figure


def test_a_reading_in_doubt_is_a_warning_and_a_row_with_its_limits() -> None:
    record = sample_record(models=MODELS[:3], pings=50)
    readings = {"a": HostReadings(steal_pct=4.0, clock_source="tsc"), "b": HostReadings(steal_pct=0.0)}
    record = replace(record, attempts=tuple(replace(one, readings=readings) for one in record.attempts))
    ranking = rank(record)
    result = ranking.results[0]
    sentence = "Conditions in doubt while measuring: 4.0 % of the CPU taken on A."
    assert sentence in candidate_warnings(record, result)
    titles = "; ".join(one.title for one in ranking.results)
    assert f"{titles}: {sentence}" in warnings_of(record, ranking)
    rows = {row[0]: row for row in report_view(record, ranking)["candidates"][0]["gates"]}
    assert rows["CPU taken by a hypervisor"][1:] == ["4.0 % of the CPU taken on A", "in doubt", "2.00 %", "10.0 %"]
    assert rows["Clock source"][2:] == ["ok", "–", "–"]
    assert all(len(row) == len(GATE_COLUMNS) for row in rows.values())


def test_warm_up_underlay_and_resolution_are_rows_and_in_json() -> None:
    record = sample_record(models=MODELS[:3], pings=50)
    readings = {"a": HostReadings(underlay_drops=40), "b": HostReadings(underlay_drops=2)}
    attempts = tuple(replace(one, readings=readings, warm_up_ratio=1.2) for one in record.attempts)
    record = replace(record, attempts=attempts)
    ranking = rank(record)
    rows = {row[0]: row[1:] for row in report_view(record, ranking)["candidates"][0]["gates"]}
    assert rows["Packets dropped or damaged on the underlay"][1:] == ["in doubt", "10.0", figure(1_000)]
    assert rows["Packets dropped or damaged on the underlay"][0].endswith("by the underlay's interface on A")
    assert rows["Warm-up"] == [
        "round-trip times just before the end of the warm-up 1.20 times those at its end", "in doubt", "1.05", "–"
    ]  # fmt: skip
    assert rows["Resolution of round-trip times"][1:] == ["ok", "5.00 %", "–"]
    gates = {one["name"]: one for one in to_json(record, ranking)["results"][0]["gates"]}
    assert (gates["underlay-drops"]["value"], gates["underlay-drops"]["verdict"]) == (40.0, "doubt")
    assert (gates["warm-up"]["value"], gates["warm-up"]["verdict"]) == (1.2, "doubt")
    assert gates["rtt-resolution"]["verdict"] == "ok"
    (warning,) = [one for one in candidate_warnings(record, ranking.results[0]) if "in doubt" in one]
    assert "40 packets" in warning
    assert "warm-up" not in warning, "a doubt of the attempt says so"


def test_every_gate_of_fixed_rounds_is_in_json() -> None:
    record = sample_record(pings=50)
    one_host = HostReadings(
        wait_ms=1.0,
        steal_pct=0.5,
        drops=0,
        clock_source="tsc",
        governor="performance",
        throttled=0,
        clock_step_ms=0.0,
        requests=400,
        underlay_drops=0,
    )
    readings = {"a": one_host, "b": one_host}
    attempts = tuple(replace(one, readings=readings, own_load_cores=0.1, warm_up_ratio=1.0) for one in record.attempts)
    record = replace(record, attempts=attempts)
    results = to_json(record, rank(record))["results"]
    of_vpn = next(one for one in results if one["solution"] == "wireguard")
    assert {one["name"]: one["verdict"] for one in of_vpn["gates"]} == dict.fromkeys(map(str, GateName), "ok")


def test_every_gate_has_a_title_and_the_limits_are_those_that_judge() -> None:
    assert TITLES.keys() == set(GateName)
    assert shown_limits()[GateName.SPREAD] == (LIMITS[GateName.SPREAD].doubt, LIMITS[GateName.SPREAD].repeat, None)
    assert shown_limits()[GateName.DROPS] == (0.0, None, None)
    assert shown_limits()[GateName.THROTTLING] == (None, 0.0, None)


@pytest.mark.parametrize(
    ("spread_pct", "verdict", "words"),
    [(10.0, GateVerdict.OK, "ok"), (40.0, GateVerdict.DOUBT, "in doubt"), (60.0, GateVerdict.FAILED, "barred")],
)
def test_rounds_that_differ_are_never_repeated_and_bar(spread_pct: float, verdict: GateVerdict, words: str) -> None:
    gate = rounds_gate(spread_pct)
    assert gate.verdict is verdict
    assert gate_rows([gate], shown_limits())[0][2:] == (words, "25.0 %", "never; barred above 50.0 %")


def test_one_throttling_repeats() -> None:
    attempt = next(one for one in sample_record(pings=50).attempts if one.latency)
    gates = gates_of(replace(attempt, readings={"a": HostReadings(throttled=1), "b": HostReadings(throttled=0)}))
    rows = {row[0]: row[2:] for row in gate_rows(gates, shown_limits())}
    assert rows["Throttling of the CPU"] == ("disturbed", "–", figure(0.0, 3))


def test_a_reading_that_repeats_did_not_mend_says_so() -> None:
    gate = Gate(GateName.STEAL, 20.0, GateVerdict.FAILED, "20 % of the CPU taken on A")
    assert gate_rows([gate], shown_limits())[0][2:] == ("still disturbed after three repeats", "2.00 %", "10.0 %")
