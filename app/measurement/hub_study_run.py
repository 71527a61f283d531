"""Cells of the study of a hub, one tunnel at a time: the hub on A, its clients in namespaces on B."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.errors import ProbeFailed
from app.domain.hosts import HostFacts, Side
from app.domain.hub_study import HubBound, HubCell, HubKind, HubResult, HubWindow, cpu_bound
from app.domain.hubs import FloodRequest, Hub, SessionHub, client_prefix
from app.domain.link import Link
from app.domain.results import CpuUsage
from app.domain.solutions import Suite
from app.host.node_session import NodeSession
from app.measurement.hub_search import PRECISION, search_rate
from app.measurement.interfaces import Tunnels
from app.measurement.messages.studies import (
    HUB_BUILT,
    HUB_FELL_BEHIND,
    HUB_FLOODED,
    HUB_RATE_FAILED,
    HUB_RATE_HELD,
    HUB_RESTARTED,
    HUB_TCP,
    HUB_WITHOUT_SESSIONS,
    NO_HUB_RATE,
)
from app.probes import CpuMonitor
from app.probes.hub_flood import flood
from app.probes.hub_sessions import connect, measure_between_clients, recover_clients
from app.probes.own_load import OwnLoad
from app.ranking.hub_study import recovery_s
from app.tunnel.hub_clients import HubClients

SITES = 2
"""Clients between which TCP is measured."""
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
        precision: When the search ends; see `search_rate`.
        recovery: Numbers of clients that are tried with a restart of the hub, in turn.
        tcp_s: Seconds of TCP per direction.
        is_quick: Whether only some cells are in it.
    """

    try_s: int
    window_s: int
    precision: float = PRECISION
    recovery: tuple[int, ...] = ()
    tcp_s: int = 0
    is_quick: bool = False


@dataclass(frozen=True, slots=True)
class HubChoice:
    """A cell with the parts that it is built from.

    Attributes:
        cell: The cell.
        hub: The solution's hub.
        sessions: The same where its clients remain connected; None where they do not.
        suite: The suite.
    """

    cell: HubCell
    hub: Hub
    sessions: SessionHub | None
    suite: Suite


@dataclass(frozen=True, slots=True)
class HubStudyRun:
    """Measures cells that are not done yet.

    Attributes:
        choices: Cells, in order.
        part: Amounts.
        clients: Number of clients.
        sessions: Connections to both hosts.
        facts: What was found on the clients' host.
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
    facts: HostFacts
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
        if choice.cell.kind is HubKind.RECOVERY:
            return self._recovered(choice)
        is_flood = choice.cell.kind is HubKind.FLOOD
        return self._with_hub(choice, self.clients if is_flood else SITES, _flooded if is_flood else _sent)

    def _recovered(self, choice: HubChoice) -> HubResult:
        """Return the largest number of clients that were back in time, of growing numbers until not all were."""
        best: HubResult | None = None
        for clients in self.part.recovery:
            found = self._with_hub(choice, clients, _back)
            if best is None or (found.value or 0) > (best.value or 0):
                best = found
            elif found.message:
                best = replace(best, message=found.message)
            if found.value != clients:
                break
        return best or HubResult(choice.cell, 0)

    def _with_hub(self, choice: HubChoice, clients: int, measure: _Measure) -> HubResult:
        """Return what is measured while a hub with so many clients is up, or why there is nothing."""
        self.report(HUB_BUILT(solution=choice.cell.title, clients=clients))
        result = HubResult(choice.cell, clients, choice.suite.title)
        with self.tunnels.open_group(
            [(choice.hub.adapter(clients), choice.suite)],
            extensions=[HubClients(clients)],
            token=self.token,
            on_stage=lambda *_: None,
        ) as group:
            if group.failures:
                return replace(result, message=group.failures[0].sentence())
            load = OwnLoad(self.guests)
            load.start()
            try:
                found = measure(self, choice, group.tunnels[0].link, result)
            except ProbeFailed as error:
                found = replace(result, message=error.sentence())
            return replace(found, own_load_cores=load.cores())


_Measure = Callable[[HubStudyRun, HubChoice, Link, HubResult], HubResult]


def _flooded(run: HubStudyRun, choice: HubChoice, link: Link, result: HubResult) -> HubResult:
    return _Flood(run, choice.hub, link).measured(result)


def _back(run: HubStudyRun, choice: HubChoice, link: Link, result: HubResult) -> HubResult:
    """Return a result with the clients that are back in time after a restart of the hub."""
    hub, within_s = _session_hub(choice), recovery_s()
    connect(run.sessions, hub, link, result.clients, token=run.token)
    run.report(HUB_RESTARTED(clients=result.clients))
    found = recover_clients(run.sessions, hub, link, result.clients, within_s=within_s, token=run.token)
    bound = HubBound.NONE if found.back == result.clients else HubBound.TIME
    return replace(result, value=float(found.back), bound=bound, outages_s=found.outages_s)


def _sent(run: HubStudyRun, choice: HubChoice, link: Link, result: HubResult) -> HubResult:
    """Return a result with the throughput between two clients."""
    connect(run.sessions, _session_hub(choice), link, result.clients, token=run.token)
    run.report(HUB_TCP(seconds=run.part.tcp_s))
    sites = client_sessions(run.sessions, link)
    found = measure_between_clients(run.sessions, sites, link, run.facts, seconds=run.part.tcp_s, token=run.token)
    hub, clients = found.cpu.get(Side.A.value), found.cpu.get(Side.B.value)
    rate = statistics.fmean(one.mbit_s for one in found.series)
    return replace(result, value=rate, bound=cpu_bound(hub, clients), hub_cpu=hub, clients_cpu=clients)


def client_sessions(sessions: SessionPair, link: Link) -> SessionPair:
    """Return sessions whose commands run in the namespaces of the first two clients."""
    first, second = (NodeSession(sessions.b, f"{client_prefix(link)}{number}") for number in (1, SITES))
    return SessionPair(first, second)


def _session_hub(choice: HubChoice) -> SessionHub:
    if choice.sessions is None:
        raise ProbeFailed(HUB_WITHOUT_SESSIONS(solution=choice.cell.title))
    return choice.sessions


@dataclass
class _Flood:
    """Search of one solution's highest rate of key exchanges."""

    run: HubStudyRun
    hub: Hub
    link: Link
    windows: list[HubWindow] = field(default_factory=list)

    def measured(self, result: HubResult) -> HubResult:
        """Return a result with the highest rate at which all attempts succeed, and the CPU of the hub meanwhile."""
        rate = search_rate(self._succeeds, FIRST_RATE_S, precision=self.run.part.precision)
        if not rate:
            return replace(result, windows=tuple(self.windows), message=NO_HUB_RATE())
        for _ in range(_LONG_TRIES):
            window, cpu = self._window(rate, self.run.part.window_s)
            if window.has_all(self.run.clients):
                failed = [
                    one for one in self.windows if not one.has_all(self.run.clients) and one.rate_s > window.rate_s
                ]
                bound = _bound(window, failed)
                tried = tuple(self.windows)
                return replace(
                    result,
                    value=window.rate_s,
                    bound=bound,
                    windows=tried,
                    window=window,
                    cpu=cpu,
                    hub_cpu=window.hub,
                    clients_cpu=window.clients,
                )
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
            # To wait after the last attempt was due is no load: with it, a host at its limit would seem idle.
            usage = monitor.usage((begin_s, min(end_s, begin_s + seconds)))
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
