"""CPU time of both hosts from counters that are read between windows of a measurement, never during one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.hosts import Side
from app.domain.results import CpuUsage
from app.probes.counters import read_counters
from app.probes.cpu import CpuReading, CpuSink
from app.probes.cpu_ticks import CpuTicks, usage_between


class CpuCounters:
    """CPU time and fragments of both hosts from the first reading to the last.

    Args:
        on_reading: Gets what each host used since the reading before.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        sessions: SessionPair,
        *,
        on_reading: CpuSink | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sessions = sessions
        self._on_reading = on_reading
        self._clock = clock
        self._began_s = clock()
        self._seen: dict[Side, list[CpuTicks]] = {Side.A: [], Side.B: []}

    def read(self, token: CancelToken) -> None:
        """Read both hosts at the same time; a host that does not report its CPU time is left out.

        Raises:
            ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
        """
        counters = read_counters(self._sessions, {}, {}, token=token)
        self.take({side: host.ticks for side, host in counters.items() if host.ticks is not None})

    def take(self, ticks: Mapping[Side, CpuTicks]) -> None:
        """Take a reading that was made otherwise."""
        at_s = self._clock() - self._began_s
        for side, one in ticks.items():
            seen = self._seen[side]
            usage = usage_between(seen[-1], one) if seen else None
            seen.append(one)
            if usage is not None and self._on_reading is not None:
                self._on_reading(CpuReading(side, at_s, usage))

    def usage(self) -> dict[str, CpuUsage]:
        """Return what both hosts used, by `a` and `b`; a host without two readings is left out."""
        usages = {side.value: usage_between(seen[0], seen[-1]) for side, seen in self._seen.items() if seen}
        return {side: usage for side, usage in usages.items() if usage is not None}

    def fragments(self, side: Side) -> int | None:
        """Return how many IPv4 fragments a host made; None where that was not counted."""
        counts = [ticks.fragments for ticks in self._seen[side]]
        if len(counts) < 2 or counts[0] is None or counts[-1] is None or counts[-1] < counts[0]:
            return None
        return counts[-1] - counts[0]
