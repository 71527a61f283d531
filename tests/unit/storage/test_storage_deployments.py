from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.domain.audit import AuditEntry
from app.domain.deployment import DeploymentOptions, DeploymentState
from app.domain.errors import NotFound
from app.domain.hosts import Side
from app.domain.messages.results import DEPLOYMENT_LAPSED
from app.storage import Store
from support.message_checks import has_message
from support.stored_deployments import AT, deployment


def test_a_deployment_is_read_as_it_was_written_and_follows_its_state(tmp_path: Path) -> None:
    one, two = deployment("11" * 8), deployment("12" * 8, minutes=1)
    with Store.open(tmp_path / "t.db") as store:
        for known in (one, deployment("20" * 8, pair="south")):
            store.save_pair(known.pair)
        store.save_deployment(one)
        store.save_deployment(two)
        store.save_deployment(replace(one, state=DeploymentState.CONFIRMED))
        store.save_deployment(deployment("20" * 8, minutes=2, pair="south"))
    with Store.open(tmp_path / "t.db") as store:
        assert store.list_deployments("north") == (two, replace(one, state=DeploymentState.CONFIRMED))
        assert [found.id for found in store.list_deployments(limit=1)] == ["20" * 8]
        assert store.get_deployment("12") == two
        for text in ("1", "", "33"):
            with pytest.raises(NotFound):
                store.get_deployment(text)


def test_a_deployment_of_an_earlier_version_moved_no_rules(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with Store.open(path) as store:
        store.save_pair(deployment("11" * 8).pair)
        store.save_deployment(deployment("11" * 8))
    with closing(sqlite3.connect(path)) as connection, connection:
        earlier = json.loads(connection.execute("SELECT body FROM deployment").fetchone()[0])
        assert earlier["options"].pop("moves_lan_rules") is True
        connection.execute("UPDATE deployment SET body = ?", [json.dumps(earlier)])
    with Store.open(path) as store:
        assert store.get_deployment("11" * 8).options == DeploymentOptions(bridge_a="lan0")


@pytest.mark.parametrize("statement", ["UPDATE audit SET command = 'nothing'", "DELETE FROM audit"])
def test_the_audit_log_cannot_be_changed(tmp_path: Path, statement: str) -> None:
    entry = AuditEntry(AT, "10.0.0.1", Side.A, "ip link add tml0", 0, "Make it", "eve on laptop", "11" * 8)
    path = tmp_path / "t.db"
    with Store.open(path) as store:
        store.audit(entry)
    with closing(sqlite3.connect(path)) as connection, pytest.raises(sqlite3.IntegrityError, match="cannot be changed"):
        connection.execute(statement)
    with Store.open(path) as store:
        assert store.list_audit() == (entry,)


@pytest.mark.parametrize(("minutes", "state"), [(1, DeploymentState.APPLIED), (3, DeploymentState.REMOVED)])
def test_what_is_not_confirmed_in_time_is_no_longer_reported_to_wait(
    tmp_path: Path, minutes: int, state: DeploymentState
) -> None:
    waiting = replace(
        deployment("00" * 8),
        state=DeploymentState.APPLIED,
        expires_at=datetime.now(UTC) - timedelta(minutes=minutes),
    )
    with Store.open(tmp_path / "t.db") as store:
        store.save_pair(waiting.pair)
        store.save_deployment(waiting)
        (read,) = store.list_deployments()
        assert read.state is store.get_deployment(waiting.id).state is state
    assert has_message(DEPLOYMENT_LAPSED)(read.message) is (state is DeploymentState.REMOVED)
