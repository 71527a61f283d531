"""Jitter: what it is the mean of, and where it is written."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from app.domain.profiles import FRAME_BYTES, FRAME_WEIGHTS
from app.domain.results import LOST_RTT_US, LatencySeries
from app.ranking import rank, summarise
from app.ranking.summaries import jitter_ms
from app.reports.csv_report import to_csv
from app.reports.json_report import to_json
from support.sample_records import sample_record

LOST = int(LOST_RTT_US)


def series(*rtt_us: int) -> LatencySeries:
    received = sum(value != LOST for value in rtt_us)
    return LatencySeries(60, len(rtt_us), received, 0, np.array(rtt_us, dtype=np.uint32))


@pytest.mark.parametrize(
    ("rounds", "expected"),
    [
        ([(1_000, 3_000, 2_000)], 1.5),
        ([(1_000, 3_000), (5_000, 5_000, 5_000)], 2 / 3),
        ([(1_000, LOST, 9_000, 9_500)], 0.5),
        ([(1_000, LOST, 9_000)], None),
        ([(1_000,), (9_000,)], None),
        ([()], None),
        ([(LOST, LOST)], None),
    ],
)
def test_successive_replies_of_one_series_count(rounds: list[tuple[int, ...]], expected: float | None) -> None:
    found = jitter_ms([series(*one) for one in rounds])
    assert found == (None if expected is None else pytest.approx(expected))
    assert summarise([series(*one) for one in rounds], None).jitter_ms == found


def test_a_candidates_jitter_has_the_weights_of_the_latency() -> None:
    record = sample_record(rounds=2)
    result = next(one for one in rank(record).results if one.solution == "wireguard")
    sizes = {one.frame_bytes: one.jitter_ms or 0.0 for one in result.latency}
    expected = sum(weight * sizes[size] for size, weight in zip(FRAME_BYTES, FRAME_WEIGHTS, strict=True))
    assert result.jitter_ms == pytest.approx(expected)
    assert expected > 0
    data = next(one for one in to_json(record, rank(record))["results"] if one["solution"] == "wireguard")
    assert data["jitter_ms"] == pytest.approx(expected, abs=1e-6)
    assert data["latency"][0]["jitter_ms"] == pytest.approx(sizes[data["latency"][0]["frame_bytes"]], abs=1e-6)


def test_csv_has_that_of_each_attempt_and_size() -> None:
    record = sample_record(rounds=2)
    rows = csv.DictReader(io.StringIO(to_csv(record, rank(record)).decode()))
    first = record.attempts[0].latency[0]
    found = next(one for one in rows if one["frame_bytes"] == str(first.frame_bytes))
    assert float(found["jitter_ms"]) == pytest.approx(jitter_ms([first]))


def test_a_size_without_replies_leaves_the_candidate_without_jitter() -> None:
    record = sample_record()
    attempts = []
    for one in record.attempts:
        latency = tuple(
            replace(each, received=0, rtt_us=np.full(each.sent, LOST_RTT_US)) if each.frame_bytes == 1_514 else each
            for each in one.latency
        )
        attempts.append(replace(one, latency=latency))
    assert all(one.jitter_ms is None for one in rank(replace(record, attempts=tuple(attempts))).results)
