"""A workload, as the comparison sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.hosts import Side
from app.domain.hubs import Hub
from app.domain.link import WORKLOAD_PORT_STEP, Link
from app.domain.messages import sentences
from app.domain.workloads import FigureKind, Listening, WorkloadResult

Report = Callable[[str, float, float], None]
"""Gets the name of a figure, seconds since the workload began, and its value so far."""


@dataclass(frozen=True, slots=True)
class HubPlace:
    """A hub on A with its clients on B.

    Attributes:
        hub: The solution's hub.
        link: The link that it was built on.
    """

    hub: Hub
    link: Link


@dataclass(frozen=True, slots=True)
class WorkloadPath:
    """A path between two hosts that a workload runs over: a tunnel, or the bare link.

    Attributes:
        sessions: Connections to both hosts.
        address_a: A's IPv4 address on the path.
        address_b: B's IPv4 address on the path.
        underlay: IPv4 addresses of A and B that the tunnel runs between.
        outer_filter: pcap filter that matches all packets of the tunnel on the underlay, with those that only keep it
            up; empty for the bare link.
        port: First of `MEASURING_PORTS` that are free on both hosts, for TCP and UDP.
        rtt_ms: Round-trip time that is expected of the link, in ms; 0 where it is short.
        token: Ends the workload.
        report: Gets figures while they grow.
        on_step: Gets each step as a sentence.
        restart: Ends the VPN of one host and starts it again; does not wait for frames to cross. None on the bare link.
        restart_both: The same on both hosts; returns when frames cross.
        hub: Hub that the workload runs on; None where it runs over the path, or the solution has no hub.
        mark_lower_bound: Gets the name of a figure that the candidate can exceed.
        mark_missing: Gets why some of the figures are missing, as a sentence.
    """

    sessions: SessionPair
    address_a: str
    address_b: str
    underlay: tuple[str, str]
    outer_filter: str
    port: int
    rtt_ms: float
    token: CancelToken
    report: Report = lambda _name, _at_s, _value: None
    on_step: Callable[[str], None] = lambda _sentence: None
    restart: Callable[[Side], None] | None = None
    restart_both: Callable[[], None] = lambda: None
    hub: HubPlace | None = None
    mark_lower_bound: Callable[[str], None] = lambda _name: None
    mark_missing: Callable[[str], None] = lambda _why: None

    @property
    def own_port(self) -> int:
        """Port that workloads listen on, beside iperf3's."""
        return self.port + WORKLOAD_PORT_STEP

    def address(self, side: Side) -> str:
        """Return the address of one host on the path."""
        return self.address_a if side is Side.A else self.address_b

    def seconds(self, least: int, round_trips: float = 20.0) -> int:
        """Return seconds that leave TCP so many round trips to fill the line."""
        return max(least, round(round_trips * self.rtt_ms / 1_000))


@dataclass(frozen=True, slots=True)
class Workload:
    """A workload: all that the program knows of one, declared by its module.

    Attributes:
        name: Stable, lower-case with hyphens.
        title: For people.
        figures: What it measures; the first one is its main figure.
        run: Measures them; returns values by name.
        seconds: How long it takes on a link with a short round trip, roughly.
        round_trips: Seconds more, in round trips of the link.
        each_way_mb: Data that cross in one direction, then in the other, in MB: what a slow link takes longer for.
        needs: Programs that it needs, by side; checked before anything is set up.
        listens: Ports that it listens on besides iperf3's, by side, for which firewalls are opened with consent.
        least_versions: Versions that programs must have at least, by program, for example `3.7`.
        beyond_busybox: Programs of which BusyBox's own does not do.
        source: Where its numbers come from.
        heading: Short title of its main figure, for the head of a column; its name where empty.
        hub_clients: Clients of the hub that it runs on, which is built once the tunnel has been removed, on practice
            labs only; 0 for a workload that runs over the tunnel.
    """

    name: str
    title: str
    figures: tuple[FigureKind, ...]
    run: Callable[[WorkloadPath], Mapping[str, float]]
    seconds: float
    round_trips: float = 0.0
    each_way_mb: float = 0.0
    needs: Mapping[Side, tuple[str, ...]] = field(default_factory=dict)
    listens: Mapping[Side, Listening] = field(default_factory=dict)
    least_versions: Mapping[str, str] = field(default_factory=dict)
    beyond_busybox: tuple[str, ...] = ()
    source: str = ""
    heading: str = ""
    hub_clients: int = 0

    def measure(self, path: WorkloadPath) -> WorkloadResult:
        """Return its figures over a path, with which of them the candidate can exceed, and why some are missing.

        Raises:
            ProbeFailed: They cannot be measured.
            ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
        """
        lower_bounds: list[str] = []
        missing: list[str] = []
        marked = replace(path, mark_lower_bound=lower_bounds.append, mark_missing=missing.append)
        figures = dict(self.run(marked))
        why = sentences(dict.fromkeys(missing))
        return WorkloadResult(self.name, figures, message=why, lower_bounds=tuple(lower_bounds))
