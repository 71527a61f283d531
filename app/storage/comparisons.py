"""Comparisons in lists: how far they are, what they recommend, how long they took."""

from __future__ import annotations

import logging
import sqlite3
from dataclasses import dataclass

from app.domain.errors import StorageFault
from app.domain.history import EntryId, EntryKind, Winner
from app.domain.messages import from_stored
from app.domain.profiles import Profile, ProfileName
from app.domain.results import AttemptStatus, CampaignPlan, CampaignStatus
from app.domain.solutions import BASELINE
from app.storage.campaigns import status_of, unknown_campaign
from app.storage.codec import to_json
from app.storage.messages import PLAN_OF_COMPARISON, WINNER_OF_COMPARISON
from app.storage.rows import read_time, read_value, read_word
from app.storage.summaries import CampaignSummary, MeanDurations, PlanSummary

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _StoredWinner:
    """A winner with the end of the campaign that it was found at.

    A Tunnelmark that opened the database before there were winners resumes a campaign without removing its winner.
    """

    winner: Winner
    ended_at: str | None


_SUMMARIES = """
SELECT
    number, pair, profile, status, started_at, ended_at, attempts_planned, attempts_done, candidates, message,
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
    note,
    (SELECT winner FROM campaign WHERE campaign.id = campaign_progress.id),
    owner,
    condition
FROM campaign_progress WHERE kind = 'comparison'
"""


def get_summary(connection: sqlite3.Connection, campaign_id: int) -> CampaignSummary:
    """Return one campaign without its samples.

    Raises:
        NotFound: There is no such campaign.
    """
    row = connection.execute(f"{_SUMMARIES} AND number = ?2", (BASELINE, campaign_id)).fetchone()
    if row is None:
        raise unknown_campaign(EntryId(EntryKind.COMPARISON, campaign_id))
    return _summary(row)


def list_campaigns(
    connection: sqlite3.Connection, pair: str | None = None, limit: int = 100
) -> tuple[CampaignSummary, ...]:
    """Return campaigns, newest first: of one pair, or of all."""
    rows = connection.execute(
        f"{_SUMMARIES} AND (?2 IS NULL OR pair = ?2) ORDER BY number DESC LIMIT ?3", (BASELINE, pair, limit)
    )
    return tuple(_summary(row) for row in rows)


@dataclass(frozen=True, slots=True)
class _StoredPlan:
    """The parts of a stored plan that tell what was measured."""

    profile: Profile
    candidates: tuple[tuple[str, str], ...]
    workloads: tuple[str, ...]
    seed: int
    has_condition: bool


_PLANS = """
SELECT
    number, pair, status, owner, started_at,
    json_object(
        'profile', json(json_extract(plan, '$.profile')),
        'candidates', (
            SELECT json_group_array(json_array(json_extract(value, '$.solution'), json_extract(value, '$.suite')))
            FROM json_each(plan, '$.candidates')
        ),
        'workloads', json(coalesce(json_extract(plan, '$.workloads'), '[]')),
        'seed', coalesce(json_extract(plan, '$.seed'), 0),
        'has_condition', json(iif(json_extract(plan, '$.condition') IS NULL, 'false', 'true'))
    )
FROM campaign WHERE kind = 'comparison' AND json_valid(plan) ORDER BY number DESC
"""


def list_plans(connection: sqlite3.Connection) -> tuple[PlanSummary, ...]:
    """Return what each comparison was planned to measure, newest first.

    A plan that cannot be read is left out, so that the others can be used; loading that comparison gives the reason.
    """
    found = []
    for row in connection.execute(_PLANS):
        try:
            found.append(_plan(row))
        except StorageFault as error:
            logger.warning("%s", error.message)
    return tuple(found)


def _plan(row: tuple[int, str, str, str, str, str]) -> PlanSummary:
    campaign_id, pair, status, owner, started_at, text = row
    plan = read_value(_StoredPlan, text, what=PLAN_OF_COMPARISON(number=campaign_id))
    return PlanSummary(
        campaign_id,
        pair,
        status_of(status, owner),
        read_time(started_at),
        plan.profile,
        plan.candidates,
        plan.workloads,
        plan.seed,
        plan.has_condition,
    )


