"""Attempts with their samples, and options: written when they end, read for ranking and reports."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt

from app.domain.census import CensusPlan, CensusRecord, OptionResult, OptionStatus
from app.domain.errors import StorageFault
from app.domain.history import EntryId, EntryKind
from app.domain.hosts import HostFacts
from app.domain.messages import from_stored
from app.domain.results import Attempt, CampaignPlan, CampaignRecord, CampaignStatus, LatencySeries
from app.storage.campaigns import find_campaign, read_conditions
from app.storage.messages import (
    ATTEMPT_OF_COMPARISON,
    FOUND_BEFORE,
    OPTION_OF_CENSUS,
    PLAN_OF_CENSUS,
    PLAN_OF_COMPARISON,
    SAMPLES_MISFIT,
    SAMPLES_UNKNOWN_KIND,
)
from app.storage.rows import (
    BODY_CODEC,
    clean_text,
    pack_body,
    read_time,
    read_value,
    stored_text,
    unpack_body,
    write_time,
)
from app.storage.samples import (
    SAMPLES_CODEC,
    SAMPLES_DTYPE,
    SAMPLES_QUANTITY,
    SAMPLES_UNIT,
    pack_samples,
    unpack_samples,
)

_NOTHING: npt.NDArray[np.uint32] = np.empty(0, dtype=np.uint32)
_KIND_OF_SAMPLES = (SAMPLES_QUANTITY, SAMPLES_UNIT, SAMPLES_DTYPE, SAMPLES_CODEC)


def save_attempt(connection: sqlite3.Connection, campaign_id: int, attempt: Attempt | OptionResult) -> None:
    """Store an attempt that ended; once this returns, it survives kill -9 and a power cut.

    An earlier attempt at the same position of the plan is replaced.

    Raises:
        NotFound: There is no such comparison or census.
    """
    is_option = isinstance(attempt, OptionResult)
    row = find_campaign(connection, EntryId(EntryKind.CENSUS if is_option else EntryKind.COMPARISON, campaign_id))[0]
    key = attempt.key
    connection.execute("DELETE FROM attempt WHERE campaign_id = ? AND position = ?", (row, key.position))
    cursor = connection.execute(
        "INSERT INTO attempt (campaign_id, position, solution, suite, condition, round, status, reason, started_at,"
        " ended_at, setup_s, probe_s, cleanup_s, codec, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            row,
            key.position,
            key.solution,
            key.suite,
            key.condition,
            key.round,
            attempt.status.value,
            *_columns(attempt),
        ),
    )
    assert cursor.lastrowid is not None  # noqa: S101 - an INSERT that succeeded has one
    if isinstance(attempt, Attempt):
        _save_series(connection, cursor.lastrowid, attempt.latency)


def _columns(attempt: Attempt | OptionResult) -> tuple[str | float | bytes, ...]:
    """Return reason, times, durations, codec and body."""
    if isinstance(attempt, OptionResult):
        now = datetime.now(UTC)
        times = write_time(now - timedelta(seconds=attempt.took_s)), write_time(now)
        return "", *times, 0.0, attempt.took_s, 0.0, BODY_CODEC, pack_body(attempt)
    return (
        clean_text(attempt.reason),
        write_time(attempt.started_at),
        write_time(attempt.ended_at),
        attempt.setup_s,
        attempt.probe_s,
        attempt.cleanup_s,
        BODY_CODEC,
        pack_body(replace(attempt, latency=())),
    )


def _save_series(connection: sqlite3.Connection, attempt_id: int, latency: tuple[LatencySeries, ...]) -> None:
    connection.executemany(
        "INSERT INTO series (attempt_id, ordinal, frame_bytes, sent, received, duplicates, count, note)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (attempt_id, ordinal, s.frame_bytes, s.sent, s.received, s.duplicates, len(s.rtt_us), stored_text(s.note))
            for ordinal, s in enumerate(latency)
        ],
    )
    if latency:
        samples = np.concatenate([series.rtt_us for series in latency])
        connection.execute(
            "INSERT INTO samples (attempt_id, quantity, unit, dtype, codec, count, data) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (attempt_id, *_KIND_OF_SAMPLES, len(samples), pack_samples(samples)),
        )


def load_campaign(connection: sqlite3.Connection, campaign_id: int) -> CampaignRecord:
    """Return a comparison with all its attempts and samples.

    Raises:
        NotFound: There is no such comparison.
    """
    row = _load_row(connection, EntryId(EntryKind.COMPARISON, campaign_id))
    return CampaignRecord(
        campaign_id=campaign_id,
        plan=read_value(CampaignPlan, row.plan, what=PLAN_OF_COMPARISON(number=campaign_id)),
        status=row.status,
        started_at=row.started_at,
        ended_at=row.ended_at,
        facts=row.facts,
        attempts=_load_attempts(connection, row.id, campaign_id),
        tunnelmark_version=row.version,
        note=row.note,
        measured_conditions=read_conditions(row.conditions, campaign_id),
    )


def load_census(connection: sqlite3.Connection, census_id: int) -> CensusRecord:
    """Return a census with every result, in the order they were made.

    Raises:
        NotFound: There is no such census.
    """
    row = _load_row(connection, EntryId(EntryKind.CENSUS, census_id))
    plan = read_value(CensusPlan, row.plan, what=PLAN_OF_CENSUS(number=census_id))
    results = _load_results(connection, row.id, census_id)
    tried = sum(result.status is not OptionStatus.NOT_RUN for result in results)
    return CensusRecord(
        census_id=census_id,
        pair=plan.pair,
        solutions=plan.solutions,
        is_complete=tried >= len(plan.items),
        started_at=row.started_at,
        ended_at=row.ended_at,
        facts=row.facts,
        results=results,
        tunnelmark_version=row.version,
        plan=plan,
        message=row.message,
        note=row.note,
    )


@dataclass(frozen=True, slots=True)
class _CampaignRow:
    """A campaign's own row; its plan is JSON."""

    id: int
    plan: str
    facts: Mapping[str, HostFacts]
    status: CampaignStatus
    started_at: datetime
    ended_at: datetime | None
    message: str
    version: str
    note: str
    conditions: str


