"""Rounds of an adaptive comparison that are complete: which they are, and how long they took."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.results import Attempt, AttemptKey, CampaignPlan
from app.domain.solutions import BASELINE
from app.measurement.adaptive.block_time import FEWEST_CYCLES
from app.measurement.adaptive.group_measurement import FIRST_RATED_ROUND, RATE_SECONDS, TCP_ROUND, rate_of
from app.measurement.adaptive.round_times import Part, RoundTimes
from app.measurement.adaptive.side_by_side import NOT_CHECKED, ONE_AT_A_TIME
from app.measurement.comparison.planning import counted_tests_s, packet_tests_s
from app.probes.throughput import OMIT_S
from app.ranking.gates import repeats_of
from app.ranking.round_time import further_round_s
from app.ranking.sequential import LEAST_ROUNDS

Candidate = tuple[str, str]
"""Solution and suite."""


@dataclass
class PastRounds:
    """Complete rounds.

    Attributes:
        plan: The comparison's plan.
        rounds: Attempts by round, from 1 on.
        measured_s: Seconds so far without packet tests.
        tests_s: Seconds of packet tests so far.
        latency_s: Seconds of those of the last round that each further round has as well: tunnels, warm-up, blocks.
        shortest_s: The same with as few cycles as a round may have.
        transfer_s: Seconds that TCP took in the last round that had it.
        transfers: How many candidates had it in that round.
    """

    plan: CampaignPlan
    rounds: dict[int, tuple[Attempt, ...]] = field(default_factory=dict)
    measured_s: float = 0.0
    tests_s: float = 0.0
    latency_s: float = 0.0
    shortest_s: float = 0.0
    transfer_s: float = 0.0
    transfers: int = 0

    @property
    def elapsed_s(self) -> float:
        """Seconds of the budget that are used up; packet tests count up to their share of it."""
        return self.measured_s + counted_tests_s(self.plan.profile, self.tests_s)

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
        return frozenset(_candidate(one.key) for one in self.attempts if one.capture is not None)

    @property
    def checked(self) -> frozenset[Candidate]:
        """Candidates that were measured beside others after the check that idle tunnels change no latency."""
        return frozenset(
            _candidate(one.key)
            for attempts in self.rounds.values()
            for one in _beside_others(attempts)
            if NOT_CHECKED not in one.doubts
        )

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
        """Number of times that the blocks of a round were measured again."""
        return repeats_of(self.attempts)

    @property
    def kept_doubts(self) -> tuple[str, ...]:
        """Doubts of earlier rounds that hold for later ones: tunnels that were up side by side changed latencies."""
        found = (
            doubt for one in self.attempts for doubt in one.doubts if doubt.startswith(ONE_AT_A_TIME.removesuffix("."))
        )
        return tuple(dict.fromkeys(found))

    @property
    def is_one_at_a_time(self) -> bool:
        """Whether tunnels that were up side by side changed latencies."""
        return bool(self.kept_doubts)

    @property
    def has_rate_next(self) -> bool:
        """Whether the next round compares the CPU at one rate: not in the first, which is to say soon what is known."""
        return self.next_number >= FIRST_RATED_ROUND and self._fits(self._rate_s)

    @property
    def has_tcp_next(self) -> bool:
        """Whether the next round measures TCP: once, or twice where too low a rate excludes a candidate."""
        is_needed_again = self.next_number == TCP_ROUND + 1 and self.plan.min_rate_mbit_s is not None
        return self.next_number == TCP_ROUND or is_needed_again

    @property
    def next_round_s(self) -> float:
        """Seconds that the next round will take with the same candidates; what happens only once is left out.

        Where the budget does not hold as many cycles as in the last round, it has fewer, see `block_time`.
        """
        more_s = (self._rate_s if self.has_rate_next else 0.0) + (self.transfer_s if self.has_tcp_next else 0.0)
        budget_s = self.plan.profile.budget_s
        left_s = math.inf if budget_s is None else budget_s - self.elapsed_s
        return min(self.latency_s + more_s, max(self.shortest_s + more_s, left_s))

    @property
    def _rate_s(self) -> float:
        """Seconds to compare the CPU at one rate: as TCP before, but each direction is shorter."""
        if self.next_number != FIRST_RATED_ROUND:
            return 0.0
        return max(0.0, self.transfer_s - 2.0 * self.transfers * (self.plan.profile.seconds - RATE_SECONDS))

    def _fits(self, more_s: float) -> bool:
        """Return whether the budget holds so much more than blocks: it takes no round away from the first three.

        Before three rounds equals cannot be called as good as the best.
        """
        budget_s, made = self.plan.profile.budget_s, len(self.rounds)
        if not made or budget_s is None:
            return True
        left_s = budget_s - self.elapsed_s
        possible = int(left_s // self.shortest_s) if self.shortest_s else LEAST_ROUNDS
        wanted = max(1, min(possible, LEAST_ROUNDS - made))
        return wanted * self.shortest_s + more_s <= left_s

    def add(self, attempts: Sequence[Attempt], took_s: float, times: RoundTimes) -> None:
        """Add a round that is complete.

        Args:
            took_s: Seconds that it took without its packet tests.
            times: Seconds by part.
        """
        tcp_s = times.seconds[Part.TCP]
        once_s = times.seconds[Part.CHECK] + times.seconds[Part.RATE] + times.repeated_s
        self.rounds[self.next_number] = tuple(attempts)
        self.measured_s += took_s
        self.tests_s += times.seconds[Part.PACKETS]
        self.latency_s = max(0.0, took_s - tcp_s - once_s)
        blocks_s = max(0.0, times.seconds[Part.BLOCKS] - times.repeated_s)
        # The bare link has blocks in each group.
        counted = [one for one in attempts if one.key.solution != BASELINE]
        cycles = max((_cycles(one, attempts) // (1 + one.repeats) for one in counted), default=0) or FEWEST_CYCLES
        self.shortest_s = self.latency_s - blocks_s * max(0.0, 1.0 - FEWEST_CYCLES / cycles)
        if tcp_s:
            self.transfer_s, self.transfers = tcp_s, sum(bool(one.throughput) for one in attempts)

    def left_s(self, keys: Sequence[AttemptKey]) -> float:
        """Return the seconds that the budget leaves for measuring a round, whose packet tests come last."""
        profile = self.plan.profile
        if profile.budget_s is None:
            return math.inf
        tests_s = self.tests_s + sum(packet_tests_s(key) for key in keys if _candidate(key) not in self.tested)
        return max(0.0, profile.budget_s - self.measured_s - counted_tests_s(profile, tests_s))

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
    return max(0.0, whole_s - _tests_s(attempts))


def stored_times(attempts: Sequence[Attempt]) -> RoundTimes:
    """Return roughly the times of a stored round by part: of what happens only once, TCP and packet tests are known.

    All else that a further round does not have is taken for the check of the first one.
    """
    series = [each for one in attempts for each in one.throughput]
    times = RoundTimes()
    times.seconds[Part.PACKETS] = _tests_s(attempts)
    times.seconds[Part.TCP] = sum(len(each.interval_mbit_s) * each.interval_s + OMIT_S for each in series)
    times.seconds[Part.CHECK] = max(0.0, took_s(attempts) - times.seconds[Part.TCP] - further_round_s(attempts))
    return times


def _tests_s(attempts: Sequence[Attempt]) -> float:
    return sum(packet_tests_s(one.key) for one in attempts if one.capture is not None)


def _beside_others(attempts: Sequence[Attempt]) -> list[Attempt]:
    """Return those of a round's VPNs that were measured beside another one: they share cycles with it."""
    vpns = [one for one in attempts if one.key.solution != BASELINE]
    vpns_of_cycle = Counter(block.cycle for one in vpns for block in one.blocks)
    return [one for one in vpns if any(vpns_of_cycle[block.cycle] > 1 for block in one.blocks)]


def _cycles(one: Attempt, attempts: Sequence[Attempt]) -> int:
    """Return the number of an attempt's cycles, without blocks of it alone, which follow an outage."""
    others = {block.cycle for other in attempts if other is not one for block in other.blocks}
    return sum(block.cycle in others for block in one.blocks) or len(one.blocks)


def _candidate(key: AttemptKey) -> Candidate:
    return key.solution, key.suite
