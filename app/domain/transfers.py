"""File transfers over a link under a condition, cell by cell of a study's table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from app.domain.conditions import MeasuredCondition
from app.domain.declared import over_tcp
from app.domain.messages.results import BBR_HERE, CUBIC_BBR_ON_GATEWAYS, CUBIC_BBR_ON_PROXY, CUBIC_WITHOUT_HYSTART
from app.domain.topology import Topology

C = TypeVar("C", bound=Any)
"""Cells of a study's table."""


@dataclass(frozen=True, slots=True)
class CongestionKind:
    """Congestion control of a cell, as the kernel names it.

    Attributes:
        title: For people.
        sender: That of the node that sends.
        gateways: That of what gateways send themselves: a tunnel's TCP connection, and the halves of a proxy.
        has_hystart: Whether CUBIC may leave slow start early.
        proxy: That which a proxy sets for its own sockets; empty for that of the gateways.
    """

    title: str
    sender: str
    gateways: str
    has_hystart: bool
    proxy: str = ""


BBR_ON_GATEWAYS = "cubic-behind-bbr"
"""CUBIC on the end hosts, BBR on all that gateways send. Source: the satellite study, section IV.A, "everywhere but the
end host"."""

BBR_ON_PROXY = "cubic-bbr-proxy"
"""CUBIC on the end hosts and for tunnels' own connections, BBR on a proxy's sockets. Source: the same, "on the PEP"."""

CONGESTION: Mapping[str, CongestionKind] = MappingProxyType(
    {
        "cubic-no-hystart": CongestionKind(CUBIC_WITHOUT_HYSTART(), "cubic", "cubic", has_hystart=False),
        "cubic-hystart": CongestionKind("CUBIC", "cubic", "cubic", has_hystart=True),
        # The study had version 2, which is in no Debian kernel.
        "bbr2": CongestionKind(BBR_HERE(), "bbr", "bbr", has_hystart=True),
        BBR_ON_GATEWAYS: CongestionKind(CUBIC_BBR_ON_GATEWAYS(), "cubic", "bbr", has_hystart=True),
        BBR_ON_PROXY: CongestionKind(CUBIC_BBR_ON_PROXY(), "cubic", "cubic", has_hystart=True, proxy="bbr"),
    }
)
"""By the name in the published table."""


DISTURBED_CORES = 0.5
"""Load of the user's own computer from which a transfer in its lab is disturbed. Source: our choice; with 0.7 cores of
two busy, 30 MB through OpenVPN took 93 s instead of about 30 s."""


@dataclass(frozen=True, slots=True, order=True)
class TransferCell:
    """One cell: condition, congestion control of the sender, VPN, place of a proxy.

    Attributes:
        condition: Name of the link's condition, as `app.domain.condition_files.presets`.
        congestion: One of `CONGESTION`.
        solution: `none`, or the VPN's solution.
        proxy: Where a performance-enhancing proxy splits connections: `none`, `A` or `B`, as in the study.
    """

    condition: str
    congestion: str
    solution: str
    proxy: str


NO_VPN = "none"
"""Solution of the cells without a VPN."""


def of_solutions(cells: Iterable[TransferCell], solutions: Collection[str]) -> tuple[TransferCell, ...]:
    """Return the cells of some VPNs, and those without one, which these are compared with; all where none is named.

    Cells of a VPN that has none there are added behind them.
    """
    table = tuple(cells)
    known = {NO_VPN, *(one.solution for one in table)}
    own = (one for one in table if not solutions or one.solution in (*solutions, NO_VPN))
    return (*own, *(cell for name in solutions if name not in known for cell in _added(table, name)))


def _added(table: Collection[TransferCell], solution: str) -> Iterator[TransferCell]:
    """Yield cells of a VPN that is not in a table, with the places of a proxy that all VPNs have there.

    Other places need a TCP connection of the tunnel, so that only a VPN that has one gets them.
    """
    vpns = [one for one in table if one.solution != NO_VPN]
    for kind in dict.fromkeys((one.condition, one.congestion) for one in vpns):
        there = [one for one in vpns if (one.condition, one.congestion) == kind]
        number = len({one.solution for one in there})
        for place, count in Counter(one.proxy for one in there).items():
            if count == number or solution in over_tcp():
                yield TransferCell(*kind, solution, place)


@dataclass(frozen=True, slots=True)
class TransferResult:
    """A transfer that was made.

    Attributes:
        cell: Which.
        seconds: From the first byte asked for to the last one received, in s; None where it did not end in time.
        received_bytes: Bytes that arrived.
        retransmits: Segments that the sender sent again; None where it did not report them.
        congestion: Algorithm that the sender reported.
        message: Why it did not end; empty where it did.
        topology: Between what it was made.
        proxy_congestion: Algorithm on the link's half of the proxied connection, as the gateway reported it; empty
            without a proxy.
        own_load_cores: Load of the user's computer beyond the practice lab meanwhile, in cores; None where it is
            unknown.
        measured_condition: The cell's condition as it was measured on the bare link before; None where it could not be
            measured, and in results of earlier versions, which measured the round-trip time alone.
        is_condition_missed: Whether the link was not under the cell's condition, so that nothing counts as measured.
        suite: Title of the VPN's suite; empty without a VPN, and in results of earlier versions.
    """

    cell: TransferCell
    seconds: float | None
    received_bytes: int
    retransmits: int | None = None
    congestion: str = ""
    message: str = ""
    topology: Topology = Topology.PAIR
    proxy_congestion: str = ""
    own_load_cores: float | None = None
    measured_condition: MeasuredCondition | None = None
    is_condition_missed: bool = False
    suite: str = ""

    @property
    def is_disturbed(self) -> bool:
        """Whether the user's computer was too busy with other work for the time to say anything of the link."""
        return self.own_load_cores is not None and self.own_load_cores > DISTURBED_CORES


@dataclass(frozen=True, slots=True)
class Agreement(Generic[C]):
    """Agreement of the order of own cells with that of the published ones.

    Attributes:
        pairs: Pairs of cells that both have, and that differ by more than 5 % in the published table.
        same: Those of them that come out in the same order.
        correlation: Spearman's rank correlation of the cells; None with fewer than three.
        against: Pairs that come out in the other order, the published difference largest first.
    """

    pairs: int
    same: int
    correlation: float | None
    against: tuple[tuple[C, C], ...]
