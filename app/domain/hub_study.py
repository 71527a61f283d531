"""Study of a hub between sites: its cells, and what is measured of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from app.domain.results import CpuUsage
from app.domain.transfers import DISTURBED_CORES

FULL_IDLE_PCT = 10.0
"""A host with less idle CPU than this is taken to be at its limit. Source: our choice."""

LATE_S = 0.3
"""Attempts that begin later than this, by the median of a window's last quarter, fell behind their rate.

Source: our choice: a window of five seconds so notices a rate that is 6 % too high.
"""


LEAST_WITHIN_S, MOST_WITHIN_S = 5, 300
"""Limits of the time in which clients of a hub have to be back after its restart, in s.

Source: our choice: the fastest solution needs some 6 s; after five minutes a plant has long stopped.
"""

FORMER_WITHIN_S = 30
"""Time that earlier versions gave all clients, in s; what they stored does not have it."""


class HubKind(StrEnum):
    """Measurements of a hub."""

    FLOOD = "flood"  # key exchanges at the highest rate at which all succeed
    RECOVERY = "recovery"  # clients that are back in time after a restart of the hub
    THROUGHPUT = "throughput"  # TCP from one client's site to another's


class HubBound(StrEnum):
    """Limit of a rate that was found."""

    HUB = "hub"
    CLIENTS = "clients"  # the computer of the clients
    LIMITER = "limiter"  # a limiter of the program
    TIME = "time"  # the time in which clients have to be back
    NONE = "none"  # neither host was at its limit: each client makes its attempts in turn


@dataclass(frozen=True, slots=True)
class HubCell:
    """A cell of the study.

    Attributes:
        kind: What is measured.
        solution: Of which solution.
        title: Its name for people; of the hub alone, without what carries Ethernet frames in a tunnel.
        within_s: Time in which clients have to be back after a restart, in s: another time is another question. None of
            other kinds.
    """

    kind: HubKind
    solution: str
    title: str = field(default="", compare=False)
    within_s: int | None = None


@dataclass(frozen=True, slots=True)
class HubWindow:
    """Attempts at one rate for some seconds.

    Attributes:
        rate_s: Attempts per second that were asked for, of all clients together.
        seconds: For how long.
        attempts: How many that makes.
        by_clients: Attempts that ended well as the clients saw it.
        by_hub: Key exchanges that the hub saw completed meanwhile.
        fresh: Clients whose last key exchange was in this window as the hub has it; None where it does not keep that.
        lag_s: By how much attempts of the last quarter began too late, by their median.
        duration_s: Time of an attempt from its beginning to the confirmation, on average; None where none succeeded.
        hub: CPU of the hub; None where not known.
        clients: CPU of the clients' host; None where not known.
        limiters: Limiters of the program that acted meanwhile, in its own words.
    """

    rate_s: float
    seconds: float
    attempts: int
    by_clients: int
    by_hub: int
    fresh: int | None = None
    lag_s: float = 0.0
    duration_s: float | None = None
    hub: CpuUsage | None = None
    clients: CpuUsage | None = None
    limiters: tuple[str, ...] = ()

    def has_all(self, clients: int) -> bool:
        """Return whether each attempt was made in time and succeeded as both the clients and the hub saw it.

        Args:
            clients: Number of clients.
        """
        is_known_to_hub = self.fresh is None or self.fresh >= min(clients, self.attempts)
        is_seen_twice = self.by_clients == self.attempts <= self.by_hub
        return self.attempts > 0 and is_seen_twice and is_known_to_hub and self.lag_s <= LATE_S

    @property
    def bound(self) -> HubBound:
        """Limit that shows in this window."""
        if self.limiters:
            return HubBound.LIMITER
        return cpu_bound(self.hub, self.clients)


def cpu_bound(hub: CpuUsage | None, clients: CpuUsage | None) -> HubBound:
    """Return which host was at its limit; that of the clients where both were.

    Args:
        hub: CPU of the hub; None where not known.
        clients: CPU of the clients' host; None where not known.
    """
    for cpu, bound in ((clients, HubBound.CLIENTS), (hub, HubBound.HUB)):
        if cpu is not None and is_full(cpu):
            return bound
    return HubBound.NONE


def is_full(cpu: CpuUsage) -> bool:
    """Return whether a host was at its limit."""
    return 100.0 - cpu.busy_pct < FULL_IDLE_PCT


def can_exceed(bound: HubBound, hub: CpuUsage | None) -> bool:
    """Return whether a hub can do more than the rate that was found.

    Args:
        bound: Limit of the rate.
        hub: CPU of the hub at that rate; None where not known.
    """
    return bound in (HubBound.CLIENTS, HubBound.NONE) and hub is not None and not is_full(hub)


@dataclass(frozen=True, slots=True)
class HubResult:
    """Outcome of a cell.

    Attributes:
        cell: The cell.
        clients: Number of clients.
        suite: Suite in use; empty where nothing came up.
        value: Key exchanges per second, clients, or Mbit/s (the mean of both directions); None where there is none.
        bound: Limit of that figure.
        windows: Attempts at each rate that was tried, in order.
        window: The longer window at the rate that was found; None where none was found.
        cpu: CPU of the hub in each interval of that window.
        hub_cpu: CPU of the hub in that window, or while TCP ran; None where not known.
        clients_cpu: The same of the clients' host.
        outages_s: For how long clients had no answer from the hub, in s, the shortest first; those that came back.
        own_load_cores: Load of this computer beyond the practice lab meanwhile, in cores; None where not known.
        message: Why there is no figure, or what to know of it; empty for nothing.
    """

    cell: HubCell
    clients: int
    suite: str = ""
    value: float | None = None
    bound: HubBound = HubBound.NONE
    windows: tuple[HubWindow, ...] = ()
    window: HubWindow | None = None
    cpu: tuple[CpuUsage, ...] = ()
    hub_cpu: CpuUsage | None = None
    clients_cpu: CpuUsage | None = None
    outages_s: tuple[float, ...] = ()
    own_load_cores: float | None = None
    message: str = ""

    @property
    def is_lower_bound(self) -> bool:
        """Whether the hub can do more than the figure tells: it had CPU left, and was not the limit.

        What limits TCP where neither CPU does is not known. Of a restart, all clients that were tried were back.
        """
        if self.value is None:
            return False
        if self.cell.kind is HubKind.RECOVERY:
            return self.bound is HubBound.NONE
        is_known = self.cell.kind is HubKind.FLOOD or self.bound is HubBound.CLIENTS
        return is_known and can_exceed(self.bound, self.hub_cpu)

    @property
    def is_disturbed(self) -> bool:
        """Whether this computer had other work meanwhile."""
        return self.own_load_cores is not None and self.own_load_cores > DISTURBED_CORES
