"""SQLite's own check of a database file."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def check_soundness(path: Path) -> tuple[str, ...]:
    """Check a database from a connection of its own; return what is wrong, empty where all is well."""
    with closing(sqlite3.connect(path, timeout=120.0)) as connection:
        found = [row[0] for row in connection.execute("PRAGMA integrity_check")]
        broken = connection.execute("PRAGMA foreign_key_check").fetchall()
    problems = [] if found == ["ok"] else found
    return (*problems, *(f"a row of {row[0]} refers to nothing" for row in broken))
