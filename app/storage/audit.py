"""The audit log: entries, each chained to the one before by a digest, and the proof that none was changed since.

An entry's digest is SHA-256 over the digest before it and the entry's number and values as JSON. What older formats
wrote has none; the first digest covers all of it. A user who may write the file can make a whole new chain: a digest
that was kept elsewhere shows that, too.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable

from app.domain.audit import AuditCheck, AuditEntry
from app.domain.hosts import Side
from app.domain.messages import from_stored
from app.storage.messages import ENTRY_CHANGED, ENTRY_WITHOUT_DIGEST, FIRST_ENTRY_CHANGED, LAST_ENTRIES_REMOVED
from app.storage.pairs import list_pairs
from app.storage.rows import clean_text, read_time, stored_text, write_time

_OF_LABS = "127.0.0.1"
"""Address of every machine of a practice lab."""
_INSERT = (
    "INSERT INTO audit (id, at, host, side, command, exit_status, what, who, deployment, chain)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_CHAINED = (
    "SELECT id, at, host, side, command, exit_status, what, who, deployment, chain FROM audit"
    " WHERE id >= (SELECT min(id) FROM audit WHERE chain != '') ORDER BY id"
)
_UNCHAINED = (
    "SELECT id, at, host, side, command, exit_status, what, who, deployment FROM audit"
    " WHERE id < coalesce((SELECT min(id) FROM audit WHERE chain != ''), 9223372036854775807) ORDER BY id"
)


def add_audit(connection: sqlite3.Connection, entry: AuditEntry) -> None:
    """Write down a command that changed a host; belongs into a transaction of its own."""
    values = (
        write_time(entry.at),
        clean_text(entry.host),
        None if entry.side is None else entry.side.value,
        clean_text(entry.command),
        entry.exit_status,
        stored_text(entry.what),
        clean_text(entry.who),
        entry.deployment,
    )
    head = connection.execute("SELECT entries, chain FROM audit_head").fetchone()
    count, chain = (0, _digest_of_unchained(connection)) if head is None else head
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM audit").fetchone()
    number = last + 1
    chain = _digest(chain, (number, *values))
    connection.execute(_INSERT, (number, *values, chain))
    connection.execute("INSERT OR REPLACE INTO audit_head (only, entries, chain) VALUES (1, ?, ?)", (count + 1, chain))


def list_audit(connection: sqlite3.Connection, limit: int | None = 1000) -> tuple[AuditEntry, ...]:
    """Return the newest entries, newest first; without a limit all of them."""
    rows = connection.execute(
        "SELECT at, host, side, command, exit_status, what, who, deployment FROM audit"
        " ORDER BY at DESC, id DESC LIMIT ?",
        (-1 if limit is None else limit,),
    )
    return tuple(
        AuditEntry(
            at=read_time(at),
            host=name,
            side=None if side is None else Side(side),
            command=command,
            exit_status=status,
            what=from_stored(what),
            who=who,
            deployment=deployment,
        )
        for at, name, side, command, status, what, who, deployment in rows
    )


def may_have_changed(connection: sqlite3.Connection, host: str) -> bool:
    """Return whether a host may ever have been changed from this computer, by this address or by another one.

    In doubt it may: the log has an address that no stored pair has, which may be of this host.

    Args:
        host: Its address, as the user knows it.
    """
    changed = {one for (one,) in connection.execute("SELECT DISTINCT lower(host) FROM audit")}
    known = {one.address.lower() for pair in list_pairs(connection) for one in pair.hosts}
    return host.lower() in changed or bool(changed - known - {_OF_LABS})


def check_audit(connection: sqlite3.Connection) -> AuditCheck:
    """Find out whether the audit log is what was written: follow its chain, and return where it is broken first."""
    head = connection.execute("SELECT entries, chain FROM audit_head").fetchone()
    chain = _digest_of_unchained(connection)
    count, last = 0, 0
    for number, *values, found in connection.execute(_CHAINED):
        if not found:
            return AuditCheck(count, broken_at=number, why=ENTRY_WITHOUT_DIGEST(number=number))
        chain = _digest(chain, (number, *values))
        if chain != found:
            why = ENTRY_CHANGED(number=number, last=last) if count else FIRST_ENTRY_CHANGED(number=number)
            return AuditCheck(count, broken_at=number, why=why)
        count, last = count + 1, number
    if (count, chain) != (head or (0, chain)):
        why = LAST_ENTRIES_REMOVED(written=head[0] if head else 0, count=count)
        return AuditCheck(count, broken_at=last + 1, why=why)
    (unchained,) = connection.execute("SELECT count(*) FROM audit WHERE chain = ''").fetchone()
    return AuditCheck(count, unchained=unchained, digest=chain if count else "")


def _digest_of_unchained(connection: sqlite3.Connection) -> str:
    """Return what the chain begins with: a digest of all that older formats wrote."""
    digest = ""
    for row in connection.execute(_UNCHAINED):
        digest = _digest(digest, row)
    return digest


def _digest(before: str, values: Iterable[object]) -> str:
    text = json.dumps([before, *values], ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
