"""Numbered commands of the host's journal, and their entries in the audit log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from app.domain.audit import AuditEntry
from app.domain.commands import Command
from app.host.remote_host import RemoteHost, printable
from app.ssh.remote_line import shell_line
from app.tunnel.messages import UNDO_OF

_MAX_DIGITS = 3
"""Most digits of an exit status that a script may report."""

RUN_DIR_NUMBER = 0
IDENTITY_NUMBER = 1
PUBLIC_NUMBER = 50
FILE_NUMBER = 100
STEP_NUMBER = 200
CHECK_NUMBER = 900
CROSS_NUMBER = 990
MEMBER_STEP = 1000
"""Step between the numbers of tunnels that are built side by side: each has its own thousand."""

AuditSink = Callable[[AuditEntry], None]


@dataclass(frozen=True, slots=True)
class Planned:
    """A numbered change.

    Attributes:
        number: Four digits; the journal is undone from the highest to the lowest.
        title: What it does.
        command: The command as a shell would take it.
        undo: The command that undoes it, likewise; empty if it changes nothing.
        undo_timeout_s: How long that may take, in seconds.
    """

    number: str
    title: str
    command: str
    undo: str
    undo_timeout_s: float


def numbered(number: int, member: int | None = None) -> str:
    """Return a number as the journal writes it.

    Args:
        number: Below MEMBER_STEP.
        member: Which of several tunnels that are built side by side it belongs to; None for the only one.
    """
    return f"{(member or 0) * MEMBER_STEP + number:04d}"


def undo_line(undo: Command | None) -> str:
    """Return an undo as a shell would take it; empty if there is none."""
    return shell_line(undo.argv) if undo is not None else ""


@dataclass(slots=True)
class Ledger:
    """Changes of one host, for its audit log.

    Attributes:
        host: The host.
        sink: Receives every entry; None to discard them.
        planned: Changes by number.
        reported: Numbers of changes that were written down.
        warnings: What steps and rollbacks reported though they succeeded, as sentences.
    """

    host: RemoteHost
    sink: AuditSink | None
    planned: dict[str, Planned] = field(default_factory=dict)
    reported: set[str] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)

    def plan(self, planned: Planned) -> None:
        """Remember a change that is about to be made."""
        self.planned[planned.number] = planned

    def undo_limit_s(self, prefix: str = "") -> float:
        """Return how long undoing all changes, or those whose numbers begin with a text, may take at most, in s."""
        planned = tuple(self.planned.values())  # another tunnel may be built at the same time
        return sum(one.undo_timeout_s for one in planned if one.undo and one.number.startswith(prefix))

    def done(self, number: str, exit_status: int | None) -> None:
        """Write down that a change was made, or tried."""
        planned = self.planned.get(number)
        if planned is not None:
            self.reported.add(number)
            self.write(planned.title, planned.command, exit_status)

    def take_event(self, words: tuple[str, ...]) -> None:
        """Write down what a script tells of a step as it tells it: its connection may break at any moment."""
        if words[0] == "step" and len(words) == 3 and words[2].isdecimal() and len(words[2]) <= _MAX_DIGITS:
            self.done(words[1], int(words[2]))
        elif words[0] == "warned":
            self.warn(" ".join(words[1:]))

    def warn(self, text: str) -> None:
        """Keep a warning of the host for the user."""
        self.warnings.append(f"{self.host.label}: {printable(text, limit=500)}")

    def undone(self, number: str, exit_status: int | None) -> None:
        """Record that a change was undone, or that this was tried; before it the change, if it was not seen."""
        planned = self.planned.get(number)
        if planned is not None:
            if number not in self.reported:
                self.done(number, None)
            self.write(UNDO_OF(title=planned.title), planned.undo, exit_status)

    def write(self, what: str, command: str, exit_status: int | None) -> None:
        """Write down any command that changed the host."""
        if self.sink is not None:
            self.sink(
                AuditEntry(
                    at=datetime.now(UTC),
                    host=self.host.session.spec.address,
                    side=self.host.side,
                    command=command,
                    exit_status=exit_status,
                    what=what,
                )
            )
