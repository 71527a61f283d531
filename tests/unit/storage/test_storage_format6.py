"""A database of format 6, with tables of their own for censuses, is opened by today's program."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from app.domain.census import CensusRecord, OptionStatus
from app.domain.history import EntryId, EntryKind
from app.domain.results import CampaignStatus
from app.measurement.census import find_unfinished
from app.reports.census_json import census_to_json
from app.storage import Store
from app.storage.database import APPLICATION_ID
from support.soundness import check_soundness

RECORDED = Path(__file__).parent / "recorded"
EXPECTED: dict[str, Any] = json.loads((RECORDED / "format6.json").read_text())
"""Results that the program read from a database of format 6 when it wrote it."""


def make(path: Path, *damage: str) -> Path:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript((RECORDED / "format6.sql").read_text())
        connection.execute("PRAGMA user_version = 6")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        for statement in damage:
            connection.execute(statement)
    return path


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(make(tmp_path / "t.db")) as opened:
        yield opened


def test_every_comparison_is_there_without_loss(store: Store) -> None:
    found = {}
    for one in store.list_campaigns("north"):
        record = store.load_campaign(one.campaign_id)
        assert record.ended_at is not None
        found[str(one.campaign_id)] = {
            "status": record.status.value,
            "note": record.note,
            "message": one.message,
            "done": one.attempts_done,
            "planned": one.attempts_planned,
            "started_at": record.started_at.isoformat(),
            "ended_at": record.ended_at.isoformat(),
            "attempts": [
                [made.key.position, made.key.solution, made.status.value, [one.rtt_us.tolist() for one in made.latency]]
                for made in record.attempts
            ],
        }
    assert found == EXPECTED["comparisons"]


def test_every_census_is_there_without_loss(store: Store, tmp_path: Path) -> None:
    found = {str(number): census_to_json(store.load_census(number), {}) for number in store.list_censuses("north")}
    assert found == EXPECTED["censuses"]
    summaries = [
        [one.census_id, one.pair, one.is_complete, one.is_running, one.options, one.tried, one.failed, one.pings]
        for one in store.census_summaries()
    ]
    assert summaries == [one[:8] for one in EXPECTED["summaries"]]
    assert store.census_summaries()[-1].note == "all of it\nin two lines"
    first = store.load_census(1).results
    assert [one.position for one in first] == [3, 0, 1, 2]
    assert (first[1].weighted_latency_ms, first[1].took_s, first[0].reason) == (2.25, 3.5, "segfault")
    assert check_soundness(tmp_path / "t.db") == ()


def test_an_unfinished_census_is_found_and_gone_on_with(store: Store) -> None:
    assert list(store.unfinished_censuses("north")) == EXPECTED["unfinished"]
    record = store.load_census(2)
    store.delete_measured([EntryId(EntryKind.CENSUS, 3), EntryId(EntryKind.CENSUS, 4)])
    assert find_unfinished(store, record.plan, record.facts, record.tunnelmark_version) == 2
    store.claim_campaign(2, EntryKind.CENSUS)
    for item in record.plan.items:
        if item.position not in {one.position for one in record.results}:
            store.save_attempt(2, item.result(OptionStatus.WORKS))
    store.finish_campaign(2, CampaignStatus.COMPLETED, kind=EntryKind.CENSUS)
    gone_on: CensusRecord = store.load_census(2)
    assert gone_on.is_complete
    assert gone_on.results[: len(record.results)] == record.results
    assert store.unfinished_censuses("north") == ()


def test_numbers_go_on_and_none_is_used_twice(store: Store) -> None:
    comparison, census = store.load_campaign(1), store.load_census(1)
    assert store.create_campaign(comparison.plan, comparison.facts, "0.2.0") == 4  # 3 was deleted
    assert store.create_campaign(census.plan, census.facts, "0.2.0") == 6  # 5 was deleted
    store.finish_campaign(6, CampaignStatus.INTERRUPTED, kind=EntryKind.CENSUS)
    store.delete_measured([EntryId(EntryKind.CENSUS, 6)])
    assert store.create_campaign(census.plan, census.facts, "0.2.0") == 7
    assert store.load_campaign(1).attempts
    assert store.load_census(1).results == census.results


def test_a_damaged_row_keeps_nothing_else_from_being_opened(tmp_path: Path) -> None:
    path = make(
        tmp_path / "t.db",
        "UPDATE census SET plan = 'nope' WHERE id = 2",
        "UPDATE census_option SET result = '{' WHERE census_id = 3",
    )
    with Store.open(path) as store:
        assert store.load_census(1).is_complete
        assert len(store.list_censuses()) == 4
