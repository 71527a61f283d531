"""A database of format 8, without conditions of the link, is opened by today's program."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app.domain.condition_files import presets
from app.domain.conditions import AS_FOUND, ConditionCheck, MeasuredCondition, Quantity
from app.storage import Store
from app.storage.database import APPLICATION_ID, read_migrations
from support.soundness import check_soundness

RECORDED = Path(__file__).parent / "recorded"
EXPECTED: dict[str, Any] = json.loads((RECORDED / "format8.json").read_text())
"""Results that the program read from a database of format 8 when it wrote it."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "t.db", isolation_level=None)) as connection:
        connection.executescript((RECORDED / "format8.sql").read_text())
        connection.execute("PRAGMA user_version = 8")
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
        assert (one.condition, record.plan.condition, record.measured_conditions) == (AS_FOUND, None, ())
        found[str(one.campaign_id)] = {
            "status": record.status.value,
            "message": one.message,
            "done": one.attempts_done,
            "planned": one.attempts_planned,
            "profile": one.profile.value,
            "attempts": [
                [
                    *(made.key.position, made.key.solution, made.key.condition, made.status.value),
                    [series.rtt_us.tolist() for series in made.latency],
                ]
                for made in record.attempts
            ],
        }
    assert found == EXPECTED
    assert check_soundness(path) == ()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == len(read_migrations())


def test_a_condition_is_kept_as_asked_for_and_as_measured(store: Store) -> None:
    record = store.load_campaign(1)
    number = store.create_campaign(replace(record.plan, condition=presets()["geo"]), record.facts, "0.2.0")
    check = ConditionCheck(Quantity.RTT, "", 500.0, 501.5, 490.0, 510.0, is_met=True)
    first = MeasuredCondition("geo", datetime(2026, 11, 25, 22, 0, tzinfo=UTC), (check,))
    second = replace(first, checks=(replace(check, measured=560.0, is_met=False),))
    store.save_condition(number, first)
    store.save_condition(number, second)
    found = store.load_campaign(number)
    assert found.plan.condition == presets()["geo"]
    assert found.measured_conditions == (first, second)
    assert [one.is_met for one in found.measured_conditions] == [True, False]
    assert store.campaign_summary(number).condition == "geo"
