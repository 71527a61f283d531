"""CPU time of both hosts while something else is measured."""

from __future__ import annotations

import itertools
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, SessionPair
from app.domain.concurrency import run_both
from app.domain.errors import Cancelled, DeadlineExceeded, TunnelmarkError
from app.domain.hosts import Side
from app.domain.results import CpuUsage
from app.domain.script_files import bare_script
from app.probes.cpu_ticks import CpuTicks, mean_usage, parse_cpu_line, usage_between
from app.probes.guard import pausing_argv

_LIMIT_SAMPLES = 200_000
FIRST_TIMEOUT_S, END_TIMEOUT_S = 5.0, 3.0
_PID = re.compile(r"^@pid (\d{1,9})$")

_SCRIPT = bare_script("probes/cpu.sh")


@dataclass(frozen=True, slots=True)
class CpuReading:
    """CPU of one host over one interval, all cores together are 100 %. `at_s` counts from the start of watching."""

    side: Side
    at_s: float
    usage: CpuUsage


CpuSink = Callable[[CpuReading], None]


class CpuMonitor:
    """Watches the CPUs of both hosts, in one channel each, for as long as the context lasts.

    Args:
        on_reading: Gets each reading, in a thread of its host's own.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        sessions: SessionPair,
        *,
        on_reading: CpuSink | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._hosts: Mapping[Side, HostSession] = {Side.A: sessions.a, Side.B: sessions.b}
        self._on_reading = on_reading
        self._clock = clock
        self._token = CancelToken()
        self._lock = threading.Lock()
        self._seen: dict[Side, list[tuple[float, CpuTicks]]] = {Side.A: [], Side.B: []}
        self._errors: dict[Side, TunnelmarkError] = {}
        self._pids: dict[Side, int] = {}
        self._is_ending = False
        self._threads: list[threading.Thread] = []
        self._began_s = 0.0

    def __enter__(self) -> Self:
        self._began_s = self._clock()
        for side in Side:
            thread = threading.Thread(target=self._watch, args=(side,), name=f"cpu-{side.value}")
            self._threads.append(thread)
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        # To end the loop by its process id is much cheaper for a slow host than what follows on cancelling.
        run_both(lambda: self._end(Side.A), lambda: self._end(Side.B))
        for thread in self._threads:
            thread.join(timeout=END_TIMEOUT_S)
        self._token.cancel()
        for thread in self._threads:
            thread.join()

    @property
    def first(self) -> Mapping[Side, CpuTicks]:
        """The first reading by side; a host that was not read yet is left out."""
        with self._lock:
            return {side: seen[0][1] for side, seen in self._seen.items() if seen}

    def wait_until_watching(self, token: CancelToken) -> None:
        """Wait until both hosts have been read once, so that starting to watch disturbs nothing any more.

        A host that cannot be watched is not waited for.

        Raises:
            Cancelled: The token was cancelled.
        """

        def is_ready() -> bool:
            with self._lock:
                return all(self._seen[side] or side in self._errors for side in Side)

        try:
            token.wait_for(is_ready, timeout_s=FIRST_TIMEOUT_S, what="the first reading of the CPUs", interval_s=0.01)
        except DeadlineExceeded:
            return  # what was not read is left out of the figures, and reported

    def usage(self, *windows: tuple[float, float]) -> dict[str, CpuUsage]:
        """Return what both hosts used, by `a` and `b`; a host without two readings is left out.

        Args:
            windows: Spans of the clock to count, as (begin, end) in monotonic seconds; an interval counts as much as
                it overlaps with them. Without any, everything counts.
        """
        result: dict[str, CpuUsage] = {}
        for side in Side:
            with self._lock:
                seen = list(self._seen[side])
            parts = []
            for (begin_s, first), (end_s, last) in itertools.pairwise(seen):
                usage = usage_between(first, last)
                if usage is None:
                    continue
                counted_s = _overlap_s(begin_s, end_s, windows) if windows else usage.seconds
                if counted_s > 0:
                    parts.append(replace(usage, seconds=counted_s))
            mean = mean_usage(parts)
            if mean is not None:
                result[side.value] = mean
        return result

    def _end(self, side: Side) -> None:
        with self._lock:
            pid = self._pids.get(side)
            self._is_ending = True
        if pid is None:
            self._token.cancel()
            return
        kill = Command(("kill", str(pid)), timeout_s=END_TIMEOUT_S)
        try:
            self._hosts[side].run(kill, token=self._token)
        except (TunnelmarkError, Cancelled):
            self._token.cancel()

    def _watch(self, side: Side) -> None:
        command = Command(
            pausing_argv(_SCRIPT, str(_LIMIT_SAMPLES)),
            timeout_s=_LIMIT_SAMPLES * 1.1,
            max_output_bytes=4_096,
        )
        try:
            self._hosts[side].run(command, token=self._token, on_line=lambda _s, line: self._on_line(side, line))
        except Cancelled:
            pass  # that is how watching ends
        except TunnelmarkError as error:
            with self._lock:
                self._errors[side] = error

    def _on_line(self, side: Side, line: str) -> None:
        ticks = parse_cpu_line(line)
        if ticks is None:
            mark = _PID.match(line)
            if mark is not None:
                with self._lock:
                    self._pids.setdefault(side, int(mark[1]))
            return
        now_s = self._clock()
        with self._lock:
            if self._is_ending:
                return
            seen = self._seen[side]
            seen.append((now_s, ticks))
            usage = usage_between(seen[-2][1], ticks) if len(seen) > 1 else None
        if usage is not None and self._on_reading is not None:
            self._on_reading(CpuReading(side, now_s - self._began_s, usage))


def _overlap_s(begin_s: float, end_s: float, windows: Sequence[tuple[float, float]]) -> float:
    """Return how many seconds of an interval lie in the windows, which do not overlap each other."""
    return sum(
        max(0.0, min(end_s, window_end_s) - max(begin_s, window_begin_s)) for window_begin_s, window_end_s in windows
    )
