"""A frame around the programs that measure: they report their start and end, and they never outlive their channel.

Source: what sshd does with the pipes of a channel that was closed without a terminal was tried with OpenSSH 10.0:
nothing is signalled, only writing fails. So the frame writes a sign of life every two seconds, and ends what it runs as
soon as that fails, or when its time is over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from app.domain.script_files import bare_script

_LAUNCHER = bare_script("probes/launch.sh")


def pausing_argv(script: str, *arguments: str) -> tuple[str, ...]:
    """Return argv for a constant script that pauses often: for bash where there is one, else for sh.

    Args:
        script: POSIX sh; nothing from a host, a file or a form may be pasted into it.
        arguments: Passed as positional parameters.
    """
    return ("sh", "-c", _LAUNCHER, script, *arguments)


class GuardMark(StrEnum):
    """Meaning of a line of the frame."""

    START = "start"
    EXIT = "exit"
    ALIVE = "alive"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True)
class GuardLine:
    """A line that the frame wrote.

    Attributes:
        mark: What it tells.
        label: Of the program; empty for `alive` and `limit`.
        number: Process id (start), exit status (exit), seconds since the beginning (alive, limit).
    """

    mark: GuardMark
    label: str
    number: int


_LINE = re.compile(r"^@(?:(start|exit) (\S{1,64}) |(alive|limit) )(\d{1,9})$")


def parse_guard_line(line: str) -> GuardLine | None:
    """Understand a line of the frame; None for every other line."""
    if not line.startswith("@"):
        return None
    match = _LINE.match(line)
    if match is None:
        return None
    return GuardLine(GuardMark(match[1] or match[3]), match[2] or "", int(match[4]))
