"""One SQLite connection, owned by one thread."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from pathlib import Path
from typing import TypeVar

from app.domain.errors import StorageFault
from app.storage.faults import storage_faults
from app.storage.messages import DATABASE_CLOSED, FOREIGN_DATABASE, NEWER_DATABASE

T = TypeVar("T")

APPLICATION_ID = 0x544D6B31
"""Written into the file's header, so that another program's database is not taken for ours: `TMk1`."""

_BUSY_TIMEOUT_S = 5.0
_PAGE_BYTES = 2048
"""Holds the packed samples of a quick attempt (7 x 200) with little waste; larger ones take several pages anyway."""


class Database:
    """A connection in a thread of its own; every call blocks until its work is done there.

    Args:
        path: The database file; made where there is none.

    Raises:
        StorageFault: It cannot be opened, or a newer Tunnelmark made it.
        DiskFull: There is no space to make it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._is_closed = False
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="tunnelmark-storage")
        try:
            self._connection = self._worker.submit(_open, path).result()
        except BaseException:
            self._worker.shutdown(wait=True)
            raise

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run something that only reads, all of it on one state of the database."""
        return self._run(lambda connection: _in_transaction(connection, "BEGIN", work))

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run something that writes, all of it or nothing."""
        return self._run(lambda connection: _in_transaction(connection, "BEGIN IMMEDIATE", work))

    def close(self) -> None:
        """Close the connection and end the thread. May be called twice."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
        try:
            self._worker.submit(self._connection.close).result()
        finally:
            self._worker.shutdown(wait=True)

    def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock:
            if self._is_closed:
                raise StorageFault(DATABASE_CLOSED(path=self.path))
            future = self._worker.submit(self._guarded, work)
        return future.result()

    def _guarded(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with storage_faults(self.path):
            return work(self._connection)


def _in_transaction(connection: sqlite3.Connection, begin: str, work: Callable[[sqlite3.Connection], T]) -> T:
    connection.execute(begin)
    try:
        result = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result


def _open(path: Path) -> sqlite3.Connection:
    """Open or make the database, with folder and file for the user alone, and bring it to today's format."""
    with storage_faults(path):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _make_private(path)
        # The executor's thread is the only one that ever uses it.
        connection = sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S, isolation_level=None)
        try:
            _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
        return connection


def _make_private(path: Path) -> None:
    """Make the file with mode 0600, or take others' rights to it; SQLite gives its side files the same mode."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    mode = path.stat().st_mode & 0o777
    if mode & 0o077:
        path.chmod(mode & 0o700)


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    migrations = read_migrations()
    version = _check_origin(connection, path, newest=len(migrations))
    connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
    connection.execute("PRAGMA journal_mode = WAL").fetchone()
    connection.execute("PRAGMA synchronous = FULL")  # an attempt that was reported as stored survives a power cut
    connection.execute("PRAGMA foreign_keys = ON")
    if version < len(migrations):
        _in_transaction(connection, "BEGIN IMMEDIATE", lambda c: _migrate(c, migrations))


def _check_origin(connection: sqlite3.Connection, path: Path, *, newest: int) -> int:
    """Return the database's format, before anything in it is touched."""
    connection.execute("BEGIN")  # one view of all three, should another process be making the database just now
    try:
        has_tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] > 0
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    finally:
        connection.execute("ROLLBACK")
    if application != APPLICATION_ID and (has_tables or version or application):
        raise StorageFault(
            FOREIGN_DATABASE(path=path),
        )
    if version > newest:
        raise StorageFault(
            NEWER_DATABASE(path=path, format=version, known=newest),
        )
    return version


def read_migrations() -> tuple[str, ...]:
    """Return the numbered SQL files in order; number n brings a database from format n - 1 to n."""
    folder = resources.files("resources") / "sql"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    for number, name in enumerate(names, start=1):
        if not name.startswith(f"{number:03}_"):
            raise AssertionError(f"resources/sql/{name} should begin with {number:03}_")
    return tuple((folder / name).read_text(encoding="utf-8") for name in names)


def _migrate(connection: sqlite3.Connection, migrations: tuple[str, ...]) -> None:
    """Bring the database to the newest format; runs in one transaction, all of it or nothing."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])  # again: another process may have been here
    for script in migrations[version:]:
        for statement in _statements(script):
            connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {len(migrations)}")


def _statements(script: str) -> list[str]:
    """Split a script; `executescript` would commit the transaction it has to run in."""
    statements, pending = [], ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    return statements
