"""Censuses in lists."""

from __future__ import annotations

import sqlite3

from app.domain.census import OptionStatus
from app.domain.results import CampaignStatus
from app.storage.campaigns import status_of
from app.storage.rows import read_time
from app.storage.summaries import CensusSummary


def list_censuses(connection: sqlite3.Connection, pair: str | None = None, limit: int = 100) -> tuple[int, ...]:
    """Return the numbers of censuses, newest first: of one pair, or of all."""
    rows = connection.execute(
        "SELECT number FROM campaign WHERE kind = 'census' AND (?1 IS NULL OR pair = ?1) ORDER BY number DESC LIMIT ?2",
        (pair, limit),
    )
    return tuple(row[0] for row in rows)


def census_summaries(connection: sqlite3.Connection, limit: int = 100) -> tuple[CensusSummary, ...]:
    """Return censuses without their results, newest first."""
    rows = connection.execute(
        "SELECT number, pair, started_at, status, owner, attempts_planned, attempts_done,"
        " (SELECT count(*) FROM attempt WHERE campaign_id = campaign_progress.id AND status = ?1),"
        " (SELECT json_extract(plan, '$.pings') FROM campaign WHERE campaign.id = campaign_progress.id), note"
        " FROM campaign_progress WHERE kind = 'census' ORDER BY number DESC LIMIT ?2",
        (OptionStatus.FAILS.value, limit),
    ).fetchall()
    return tuple(
        CensusSummary(
            census_id=number,
            pair=pair,
            started_at=read_time(started_at),
            is_complete=tried >= options,
            is_running=status_of(status, owner) is CampaignStatus.RUNNING,
            options=options,
            tried=tried,
            failed=failed,
            pings=pings or 0,
            note=note,
        )
        for number, pair, started_at, status, owner, options, tried, failed, pings, note in rows
    )


def unfinished_censuses(connection: sqlite3.Connection, pair: str, limit: int = 20) -> tuple[int, ...]:
    """Return the numbers of a pair's censuses that are not complete and that no living process runs, newest first."""
    rows = connection.execute(
        "SELECT number, status, owner FROM campaign_progress WHERE kind = 'census' AND pair = ?"
        " AND attempts_planned > attempts_done ORDER BY number DESC LIMIT ?",
        (pair, limit),
    ).fetchall()
    return tuple(number for number, *running in rows if status_of(*running) is not CampaignStatus.RUNNING)
