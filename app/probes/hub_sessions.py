"""Clients that remain connected to a hub: their way back after its restart, and what they send through it."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair, Stream
from app.domain.concurrency import WorkerPool
from app.domain.errors import DeadlineExceeded, ProbeFailed
from app.domain.hosts import HostFacts, Side
from app.domain.hubs import SessionHub, client_inside, each_client, outage_program
from app.domain.link import Link
from app.domain.plain_text import plain_text
from app.domain.results import CpuUsage, ThroughputSeries
from app.probes.cpu import CpuMonitor
from app.probes.messages import HUB_CLIENTS_BEGIN, HUB_CLIENTS_SILENT, HUB_NOT_CONNECTED, HUB_NOT_RESTARTED
from app.probes.throughput import ThroughputRequest, measure_throughput, throughput_server

LEAD_S = 3.0
"""Least time for which clients have answers before the hub is restarted, in seconds."""
_LEAD_EACH_S = 0.125
"""Least time per client, in seconds, as many ask in turn. Source: of 64 on a lab, one had no answer within 3 s."""
_BEGIN_S, _BEGIN_EACH_S = 30.0, 0.5
"""Time for all clients to begin, and for each of them in addition. Source: nodes/each.sh has them wait 0.25 s each."""
_SERVER_IDLE_S = 30.0
_CLIENT = re.compile(r"^client (-|\d{1,6}\.\d{2}) (-|\d{1,6}\.\d{2})$", re.MULTILINE)
"""Line of a client: when its first answer came, and how long it had none, in seconds; `-` for never."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """Outcome of a restart of a hub.

    Attributes:
        clients: Number of clients.
        outages_s: For how long each client that is back had no answer, in seconds, the shortest first.
        within_s: Time that they had.
    """

    clients: int
    outages_s: tuple[float, ...]
    within_s: float

    @property
    def back(self) -> int:
        """Clients that were back in time."""
        return sum(one <= self.within_s for one in self.outages_s)


def connect(sessions: SessionPair, hub: SessionHub, link: Link, clients: int, *, token: CancelToken) -> None:
    """Connect all clients.

    Raises:
        ProbeFailed: One did not connect.
    """
    done = sessions.b.run(hub.connect(link, clients), token=token)
    if not done.is_ok:
        raise ProbeFailed(HUB_NOT_CONNECTED(output=plain_text(done.stderr)[-300:]))


def recover_clients(
    sessions: SessionPair, hub: SessionHub, link: Link, clients: int, *, within_s: int, token: CancelToken
) -> Recovery:
    """Restart the hub of connected clients, and return for how long each had no answer from it.

    Raises:
        ProbeFailed: The clients did not begin, not all had an answer, or the hub did not start again.
    """
    begun = threading.Event()
    lead_s = max(LEAD_S, _LEAD_EACH_S * clients)
    begin_s = _BEGIN_S + _BEGIN_EACH_S * clients
    limit_s = int(lead_s + within_s + begin_s)
    words = (link.inner_ip(Side.A), str(int(lead_s) + within_s + 2), f"{lead_s:g}")
    command = each_client(link, clients, outage_program(link), limit_s, words)

    def on_line(stream: Stream, line: str) -> None:
        if stream is Stream.STDOUT and line == "@begin":
            begun.set()

    with WorkerPool(1, thread_name_prefix="hub-outage") as pool, _cancelled_at_failure(token) as watch_token:
        watching = pool.submit(lambda: sessions.b.run(command, token=watch_token, on_line=on_line))
        try:
            token.wait_for(lambda: begun.is_set() or watching.done(), timeout_s=begin_s, what=HUB_CLIENTS_BEGIN())
        except DeadlineExceeded as error:
            raise ProbeFailed(error.message) from error
        token.sleep(lead_s)
        results = sessions.a.run_batch(hub.restart(link), token=token, should_stop_at_failure=True)
        watched = watching.result()
    if not all(one.is_ok for one in results):
        raise ProbeFailed(HUB_NOT_RESTARTED(output=plain_text(results[-1].stderr)[-300:]))
    ready = answered_before(watched.stdout, lead_s)
    if not watched.is_ok or ready < clients:
        output = plain_text(watched.stderr)[-300:]
        raise ProbeFailed(HUB_CLIENTS_SILENT(ready=ready, clients=clients, output=output))
    return Recovery(clients, parse_outages(watched.stdout), float(within_s))


@contextmanager
def _cancelled_at_failure(token: CancelToken) -> Iterator[CancelToken]:
    """Give a token that is cancelled with another one, or where what is done meanwhile fails."""
    own = CancelToken()
    unregister = token.on_cancel(own.cancel)
    try:
        yield own
    except BaseException:
        own.cancel()
        raise
    finally:
        unregister()


def answered_before(text: str, seconds: float) -> int:
    """Return how many clients had their first answer within so many seconds after they began."""
    return sum(first != "-" and float(first) <= seconds for first, _ in _CLIENT.findall(text))


def parse_outages(text: str) -> tuple[float, ...]:
    """Return the outages of the clients that are back, in s. One without any outage did not notice the restart.

    Such a client is left out: nothing shows that it was connected to the hub at all.
    """
    found = (outage for _, outage in _CLIENT.findall(text) if outage != "-")
    return tuple(sorted(one for one in map(float, found) if one >= 1.0))


@dataclass(frozen=True, slots=True)
class HubThroughput:
    """TCP from one client's site to another's, and back.

    Attributes:
        series: Both directions.
        cpu: CPU of both hosts meanwhile, by `a` and `b`.
    """

    series: tuple[ThroughputSeries, ThroughputSeries]
    cpu: Mapping[str, CpuUsage]


def measure_between_clients(
    sessions: SessionPair, sites: SessionPair, link: Link, facts: HostFacts, *, seconds: int, token: CancelToken
) -> HubThroughput:
    """Measure TCP between the first two clients, which are connected.

    Args:
        sites: Sessions whose commands run in the namespaces of these clients.
        facts: Of the host that has them.
        seconds: Seconds per direction.

    Raises:
        ProbeFailed: No figures came of it.
    """
    tool = facts.tools.get("iperf3")
    request = ThroughputRequest(
        client_address=client_inside(link, 1),
        server_address=client_inside(link, 2),
        port=link.names.iperf_port,
        seconds=seconds,
        iperf3_version=tool.version if tool is not None else "",
    )
    with throughput_server(sites.b, request, token=token, idle_s=_SERVER_IDLE_S) as server:
        server.wait_until_listening()
        with CpuMonitor(sessions) as monitor:
            monitor.wait_until_watching(token)
            rates = measure_throughput(sites.a, server, request, token=token, on_interval=lambda *_: None)
    return HubThroughput(rates.series, monitor.usage(*rates.windows))
