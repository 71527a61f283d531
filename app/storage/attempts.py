"""Attempts with their samples: written when they end, read for ranking and reports."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from app.domain.errors import StorageFault
from app.domain.hosts import HostFacts
from app.domain.results import Attempt, CampaignPlan, CampaignRecord, LatencySeries
from app.storage.campaigns import status_of, unknown_campaign
from app.storage.rows import (
    BODY_CODEC,
    clean_text,
    pack_body,
    read_time,
    read_value,
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


def save_attempt(connection: sqlite3.Connection, campaign_id: int, attempt: Attempt) -> None:
    """Store an attempt that ended, in place of an earlier one at the same position."""
    if connection.execute("SELECT 1 FROM campaign WHERE id = ?", (campaign_id,)).fetchone() is None:
        raise unknown_campaign(campaign_id)
    key = attempt.key
    connection.execute("DELETE FROM attempt WHERE campaign_id = ? AND position = ?", (campaign_id, key.position))
    cursor = connection.execute(
        "INSERT INTO attempt (campaign_id, position, solution, suite, condition, round, status, reason, started_at,"
        " ended_at, setup_s, probe_s, cleanup_s, codec, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            campaign_id,
            key.position,
            key.solution,
            key.suite,
            key.condition,
            key.round,
            attempt.status.value,
            clean_text(attempt.reason),
            write_time(attempt.started_at),
            write_time(attempt.ended_at),
            attempt.setup_s,
            attempt.probe_s,
            attempt.cleanup_s,
            BODY_CODEC,
            pack_body(replace(attempt, latency=())),
        ),
    )
    assert cursor.lastrowid is not None  # noqa: S101 - an INSERT that succeeded has one
    _save_series(connection, cursor.lastrowid, attempt.latency)


def _save_series(connection: sqlite3.Connection, attempt_id: int, latency: tuple[LatencySeries, ...]) -> None:
    connection.executemany(
        "INSERT INTO series (attempt_id, ordinal, frame_bytes, sent, received, duplicates, count, note)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (attempt_id, ordinal, s.frame_bytes, s.sent, s.received, s.duplicates, len(s.rtt_us), clean_text(s.note))
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
    """Return a campaign with all its attempts and samples, or raise NotFound."""
    row = connection.execute(
        "SELECT plan, facts, status, owner, started_at, ended_at, tunnelmark_version, note FROM campaign WHERE id = ?",
        (campaign_id,),
    ).fetchone()
    if row is None:
        raise unknown_campaign(campaign_id)
    plan, facts, status, owner, started_at, ended_at, version, note = row
    what = f"comparison {campaign_id}"
    return CampaignRecord(
        campaign_id=campaign_id,
        plan=read_value(CampaignPlan, plan, what=f"the plan of {what}"),
        status=status_of(status, owner),
        started_at=read_time(started_at),
        ended_at=None if ended_at is None else read_time(ended_at),
        facts=read_value(dict[str, HostFacts], facts, what=f"what was found before {what}"),
        attempts=_load_attempts(connection, campaign_id),
        tunnelmark_version=version,
        note=note,
    )


def _load_attempts(connection: sqlite3.Connection, campaign_id: int) -> tuple[Attempt, ...]:
    series = _load_series(connection, campaign_id)
    rows = connection.execute(
        "SELECT id, position, codec, body FROM attempt WHERE campaign_id = ? ORDER BY position", (campaign_id,)
    )
    attempts = []
    for attempt_id, position, codec, body in rows:
        what = f"attempt {position} of comparison {campaign_id}"
        attempts.append(replace(unpack_body(Attempt, body, codec, what=what), latency=tuple(series[attempt_id])))
    return tuple(attempts)


def _load_series(connection: sqlite3.Connection, campaign_id: int) -> dict[int, list[LatencySeries]]:
    samples = _load_samples(connection, campaign_id)
    rows = connection.execute(
        "SELECT attempt_id, frame_bytes, sent, received, duplicates, count, note"
        " FROM attempt JOIN series ON series.attempt_id = attempt.id WHERE campaign_id = ?"
        " ORDER BY attempt_id, ordinal",
        (campaign_id,),
    )
    series: dict[int, list[LatencySeries]] = defaultdict(list)
    used: dict[int, int] = defaultdict(int)
    for attempt_id, frame_bytes, sent, received, duplicates, count, note in rows:
        begin, end = used[attempt_id], used[attempt_id] + count
        rtt_us = samples.setdefault(attempt_id, _NOTHING)[begin:end]
        used[attempt_id] = end
        series[attempt_id].append(LatencySeries(frame_bytes, sent, received, duplicates, rtt_us, note))
    if any(used[attempt_id] != len(rtt_us) for attempt_id, rtt_us in samples.items()):
        raise StorageFault(f"In the database, the samples of comparison {campaign_id} do not fit their series.")
    return series


def _load_samples(connection: sqlite3.Connection, campaign_id: int) -> dict[int, npt.NDArray[np.uint32]]:
    rows = connection.execute(
        "SELECT attempt_id, quantity, unit, dtype, samples.codec, count, data"
        " FROM attempt JOIN samples ON samples.attempt_id = attempt.id WHERE campaign_id = ?",
        (campaign_id,),
    )
    samples: dict[int, npt.NDArray[np.uint32]] = {}
    for attempt_id, quantity, unit, dtype, codec, count, data in rows:
        if (quantity, unit, dtype, codec) != _KIND_OF_SAMPLES:
            raise StorageFault(
                f"Comparison {campaign_id} holds samples of a kind that is not known here: {quantity} in {unit},"
                f" {dtype}, {codec}."
            )
        samples[attempt_id] = unpack_samples(data, count)
    return samples
