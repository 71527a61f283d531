"""Counters of the kernel: CPU time, and IPv4 fragments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.results import CpuUsage


@dataclass(frozen=True, slots=True)
class CpuTicks:
    """Counters of all cores together since the host started, in clock ticks.

    Source: proc_stat(5), first line of /proc/stat; `guest` is contained in `user`, and is not counted twice.

    Attributes:
        uptime_s: Seconds since the host started.
        fragments: IPv4 fragments that the host has made since then; None where that was not read.
    """

    uptime_s: float
    fragments: int | None
    user: int
    system: int
    softirq: int
    steal: int
    idle: int
    iowait: int

    @property
    def total(self) -> int:
        """All ticks."""
        return self.user + self.system + self.softirq + self.steal + self.idle + self.iowait


def parse_cpu_line(line: str) -> CpuTicks | None:
    """Understand one line of a script here: seconds of uptime, fragments or `-`, then the first line of /proc/stat."""
    words = line.split()
    if len(words) < 7 or words[2] != "cpu" or not all(word.isdecimal() for word in words[3:11]):
        return None
    try:
        uptime_s = float(words[0])
        fields = [int(word) for word in words[3:11]]
        fragments = int(words[1]) if words[1].isdecimal() else None
    except ValueError:
        return None
    fields += [0] * (8 - len(fields))
    user, nice, system, idle, iowait, irq, softirq, steal = fields
    return CpuTicks(uptime_s, fragments, user + nice, system, irq + softirq, steal, idle, iowait)


def usage_between(first: CpuTicks, last: CpuTicks) -> CpuUsage | None:
    """Return the shares between two readings; None where no tick has passed (or the host was restarted)."""
    total = last.total - first.total
    seconds = last.uptime_s - first.uptime_s
    if total <= 0 or seconds <= 0:
        return None

    def share(begin: int, end: int) -> float:
        return min(100.0, max(0.0, (end - begin) * 100.0 / total))

    waiting = share(first.idle + first.iowait, last.idle + last.iowait)
    return CpuUsage(
        busy_pct=100.0 - waiting,
        user_pct=share(first.user, last.user),
        system_pct=share(first.system, last.system),
        softirq_pct=share(first.softirq, last.softirq),
        steal_pct=share(first.steal, last.steal),
        seconds=seconds,
    )


def mean_usage(parts: Sequence[CpuUsage]) -> CpuUsage | None:
    """Return the mean over intervals, weighted by their length; None without any."""
    seconds = sum(part.seconds for part in parts)
    if seconds <= 0:
        return None

    def mean(name: str) -> float:
        return sum(float(getattr(part, name)) * part.seconds for part in parts) / seconds

    return CpuUsage(
        busy_pct=mean("busy_pct"),
        user_pct=mean("user_pct"),
        system_pct=mean("system_pct"),
        softirq_pct=mean("softirq_pct"),
        steal_pct=mean("steal_pct"),
        seconds=seconds,
    )
