"""Times of profiles, predicted from the stages of one short comparison."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field

from app.domain.events import AttemptDropped, AttemptEnded, AttemptStarted, Event, Stage, StageStarted
from app.domain.profiles import GOOD_CYCLES, PROFILES, Profile, ProfileName
from app.domain.results import AttemptKey, AttemptStatus, CampaignRecord
from app.domain.solutions import BASELINE
from app.measurement.adaptive.group_measurement import RATE_SECONDS
from app.measurement.comparison.planning import counted_tests_s
from app.measurement.overhead import Overheads, ProbeOverhead
from app.probes.throughput import OMIT_S
from app.ranking import rank
from app.ranking.agreement import OrderAgreement, order_agreement
from app.tunnel.temporary_group import AT_ONCE

SHORT_PROFILE = Profile(ProfileName.CUSTOM, pings=500, seconds=2, rounds=1)
"""Comparison of which the times are taken. Source: our choice, some 20 s per candidate on a practice lab."""

FIRST_ROUNDS = 2
"""Rounds after which an adaptive comparison can know the order at the earliest."""

_BUILDING = (Stage.PREFLIGHT, Stage.ARM, Stage.IDENTITY, Stage.APPLY, Stage.VERIFY)


@dataclass(slots=True)
class StageClock:
    """Adds up how long each stage of each attempt took, from a campaign's events.

    Args:
        clock: Monotonic seconds.
    """

    clock: Callable[[], float] = time.monotonic
    seconds: dict[AttemptKey, dict[Stage, float]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(float))
    )
    _running: tuple[AttemptKey, Stage, float] | None = None
    _tests_s: dict[AttemptKey, float] = field(default_factory=dict)

    def handle(self, event: Event) -> None:
        """Take one event; other kinds are ignored."""
        match event:
            case StageStarted():
                self._end()
                self._running = event.key, event.stage, self.clock()
            case AttemptStarted():
                self._end()
            case AttemptDropped():
                self._end()
                tests_s = self.seconds.pop(event.key, {}).get(Stage.PACKET_TESTS, 0.0)
                self._tests_s[event.key] = tests_s or self._tests_s.get(event.key, 0.0)
            case AttemptEnded():
                self._end()
                # A disturbed attempt is repeated without its packet tests.
                tests_s = self._tests_s.pop(event.attempt.key, 0.0)
                if tests_s:
                    self.seconds[event.attempt.key].setdefault(Stage.PACKET_TESTS, tests_s)
            case _:
                pass

    def _end(self) -> None:
        if self._running is not None:
            key, stage, began_s = self._running
            self.seconds[key][stage] += self.clock() - began_s
            self._running = None


@dataclass(frozen=True, slots=True)
class CandidateTimes:
    """Times of a candidate's attempt, in seconds.

    Attributes:
        solution: Solution's name.
        suite: Suite's name.
        title: For people.
        setup_s: To inspect both hosts and build the tunnel.
        cleanup_s: To restore both hosts.
        latency_s: The latency phase, with what it starts before and reads afterwards.
        throughput_s: The throughput phase.
        packets_s: Packet tests, which are made once.
        pings: Echo requests of the latency phase.
        seconds: Seconds of TCP of each direction.
    """

    solution: str
    suite: str
    title: str
    setup_s: float
    cleanup_s: float
    latency_s: float
    throughput_s: float
    packets_s: float
    pings: int
    seconds: int

    def attempt_s(self, profile: Profile) -> float:
        """Return how long one attempt with a profile of fixed rounds takes, without packet tests."""
        more_pings = profile.pings * len(profile.frame_bytes) / self.pings
        transfer_s = self._transfer_s(profile.seconds)
        if profile.name is ProfileName.PAPER:  # its TCP counts from its start
            transfer_s -= 2 * OMIT_S
        return self.setup_s + self.latency_s * more_pings + transfer_s + self.cleanup_s

    def block_s(self, profile: Profile) -> float:
        """Return how long this candidate's blocks of one round of an adaptive profile take."""
        return self.latency_s * GOOD_CYCLES * sum(profile.block_pings) / self.pings

    def _transfer_s(self, seconds: int) -> float:
        return self.throughput_s + 2 * (seconds - self.seconds)

    def transfers_s(self, profile: Profile) -> float:
        """Return how long TCP and CPU at one rate take, which an adaptive profile measures once each."""
        return self._transfer_s(profile.seconds) + self._transfer_s(RATE_SECONDS)


def candidate_times(record: CampaignRecord, clock: StageClock) -> tuple[CandidateTimes, ...]:
    """Return the times of each candidate that completed; of two attempts the first counts."""
    found: dict[tuple[str, str], CandidateTimes] = {}
    titles = {(one.solution, one.suite): one.title for one in record.plan.candidates}
    for attempt in record.attempts:
        key = (attempt.key.solution, attempt.key.suite)
        if attempt.status is not AttemptStatus.COMPLETED or key in found:
            continue
        stages = clock.seconds[attempt.key]
        found[key] = CandidateTimes(
            *key,
            titles[key],
            setup_s=sum(stages[stage] for stage in _BUILDING),
            cleanup_s=stages[Stage.CLEANUP],
            latency_s=stages[Stage.LATENCY],
            throughput_s=stages[Stage.THROUGHPUT],
            packets_s=stages[Stage.PACKET_TESTS],
            pings=record.plan.profile.pings * len(record.plan.profile.frame_bytes),
            seconds=record.plan.profile.seconds,
        )
    return tuple(found.values())


