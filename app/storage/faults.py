"""SQLite's errors in words, each with what to do next."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.domain.errors import DiskFull, EnvironmentFault, StorageFault

_WORDS: dict[int, tuple[str, str]] = {
    sqlite3.SQLITE_BUSY: (
        "is in use by another program",
        "Close the other Tunnelmark, or wait until it has finished, and try again.",
    ),
    sqlite3.SQLITE_LOCKED: (
        "is in use by another program",
        "Close the other Tunnelmark, or wait until it has finished, and try again.",
    ),
    sqlite3.SQLITE_READONLY: ("cannot be written", "Give yourself the right to write it and its folder."),
    sqlite3.SQLITE_PERM: ("cannot be opened", "Give yourself the right to read and write it and its folder."),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", "Give yourself the right to read and write it and its folder."),
    sqlite3.SQLITE_NOTADB: (
        "is not a database",
        "Move the file away, or set TUNNELMARK_HOME to another folder; a new database is made then.",
    ),
    sqlite3.SQLITE_CORRUPT: (
        "is damaged",
        "Move it away together with its -wal and -shm files, or restore it from a backup.",
    ),
    sqlite3.SQLITE_IOERR: ("cannot be read or written", "Check whether the disk it lies on is sound and still there."),
}
"""By primary result code. Source: https://sqlite.org/rescode.html"""

_PRIMARY = 0xFF


@contextmanager
def storage_faults(path: Path) -> Iterator[None]:
    """Turn errors of the database and of its file into sentences.

    Raises:
        DiskFull: There is no space left.
        StorageFault: Anything else.
    """
    try:
        yield
    except sqlite3.ProgrammingError:
        raise  # our own mistake, not the database's
    except sqlite3.Error as error:
        raise _translate(error, path) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageFault(
            f"The database {path} cannot be opened: {reason}.",
            hint="Give yourself the right to write its folder, or set TUNNELMARK_HOME to another one.",
        ) from error


def _translate(error: sqlite3.Error, path: Path) -> EnvironmentFault:
    code = getattr(error, "sqlite_errorcode", None)
    context = {"sqlite": getattr(error, "sqlite_errorname", "") or str(error)}
    primary = code & _PRIMARY if isinstance(code, int) else None
    if primary == sqlite3.SQLITE_FULL:
        return DiskFull(
            f"There is no space left to write the database {path}.",
            hint="Free some space on that disk; what was stored before is unharmed.",
            context=context,
        )
    if primary in _WORDS:
        words, hint = _WORDS[primary]
        return StorageFault(f"The database {path} {words}.", hint=hint, context=context)
    return StorageFault(f"The database {path} cannot be used: {error}.", context=context)
