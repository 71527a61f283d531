"""Campaigns: begun, ended, listed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from app.domain.errors import InvalidPlan, NotFound, StorageFault
from app.domain.history import Winner
from app.domain.hosts import HostFacts
from app.domain.results import AttemptStatus, CampaignPlan, CampaignStatus, Profile, ProfileName
from app.storage.codec import to_json
from app.storage.owner import is_alive, this_process
from app.storage.pairs import require_pair
from app.storage.rows import clean_text, read_time, read_value, read_word, write_time
from app.storage.summaries import CampaignSummary, MeanDurations
from app.wording.colours import BASELINE_SOLUTION


@dataclass(frozen=True, slots=True)
class _StoredWinner:
    """A winner with the end of the campaign that it was found at.

    A Tunnelmark that opened the database before there were winners resumes a campaign without removing its winner.
    """

    winner: Winner
    ended_at: str | None


_SUMMARIES = """
SELECT
    campaign_progress.*,
    (
        SELECT count(DISTINCT solution || '/' || suite) FROM attempt
        WHERE campaign_id = campaign_progress.id AND status = 'completed' AND solution <> ?1
    ),
    (
        SELECT count(*) FROM campaign, json_each(campaign.plan, '$.candidates')
        WHERE campaign.id = campaign_progress.id AND json_extract(value, '$.solution') <> ?1
    ),
    (
        SELECT count(*) FROM (
            SELECT 1 FROM attempt WHERE campaign_id = campaign_progress.id AND solution <> ?1
            GROUP BY solution, suite HAVING max(status = 'failed') AND NOT max(status = 'completed')
        )
    ),
    (SELECT note FROM campaign WHERE campaign.id = campaign_progress.id),
    (SELECT winner FROM campaign WHERE campaign.id = campaign_progress.id),
    (SELECT owner FROM campaign WHERE campaign.id = campaign_progress.id)
FROM campaign_progress
"""


def create_campaign(
    connection: sqlite3.Connection, plan: CampaignPlan, facts: Mapping[str, HostFacts], version: str
) -> int:
    """Store a campaign that begins now in this process; return its number."""
    require_pair(connection, plan.pair)
    cursor = connection.execute(
        "INSERT INTO campaign (pair, profile, status, started_at, tunnelmark_version, attempts_planned, plan, facts,"
        " owner) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            plan.pair.name,
            plan.profile.name.value,
            CampaignStatus.RUNNING.value,
            write_time(datetime.now(UTC)),
            version,
            len(plan.attempts),
            to_json(plan),
            to_json(dict(facts)),
            this_process(),
        ),
    )
    assert cursor.lastrowid is not None  # noqa: S101 - an INSERT that succeeded has one
    return cursor.lastrowid


def claim_campaign(connection: sqlite3.Connection, campaign_id: int) -> None:
    """Make this process the one that runs a campaign, to resume it."""
    row = connection.execute("SELECT status, owner FROM campaign WHERE id = ?", (campaign_id,)).fetchone()
    if row is None:
        raise unknown_campaign(campaign_id)
    status, owner = row
    if status == CampaignStatus.RUNNING.value and owner != this_process() and is_alive(owner):
        raise InvalidPlan(
            f"Comparison {campaign_id} is still running in another Tunnelmark.",
            hint="Wait until it has finished, or cancel it there.",
        )
    connection.execute(
        "UPDATE campaign SET status = ?, ended_at = NULL, message = '', owner = ?, winner = '' WHERE id = ?",
        (CampaignStatus.RUNNING.value, this_process(), campaign_id),
    )


def finish_campaign(connection: sqlite3.Connection, campaign_id: int, status: CampaignStatus, message: str) -> None:
    """Store that a campaign ended."""
    changed = connection.execute(
        "UPDATE campaign SET status = ?, ended_at = ?, message = ?, owner = '', winner = '' WHERE id = ?",
        (status.value, write_time(datetime.now(UTC)), clean_text(message), campaign_id),
    )
    if changed.rowcount == 0:
        raise unknown_campaign(campaign_id)


def mark_interrupted(connection: sqlite3.Connection) -> int:
    """Mark campaigns whose process is gone; return how many there were."""
    rows = connection.execute("SELECT id, owner FROM campaign WHERE status = ?", (CampaignStatus.RUNNING.value,))
    gone = [campaign_id for campaign_id, owner in rows.fetchall() if not is_alive(owner)]
    connection.executemany(
        "UPDATE campaign SET status = ?, owner = '', message = ? WHERE id = ?",
        [
            (CampaignStatus.INTERRUPTED.value, "Tunnelmark was ended while this comparison was running.", campaign_id)
            for campaign_id in gone
        ],
    )
    return len(gone)


def get_summary(connection: sqlite3.Connection, campaign_id: int) -> CampaignSummary:
    """Return one campaign's line, or raise NotFound."""
    row = connection.execute(f"{_SUMMARIES} WHERE id = ?2", (BASELINE_SOLUTION, campaign_id)).fetchone()
    if row is None:
        raise unknown_campaign(campaign_id)
    return _summary(row)


def list_campaigns(connection: sqlite3.Connection, pair: str | None, limit: int) -> tuple[CampaignSummary, ...]:
    """Return campaigns, newest first."""
    rows = connection.execute(
        f"{_SUMMARIES} WHERE ?2 IS NULL OR pair = ?2 ORDER BY id DESC LIMIT ?3", (BASELINE_SOLUTION, pair, limit)
    )
    return tuple(_summary(row) for row in rows)


_Row = tuple[int, str, str, str, str, str | None, int, int, str, str, int, int, int, str, str, str]


