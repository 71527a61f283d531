"""Facts about a pair of hosts, as one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.discovery.firewall import Firewall
from app.domain.declared import comparison_only
from app.domain.hosts import HostFacts, MissingPart, PairSpec, Side
from app.domain.link import Link
from app.domain.results import Candidate
from app.domain.solutions import SolutionInfo


@dataclass(frozen=True, slots=True)
class HostCheck:
    """One host as it was found.

    Attributes:
        side: Which one.
        facts: What was found.
        missing: What is missing for measuring or for a solution, with the package that brings it.
        warnings: Sentences about what may disturb a measurement.
    """

    side: Side
    facts: HostFacts
    missing: tuple[MissingPart, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Discovery:
    """Facts about a pair.

    Attributes:
        pair: The pair.
        a: Host A.
        b: Host B.
        link: Addresses, names and MTU for tunnels.
        clock_difference_ms: B's clock minus A's, in ms.
        candidates: What both hosts can do, each with its verdict; the baselines first.
        defaults: Of these, what is ticked at first, as (solution, suite).
        solutions: Every solution that there is an adapter for, by name.
        unavailable: Solutions that these hosts cannot do, with the reason, by name.
        blocked: What firewalls block of each solution, as sentences by its name.
        firewalls: Rules of the hosts' firewalls, by side; a side without them could not be read.
        is_mtu_probed: Whether the path's MTU was measured in both directions; otherwise it is that of the interfaces.
    """

    pair: PairSpec
    a: HostCheck
    b: HostCheck
    link: Link
    clock_difference_ms: float
    candidates: tuple[Candidate, ...]
    defaults: tuple[tuple[str, str], ...]
    solutions: dict[str, SolutionInfo]
    unavailable: dict[str, str]
    blocked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    firewalls: Mapping[Side, Firewall] = field(default_factory=dict)
    is_mtu_probed: bool = True

    def on(self, side: Side) -> HostCheck:
        """Return the host on one side."""
        return self.a if side is Side.A else self.b

    @property
    def facts(self) -> dict[str, HostFacts]:
        """Facts about both hosts, by `a` and `b`."""
        return {Side.A.value: self.a.facts, Side.B.value: self.b.facts}

    @property
    def lacking(self) -> dict[str, str]:
        """Unavailable solutions that are missed: not those that are there to be compared alone."""
        return {name: why for name, why in self.unavailable.items() if name not in comparison_only()}