_Row = tuple[int, str, str, str, str, str | None, int, int, str, str, int, int, int, str, str, str, str]


def _summary(row: _Row) -> CampaignSummary:
    campaign_id, pair, profile, status, started_at, ended_at, planned, done, candidates, message = row[:10]
    measured, vpns, failed, note, winner, owner, condition = row[10:]
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
        candidates=read_value(tuple[str, ...], candidates, what=PLAN_OF_COMPARISON(number=campaign_id)),
        message=from_stored(message),
        note=note,
        winner=_read_winner(winner, ended_at, campaign_id) if winner else None,
        condition=condition,
    )


def _read_winner(text: str, ended_at: str | None, campaign_id: int) -> Winner | None:
    """Return a stored winner; None where it is damaged or of an earlier end, since it can be found out again."""
    try:
        found = read_value(_StoredWinner, text, what=WINNER_OF_COMPARISON(number=campaign_id))
    except StorageFault:
        return None
    return found.winner if found.ended_at == ended_at else None


def save_winner(connection: sqlite3.Connection, campaign_id: int, winner: Winner) -> None:
    """Store which VPN a comparison recommends, for lists; nothing is stored while it runs."""
    row = connection.execute(
        "SELECT id, status, owner, ended_at FROM campaign WHERE kind = 'comparison' AND number = ?", (campaign_id,)
    ).fetchone()
    if row is not None and status_of(row[1], row[2]) is not CampaignStatus.RUNNING:
        stored = to_json(_StoredWinner(winner, row[3]))
        connection.execute("UPDATE campaign SET winner = ? WHERE id = ?", (stored, row[0]))


def latest_campaign(connection: sqlite3.Connection, pair: str | None = None) -> int | None:
    """Return the number of the newest campaign in which something was done: of one pair, or of all."""
    row = connection.execute(
        "SELECT max(number) FROM campaign_progress"
        " WHERE kind = 'comparison' AND (?1 IS NULL OR pair = ?1) AND attempts_done > 0",
        (pair,),
    ).fetchone()
    return None if row[0] is None else int(row[0])


def unfinished_campaign(connection: sqlite3.Connection, pair: str) -> int | None:
    """Return the newest of a pair's `unfinished_campaigns`; None where there is none."""
    return next(iter(unfinished_campaigns(connection, pair)), None)


def unfinished_campaigns(connection: sqlite3.Connection, pair: str) -> tuple[int, ...]:
    """Return a pair's campaigns that were interrupted, or cancelled while something was left to measure, newest first.

    Where all is measured of one that was interrupted, resuming it rolls the hosts back and completes it.
    """
    rows = connection.execute(
        "SELECT number, status, owner FROM campaign_progress WHERE kind = 'comparison' AND pair = ? AND status <> ?"
        " AND (attempts_planned > attempts_done OR status <> ?) ORDER BY number DESC",
        (pair, CampaignStatus.COMPLETED.value, CampaignStatus.CANCELLED.value),
    )
    left = (CampaignStatus.INTERRUPTED, CampaignStatus.CANCELLED)
    return tuple(int(number) for number, status, owner in rows if status_of(status, owner) in left)


def unfinished_like(connection: sqlite3.Connection, plan: CampaignPlan) -> tuple[int, ...]:
    """Return the numbers of interrupted comparisons of the same on a plan's pair, newest first.

    Those before a complete one are none: the user has its results.
    """
    unfinished, found = set(unfinished_campaigns(connection, plan.pair.name)), []
    for one in list_plans(connection):
        if one.pair != plan.pair.name or not one.is_like(plan):
            continue
        if one.status is CampaignStatus.COMPLETED:
            break
        if one.campaign_id in unfinished:
            found.append(one.campaign_id)
    return tuple(found)


def durations(connection: sqlite3.Connection, pair: str, profile: Profile | None = None) -> dict[str, MeanDurations]:
    """Return how long completed attempts on a pair took on the average, for predictions.

    Args:
        pair: Name of the pair.
        profile: Only attempts with as many echo requests, seconds and the same frame sizes; None means all.

    Returns:
        By solution; solutions without a completed attempt are left out.
    """
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
