"""SQLite's errors in words, each with what to do next."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from app.domain.errors import DiskFull, EnvironmentFault, StorageFault
from app.domain.messages import MessageForm
from app.storage.messages import (
    DATABASE_BUSY,
    DATABASE_DAMAGED,
    DATABASE_DISK_FULL,
    DATABASE_IO,
    DATABASE_NO_RIGHT,
    DATABASE_NOT_OPENED,
    DATABASE_READ_ONLY,
    DATABASE_UNUSABLE,
    NOT_A_DATABASE,
)

_FORMS: Mapping[int, MessageForm] = {
    sqlite3.SQLITE_BUSY: DATABASE_BUSY,
    sqlite3.SQLITE_LOCKED: DATABASE_BUSY,
    sqlite3.SQLITE_READONLY: DATABASE_READ_ONLY,
    sqlite3.SQLITE_PERM: DATABASE_NO_RIGHT,
    sqlite3.SQLITE_CANTOPEN: DATABASE_NO_RIGHT,
    sqlite3.SQLITE_NOTADB: NOT_A_DATABASE,
    sqlite3.SQLITE_CORRUPT: DATABASE_DAMAGED,
    sqlite3.SQLITE_IOERR: DATABASE_IO,
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
            DATABASE_NOT_OPENED(path=path, reason=reason),
        ) from error


def _translate(error: sqlite3.Error, path: Path) -> EnvironmentFault:
    code = getattr(error, "sqlite_errorcode", None)
    context = {"sqlite": getattr(error, "sqlite_errorname", "") or str(error)}
    primary = code & _PRIMARY if isinstance(code, int) else None
    if primary == sqlite3.SQLITE_FULL:
        return DiskFull(
            DATABASE_DISK_FULL(path=path),
            context=context,
        )
    if (form := _FORMS.get(primary or sqlite3.SQLITE_OK)) is not None:
        return StorageFault(form(path=path), context=context)
    return StorageFault(DATABASE_UNUSABLE(path=path, error=error), context=context)
