"""Opening, privacy, formats, faults, threads, and being killed."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.domain.errors import DiskFull, StorageFault
from app.domain.results import Attempt, CampaignStatus
from app.storage import Store
from app.storage import messages as words
from app.storage.database import APPLICATION_ID, Database, read_migrations
from support.message_checks import has_message
from support.sample_records import pair, sample_record
from support.soundness import check_soundness

_ROOT = Path(__file__).parents[3]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "data" / "tunnelmark.db"


def _sql(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def _pragma(path: Path, name: str) -> object:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]


# --- opening ----------------------------------------------------------------------------------------------------------


def test_folder_and_files_are_the_users_alone(path: Path) -> None:
    before = os.umask(0)
    try:
        with Store.open(path) as store:
            store.save_pair(pair())
            names = {entry.name: stat.S_IMODE(entry.stat().st_mode) for entry in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert names == dict.fromkeys(("tunnelmark.db", "tunnelmark.db-wal", "tunnelmark.db-shm"), 0o600)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_file_that_others_could_read_is_closed_to_them(path: Path) -> None:
    Store.open(path).close()
    path.chmod(0o644)
    Store.open(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_new_database_has_the_newest_format_wal_and_our_mark(path: Path) -> None:
    Store.open(path).close()
    assert _pragma(path, "user_version") == len(read_migrations())
    assert _pragma(path, "application_id") == APPLICATION_ID
    assert _pragma(path, "journal_mode") == "wal"
    database = Database(path)
    try:
        assert database.read(lambda c: c.execute("PRAGMA foreign_keys").fetchone()[0]) == 1
        assert database.read(lambda c: c.execute("PRAGMA synchronous").fetchone()[0]) == 2
    finally:
        database.close()


def _make_format(path: Path, version: int) -> None:
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript("".join(read_migrations()[:version]))
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


@pytest.mark.parametrize("version", range(1, len(read_migrations())))
def test_an_older_format_is_brought_to_todays_with_what_is_in_it(path: Path, version: int) -> None:
    _make_format(path, version)
    _sql(path, "INSERT INTO audit (at, host, command, what) VALUES ('2026-01-01T00:00:00+00:00', 'h', 'c', 'w')")
    with Store.open(path) as store:
        assert [entry.host for entry in store.list_audit()] == ["h"]
        assert store.list_campaigns() == ()
    with Store.open(path.with_name("new.db")):
        pass
    assert _schema(path) == _schema(path.with_name("new.db"))


def _schema(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        return sorted(connection.execute("SELECT name, sql FROM sqlite_schema").fetchall(), key=str)


def test_a_migration_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _make_format(path, 1)
    before = _schema(path)
    broken = (*read_migrations()[:1], "CREATE TABLE extra (x INTEGER) STRICT;\nCREATE TABLE pair (x INTEGER);\n")
    monkeypatch.setattr("app.storage.database.read_migrations", lambda: broken)
    with pytest.raises(StorageFault):
        Store.open(path)
    assert _schema(path) == before
    assert _pragma(path, "user_version") == 1


def test_several_may_make_the_database_at_the_same_time(path: Path) -> None:
    together = threading.Barrier(8, timeout=120)

    def make(_: int) -> Store:
        together.wait()
        return Store.open(path)

    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(make, range(8)))
    for store in stores:
        store.close()
    assert check_soundness(path) == ()


# --- faults -----------------------------------------------------------------------------------------------------------


def test_a_newer_database_is_refused_and_left_alone(path: Path) -> None:
    Store.open(path).close()
    _sql(path, "CREATE TABLE from_the_future (x)", "PRAGMA user_version = 900")
    before = path.read_bytes()
    with pytest.raises(StorageFault, check=has_message(words.NEWER_DATABASE)) as caught:
        Store.open(path)
    assert "900" in caught.value.message
    assert caught.value.hint
    assert path.read_bytes() == before


def test_another_programs_database_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir(parents=True)
    _sql(path, "CREATE TABLE bookmarks (url)")
    before = path.read_bytes()
    with pytest.raises(StorageFault, check=has_message(words.FOREIGN_DATABASE)):
        Store.open(path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"Dear diary, " * 500)
    with pytest.raises(StorageFault, check=has_message(words.NOT_A_DATABASE)) as caught:
        Store.open(path)
    assert "TUNNELMARK_HOME" in caught.value.hint
    assert path.read_bytes() == b"Dear diary, " * 500


def test_a_damaged_database_is_reported(path: Path) -> None:
    with Store.open(path) as store:
        store.save_pair(pair())
        store.create_campaign(sample_record(rounds=1, pings=5).plan, {}, "0.1.0")
    content = bytearray(path.read_bytes())
    content[2048:] = b"\x5a" * (len(content) - 2048)  # all pages but the first
    path.write_bytes(content)
    with pytest.raises(StorageFault, check=has_message(words.DATABASE_DAMAGED)) as caught:
        Store.open(path)
    assert "backup" in caught.value.hint


def test_a_folder_in_the_files_place_is_reported(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StorageFault, check=has_message(words.DATABASE_NOT_OPENED)):
        Store.open(path)


def test_a_file_in_the_folders_place_is_reported(path: Path) -> None:
    path.parent.parent.mkdir()
    path.parent.write_text("x")
    with pytest.raises(StorageFault, check=has_message(words.DATABASE_NOT_OPENED)) as caught:
        Store.open(path)
    assert caught.value.hint


def test_a_database_that_another_program_holds_is_reported(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.storage.database._BUSY_TIMEOUT_S", 0.05)
    with Store.open(path) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert store.list_pairs() == ()  # reading goes on
        with pytest.raises(StorageFault, check=has_message(words.DATABASE_BUSY)):
            store.save_pair(pair())
        other.execute("ROLLBACK")
        store.save_pair(pair())


def test_a_full_disk_is_reported_and_unharmed(path: Path) -> None:
    record = sample_record(rounds=1, pings=2000)
    database = Database(path)
    store = Store(database)
    campaign_id = store.create_campaign(record.plan, record.facts, "0.1.0")
    pages = database.read(lambda c: c.execute("PRAGMA page_count").fetchone()[0])
    limit = f"PRAGMA max_page_count = {pages + 2}"  # SQLite answers as it does when the disk is full
    database.read(lambda c: c.execute(limit).fetchone())
    with pytest.raises(DiskFull) as caught:
        store.save_attempt(campaign_id, record.attempts[0])
    assert caught.value.hint
    assert store.load_campaign(campaign_id).attempts == ()
    store.save_pair(pair(is_lab=False))
    store.close()
    assert check_soundness(path) == ()


def _store_without_end(store: Store, campaign_id: int, attempt: Attempt, stored: list[int]) -> None:
    for position in range(100):
        store.save_attempt(campaign_id, replace(attempt, key=replace(attempt.key, position=position)))
        stored.append(position)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to make a small file system")
def test_a_file_system_that_is_really_full_is_reported_and_unharmed(tmp_path: Path) -> None:
    mount = tmp_path / "small"
    mount.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", mount], check=True)
    path = mount / "data" / "tunnelmark.db"
    record = sample_record(rounds=1, pings=2000)
    try:
        with Store.open(path) as store:
            campaign_id = store.create_campaign(record.plan, record.facts, "0.1.0")
            stored: list[int] = []
            with pytest.raises(DiskFull):
                _store_without_end(store, campaign_id, record.attempts[0], stored)
            assert stored
            assert len(store.load_campaign(campaign_id).attempts) == len(stored)
        assert check_soundness(path) == ()
    finally:
        subprocess.run(["umount", "--lazy", mount], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to make a file system read-only")
def test_a_file_system_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    mount = tmp_path / "small"
    mount.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", mount], check=True)
    path = mount / "data" / "tunnelmark.db"
    try:
        Store.open(path).close()
        subprocess.run(["mount", "-o", "remount,ro", mount], check=True)
        check = has_message(words.DATABASE_NOT_OPENED, reason="Read-only file system")
        with pytest.raises(StorageFault, check=check) as caught:
            Store.open(path)
        assert "TUNNELMARK_HOME" in caught.value.hint
    finally:
        subprocess.run(["umount", "--lazy", mount], check=True)


# --- threads ----------------------------------------------------------------------------------------------------------


def test_many_threads_may_write_at_once_and_one_of_them_owns_the_connection(path: Path) -> None:
    with Store.open(path) as store:

        def write(number: int) -> None:
            store.save_pair(replace(pair(), name=f"pair {number:02}"))

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, range(40)))
            owners = set(pool.map(lambda _: store._database.read(lambda _: threading.current_thread().name), range(20)))
        assert [found.name for found in store.list_pairs()] == [f"pair {number:02}" for number in range(40)]
    assert len(owners) == 1
    assert owners.pop().startswith("tunnelmark-storage")


def test_closing_ends_the_thread_and_later_calls_are_reported(path: Path) -> None:
    store = Store.open(path)
    store.close()
    store.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("tunnelmark-storage")]
    with pytest.raises(StorageFault, check=has_message(words.DATABASE_CLOSED)):
        store.list_pairs()


def test_a_mistake_in_our_own_code_rolls_back_and_is_not_hidden(path: Path) -> None:
    with Store.open(path) as store:

        def half_done(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT INTO pair VALUES ('x', '{}', '')")
            raise KeyError("ours")

        with pytest.raises(KeyError):
            store._database.write(half_done)
        assert store.list_pairs() == ()


# --- kill -9 ----------------------------------------------------------------------------------------------------------

_WRITER = """
import os
import sys
from pathlib import Path
sys.path[:0] = [sys.argv[2], sys.argv[2] + "/tests"]
from app.storage import Store
from support.sample_records import sample_record
record = sample_record(rounds=40, pings=200)
for _ in sys.stdin:
    if os.fork():
        os.wait()
        print("killed", flush=True)
        continue
    store = Store.open(Path(sys.argv[1]))
    campaign_id = store.create_campaign(record.plan, record.facts, "0.1.0")
    print(os.getpid(), campaign_id, flush=True)
    for attempt in record.attempts:
        store.save_attempt(campaign_id, attempt)
        print(attempt.key.position, flush=True)
    sys.stdin.read()
    os._exit(0)
