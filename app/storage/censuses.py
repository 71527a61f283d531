"""Cipher censuses: begun, tried option by option, ended, listed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from app.domain.census import CensusPlan, CensusRecord, OptionResult, OptionStatus
from app.domain.errors import InvalidPlan, NotFound
from app.domain.hosts import HostFacts
from app.storage.codec import to_json
from app.storage.owner import is_alive, this_process
from app.storage.pairs import require_pair
from app.storage.rows import clean_text, read_time, read_value, write_time
from app.storage.summaries import CensusSummary


def create_census(
    connection: sqlite3.Connection, plan: CensusPlan, facts: Mapping[str, HostFacts], version: str
) -> int:
    """Store a census that begins now in this process; return its number."""
    require_pair(connection, plan.pair)
    cursor = connection.execute(
        "INSERT INTO census (pair, solutions, started_at, tunnelmark_version, plan, facts, owner)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            plan.pair.name,
            to_json(plan.solutions),
            write_time(datetime.now(UTC)),
            version,
            to_json(plan),
            to_json(dict(facts)),
            this_process(),
        ),
    )
    assert cursor.lastrowid is not None  # noqa: S101 - an INSERT that succeeded has one
    return cursor.lastrowid


def claim_census(connection: sqlite3.Connection, census_id: int) -> None:
    """Make this process the one that runs a census, to resume it."""
    row = connection.execute("SELECT owner FROM census WHERE id = ?", (census_id,)).fetchone()
    if row is None:
        raise unknown_census(census_id)
    if row[0] and row[0] != this_process() and is_alive(row[0]):
        raise InvalidPlan(
            f"Census {census_id} is still running in another Tunnelmark.",
            hint="Wait until it has finished, or cancel it there.",
        )
    connection.execute(
        "UPDATE census SET ended_at = NULL, message = '', owner = ? WHERE id = ?", (this_process(), census_id)
    )


def save_option(connection: sqlite3.Connection, census_id: int, result: OptionResult) -> None:
    """Store what became of an option, in place of an earlier result."""
    if connection.execute("SELECT 1 FROM census WHERE id = ?", (census_id,)).fetchone() is None:
        raise unknown_census(census_id)
    connection.execute(
        "INSERT OR REPLACE INTO census_option (census_id, position, made, solution, name, kind, status, result)"
        " VALUES (?1, ?2, (SELECT coalesce(max(made), 0) + 1 FROM census_option WHERE census_id = ?1), ?3, ?4, ?5, ?6,"
        " ?7)",
        (
            census_id,
            result.position,
            result.solution,
            result.name,
            result.kind.value,
            result.status.value,
            to_json(result),
        ),
    )


def finish_census(connection: sqlite3.Connection, census_id: int, message: str) -> None:
    """Store that a census ended; it is complete if every option of its plan has a result."""
    plan = _plan(connection, census_id)
    made = connection.execute(
        "SELECT count(*) FROM census_option WHERE census_id = ? AND status <> ?",
        (census_id, OptionStatus.NOT_RUN.value),
    ).fetchone()[0]
    connection.execute(
        "UPDATE census SET is_complete = ?, ended_at = ?, message = ?, owner = '' WHERE id = ?",
        (int(made >= len(plan.items)), write_time(datetime.now(UTC)), clean_text(message), census_id),
    )


def load_census(connection: sqlite3.Connection, census_id: int) -> CensusRecord:
    """Return a census with every result."""
    row = connection.execute(
        "SELECT is_complete, started_at, ended_at, message, tunnelmark_version, facts, note FROM census WHERE id = ?",
        (census_id,),
    ).fetchone()
    if row is None:
        raise unknown_census(census_id)
    is_complete, started_at, ended_at, message, version, facts, note = row
    plan = _plan(connection, census_id)
    results = connection.execute(
        "SELECT position, result FROM census_option WHERE census_id = ? ORDER BY made", (census_id,)
    ).fetchall()
    what = f"census {census_id}"
    return CensusRecord(
        census_id=census_id,
        pair=plan.pair,
        solutions=plan.solutions,
        is_complete=bool(is_complete),
        started_at=read_time(started_at),
        ended_at=None if ended_at is None else read_time(ended_at),
        facts=read_value(dict[str, HostFacts], facts, what=f"what was found before {what}"),
        results=tuple(
            replace(read_value(OptionResult, result, what=f"option {position} of {what}"), position=position)
            for position, result in results
        ),
        tunnelmark_version=version,
        plan=plan,
        message=message,
        note=note,
    )


def list_censuses(connection: sqlite3.Connection, pair: str | None, limit: int) -> tuple[int, ...]:
    """Return the numbers of censuses, newest first: of one pair, or of all."""
    rows = connection.execute(
        "SELECT id FROM census WHERE ?1 IS NULL OR pair = ?1 ORDER BY id DESC LIMIT ?2", (pair, limit)
    )
    return tuple(row[0] for row in rows)


def census_summaries(connection: sqlite3.Connection, limit: int) -> tuple[CensusSummary, ...]:
    """Return censuses for a list, newest first."""
    rows = connection.execute(
        "SELECT id, pair, started_at, is_complete, owner, json_array_length(plan, '$.items'),"
        " (SELECT count(*) FROM census_option WHERE census_id = census.id AND status <> ?1),"
        " (SELECT count(*) FROM census_option WHERE census_id = census.id AND status = ?2),"
        " json_extract(plan, '$.pings'), note FROM census ORDER BY id DESC LIMIT ?3",
        (OptionStatus.NOT_RUN.value, OptionStatus.FAILS.value, limit),
    ).fetchall()
    return tuple(
        CensusSummary(
            census_id,
            pair,
            read_time(started_at),
            bool(is_complete),
            bool(owner) and is_alive(owner),
            options or 0,
            tried,
            failed,
            pings or 0,
            note,
        )
        for census_id, pair, started_at, is_complete, owner, options, tried, failed, pings, note in rows
    )


def set_note(connection: sqlite3.Connection, census_id: int, note: str) -> None:
    """Store the user's note, in place of an earlier one."""
    if connection.execute("UPDATE census SET note = ? WHERE id = ?", (note, census_id)).rowcount == 0:
        raise unknown_census(census_id)