def predicted_fixed_s(times: Iterable[CandidateTimes], profile: Profile) -> float:
    """Return how long a comparison with a profile of fixed rounds takes, packet tests included.

    The bare link is measured once more at the end.
    """
    total_s = 0.0
    for one in times:
        repeats = profile.rounds + (1 if one.solution == BASELINE else 0)
        total_s += repeats * one.attempt_s(profile) + one.packets_s
    return total_s


def predicted_adaptive_s(times: Iterable[CandidateTimes], profile: Profile, rounds: int) -> float:
    """Return how long so many rounds of an adaptive comparison take, packet tests included.

    Tunnels of a round are built three at a time, are all up, and are removed together.
    """
    all_times = list(times)
    setups_s = sorted((one.setup_s for one in all_times), reverse=True)
    building_s = sum(setups_s[::AT_ONCE])
    removing_s = max((one.cleanup_s for one in all_times), default=0.0)
    blocks_s = sum(one.block_s(profile) for one in all_times)
    once_s = sum(one.transfers_s(profile) + one.packets_s for one in all_times)
    return rounds * (building_s + removing_s + blocks_s) + once_s


@dataclass(frozen=True, slots=True)
class Bench:
    """Figures of one run.

    Attributes:
        overheads: Latency probes against bare pings.
        times: Times of each candidate.
        measured_s: How long profiles really took, in seconds; empty where they were not run.
        agreement: Order of the profile adaptive against that of paper; None where they were not run.
    """

    overheads: Overheads
    times: tuple[CandidateTimes, ...]
    measured_s: Mapping[ProfileName, float] = field(default_factory=dict)
    agreement: OrderAgreement | None = None

    @property
    def paper_s(self) -> float:
        """Predicted seconds of the profile paper."""
        return predicted_fixed_s(self.times, PROFILES[ProfileName.PAPER])

    @property
    def shortest_s(self) -> float:
        """Predicted seconds of the profile adaptive, where the order is known as early as it can be."""
        return predicted_adaptive_s(self.times, PROFILES[ProfileName.ADAPTIVE], FIRST_ROUNDS)

    @property
    def longest_s(self) -> float:
        """Predicted seconds of the profile adaptive, where its budget or its rounds are used up."""
        profile = PROFILES[ProfileName.ADAPTIVE]
        all_rounds_s = predicted_adaptive_s(self.times, profile, profile.rounds)
        packets_s = sum(one.packets_s for one in self.times)
        beyond_s = packets_s - counted_tests_s(profile, packets_s)
        return min(all_rounds_s, max(self.shortest_s, (profile.budget_s or all_rounds_s) + beyond_s))

    @property
    def predicted_ratios(self) -> tuple[float, float]:
        """Time of the profile adaptive over that of paper: the shortest and the longest."""
        return self.shortest_s / self.paper_s, self.longest_s / self.paper_s

    @property
    def measured_ratio(self) -> float | None:
        """Time of the profile adaptive over that of paper, as measured; None where it was not."""
        adaptive_s, paper_s = (self.measured_s.get(one) for one in (ProfileName.ADAPTIVE, ProfileName.PAPER))
        return adaptive_s / paper_s if adaptive_s is not None and paper_s else None


def measured_s(records: Mapping[ProfileName, CampaignRecord]) -> Mapping[ProfileName, float]:
    """Return how long comparisons took, in seconds."""
    ended = {name: (one.started_at, one.ended_at) for name, one in records.items()}
    return {name: (end - begin).total_seconds() for name, (begin, end) in ended.items() if end is not None}


def measured_agreement(records: Mapping[ProfileName, CampaignRecord]) -> OrderAgreement | None:
    """Return whether the profile adaptive found the order of paper; None where one of them was not run."""
    adaptive, paper = (records.get(one) for one in (ProfileName.ADAPTIVE, ProfileName.PAPER))
    return order_agreement(rank(adaptive), rank(paper)) if adaptive is not None and paper is not None else None


def bench_data(made: Bench) -> dict[str, object]:
    """Return the figures as JSON has them."""
    bare_s = made.overheads.phase.bare_s
    shortest, longest = made.predicted_ratios
    return {
        "format": 1,
        "overhead": _overhead_data(made.overheads.phase),
        "cycle_overhead": _overhead_data(made.overheads.cycle),
        "candidates": [
            {
                "solution": one.solution,
                "suite": one.suite,
                "setup_s": one.setup_s,
                "cleanup_s": one.cleanup_s,
                "setup_ratio": one.setup_s / bare_s,
                "cleanup_ratio": one.cleanup_s / bare_s,
                "latency_s": one.latency_s,
                "throughput_s": one.throughput_s,
                "packet_tests_s": one.packets_s,
                "pings": one.pings,
            }
            for one in made.times
        ],
        "predicted": {
            "paper_s": made.paper_s,
            "adaptive_s": [made.shortest_s, made.longest_s],
            "adaptive_to_paper": [shortest, longest],
        },
        "measured": {
            "profiles_s": {name.value: seconds for name, seconds in made.measured_s.items()},
            "adaptive_to_paper": made.measured_ratio,
            "order": _order_data(made.agreement),
        },
    }


def _overhead_data(overhead: ProbeOverhead) -> dict[str, object]:
    return {
        "rounds": len(overhead.probe),
        "bare_s": overhead.bare_s,
        "time_ratio": overhead.time_ratio,
        "control_time_ratio": overhead.control_time_ratio,
        "frame_bytes": list(overhead.frame_bytes),
        "rtt_ratios": list(overhead.rtt_ratios),
        "control_rtt_ratios": list(overhead.control_rtt_ratios),
    }


def _order_data(found: OrderAgreement | None) -> dict[str, object] | None:
    return None if found is None else {"pairs": found.pairs, **asdict(found)}
