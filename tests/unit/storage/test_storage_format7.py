"""A database of format 7, without blocks in attempts, is opened by today's program."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.domain.profiles import ADAPTIVE_PROFILE
from app.domain.results import CampaignStatus
from app.storage import Store
from app.storage.database import APPLICATION_ID, read_migrations
from support.soundness import check_soundness

RECORDED = Path(__file__).parent / "recorded"
EXPECTED: dict[str, Any] = json.loads((RECORDED / "format7.json").read_text())
"""Results that the program read from a database of format 7 when it wrote it."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "t.db", isolation_level=None)) as connection:
        connection.executescript((RECORDED / "format7.sql").read_text())
        connection.execute("PRAGMA user_version = 7")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    return tmp_path / "t.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.open(path) as opened:
        yield opened


def test_every_comparison_is_there_without_loss(store: Store, path: Path) -> None:
    found = {}
    for one in store.list_campaigns("north"):
        record = store.load_campaign(one.campaign_id)
        found[str(one.campaign_id)] = {
            "status": record.status.value,
            "message": one.message,
            "done": one.attempts_done,
            "planned": one.attempts_planned,
            "profile": one.profile.value,
            "attempts": [
                [
                    *(made.key.position, made.key.solution, made.status.value, made.setup_s, made.probe_s),
                    [series.rtt_us.tolist() for series in made.latency],
                ]
                for made in record.attempts
            ],
        }
    assert found == EXPECTED
    assert check_soundness(path) == ()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == len(read_migrations())


def test_attempts_of_then_have_neither_blocks_nor_readings(store: Store) -> None:
    record = store.load_campaign(1)
    assert not record.plan.profile.is_adaptive
    for attempt in record.attempts:
        assert (attempt.blocks, dict(attempt.readings), attempt.own_load_cores, attempt.repeats) == ((), {}, None, 0)
        assert (dict(attempt.cpu_at_rate), attempt.rate_mbit_s) == ({}, None)


def test_an_adaptive_comparison_that_completed_needed_the_attempts_that_it_has(store: Store) -> None:
    record = store.load_campaign(1)
    plan = replace(record.plan, profile=ADAPTIVE_PROFILE)
    number = store.create_campaign(plan, record.facts, "0.2.0")
    for attempt in record.attempts[:4]:
        store.save_attempt(number, attempt)
    store.finish_campaign(number, CampaignStatus.INTERRUPTED, "gateway-b stays away.")
    assert store.unfinished_campaign("north") == number
    assert store.list_campaigns("north")[0].attempts_planned == len(plan.attempts)
    assert store.load_campaign(number).attempts_needed == len(plan.attempts)

    store.finish_campaign(number, CampaignStatus.COMPLETED, "")
    line = store.list_campaigns("north")[0]
    assert (line.attempts_done, line.attempts_planned) == (4, 4)
    assert store.load_campaign(number).attempts_needed == 4
    assert store.unfinished_campaign("north") == 1 + 1  # the one that was interrupted by format 7's program
