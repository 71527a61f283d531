"""Campaigns, comparisons and censuses alike: begun, ended, deleted."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from app.domain.census import CensusPlan
from app.domain.conditions import AS_FOUND, MeasuredCondition, name_of
from app.domain.errors import InvalidPlan, NotFound
from app.domain.history import EntryId, EntryKind, checked_note
from app.domain.hosts import HostFacts
from app.domain.results import CampaignPlan, CampaignStatus
from app.storage.codec import to_json
from app.storage.messages import (
    COMPARISON_INTERRUPTED,
    LINK_OF_COMPARISON,
    NO_CENSUS,
    NO_COMPARISON,
    NO_ENTRY,
    RUNNING_NOT_DELETED,
    RUNS_ELSEWHERE,
)
from app.storage.owner import is_alive, this_process
from app.storage.pairs import require_pair
from app.storage.rows import read_value, read_word, stored_text, write_time


def create_campaign(
    connection: sqlite3.Connection, plan: CampaignPlan | CensusPlan, facts: Mapping[str, HostFacts], version: str
) -> int:
    """Store a comparison or census that begins now in this process.

    Args:
        plan: What will be done.
        facts: What was found on the hosts, by `a` and `b`.

    Returns:
        Its number.

    Raises:
        NotFound: Its pair was renamed or removed; labs are not stored.
    """
    require_pair(connection, plan.pair)
    kind = EntryKind.CENSUS if isinstance(plan, CensusPlan) else EntryKind.COMPARISON
    number = _next_number(connection, kind)
    connection.execute(
        "INSERT INTO campaign (kind, number, pair, profile, status, started_at, tunnelmark_version, attempts_planned,"
        " plan, facts, owner, condition) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            kind.value,
            number,
            plan.pair.name,
            "" if isinstance(plan, CensusPlan) else plan.profile.name.value,
            CampaignStatus.RUNNING.value,
            write_time(datetime.now(UTC)),
            version,
            len(plan.items if isinstance(plan, CensusPlan) else plan.attempts),
            to_json(plan),
            to_json(dict(facts)),
            this_process(),
            AS_FOUND if isinstance(plan, CensusPlan) else name_of(plan.condition),
        ),
    )
    return number


def save_condition(connection: sqlite3.Connection, campaign_id: int, found: MeasuredCondition) -> None:
    """Store the condition of a comparison's link as it was measured, beside earlier ones.

    Raises:
        NotFound: There is no such comparison.
    """
    row = find_campaign(connection, EntryId(EntryKind.COMPARISON, campaign_id))[0]
    stored = connection.execute("SELECT measured_conditions FROM campaign WHERE id = ?", (row,)).fetchone()[0]
    earlier = read_conditions(stored, campaign_id)
    connection.execute("UPDATE campaign SET measured_conditions = ? WHERE id = ?", (to_json((*earlier, found)), row))


def read_conditions(text: str, campaign_id: int) -> tuple[MeasuredCondition, ...]:
    """Return the conditions of a comparison's link as they were measured."""
    return read_value(tuple[MeasuredCondition, ...], text, what=LINK_OF_COMPARISON(number=campaign_id))


def _next_number(connection: sqlite3.Connection, kind: EntryKind) -> int:
    connection.execute("UPDATE campaign_number SET last = last + 1 WHERE kind = ?", (kind.value,))
    row = connection.execute("SELECT last FROM campaign_number WHERE kind = ?", (kind.value,)).fetchone()
    return int(row[0])


def claim_campaign(connection: sqlite3.Connection, entry: EntryId) -> None:
    """Make this process the one that runs a campaign, to resume it."""
    row, status, owner = find_campaign(connection, entry)
    if status is CampaignStatus.RUNNING and owner != this_process():
        raise InvalidPlan(
            RUNS_ELSEWHERE(title=entry.title),
        )
    connection.execute(
        "UPDATE campaign SET status = ?, ended_at = NULL, message = '', owner = ?, winner = '' WHERE id = ?",
        (CampaignStatus.RUNNING.value, this_process(), row),
    )


def finish_campaign(connection: sqlite3.Connection, entry: EntryId, status: CampaignStatus, message: str) -> None:
    """Store that a campaign ended."""
    connection.execute(
        "UPDATE campaign SET status = ?, ended_at = ?, message = ?, owner = '', winner = '' WHERE id = ?",
        (status.value, write_time(datetime.now(UTC)), stored_text(message), find_campaign(connection, entry)[0]),
    )


def mark_interrupted(connection: sqlite3.Connection) -> int:
    """Mark what says RUNNING but whose process is gone as INTERRUPTED; return how many there were."""
    rows = connection.execute("SELECT id, owner FROM campaign WHERE status = ?", (CampaignStatus.RUNNING.value,))
    gone = [row for row, owner in rows.fetchall() if not is_alive(owner)]
    connection.executemany(
        "UPDATE campaign SET status = ?, owner = '', message = iif(kind = 'comparison', ?, message) WHERE id = ?",
        [(CampaignStatus.INTERRUPTED.value, stored_text(COMPARISON_INTERRUPTED()), row) for row in gone],
    )
    return len(gone)


def find_campaign(connection: sqlite3.Connection, entry: EntryId) -> tuple[int, CampaignStatus, str]:
    """Return a campaign's row, its status and the process that runs it.

    Raises:
        NotFound: There is none of that number.
    """
    row = connection.execute(
        "SELECT id, status, owner FROM campaign WHERE kind = ? AND number = ?", (entry.kind.value, entry.number)
    ).fetchone()
    if row is None:
        raise unknown_campaign(entry)
    return row[0], status_of(row[1], row[2]), row[2]


def unknown_campaign(entry: EntryId) -> NotFound:
    """Return the error for a number that nothing is stored under."""
    forms = {EntryKind.CENSUS: NO_CENSUS, EntryKind.COMPARISON: NO_COMPARISON}
    return NotFound(forms.get(entry.kind, NO_ENTRY)(number=entry.number))


def status_of(status: str, owner: str) -> CampaignStatus:
    """Return the status of a campaign; one that is stored as running and whose process is gone is interrupted."""
    found = read_word(CampaignStatus, status)
    return CampaignStatus.INTERRUPTED if found is CampaignStatus.RUNNING and not is_alive(owner) else found


def set_note(connection: sqlite3.Connection, entry: EntryId, note: str) -> None:
    """Store the user's note on a comparison or census; an empty one removes it.

    Raises:
        NotFound: There is no such comparison or census.
        InvalidOption: The note is too long, or has control characters in it.
    """
    note = checked_note(note)
    row = find_campaign(connection, entry)[0]
    connection.execute("UPDATE campaign SET note = ? WHERE id = ?", (note, row))


def delete_campaigns(connection: sqlite3.Connection, entries: Iterable[EntryId]) -> None:
    """Delete comparisons and censuses with all that was measured in them: all of them, or none.

    The audit log and deployments remain.

    Raises:
        NotFound: One of them is not there.
        InvalidPlan: One of them is running.
    """
    for entry in dict.fromkeys(entries):
        row, status, _ = find_campaign(connection, entry)
        if status is CampaignStatus.RUNNING:
            raise InvalidPlan(
                RUNNING_NOT_DELETED(title=entry.title),
            )
        connection.execute("DELETE FROM campaign WHERE id = ?", (row,))
