"""Pairs, and what was found on their hosts."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime

from app.domain.errors import InvalidOption, NotFound, StorageFault
from app.domain.hosts import SSH_PORT, HostFacts, PairSpec, Side
from app.domain.messages import sentences
from app.domain.pairs import Saving
from app.storage.codec import to_json
from app.storage.messages import (
    CHOOSE_PAIR_AGAIN,
    FOUND_ON,
    KNOWN_PAIRS,
    LEFT_CENSUSES,
    LEFT_COMPARISONS,
    LEFT_DEPLOYMENTS,
    NO_PAIR_YET,
    PAIR_GONE,
    PAIR_NAME_LEFT,
    PAIR_NAME_TAKEN,
    REMOVED_PAIR,
    STORED_PAIR,
    UNKNOWN_PAIR,
)
from app.storage.rows import read_value, write_time

_LEFT = (
    ("(SELECT * FROM campaign WHERE kind = 'comparison')", LEFT_COMPARISONS, "plan"),
    ("(SELECT * FROM campaign WHERE kind = 'census')", LEFT_CENSUSES, "plan"),
    ("deployment", LEFT_DEPLOYMENTS, "body"),
)
"""Tables whose rows remain when their pair is removed, and the column that has the pair as it was."""


def save_pair(connection: sqlite3.Connection, pair: PairSpec, how: Saving = Saving.REPLACE) -> None:
    """Store a pair.

    Raises:
        NotFound: One is to be changed, and there is none of that name.
        InvalidOption: The name of a new one is taken, by a pair or by what a removed pair left.
    """
    check_saving(connection, pair, how)
    connection.execute(
        "INSERT INTO pair (name, spec, saved_at) VALUES (?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET spec = excluded.spec, saved_at = excluded.saved_at",
        (pair.name, to_json(pair), write_time(datetime.now(UTC))),
    )


def check_saving(connection: sqlite3.Connection, pair: PairSpec, how: Saving) -> None:
    """Refuse what `save_pair` would refuse; raises the same errors."""
    is_there = _is_pair(connection, pair.name)
    if how is Saving.UPDATE and not is_there:
        raise _gone(connection, pair.name)
    if how is Saving.ADD or not is_there:
        refuse_taken(connection, pair)


def refuse_taken(connection: sqlite3.Connection, pair: PairSpec) -> None:
    """Refuse the name of a pair that is new or renamed; within the transaction that stores it.

    A removed pair leaves its comparisons and deployments: those of two pairs must not become one's. Where they are of
    the same hosts they are this pair's again.

    Raises:
        InvalidOption: A pair has it, or something of a removed pair of other hosts is stored under it.
    """
    name, hosts = pair.name, _hosts(pair)
    if _is_pair(connection, name):
        raise InvalidOption(PAIR_NAME_TAKEN(name=repr(name)))
    for table, what, column in _LEFT:
        query = f"SELECT DISTINCT json_extract({column}, '$.pair') FROM {table} WHERE pair = ?"  # noqa: S608 - names from the table above
        if any(_hosts_in(text) != hosts for (text,) in connection.execute(query, (name,))):
            raise InvalidOption(PAIR_NAME_LEFT(name=repr(name), what=what()))


def _hosts(pair: PairSpec) -> tuple[str | int, ...]:
    logins = (part for host in (pair.a, pair.b) for part in (host.address.lower(), host.port or SSH_PORT))
    return *logins, pair.underlay_a, pair.underlay_b


def _hosts_in(text: str) -> tuple[str | int, ...]:
    """Return the hosts of a stored pair; none where it cannot be read."""
    try:
        return _hosts(read_value(PairSpec, text, what=REMOVED_PAIR()))
    except StorageFault:
        return ()


def require_pair(connection: sqlite3.Connection, pair: PairSpec) -> None:
    """Refuse to store something new of a pair that is not stored; labs are not.

    Raises:
        NotFound: It was renamed or removed since it was read.
    """
    if not pair.is_lab and not _is_pair(connection, pair.name):
        raise _gone(connection, pair.name)


def _is_pair(connection: sqlite3.Connection, name: str) -> bool:
    return connection.execute("SELECT 1 FROM pair WHERE name = ?", (name,)).fetchone() is not None


def get_pair(connection: sqlite3.Connection, name: str) -> PairSpec:
    """Return a stored pair.

    Raises:
        NotFound: There is none of that name; the hint names the known ones.
    """
    row = connection.execute("SELECT spec FROM pair WHERE name = ?", (name,)).fetchone()
    if row is None:
        raise NotFound(UNKNOWN_PAIR(name=name), hint=_known(connection))
    return read_value(PairSpec, row[0], what=STORED_PAIR(pair=name))


def list_pairs(connection: sqlite3.Connection) -> tuple[PairSpec, ...]:
    """Return all stored pairs by name."""
    rows = connection.execute("SELECT name, spec FROM pair ORDER BY name").fetchall()
    return tuple(read_value(PairSpec, spec, what=STORED_PAIR(pair=name)) for name, spec in rows)


def _gone(connection: sqlite3.Connection, name: str) -> NotFound:
    return NotFound(PAIR_GONE(name=name), hint=sentences((CHOOSE_PAIR_AGAIN(), _known(connection))))


def _known(connection: sqlite3.Connection) -> str:
    known = [row[0] for row in connection.execute("SELECT name FROM pair ORDER BY name")]
    return KNOWN_PAIRS(pairs=tuple(known)) if known else NO_PAIR_YET()


def save_snapshot(connection: sqlite3.Connection, pair: str, side: Side, facts: HostFacts) -> None:
    """Store what was found on a host."""
    connection.execute(
        "INSERT INTO snapshot (pair, side, collected_at, facts) VALUES (?, ?, ?, ?)",
        (pair, side.value, write_time(facts.collected_at), to_json(facts)),
    )


def latest_snapshot(connection: sqlite3.Connection, pair: str, side: Side) -> HostFacts | None:
    """Return what was last found on a host; None where nothing is stored."""
    row = connection.execute(
        "SELECT facts FROM snapshot WHERE pair = ? AND side = ? ORDER BY collected_at DESC, id DESC LIMIT 1",
        (pair, side.value),
    ).fetchone()
    return None if row is None else read_value(HostFacts, row[0], what=FOUND_ON(pair=pair, side=side.value))
