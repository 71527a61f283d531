"""Deployments: written down before a host is touched, and at every change of their state."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import UTC, datetime

from app.domain.deployment import Deployment
from app.domain.errors import NotFound
from app.storage.codec import to_json
from app.storage.messages import DEPLOYMENT_AMBIGUOUS, DEPLOYMENT_NUMBER, NO_DEPLOYMENT
from app.storage.pairs import require_pair
from app.storage.rows import read_value, write_time


def save_deployment(connection: sqlite3.Connection, deployment: Deployment) -> None:
    """Store a deployment, in place of what was known of it; it survives kill -9 and a power cut.

    One that is stored already remains with its pair, also where that has another name now.

    Raises:
        NotFound: It is a new one, and its pair was renamed or removed; labs are not stored.
    """
    row = connection.execute("SELECT pair FROM deployment WHERE id = ?", (deployment.id,)).fetchone()
    if row is None:
        require_pair(connection, deployment.pair)
    else:
        deployment = replace(deployment, pair=replace(deployment.pair, name=row[0]))
    connection.execute(
        "INSERT INTO deployment (id, pair, solution, suite, state, prepared_at, state_at, body)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET solution = excluded.solution,"
        " suite = excluded.suite, state = excluded.state, prepared_at = excluded.prepared_at,"
        " state_at = excluded.state_at, body = excluded.body",
        (
            deployment.id,
            deployment.pair.name,
            deployment.solution,
            deployment.suite,
            deployment.state.value,
            write_time(deployment.prepared_at),
            write_time(deployment.state_at),
            to_json(deployment),
        ),
    )


def get_deployment(connection: sqlite3.Connection, deployment_id: str) -> Deployment:
    """Return the deployment whose id begins with these digits.

    Raises:
        NotFound: There is none, or more than one.
    """
    rows = connection.execute(
        "SELECT id, body FROM deployment WHERE substr(id, 1, length(?1)) = ?1 LIMIT 2", (deployment_id,)
    ).fetchall()
    if not deployment_id or not rows:
        raise NotFound(NO_DEPLOYMENT(number=repr(deployment_id)))
    if len(rows) > 1:
        raise NotFound(DEPLOYMENT_AMBIGUOUS(number=repr(deployment_id)))
    return _read(rows[0][0], rows[0][1])


def list_deployments(
    connection: sqlite3.Connection, pair: str | None = None, limit: int = 100
) -> tuple[Deployment, ...]:
    """Return deployments, newest first: of one pair, or of all."""
    rows = connection.execute(
        "SELECT id, body FROM deployment WHERE ?1 IS NULL OR pair = ?1 ORDER BY prepared_at DESC, rowid DESC LIMIT ?2",
        (pair, limit),
    )
    return tuple(_read(one, body) for one, body in rows)


def _read(deployment_id: str, body: str) -> Deployment:
    return read_value(Deployment, body, what=DEPLOYMENT_NUMBER(number=deployment_id)).as_of(datetime.now(UTC))
