"""Lock owners, and whether the owning process on this computer is still alive."""

from __future__ import annotations

import getpass
import hashlib
import os
import socket
import sys
import uuid
from pathlib import Path


def owner_text() -> str:
    """Return who we are, for people: one line of printable characters."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = "somebody"
    text = f"{user} on {socket.gethostname()}, process {os.getpid()}"
    return "".join(character for character in text if character.isprintable())


def owner_key() -> str:
    """Return who we are, for another Tunnelmark on this computer: what it is, which process, and when that began."""
    return f"{_computer()}:{os.getpid()}:{_start_of(os.getpid())}"


LET_GO = ""
"""Key of a lock that its owner has left to the rollback timer: any instance may confirm the deployment."""


REMOVING = "removing"
"""Key of a lock under which a host removes a tunnel by itself: that continues after the requester has ended,
and has no rollback timer. See `removal.sh`."""


def is_dead(key: str) -> bool:
    """Return whether a lock's owner was a process of this very computer that no longer runs.

    Args:
        key: What `owner_key` gave the owner.

    Returns:
        False where that cannot be known, for example for an owner on another computer.
    """
    computer, _, process = key.partition(":")
    number, _, start = process.partition(":")
    if computer != _computer() or not start or not number.isdecimal():
        return False
    now = _start_of(int(number))
    return bool(now) and now != start


def _computer() -> str:
    """Return what tells this computer, since it was started, and this container on it, from all others."""
    parts = [socket.gethostname(), str(uuid.getnode())]
    if sys.platform == "linux":
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip())
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def _start_of(pid: int) -> str:
    """Return when a process was started, in the system's own way; empty if that cannot be read.

    Source: proc_pid_stat(5), field 22.
    """
    if sys.platform != "linux":
        return ""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        # Where /proc hides other users' processes, they appear to be gone.
        return "" if _exists(pid) else "gone"
    return text.rpartition(")")[2].split()[19]


def _exists(pid: int) -> bool:
    """Whether there is a process of that number, of any user."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
