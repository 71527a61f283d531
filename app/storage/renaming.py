"""Another name for a pair, in everything that is stored of it but the audit log, which cannot be changed."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import UTC, datetime

from app.domain.deployment import Deployment, DeploymentState
from app.domain.errors import InvalidOption
from app.domain.hosts import PairSpec
from app.domain.messages.words import STATES
from app.domain.results import CampaignStatus
from app.storage.codec import to_json
from app.storage.messages import (
    DEPLOYMENT_NUMBER,
    PAIR_CHANGING_NOT_REMOVED,
    PAIR_CHANGING_NOT_RENAMED,
    PAIR_DEPLOYED,
    PAIR_MEASURED_NOT_REMOVED,
    PAIR_MEASURED_NOT_RENAMED,
    PAIR_OF_WORK,
)
from app.storage.owner import is_alive
from app.storage.pairs import get_pair, refuse_taken
from app.storage.rows import read_value, write_time


def rename_pair(connection: sqlite3.Connection, old: str, new: str) -> None:
    """Rename a pair together with its comparisons, censuses, deployments and what was found on its hosts.

    Raises:
        NotFound: There is no pair of the old name.
        InvalidOption: Something of the new name is stored, or something is being done on the pair.
    """
    pair = get_pair(connection, old)
    refuse_busy(connection, old, is_renamed=True)
    refuse_taken(connection, replace(pair, name=new))
    connection.execute(
        "UPDATE pair SET name = ?, spec = ?, saved_at = ? WHERE name = ?",
        (new, to_json(replace(pair, name=new)), write_time(datetime.now(UTC)), old),
    )
    connection.execute("UPDATE snapshot SET pair = ? WHERE pair = ?", (new, old))
    connection.execute(
        "UPDATE campaign SET pair = ?1, plan = json_set(plan, '$.pair.name', ?1) WHERE pair = ?2", (new, old)
    )
    for one, text in connection.execute("SELECT id, body FROM deployment WHERE pair = ?", (old,)).fetchall():
        deployment = read_value(Deployment, text, what=DEPLOYMENT_NUMBER(number=one))
        deployment = replace(deployment, pair=_renamed(deployment.pair, new))
        connection.execute("UPDATE deployment SET pair = ?, body = ? WHERE id = ?", (new, to_json(deployment), one))


def remove_pair(connection: sqlite3.Connection, name: str) -> None:
    """Delete a pair that nothing is being done on and that has no active deployment, and what was found on its hosts.

    Its campaigns remain.

    Raises:
        NotFound: There is no such pair.
        InvalidOption: It is measured, or has a deployment that is active or being made.
    """
    get_pair(connection, name)
    states = [one.value for one in DeploymentState if one.is_on_host]
    marks = ", ".join("?" * len(states))
    row = connection.execute(
        f"SELECT id, body FROM deployment WHERE pair = ? AND state IN ({marks}) ORDER BY prepared_at DESC LIMIT 1",  # noqa: S608 - question marks
        (name, *states),
    ).fetchone()
    if row is not None:
        one = read_value(Deployment, row[1], what=DEPLOYMENT_NUMBER(number=row[0]))
        raise InvalidOption(
            PAIR_DEPLOYED(pair=name, number=one.id[:8], title=one.title, state=STATES[one.state]()),
        )
    refuse_busy(connection, name, is_renamed=False)
    connection.execute("DELETE FROM pair WHERE name = ?", (name,))
    connection.execute("DELETE FROM snapshot WHERE pair = ?", (name,))


def refuse_busy(connection: sqlite3.Connection, name: str, *, is_renamed: bool) -> None:
    """Refuse to rename or remove a pair that something is being done on: what it stores next has the old name.

    Args:
        connection: Within the transaction that changes the pair.
        is_renamed: Whether it is to be renamed; else it is to be removed.

    Raises:
        InvalidOption: It is measured, or a deployment is being made or waits for confirmation.
    """
    if is_measured(connection, name):
        form = PAIR_MEASURED_NOT_RENAMED if is_renamed else PAIR_MEASURED_NOT_REMOVED
        raise InvalidOption(form(pair=name))
    states = (DeploymentState.PREPARED.value, DeploymentState.APPLIED.value)
    found = connection.execute("SELECT id, state FROM deployment WHERE pair = ? AND state IN (?, ?)", (name, *states))
    form = PAIR_CHANGING_NOT_RENAMED if is_renamed else PAIR_CHANGING_NOT_REMOVED
    for number, state in found:
        raise InvalidOption(
            form(pair=name, number=number[:8], state=STATES[DeploymentState(state)]()),
        )


def is_measured(connection: sqlite3.Connection, name: str) -> bool:
    """Whether a living process runs a comparison or a census of a pair."""
    return any(pair.name == name for pair in measured_pairs(connection))


def measured_pairs(connection: sqlite3.Connection) -> tuple[PairSpec, ...]:
    """Return the pair of each comparison and census that a living process runs."""
    rows = connection.execute(
        "SELECT kind, number, pair, json_extract(plan, '$.pair'), owner FROM campaign WHERE status = ?",
        (CampaignStatus.RUNNING.value,),
    )
    return tuple(
        _renamed(read_value(PairSpec, pair, what=PAIR_OF_WORK(kind=kind, number=number)), name)
        for kind, number, name, pair, owner in rows
        if is_alive(owner)
    )


def _renamed(pair: PairSpec, name: str) -> PairSpec:
    return replace(pair, name=name)