def delete_censuses(connection: sqlite3.Connection, census_ids: Iterable[int]) -> None:
    """Delete censuses with their results, or raise NotFound or InvalidPlan."""
    for census_id in census_ids:
        row = connection.execute("SELECT owner FROM census WHERE id = ?", (census_id,)).fetchone()
        if row is None:
            raise unknown_census(census_id)
        if row[0] and is_alive(row[0]):
            raise InvalidPlan(
                f"Census {census_id} is running and cannot be deleted.",
                hint="Wait until it has finished, or cancel it. Nothing was deleted.",
            )
        connection.execute("DELETE FROM census WHERE id = ?", (census_id,))


def unfinished_censuses(connection: sqlite3.Connection, pair: str, limit: int) -> tuple[int, ...]:
    """Return the numbers of a pair's censuses that are not complete and that no living process runs, newest first."""
    rows = connection.execute(
        "SELECT id, owner FROM census WHERE pair = ? AND is_complete = 0 ORDER BY id DESC LIMIT ?", (pair, limit)
    ).fetchall()
    return tuple(census_id for census_id, owner in rows if not (owner and is_alive(owner)))


def unknown_census(census_id: int) -> NotFound:
    """Return the error for a number that nothing is stored under."""
    return NotFound(f"There is no census {census_id}.", hint="Run one with: tunnelmark census PAIR")


def _plan(connection: sqlite3.Connection, census_id: int) -> CensusPlan:
    row = connection.execute("SELECT plan FROM census WHERE id = ?", (census_id,)).fetchone()
    if row is None:
        raise unknown_census(census_id)
    return read_value(CensusPlan, row[0], what=f"the plan of census {census_id}")