def _load_row(connection: sqlite3.Connection, entry: EntryId) -> _CampaignRow:
    number, status, _ = find_campaign(connection, entry)
    plan, facts, started_at, ended_at, message, version, note, conditions = connection.execute(
        "SELECT plan, facts, started_at, ended_at, message, tunnelmark_version, note, measured_conditions"
        " FROM campaign WHERE id = ?",
        (number,),
    ).fetchone()
    found = read_value(dict[str, HostFacts], facts, what=FOUND_BEFORE(kind=entry.kind, number=entry.number))
    ended = None if ended_at is None else read_time(ended_at)
    return _CampaignRow(
        number, plan, found, status, read_time(started_at), ended, from_stored(message), version, note, conditions
    )


def _load_results(connection: sqlite3.Connection, row: int, census_id: int) -> tuple[OptionResult, ...]:
    rows = connection.execute(
        "SELECT position, codec, body FROM attempt WHERE campaign_id = ? ORDER BY id", (row,)
    ).fetchall()
    return tuple(
        replace(
            unpack_body(OptionResult, body, codec, what=OPTION_OF_CENSUS(position=position, number=census_id)),
            position=position,
        )
        for position, codec, body in rows
    )


def _load_attempts(connection: sqlite3.Connection, row: int, campaign_id: int) -> tuple[Attempt, ...]:
    series = _load_series(connection, row, campaign_id)
    rows = connection.execute(
        "SELECT id, position, codec, body FROM attempt WHERE campaign_id = ? ORDER BY position", (row,)
    )
    attempts = []
    for attempt_id, position, codec, body in rows:
        what = ATTEMPT_OF_COMPARISON(position=position, number=campaign_id)
        attempts.append(replace(unpack_body(Attempt, body, codec, what=what), latency=tuple(series[attempt_id])))
    return tuple(attempts)


def _load_series(connection: sqlite3.Connection, row: int, campaign_id: int) -> dict[int, list[LatencySeries]]:
    samples = _load_samples(connection, row, campaign_id)
    rows = connection.execute(
        "SELECT attempt_id, frame_bytes, sent, received, duplicates, count, note"
        " FROM attempt JOIN series ON series.attempt_id = attempt.id WHERE campaign_id = ?"
        " ORDER BY attempt_id, ordinal",
        (row,),
    )
    series: dict[int, list[LatencySeries]] = defaultdict(list)
    used: dict[int, int] = defaultdict(int)
    for attempt_id, frame_bytes, sent, received, duplicates, count, note in rows:
        begin, end = used[attempt_id], used[attempt_id] + count
        rtt_us = samples.setdefault(attempt_id, _NOTHING)[begin:end]
        used[attempt_id] = end
        series[attempt_id].append(LatencySeries(frame_bytes, sent, received, duplicates, rtt_us, from_stored(note)))
    if any(used[attempt_id] != len(rtt_us) for attempt_id, rtt_us in samples.items()):
        raise StorageFault(SAMPLES_MISFIT(comparison=campaign_id))
    return series


def _load_samples(connection: sqlite3.Connection, row: int, campaign_id: int) -> dict[int, npt.NDArray[np.uint32]]:
    rows = connection.execute(
        "SELECT attempt_id, quantity, unit, dtype, samples.codec, count, data"
        " FROM attempt JOIN samples ON samples.attempt_id = attempt.id WHERE campaign_id = ?",
        (row,),
    )
    samples: dict[int, npt.NDArray[np.uint32]] = {}
    for attempt_id, quantity, unit, dtype, codec, count, data in rows:
        if (quantity, unit, dtype, codec) != _KIND_OF_SAMPLES:
            raise StorageFault(
                SAMPLES_UNKNOWN_KIND(comparison=campaign_id, quantity=quantity, unit=unit, dtype=dtype, codec=codec)
            )
        samples[attempt_id] = unpack_samples(data, count)
    return samples
