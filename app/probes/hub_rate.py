"""Highest rate of key exchanges that a hub and its clients manage, and the CPU of both hosts meanwhile."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.hosts import Side
from app.domain.hub_study import FULL_IDLE_PCT, HubBound, HubWindow
from app.domain.hubs import FloodRequest, Hub
from app.domain.link import Link
from app.domain.results import CpuUsage
from app.probes.cpu import CpuMonitor
from app.probes.hub_flood import flood
from app.probes.hub_search import PRECISION, search_rate
from app.probes.messages import HUB_FELL_BEHIND, HUB_FLOODED, HUB_RATE_FAILED, HUB_RATE_HELD, NO_HUB_RATE

FIRST_RATE_S = 4.0
"""Rate that is tried first, in 1/s."""
_STEP_DOWN = 0.87
"""Factor by which the rate of the long window is reduced where not all attempts succeed in it."""
_LONG_TRIES = 6
_CPU_INTERVAL_S = 1.0
"""Interval of the CPU figures that are kept of the long window."""


@dataclass(frozen=True, slots=True)
class RateAmounts:
    """Amounts of a search.

    Attributes:
        try_s: Seconds of each rate that is tried.
        window_s: Seconds at the rate that was found.
        precision: When the search ends; see `search_rate`.
    """

    try_s: int
    window_s: int
    precision: float = PRECISION


QUICK_AMOUNTS = RateAmounts(try_s=4, window_s=10, precision=1.3)
"""Some two minutes for a solution. Source: our choice."""


@dataclass(frozen=True, slots=True)
class HubRate:
    """Outcome of a search.

    Attributes:
        windows: Attempts at each rate that was tried, in order.
        window: The longer window at the rate that was found; None where none was found.
        bound: Limit of that rate.
        cpu: CPU of the hub in each second of that window.
        message: Why no rate was found; empty where one was.
    """

    windows: tuple[HubWindow, ...]
    window: HubWindow | None = None
    bound: HubBound = HubBound.NONE
    cpu: tuple[CpuUsage, ...] = ()
    message: str = ""


@dataclass
class RateSearch:
    """Search of the highest rate at which all key exchanges succeed.

    Attributes:
        sessions: Connections to both hosts.
        hub: The solution's hub, which is up on A with its clients on B.
        link: The link that it was built on.
        clients: Number of clients.
        amounts: How long it takes.
        report: Gets each step as a sentence.
        token: Cancels it.
        windows: Attempts so far.
    """

    sessions: SessionPair
    hub: Hub
    link: Link
    clients: int
    amounts: RateAmounts
    report: Callable[[str], None]
    token: CancelToken
    windows: list[HubWindow] = field(default_factory=list)

    def found(self) -> HubRate:
        """Search, and return the highest rate at which all attempts succeed, with the CPU of the hub meanwhile.

        Raises:
            ProbeFailed: Attempts or the hub's counters cannot be read.
            ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
        """
        self._window(FIRST_RATE_S, self.amounts.try_s)  # does not count: a program's first key exchanges take longer
        rate = search_rate(self._succeeds, FIRST_RATE_S, precision=self.amounts.precision)
        if not rate:
            return HubRate(tuple(self.windows), message=NO_HUB_RATE())
        is_again = False
        for _ in range(_LONG_TRIES):
            window, cpu = self._window(rate, self.amounts.window_s)
            if window.has_all(self.clients):
                failed = [one for one in self.windows if not one.has_all(self.clients) and one.rate_s > window.rate_s]
                return HubRate(tuple(self.windows), window, _bound(window, failed), cpu)
            self.windows.append(window)
            is_again = not is_again and self._may_hold(window)
            if not is_again:
                rate *= _STEP_DOWN
        return HubRate(tuple(self.windows), message=HUB_FELL_BEHIND(seconds=self.amounts.window_s))

    def _succeeds(self, rate_s: float) -> bool:
        """Return whether a rate holds. One that may hold although it failed is tried once more."""
        return self._holds(rate_s) or (self._may_hold(self.windows[-1]) and self._holds(rate_s))

    def _may_hold(self, failed: HubWindow) -> bool:
        """Return whether something passing explains that a rate failed.

        Neither host was at its limit then, or by the CPU at the highest rate that held so far neither would have been.
        The first rate of all gets a second chance.
        """
        if failed.bound is HubBound.NONE:
            return True
        held = [one for one in self.windows if one.has_all(self.clients) and one.rate_s <= failed.rate_s]
        best = max(held, key=lambda one: one.rate_s, default=None)
        if best is None:
            return len(self.windows) == 1
        if failed.limiters:
            return False
        busy = [cpu.busy_pct for cpu in (best.hub, best.clients) if cpu is not None]
        return len(busy) == len(Side) and max(busy) * failed.rate_s / best.rate_s < 100.0 - FULL_IDLE_PCT

    def _holds(self, rate_s: float) -> bool:
        window, _ = self._window(rate_s, self.amounts.try_s)
        self.windows.append(window)
        is_whole = window.has_all(self.clients)
        form = HUB_RATE_HELD if is_whole else HUB_RATE_FAILED
        self.report(form(rate=window.rate_s, done=window.by_clients, seen=window.by_hub, attempts=window.attempts))
        return is_whole

    def _window(self, rate_s: float, seconds: int) -> tuple[HubWindow, tuple[CpuUsage, ...]]:
        """Make attempts at a rate; return what came of them, and the CPU of the hub in each interval."""
        request = FloodRequest(round(rate_s, 2), seconds)
        self.report(HUB_FLOODED(rate=request.rate_s, seconds=seconds))
        with CpuMonitor(self.sessions) as monitor:
            monitor.wait_until_watching(self.token)
            done = flood(self.sessions, self.hub, self.link, self.clients, request, token=self.token)
            begin_s, end_s = done.span
            # To wait after the last attempt was due is no load: with it, a host at its limit would seem idle.
            usage = monitor.usage((begin_s, min(end_s, begin_s + seconds)))
            cpu = _intervals(monitor, begin_s, begin_s + seconds)
        window = replace(done.window, hub=usage.get(Side.A.value), clients=usage.get(Side.B.value))
        return window, cpu


def _intervals(monitor: CpuMonitor, begin_s: float, end_s: float) -> tuple[CpuUsage, ...]:
    """Return the CPU of the hub in each interval of a span."""
    steps = int((end_s - begin_s) / _CPU_INTERVAL_S)
    edges = [begin_s + number * _CPU_INTERVAL_S for number in range(steps + 1)]
    found = (monitor.usage(one).get(Side.A.value) for one in itertools.pairwise(edges))
    return tuple(one for one in found if one is not None)


def _bound(window: HubWindow, failed: Sequence[HubWindow]) -> HubBound:
    """Return the limit of a rate: that of the slowest window that failed, or else of the one that did not."""
    least = min(failed, key=lambda one: one.rate_s, default=window)
    return least.bound if least.bound is not HubBound.NONE else window.bound