def _summary(row: _Row) -> CampaignSummary:
    campaign_id, pair, profile, status, started_at, ended_at, planned, done, candidates, message = row[:10]
    measured, vpns, failed, note, winner, owner = row[10:]
    return CampaignSummary(
        campaign_id=campaign_id,
        pair=pair,
        profile=read_word(ProfileName, profile),
        status=status_of(status, owner),
        started_at=read_time(started_at),
        ended_at=None if ended_at is None else read_time(ended_at),
        attempts_done=done,
        attempts_planned=planned,
        vpns_measured=measured,
        vpns_planned=vpns,
        vpns_failed=failed,
        candidates=read_value(tuple[str, ...], candidates, what=f"the plan of comparison {campaign_id}"),
        message=message,
        note=note,
        winner=_read_winner(winner, ended_at, campaign_id) if winner else None,
    )


def status_of(status: str, owner: str) -> CampaignStatus:
    """Return the status of a campaign; one that is stored as running and whose process is gone is interrupted."""
    found = read_word(CampaignStatus, status)
    return CampaignStatus.INTERRUPTED if found is CampaignStatus.RUNNING and not is_alive(owner) else found


def _read_winner(text: str, ended_at: str | None, campaign_id: int) -> Winner | None:
    """Return a stored winner; None where it is damaged or of an earlier end, since it can be found out again."""
    try:
        found = read_value(_StoredWinner, text, what=f"the winner of comparison {campaign_id}")
    except StorageFault:
        return None
    return found.winner if found.ended_at == ended_at else None


def set_note(connection: sqlite3.Connection, campaign_id: int, note: str) -> None:
    """Store the user's note, in place of an earlier one."""
    if connection.execute("UPDATE campaign SET note = ? WHERE id = ?", (note, campaign_id)).rowcount == 0:
        raise unknown_campaign(campaign_id)


def save_winner(connection: sqlite3.Connection, campaign_id: int, winner: Winner) -> None:
    """Store which VPN a comparison recommends, unless it has been resumed meanwhile."""
    row = connection.execute("SELECT status, owner, ended_at FROM campaign WHERE id = ?", (campaign_id,)).fetchone()
    if row is not None and status_of(row[0], row[1]) is not CampaignStatus.RUNNING:
        stored = to_json(_StoredWinner(winner, row[2]))
        connection.execute("UPDATE campaign SET winner = ? WHERE id = ?", (stored, campaign_id))


def delete_campaigns(connection: sqlite3.Connection, campaign_ids: Iterable[int]) -> None:
    """Delete campaigns with their attempts and samples, or raise NotFound or InvalidPlan."""
    for campaign_id in campaign_ids:
        row = connection.execute("SELECT status, owner FROM campaign WHERE id = ?", (campaign_id,)).fetchone()
        if row is None:
            raise unknown_campaign(campaign_id)
        if row[0] == CampaignStatus.RUNNING.value and is_alive(row[1]):
            raise InvalidPlan(
                f"Comparison {campaign_id} is running and cannot be deleted.",
                hint="Wait until it has finished, or cancel it. Nothing was deleted.",
            )
        connection.execute("DELETE FROM campaign WHERE id = ?", (campaign_id,))


def latest_campaign(connection: sqlite3.Connection, pair: str | None) -> int | None:
    """Return the number of the newest campaign in which something was done."""
    row = connection.execute(
        "SELECT max(id) FROM campaign_progress WHERE (?1 IS NULL OR pair = ?1) AND attempts_done > 0", (pair,)
    ).fetchone()
    return None if row[0] is None else int(row[0])


def unfinished_campaign(connection: sqlite3.Connection, pair: str) -> int | None:
    """Return the pair's newest campaign that was interrupted or cancelled and of which something is left to do."""
    rows = connection.execute(
        "SELECT id, status, (SELECT owner FROM campaign WHERE campaign.id = campaign_progress.id)"
        " FROM campaign_progress WHERE pair = ? AND status <> ? AND attempts_planned > attempts_done ORDER BY id DESC",
        (pair, CampaignStatus.COMPLETED.value),
    )
    left = (CampaignStatus.INTERRUPTED, CampaignStatus.CANCELLED)
    return next((int(number) for number, status, owner in rows if status_of(status, owner) in left), None)


def durations(connection: sqlite3.Connection, pair: str, profile: Profile | None) -> dict[str, MeanDurations]:
    """Return mean durations of completed attempts by solution."""
    wanted = None if profile is None else profile.pings
    rows = connection.execute(
        "SELECT solution, count(*), avg(setup_s), avg(probe_s), avg(cleanup_s)"
        " FROM attempt JOIN campaign ON campaign.id = attempt.campaign_id"
        " WHERE campaign.pair = ?1 AND attempt.status = ?2 AND (?3 IS NULL OR"
        " (json_extract(plan, '$.profile.pings') = ?3 AND json_extract(plan, '$.profile.seconds') = ?4"
        " AND json_extract(plan, '$.profile.frame_bytes') = ?5)) GROUP BY solution",
        (
            pair,
            AttemptStatus.COMPLETED.value,
            wanted,
            None if profile is None else profile.seconds,
            None if profile is None else to_json(profile.frame_bytes),
        ),
    )
    return {solution: MeanDurations(count, setup, probe, cleanup) for solution, count, setup, probe, cleanup in rows}


def unknown_campaign(campaign_id: int) -> NotFound:
    """Return the error that says so."""
    return NotFound(f"There is no comparison {campaign_id}.", hint="`tunnelmark history` shows what is stored.")
