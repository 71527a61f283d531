"""Processes that are connected to a lab's gateways."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from app.lab.messages import PROCESS_COMMAND, PROCESS_NUMBER

_PROC = Path("/proc")
_LOOPBACK = "0100007F"
_ESTABLISHED = "01"
_REMOTE, _STATE, _INODE = 2, 3, 9
"""Columns of /proc/net/tcp. Source: proc_net(5) and Documentation/networking/proc_net_tcp.rst of Linux."""
_LONGEST_COMMAND = 60


@dataclass(frozen=True, slots=True)
class LabUser:
    """A process with an open connection to a gateway.

    Attributes:
        pid: Its process number.
        command: Its command line, shortened.
    """

    pid: int
    command: str

    def message(self) -> str:
        """Return the process for users, as it is written within a sentence."""
        return PROCESS_COMMAND(pid=self.pid, command=self.command) if self.command else PROCESS_NUMBER(pid=self.pid)


def connected_users(ports: Collection[int]) -> tuple[LabUser, ...]:
    """Return this user's processes that are connected to ports of 127.0.0.1, by number.

    Where /proc cannot be read, or processes of other users are hidden in it, those are missing.
    """
    sockets = _sockets_to(ports)
    if not sockets:
        return ()
    pids = sorted(int(folder.name) for folder in _PROC.glob("[0-9]*"))
    return tuple(user_of(pid) for pid in pids if sockets & _sockets_of(_PROC / str(pid)))


def user_of(pid: int) -> LabUser:
    """Return a process with its command line; the line is empty where it cannot be read."""
    try:
        words = (_PROC / str(pid) / "cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        words = []
    line = " ".join(word for word in [Path(words[0]).name, *words[1:]] if word) if words else ""
    line = "".join(character if character.isprintable() else " " for character in line)
    return LabUser(pid, line if len(line) <= _LONGEST_COMMAND else f"{line[: _LONGEST_COMMAND - 1]}…")


def _sockets_to(ports: Collection[int]) -> frozenset[str]:
    wanted = {f"{_LOOPBACK}:{port:04X}" for port in ports}
    try:
        lines = (_PROC / "net/tcp").read_text(encoding="ascii").splitlines()[1:]
    except OSError:
        return frozenset()
    rows = (line.split() for line in lines)
    return frozenset(
        f"socket:[{row[_INODE]}]" for row in rows if row[_REMOTE] in wanted and row[_STATE] == _ESTABLISHED
    )


def _sockets_of(process: Path) -> set[str]:
    try:
        links = list((process / "fd").iterdir())
    except OSError:  # it has ended, or belongs to another user
        return set()
    return {_target(link) for link in links}


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:  # it was closed meanwhile
        return ""
