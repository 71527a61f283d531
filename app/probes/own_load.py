"""Load of the user's own computer beyond the practice lab that runs on it: its guests cannot see it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection
from pathlib import Path

PROC = Path("/proc")


class OwnLoad:
    """CPU time of this computer that neither the lab's guests nor idling took.

    Args:
        guests: Process ids of the lab's virtual machines; empty where the hosts are no lab, so that there is nothing to
            tell.
        proc: Where the kernel tells; another folder in tests.
        clock: Monotonic seconds.
        ticks_per_s: Clock ticks per second; None for this computer's.
    """

    def __init__(
        self,
        guests: Collection[int],
        *,
        proc: Path = PROC,
        clock: Callable[[], float] = time.monotonic,
        ticks_per_s: int | None = None,
    ) -> None:
        self._guests = tuple(guests)
        self._proc = proc
        self._clock = clock
        self._ticks_per_s = ticks_per_s or os.sysconf("SC_CLK_TCK")
        self._began: tuple[float, int] | None = None

    def start(self) -> None:
        """Begin to count."""
        self._began = self._now() if self._guests else None

    def cores(self) -> float | None:
        """Return the mean load since `start`, in cores; None where it is not known, or nothing passed."""
        if self._began is None:
            return None
        now = self._now()
        if now is None or now[0] <= self._began[0]:
            return None
        used = max(0, now[1] - self._began[1])
        return used / self._ticks_per_s / (now[0] - self._began[0])

    def _now(self) -> tuple[float, int] | None:
        """Return the time, and the ticks that others than the guests used so far."""
        try:
            busy = _busy_ticks((self._proc / "stat").read_text(encoding="ascii", errors="replace"))
        except (OSError, ValueError):
            return None
        return self._clock(), busy - sum(self._guest_ticks(pid) for pid in self._guests)

    def _guest_ticks(self, pid: int) -> int:
        """Return user and system time of a process. Source: proc_pid_stat(5), fields 14 and 15."""
        try:
            text = (self._proc / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
            fields = text.rpartition(")")[2].split()
            return int(fields[11]) + int(fields[12])
        except (OSError, ValueError, IndexError):
            return 0


def _busy_ticks(stat: str) -> int:
    """Return the ticks of all CPUs that were neither idle nor waiting. Source: proc_stat(5)."""
    fields = [int(word) for word in stat.splitlines()[0].split()[1:9]]
    user, nice, system, _idle, _iowait, irq, softirq, _steal = fields
    return user + nice + system + irq + softirq
