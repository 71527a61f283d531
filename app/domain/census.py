"""The cipher census: which options of which solution work on a pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.domain.conditions import AS_FOUND
from app.domain.hosts import HostFacts, PairSpec
from app.domain.results import AttemptKey
from app.domain.solutions import OptionKind


class OptionStatus(StrEnum):
    """Result of one option."""

    WORKS = "works"
    FAILS = "fails"
    UNPROTECTED = "unprotected"  # it passes traffic, and plaintext or unauthenticated frames with it; not counted
    NOT_RUN = "not-run"


@dataclass(frozen=True, slots=True)
class OptionResult:
    """One option, really tried.

    Attributes:
        solution: Solution's name.
        name: The option, as the program writes it.
        kind: Cipher, MAC or AEAD.
        suite: Name of the suite that tried it.
        status: What became of it.
        reason: Why it does not work, with the daemon's own words; or a doubt. Empty where there is nothing to say.
        alias_of: The other name of the same algorithm; empty where it is not an alias.
        negotiated: What the programs reported as negotiated.
        sent: Echo requests sent through it.
        received: How many were answered.
        weighted_latency_ms: Weighted mean RTT in ms; None where it was not measured.
        throughput_mbit_s: TCP goodput from A to B in Mbit/s; None where it was not measured.
        took_s: Seconds from the switch to the result.
        position: Order in the plan, from 0.
    """

    solution: str
    name: str
    kind: OptionKind
    suite: str
    status: OptionStatus
    reason: str = ""
    alias_of: str = ""
    negotiated: str = ""
    sent: int = 0
    received: int = 0
    weighted_latency_ms: float | None = None
    throughput_mbit_s: float | None = None
    took_s: float = 0.0
    position: int = 0

    @property
    def key(self) -> AttemptKey:
        """The attempt that made it."""
        return AttemptKey(self.position, self.solution, self.suite, AS_FOUND, 1)


@dataclass(frozen=True, slots=True)
class CensusItem:
    """One option that is to be tried.

    Attributes:
        position: Order in the plan, from 0.
        solution: Solution's name.
        name: The option, as the program writes it.
        kind: Cipher, MAC or AEAD.
        suite: Name of the suite that tries it.
        alias_of: The other name of the same algorithm; empty where it is not an alias.
        is_unprotected: Whether it leaves plaintext or unauthenticated frames on the underlay by its meaning.
        note: For example where a table of ours, not the program, says that the name exists.
    """

    position: int
    solution: str
    name: str
    kind: OptionKind
    suite: str
    alias_of: str = ""
    is_unprotected: bool = False
    note: str = ""

    @property
    def key(self) -> AttemptKey:
        """The attempt that tries it."""
        return AttemptKey(self.position, self.solution, self.suite, AS_FOUND, 1)

    @property
    def title(self) -> str:
        """Solution and name, for people."""
        return f"{self.solution}: {self.name}"

    def result(self, status: OptionStatus, reason: str = "") -> OptionResult:
        """Return what became of it."""
        return OptionResult(
            solution=self.solution,
            name=self.name,
            kind=self.kind,
            suite=self.suite,
            status=status,
            reason=reason,
            alias_of=self.alias_of,
            position=self.position,
        )


@dataclass(frozen=True, slots=True)
class CensusPlan:
    """Plan of a census: all that it will try, in order; enough to resume it.

    Attributes:
        pair: The pair.
        solutions: Which solutions were asked for, in order.
        items: Every option, one solution after the other.
        pings: Echo requests that have to be answered for each.
        seconds: Seconds of TCP for each.
        allow_load: Whether the user consented to load on a live link (labs need no consent).
    """

    pair: PairSpec
    solutions: tuple[str, ...]
    items: tuple[CensusItem, ...]
    pings: int = 20
    seconds: int = 1
    allow_load: bool = False


@dataclass(frozen=True, slots=True)
class CensusRecord:
    """A census as it is stored.

    Attributes:
        census_id: Number in the database.
        pair: The pair.
        solutions: Which solutions were asked for, in order.
        is_complete: Whether every option has a result.
        started_at: UTC.
        ended_at: UTC; None while it runs or after it was stopped.
        facts: What was found on the hosts before, by `a` and `b`.
        results: In the order they were made.
        tunnelmark_version: Version that measured.
        plan: What was to be tried.
        message: What happened where it was not completed.
        note: Note of the user; may have several lines.
    """

    census_id: int
    pair: PairSpec
    solutions: tuple[str, ...]
    is_complete: bool
    started_at: datetime
    ended_at: datetime | None
    facts: Mapping[str, HostFacts]
    results: tuple[OptionResult, ...]
    tunnelmark_version: str
    plan: CensusPlan
    message: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class SolutionCensus:
    """The study's triple for one solution.

    Attributes:
        solution: Solution's name.
        working: Options that work; aliases count as listed.
        failed: Options that do not.
        total: Both together; unprotected options are not counted.
        unprotected: Options that pass plaintext or unauthenticated frames.
        options: Every result.
    """

    solution: str
    working: int
    failed: int
    total: int
    unprotected: int
    options: tuple[OptionResult, ...]
