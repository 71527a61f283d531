"""Pairs, and what was found on their hosts."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime

from app.domain.codec import to_json
from app.domain.errors import NotFound
from app.domain.hosts import HostFacts, PairSpec, Side
from app.storage.rows import read_value, write_time


def save_pair(connection: sqlite3.Connection, pair: PairSpec) -> None:
    """Store a pair, in place of one of the same name."""
    connection.execute(
        "INSERT INTO pair (name, spec, saved_at) VALUES (?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET spec = excluded.spec, saved_at = excluded.saved_at",
        (pair.name, to_json(pair), write_time(datetime.now(UTC))),
    )


def get_pair(connection: sqlite3.Connection, name: str) -> PairSpec:
    """Return a stored pair, or raise NotFound."""
    row = connection.execute("SELECT spec FROM pair WHERE name = ?", (name,)).fetchone()
    if row is None:
        raise _unknown(connection, name)
    return read_value(PairSpec, row[0], what=f"pair {name}")


def list_pairs(connection: sqlite3.Connection) -> tuple[PairSpec, ...]:
    """Return all stored pairs by name."""
    rows = connection.execute("SELECT name, spec FROM pair ORDER BY name").fetchall()
    return tuple(read_value(PairSpec, spec, what=f"pair {name}") for name, spec in rows)


def delete_pair(connection: sqlite3.Connection, name: str) -> None:
    """Delete a pair and what was found on its hosts, or raise NotFound; its campaigns stay."""
    if connection.execute("DELETE FROM pair WHERE name = ?", (name,)).rowcount == 0:
        raise _unknown(connection, name)
    connection.execute("DELETE FROM snapshot WHERE pair = ?", (name,))


def _unknown(connection: sqlite3.Connection, name: str) -> NotFound:
    known = [row[0] for row in connection.execute("SELECT name FROM pair ORDER BY name")]
    hint = f"Known pairs: {', '.join(known)}." if known else "No pair is stored yet; `tunnelmark pair add` makes one."
    return NotFound(f"There is no pair {name!r}.", hint=hint)


def save_snapshot(connection: sqlite3.Connection, pair: str, side: Side, facts: HostFacts) -> None:
    """Store what was found on a host."""
    connection.execute(
        "INSERT INTO snapshot (pair, side, collected_at, facts) VALUES (?, ?, ?, ?)",
        (pair, side.value, write_time(facts.collected_at), to_json(facts)),
    )


def latest_snapshot(connection: sqlite3.Connection, pair: str, side: Side) -> HostFacts | None:
    """Return what was last found on a host."""
    row = connection.execute(
        "SELECT facts FROM snapshot WHERE pair = ? AND side = ? ORDER BY collected_at DESC, id DESC LIMIT 1",
        (pair, side.value),
    ).fetchone()
    return None if row is None else read_value(HostFacts, row[0], what=f"what was found on {pair}, side {side.value}")
