"""Audit log entries: one for every command that changed a host."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.domain.hosts import Side


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One command that changed a host.

    Attributes:
        at: When it began, UTC.
        host: Address of the host, as the user knows it.
        side: A or B; None where the host stands for itself.
        command: The command as a shell would take it, without what went to its stdin: no secret is in it.
        exit_status: What it exited with; None where it was not seen to end.
        what: What it was for, for people.
        who: The user on this computer, and the computer.
        deployment: The deployment it belongs to; empty for a measurement.
    """

    at: datetime
    host: str
    side: Side | None
    command: str
    exit_status: int | None
    what: str
    who: str = ""
    deployment: str = ""


@dataclass(frozen=True, slots=True)
class AuditCheck:
    """Result of a check of the audit log's chain.

    Attributes:
        entries: How many entries hold.
        unchained: How many an older version wrote, before there was a chain; the first chained entry covers them.
        digest: The last entry's digest, which stands for all of them; empty where there is none.
        broken_at: Number of the entry at which the chain is broken; None where it is not.
        why: What is wrong, as a sentence.
    """

    entries: int
    unchained: int = 0
    digest: str = ""
    broken_at: int | None = None
    why: str = ""
