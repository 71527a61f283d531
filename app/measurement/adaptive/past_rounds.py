"""Rounds of an adaptive comparison that are complete: which they are, and how long they took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.results import Attempt, AttemptKey, CampaignPlan
from app.measurement.adaptive.group_measurement import TCP_ROUNDS, rate_of
from app.measurement.adaptive.side_by_side import ONE_AT_A_TIME
from app.measurement.comparison.planning import BASELINE, packet_tests_s
from app.probes.throughput import OMIT_S

Candidate = tuple[str, str]
"""Solution and suite."""


@dataclass
class PastRounds:
    """Complete rounds.

    Attributes:
        plan: The comparison's plan.
        rounds: Attempts by round, from 1 on.
        elapsed_s: Seconds of measuring so far; packet tests do not count.
        round_s: Seconds of measuring of the last round.
        tcp_s: Seconds of those that TCP took.
    """

    plan: CampaignPlan
    rounds: dict[int, tuple[Attempt, ...]] = field(default_factory=dict)
    elapsed_s: float = 0.0
    round_s: float = 0.0
    tcp_s: float = 0.0

    @property
    def next_number(self) -> int:
        """Round that comes next, from 1."""
        return len(self.rounds) + 1

    @property
    def attempts(self) -> Sequence[Attempt]:
        """All attempts, in order."""
        return [attempt for number in sorted(self.rounds) for attempt in self.rounds[number]]

    @property
    def tested(self) -> frozenset[Candidate]:
        """Candidates whose packet tests were made."""
        return frozenset(_candidate(one.key) for one in self.attempts if one.wire is not None)

    @property
    def rated(self) -> frozenset[Candidate]:
        """Candidates whose CPU was measured at a fixed rate."""
        return frozenset(_candidate(one.key) for one in self.attempts if one.cpu_at_rate)

    @property
    def rate_mbit_s(self) -> float | None:
        """Rate at which the CPU is compared: that of earlier rounds, or half of what the slowest candidate carries."""
        known = next((one.rate_mbit_s for one in self.attempts if one.rate_mbit_s is not None), None)
        return known if known is not None else rate_of([one.throughput for one in self.attempts])

    @property
    def repeats(self) -> int:
        """How often the blocks of a round were measured again."""
        return sum(max((one.repeats for one in made), default=0) for made in self.rounds.values())

    @property
    def kept_doubts(self) -> tuple[str, ...]:
        """Doubts of earlier rounds that hold for later ones: tunnels that were up side by side changed latencies."""
        found = (doubt for one in self.attempts for doubt in one.doubts if doubt.startswith(ONE_AT_A_TIME))
        return tuple(dict.fromkeys(found))

    @property
    def is_one_at_a_time(self) -> bool:
        """Whether tunnels that were up side by side changed latencies."""
        return bool(self.kept_doubts)

    @property
    def has_tcp_next(self) -> bool:
        """Whether the next round measures TCP."""
        return self.next_number <= TCP_ROUNDS

    @property
    def next_round_s(self) -> float:
        """Seconds that the next round will take with the same candidates."""
        return self.round_s if self.has_tcp_next else self.round_s - self.tcp_s

    def add(self, attempts: Sequence[Attempt], took_s: float, tcp_s: float) -> None:
        """Add a round that is complete."""
        self.rounds[self.next_number] = tuple(attempts)
        self.elapsed_s += took_s
        self.round_s, self.tcp_s = took_s, min(took_s, tcp_s)

    def keys(self, open_candidates: frozenset[Candidate] | None) -> tuple[AttemptKey, ...]:
        """Return the attempts of the next round: of the bare link, and of candidates that are still open.

        Args:
            open_candidates: None for all.
        """
        return tuple(
            key
            for key in self.plan.attempts
            if key.round == self.next_number
            and (open_candidates is None or key.solution == BASELINE or _candidate(key) in open_candidates)
        )


def stored_round(keys: Sequence[AttemptKey], done: Mapping[int, Attempt]) -> tuple[Attempt, ...] | None:
    """Return the attempts of a round as they are stored; None where one is missing: it is measured again as a whole."""
    found = [done.get(key.position) for key in keys]
    return tuple(one for one in found if one is not None) if all(found) else None


def took_s(attempts: Sequence[Attempt]) -> float:
    """Return roughly how long a stored round took without its packet tests, in seconds."""
    if not attempts:
        return 0.0
    whole_s = (max(one.ended_at for one in attempts) - min(one.started_at for one in attempts)).total_seconds()
    return max(0.0, whole_s - sum(packet_tests_s(one.key) for one in attempts if one.wire is not None))


def took_tcp_s(attempts: Sequence[Attempt]) -> float:
    """Return roughly how long TCP of a stored round took, in seconds."""
    series = [each for one in attempts for each in one.throughput]
    return sum(len(each.interval_mbit_s) * each.interval_s + OMIT_S for each in series)


def _candidate(key: AttemptKey) -> Candidate:
    return key.solution, key.suite
