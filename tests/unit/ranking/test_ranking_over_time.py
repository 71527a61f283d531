"""Comparisons of a pair in the order of time."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from app.domain.results import CampaignRecord
from app.ranking.over_time import over_time
from app.ranking.rank import rank
from support.sample_records import MODELS, STARTED, sample_record


def stored(number: int, days: int, kernel: str) -> CampaignRecord:
    record = sample_record(rounds=2, pings=20, models=MODELS[:3], seed=number)
    facts = {**record.facts, "a": replace(record.facts["a"], kernel=kernel)}
    return replace(record, campaign_id=number, started_at=STARTED + timedelta(days=days), facts=facts)


def test_the_oldest_comes_first_and_changes_are_those_since_the_one_before() -> None:
    records = [stored(9, 400, "6.12.1"), stored(3, 0, "6.1.0"), stored(5, 30, "6.1.0")]
    past = over_time((one, rank(one)) for one in records)
    assert [one.campaign_id for one in past] == [3, 5, 9]
    assert [[(each.what, each.before, each.after) for each in one.changed] for one in past] == [
        [],
        [],
        [("A: kernel", "6.1.0", "6.12.1")],
    ]


def test_latencies_are_those_of_the_ranking() -> None:
    record = stored(3, 0, "6.1.0")
    ranking = rank(record)
    (past,) = over_time([(record, ranking)])
    assert past.latencies == {(one.solution, one.suite): one.weighted_latency_ms for one in ranking.results}


def test_what_was_not_measured_has_no_latency() -> None:
    record = stored(3, 0, "6.1.0")
    kept = tuple(one for one in record.attempts if one.key.solution != "wireguard")
    record = replace(record, attempts=kept)
    (past,) = over_time([(record, rank(record))])
    assert "wireguard" not in {solution for solution, _ in past.latencies}
    assert past.latencies
