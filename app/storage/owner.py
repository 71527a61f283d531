"""Record of the process that runs a campaign, so that one whose process is gone is recognised."""

from __future__ import annotations

import os
from pathlib import Path

_START_FIELD = 19  # of what follows the program's name in /proc/PID/stat


def this_process() -> str:
    """Return a name for this process that no other process ever has: boot id, process id, start time."""
    return _name(os.getpid())


def is_alive(owner: str) -> bool:
    """Whether the process that a name stands for still runs."""
    parts = owner.split("/")
    return len(parts) == 3 and parts[1].isdigit() and _name(int(parts[1])) == owner


def _name(pid: int) -> str:
    """Source: proc(5), /proc/sys/kernel/random/boot_id and field 22 (starttime) of /proc/PID/stat."""
    return f"{_boot_id()}/{pid}/{_start_time(pid)}"


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return "unknown"


def _start_time(pid: int) -> str:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "gone"
    fields = stat.rpartition(")")[2].split()
    is_dead = fields[0] in ("Z", "X")
    return "gone" if is_dead else fields[_START_FIELD]
