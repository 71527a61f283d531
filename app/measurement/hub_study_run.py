"""Cells of the study of a hub, one tunnel at a time: the hub on A, its clients in namespaces on B."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from app.domain.adapters import Adapter
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.errors import ProbeFailed
from app.domain.hosts import Side
from app.domain.hub_study import HubBound, HubCell, HubResult, HubWindow
from app.domain.hubs import FloodRequest, Hub
from app.domain.link import Link
from app.domain.results import CpuUsage
from app.domain.solutions import Suite
from app.measurement.hub_search import search_rate
from app.measurement.interfaces import Tunnels
from app.measurement.messages import (
    HUB_BUILT,
    HUB_FELL_BEHIND,
    HUB_FLOODED,
    HUB_RATE_FAILED,
    HUB_RATE_HELD,
    NO_HUB_RATE,
)
from app.probes import CpuMonitor
from app.probes.hub_flood import flood
from app.probes.own_load import OwnLoad
from app.tunnel.hub_clients import HubClients

FIRST_RATE_S = 4.0
"""Rate that is tried first, in 1/s."""
_STEP_DOWN = 0.87
"""By how much the rate of the long window is reduced where not all attempts succeed in it."""
_LONG_TRIES = 3
CPU_INTERVAL_S = 1.0
"""Interval of the CPU figures that are kept of the long window."""


@dataclass(frozen=True, slots=True)
class HubPart:
    """Amount of a part of the study.

    Attributes:
        try_s: Seconds of each rate that is tried.
        window_s: Seconds at the rate that was found.
    """

    try_s: int
    window_s: int


@dataclass(frozen=True, slots=True)
class HubChoice:
    """A cell with the parts that it is built from.

    Attributes:
        cell: The cell.
        hub: Adapter's hub.
        adapter: Its adapter for the number of clients.
        suite: The suite.
    """

    cell: HubCell
    hub: Hub
    adapter: Adapter
    suite: Suite


@dataclass(frozen=True, slots=True)
class HubStudyRun:
    """Measures cells that are not done yet.

    Attributes:
        choices: Cells, in order.
        part: Amounts.
        clients: Number of clients.
        sessions: Connections to both hosts.
        tunnels: Builds tunnels.
        guests: Process ids of the practice lab's virtual machines.
        report: Gets each step as a sentence.
        keep: Gets each result as soon as there is one.
        token: Ends it; results so far were kept.
    """

    choices: Sequence[HubChoice]
    part: HubPart
    clients: int
    sessions: SessionPair
    tunnels: Tunnels
    guests: tuple[int, ...]
    report: Callable[[str], None]
    keep: Callable[[HubResult], None]
    token: CancelToken

    def run(self) -> None:
        """Measure cell by cell. One that does not come up, or a probe that fails, is a result; others go on.

        Raises:
            ConnectionLost, DeadlineExceeded, HostUnreachable: A host was lost.
            CleanupFailed: A host could not be rolled back.
            Cancelled: The token was cancelled.
        """
        for choice in self.choices:
            self.keep(self._measured(choice))

    def _measured(self, choice: HubChoice) -> HubResult:
        self.report(HUB_BUILT(solution=choice.cell.title, clients=self.clients))
        result = HubResult(choice.cell, self.clients, choice.suite.title)
        with self.tunnels.open_group(
            [(choice.adapter, choice.suite)],
            extensions=[HubClients(self.clients)],
            token=self.token,
            on_stage=lambda *_: None,
        ) as group:
            if group.failures:
                return replace(result, message=group.failures[0].sentence())
            load = OwnLoad(self.guests)
            load.start()
            try:
                found = _Flood(self, choice.hub, group.tunnels[0].link).measured(result)
            except ProbeFailed as error:
                found = replace(result, message=error.sentence())
            return replace(found, own_load_cores=load.cores())


@dataclass
class _Flood:
    """Search of one solution's highest rate of key exchanges."""

    run: HubStudyRun
    hub: Hub
    link: Link
    windows: list[HubWindow] = field(default_factory=list)

    def measured(self, result: HubResult) -> HubResult:
        """Return a result with the highest rate at which all attempts succeed, and the CPU of the hub meanwhile."""
        rate = search_rate(self._succeeds, FIRST_RATE_S)
        if not rate:
            return replace(result, windows=tuple(self.windows), message=NO_HUB_RATE())
        for _ in range(_LONG_TRIES):
            window, cpu = self._window(rate, self.run.part.window_s)
            if window.has_all(self.run.clients):
                failed = [one for one in self.windows if not one.has_all(self.run.clients) and one.rate_s > rate]
                bound = _bound(window, failed)
                tried = tuple(self.windows)
                return replace(result, value=window.rate_s, bound=bound, windows=tried, window=window, cpu=cpu)
            self.windows.append(window)
            rate *= _STEP_DOWN
        return replace(result, windows=tuple(self.windows), message=HUB_FELL_BEHIND(seconds=self.run.part.window_s))

    def _succeeds(self, rate_s: float) -> bool:
        """Return whether a rate holds. What failed although neither host was at its limit is tried once more."""
        return self._holds(rate_s) or (self.windows[-1].bound is HubBound.NONE and self._holds(rate_s))

    def _holds(self, rate_s: float) -> bool:
        window, _ = self._window(rate_s, self.run.part.try_s)
        self.windows.append(window)
        is_whole = window.has_all(self.run.clients)
        form = HUB_RATE_HELD if is_whole else HUB_RATE_FAILED
        self.run.report(form(rate=window.rate_s, done=window.by_clients, seen=window.by_hub, attempts=window.attempts))
        return is_whole

    def _window(self, rate_s: float, seconds: int) -> tuple[HubWindow, tuple[CpuUsage, ...]]:
        """Make attempts at a rate; return what came of them, and the CPU of the hub in each interval."""
        run, request = self.run, FloodRequest(round(rate_s, 2), seconds)
        run.report(HUB_FLOODED(rate=request.rate_s, seconds=seconds))
        with CpuMonitor(run.sessions) as monitor:
            monitor.wait_until_watching(run.token)
            done = flood(run.sessions, self.hub, self.link, run.clients, request, token=run.token)
            begin_s, end_s = done.span
            usage = monitor.usage((begin_s, end_s))
            cpu = _intervals(monitor, begin_s, begin_s + seconds)
        window = replace(done.window, hub=usage.get(Side.A.value), clients=usage.get(Side.B.value))
        return window, cpu


def _intervals(monitor: CpuMonitor, begin_s: float, end_s: float) -> tuple[CpuUsage, ...]:
    """Return the CPU of the hub in each interval of a span."""
    steps = int((end_s - begin_s) / CPU_INTERVAL_S)
    edges = [begin_s + number * CPU_INTERVAL_S for number in range(steps + 1)]
    found = (monitor.usage(one).get(Side.A.value) for one in itertools.pairwise(edges))
    return tuple(one for one in found if one is not None)


def _bound(window: HubWindow, failed: Sequence[HubWindow]) -> HubBound:
    """Return the limit of a rate: that of the slowest window that failed, or else of the one that did not."""
    least = min(failed, key=lambda one: one.rate_s, default=window)
    return least.bound if least.bound is not HubBound.NONE else window.bound
