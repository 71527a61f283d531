"""Cells of the study of a hub, one tunnel at a time: the hub on A, its clients in namespaces on B."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.errors import CleanupFailed, ConnectionLost, DeadlineExceeded, HostUnreachable, ProbeFailed
from app.domain.hosts import HostFacts, Side
from app.domain.hub_study import HubBound, HubCell, HubKind, HubResult, cpu_bound
from app.domain.hubs import Hub, SessionHub, client_prefix
from app.domain.link import Link
from app.domain.solutions import Suite
from app.host.node_session import NodeSession
from app.measurement.interfaces import Tunnels
from app.measurement.messages.studies import (
    HUB_BUILT,
    HUB_FEWER_BACK,
    HUB_RESTARTED,
    HUB_TCP,
    HUB_WITHOUT_SESSIONS,
)
from app.measurement.on_hub import measure_on_hub
from app.probes.hub_rate import RateAmounts, RateSearch
from app.probes.hub_sessions import connect, measure_between_clients, recover_clients
from app.ranking.hub_study import recovery_s

SITES = 2
"""Clients between which TCP is measured."""
_TOO_BUSY = (CleanupFailed, ConnectionLost, DeadlineExceeded, HostUnreachable)
"""Errors that a host ends with that so many clients keep too busy to answer, or to be rolled back."""


@dataclass(frozen=True, slots=True)
class HubPart:
    """Amount of a part of the study.

    Attributes:
        rates: Of the search of the highest rate.
        recovery: Numbers of clients that are tried with a restart of the hub, in turn.
        tcp_s: Seconds of TCP per direction.
        is_quick: Whether only some cells are in it.
    """

    rates: RateAmounts
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
            try:
                found = self._with_hub(choice, clients, _back)
            except _TOO_BUSY as error:
                if best is not None and not self.token.is_cancelled:
                    self.keep(replace(best, message=error.sentence()))
                raise
            if best is None or (found.value or 0) > (best.value or 0):
                best = found
            elif found.value is None:
                best = replace(best, message=found.message)
            else:  # more clients were tried, so that those that were all back are no lower bound
                words = HUB_FEWER_BACK(clients=clients, back=round(found.value))
                best = replace(best, bound=HubBound.TIME, message=words)
            if found.value != clients:
                break
        return best or HubResult(choice.cell, 0)

    def _with_hub(self, choice: HubChoice, clients: int, measure: _Measure) -> HubResult:
        """Return what is measured while a hub with so many clients is up, or why there is nothing."""
        self.report(HUB_BUILT(solution=choice.cell.title, clients=clients))
        result = HubResult(choice.cell, clients, choice.suite.title)
        outcome = measure_on_hub(
            *(self.tunnels, choice.hub, choice.suite, clients),
            lambda link: measure(self, choice, link, result),
            guests=self.guests,
            token=self.token,
        )
        found = outcome.found or replace(result, message=outcome.message)
        return replace(found, own_load_cores=outcome.own_load_cores)


_Measure = Callable[[HubStudyRun, HubChoice, Link, HubResult], HubResult]


def _flooded(run: HubStudyRun, choice: HubChoice, link: Link, result: HubResult) -> HubResult:
    """Return a result with the highest rate at which all key exchanges succeed, and the CPU of the hub meanwhile."""
    found = RateSearch(run.sessions, choice.hub, link, result.clients, run.part.rates, run.report, run.token).found()
    window = found.window
    if window is None:
        return replace(result, windows=found.windows, message=found.message)
    return replace(
        result,
        value=window.rate_s,
        bound=found.bound,
        windows=found.windows,
        window=window,
        cpu=found.cpu,
        hub_cpu=window.hub,
        clients_cpu=window.clients,
    )


def _back(run: HubStudyRun, choice: HubChoice, link: Link, result: HubResult) -> HubResult:
    """Return a result with the clients that are back in time after a restart of the hub."""
    hub, within_s = _session_hub(choice), choice.cell.within_s or recovery_s()
    connect(run.sessions, hub, link, result.clients, token=run.token)
    run.report(HUB_RESTARTED(clients=result.clients, seconds=within_s))
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
