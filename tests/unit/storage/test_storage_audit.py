"""The audit log's chain: whatever is done to the log afterwards, with any means of SQL, is noticed."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.deployment.audit_export import audit_entries
from app.domain.audit import AuditCheck, AuditEntry
from app.domain.hosts import HostSpec, NodeHost, PairSpec, Side
from app.domain.pairs import Saving
from app.storage import Store
from app.storage.database import Database, read_migrations

AT = datetime(2026, 1, 1, tzinfo=UTC)
NO_TRIGGERS = (
    "DROP TRIGGER audit_is_not_changed; DROP TRIGGER audit_is_not_deleted; DROP TRIGGER audit_is_not_replaced;"
)
REPLACE = (
    "INSERT OR REPLACE INTO audit (id, at, host, command, what, chain)"
    " SELECT id, at, host, 'true', what, chain FROM audit WHERE id = 4"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.db"


def write(path: Path, count: int = 5) -> None:
    with Store.open(path) as store:
        for number in range(count):
            store.audit(AuditEntry(AT, "10.0.0.1", Side.A, f"ip link add tml{number}", 0, "Make it", "eve", "11" * 8))


def check(path: Path) -> AuditCheck:
    with Store.open(path) as store:
        return store.check_audit()


def sql(path: Path, *scripts: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for script in scripts:
            connection.executescript(script)


def test_a_log_that_no_one_touched_holds(path: Path) -> None:
    assert check(path) == AuditCheck(0)
    write(path)
    first = check(path)
    assert (first.entries, first.unchained, first.broken_at, len(first.digest)) == (5, 0, None, 64)
    write(path, 1)
    second = check(path)
    assert second.entries == 6
    assert second.digest != first.digest


@pytest.mark.parametrize(
    ("script", "broken_at"),
    [
        ("UPDATE audit SET command = 'true' WHERE id = 3", 3),
        ("UPDATE audit SET at = '2027-01-01T00:00:00+00:00' WHERE id = 1", 1),
        ("UPDATE audit SET exit_status = NULL WHERE id = 5", 5),
        ("DELETE FROM audit WHERE id = 2", 3),
        ("DELETE FROM audit WHERE id = 1", 2),
        ("DELETE FROM audit WHERE id = 5", 5),
        ("DELETE FROM audit", 1),
        ("UPDATE audit SET id = 9 WHERE id = 2", 3),
        ("UPDATE audit SET chain = '' WHERE id = 2", 2),
        ("INSERT INTO audit (at, host, command, what) VALUES ('x', 'h', 'c', 'w')", 6),
        ("INSERT INTO audit (id, at, host, command, what, chain) VALUES (6, 'x', 'h', 'c', 'w', 'ab')", 6),
        (REPLACE, 4),
        ("DELETE FROM audit_head", 6),
    ],
)
def test_a_change_is_noticed(path: Path, script: str, broken_at: int) -> None:
    write(path)
    sql(path, NO_TRIGGERS, script)
    found = check(path)
    assert found.broken_at == broken_at
    assert found.why


def test_what_is_written_after_a_removal_does_not_hide_it(path: Path) -> None:
    write(path)
    sql(path, NO_TRIGGERS, "DELETE FROM audit WHERE id > 3")
    write(path, 2)
    assert check(path).broken_at == 4


@pytest.mark.parametrize("number", [1, 5])
def test_an_entry_cannot_be_replaced(path: Path, number: int) -> None:
    write(path)
    statement = "INSERT OR REPLACE INTO audit (id, at, host, command, what) VALUES (?, 'x', 'h', 'true', 'w')"
    with closing(sqlite3.connect(path)) as connection, pytest.raises(sqlite3.IntegrityError, match="cannot be changed"):
        connection.execute(statement, (number,))
    assert check(path).broken_at is None


def test_entries_of_an_older_version_are_covered_by_the_first_new_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr("app.storage.database.read_migrations", lambda real=read_migrations: real()[:4])
        Database(path).close()
    sql(path, "INSERT INTO audit (at, host, command, what) VALUES ('2025-01-01T00:00:00+00:00', 'h', 'c', 'w');")
    write(path, 2)
    found = check(path)
    assert (found.entries, found.unchained, found.broken_at) == (2, 1, None)
    with Store.open(path) as store:
        assert [entry.host for entry in store.list_audit()] == ["10.0.0.1", "10.0.0.1", "h"]
    sql(path, NO_TRIGGERS, "UPDATE audit SET command = 'd' WHERE host = 'h'")
    assert check(path).broken_at == 2


def run(monkeypatch: pytest.MonkeyPatch, home: Path) -> tuple[int, str]:
    monkeypatch.setenv("TUNNELMARK_HOME", str(home))
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setattr("sys.stderr", err)
    status = main(["audit", "--verify"])
    return status, " ".join((out.getvalue() + err.getvalue()).split())


def damage(path: Path) -> None:
    sql(path, NO_TRIGGERS, "DELETE FROM audit WHERE id = 2")


@pytest.mark.parametrize(
    ("harm", "status", "words"),
    [
        (lambda _path: None, ExitCode.OK, "All 5 entries hold. Their digest: "),
        (damage, ExitCode.FAILED, "The audit log was changed. Entry 3 is not"),
    ],
)
def test_the_command_says_whether_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: Callable[[Path], None], status: int, words: str
) -> None:
    assert run(monkeypatch, tmp_path) == (ExitCode.OK, "The audit log is empty.")
    (database,) = tmp_path.rglob("tunnelmark.db")
    write(database)
    harm(database)
    found, reported = run(monkeypatch, tmp_path)
    assert found == status
    assert reported.startswith(words)


def test_a_host_may_have_been_changed_by_an_address_that_no_pair_has_any_more(path: Path) -> None:
    a, b = HostSpec("A", "10.0.0.1"), HostSpec("B", "10.0.0.2")
    nodes = [NodeHost(HostSpec(f"node-{nth}", f"Node-{nth}.example"), "eth1", "eth2") for nth in (1, 2)]
    pair = PairSpec("north", a, b, "10.9.0.1", "10.9.0.2", node_a=nodes[0], node_b=nodes[1])
    with Store.open(path) as store:
        store.save_pair(pair, Saving.ADD)
        for address in ("10.0.0.1", "127.0.0.1", "node-1.example"):
            store.audit(AuditEntry(AT, address, Side.A, "ip link add tml9", 0, "Make it"))
        assert [store.may_have_changed(one.address) for one in pair.hosts] == [True, False, True, False]
        by_address = [replace(one, host=replace(one.host, address=f"10.0.1.{nth}")) for nth, one in enumerate(nodes)]
        store.save_pair(replace(pair, node_a=by_address[0], node_b=by_address[1]), Saving.REPLACE)
        assert store.may_have_changed("10.0.1.0"), "it may be node-1.example"


def test_the_log_of_a_pair_has_what_was_run_on_the_machines_behind_its_hosts(path: Path) -> None:
    nodes = [NodeHost(HostSpec(f"node-{nth}", f"10.0.1.{nth}"), "eth1", "eth2") for nth in (1, 2)]
    a, b = HostSpec("A", "10.0.0.1"), HostSpec("B", "10.0.0.2")
    with Store.open(path) as store:
        store.save_pair(PairSpec("north", a, b, "10.9.0.1", "10.9.0.2", node_a=nodes[0], node_b=nodes[1]), Saving.ADD)
        for address in ("10.0.0.1", "10.0.1.2", "10.0.7.7"):
            store.audit(AuditEntry(AT, address, Side.A, "true", 0, "Make it"))
        assert {one.host for one in audit_entries(store, "north")} == {"10.0.0.1", "10.0.1.2"}