"""
"""For each line on stdin a process that stores attempts: imports and the record, which take longest, are made once.

One that has stored all waits to be killed, or for the end of the test: a busy computer may kill it late.
"""


@pytest.fixture
def writers(path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that starts another one, which stores attempts, for each line that it reads."""
    argv = [sys.executable, "-c", _WRITER, str(path), str(_ROOT)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        yield process


def _killed_writer(writers: subprocess.Popen[str], after: int, delay_s: float) -> tuple[int, int]:
    """Have a process store attempts, kill -9 it; return the campaign and how many it reported as stored."""
    assert writers.stdin is not None
    assert writers.stdout is not None
    writers.stdin.write("another one\n")
    pid, campaign_id = map(int, writers.stdout.readline().split())
    reported = 0
    while reported < after:
        reported = int(writers.stdout.readline()) + 1
    until = time.monotonic() + delay_s
    while time.monotonic() < until:  # a few hundred microseconds, to be in the middle of a write
        pass
    os.kill(pid, signal.SIGKILL)
    while (line := writers.stdout.readline()) != "killed\n":
        assert line, "all have ended by themselves"
        reported += 1
    return campaign_id, reported


def test_killed_at_any_moment_it_loses_at_most_the_attempt_that_was_being_written(
    path: Path, writers: subprocess.Popen[str]
) -> None:
    moments = random.Random(42)  # noqa: S311 - moments, not secrets
    expected = sample_record(rounds=40, pings=200)
    for _ in range(8):
        campaign_id, reported = _killed_writer(writers, moments.randrange(0, 60), moments.uniform(0, 0.004))
        assert check_soundness(path) == ()
        with Store.open(path) as store:
            record = store.load_campaign(campaign_id)
            assert record.status is CampaignStatus.INTERRUPTED
            assert reported <= len(record.attempts) <= reported + 1
            assert store.unfinished_campaign(expected.plan.pair.name) == campaign_id
        for found, sent in zip(record.attempts, expected.attempts, strict=False):
            assert found.key == sent.key
            assert all(
                np.array_equal(one.rtt_us, other.rtt_us) for one, other in zip(found.latency, sent.latency, strict=True)
            )
