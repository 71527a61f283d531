"""Turns what is to be compared into attempts in order, with predicted times.

The order is drawn anew for every odd round, and the even round after it runs backwards, so that steady drift favours
none. The baseline, if it is among the candidates, begins every round and ends the last one, so that drift shows.

The plan of an adaptive profile has as many rounds as can be needed. All candidates of a round are measured at the same
time, and the rounds that its budget does not hold are predicted to take no time.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Mapping, Sequence

from app.domain.conditions import Condition, name_of
from app.domain.errors import InvalidPlan
from app.domain.hosts import PairSpec
from app.domain.profiles import GOOD_CYCLES, Profile
from app.domain.results import AttemptKey, CampaignPlan, Candidate
from app.domain.solutions import BASELINE
from app.domain.workloads import MOST_TRANSFER_MB, TRANSFER_MB
from app.measurement.comparison.conditions import profile_under, workloads_s
from app.measurement.messages import (
    BYTES_IN_A_FRAME,
    CANDIDATE_TWICE,
    DEADLINE_OUT_OF_RANGE,
    ECHO_REQUESTS_PER_SIZE,
    FRAME_SIZES_ALIKE,
    MB_TO_TRANSFER,
    NOTHING_TO_COMPARE,
    NUMBER_OUT_OF_RANGE,
    RATE_OUT_OF_RANGE,
    ROUNDS,
    SECONDS_OF_TCP,
)
from app.probes.capture import capture_tests_s
from app.probes.pacing import ping_interval_s
from app.probes.throughput import DIRECTION_OVERHEAD_S, OMIT_S
from app.ranking.choice import MOST_PLANNED_ROUNDS
from app.storage.summaries import MeanDurations

SMALLEST_FRAME_BYTES = 60
"""Without FCS. Source: IEEE 802.3, minimum frame of 64 bytes with FCS; ping needs 16 bytes of payload for its clock."""

LARGEST_FRAME_BYTES = 1_514
MAX_PINGS = 1_000_000
MAX_SECONDS = 3_600

# What is assumed until something was measured: a practice lab under software emulation, and small gateways elsewhere.
_FIXED_S = 6.0
_ECHO_MS_LAB = 2.0
_ECHO_MS = 1.5
_BREAKAGES = 2

PACKET_TESTS_SHARE = 0.25
"""Share of a budget that packet tests may use up; what they take beyond it is added. Source: our choice."""


def plan_campaign(
    pair: PairSpec,
    candidates: Sequence[Candidate],
    profile: Profile,
    *,
    seed: int,
    deadline_ms: float | None = None,
    min_rate_mbit_s: float | None = None,
    allow_load: bool = False,
    history: Mapping[str, MeanDurations] | None = None,
    condition: Condition | None = None,
    workloads: Sequence[str] = (),
    transfer_mb: int = TRANSFER_MB,
    hubs: Collection[tuple[str, str]] = (),
) -> CampaignPlan:
    """Plan a comparison.

    Args:
        candidates: What is compared.
        seed: Where the order comes from; the same seed gives the same order.
        deadline_ms: RTT in ms above which a reply is late.
        min_rate_mbit_s: Throughput in Mbit/s that each direction must reach.
        allow_load: Whether the user consented to load on a live link.
        history: By solution, how long attempts with this profile took on this pair.
        condition: Condition of the link that is emulated meanwhile.
        workloads: Names of workloads that are run besides.
        transfer_mb: Size of the file of the workload transfer, in MB.
        hubs: Solution and suite of the candidates that have a hub.

    Raises:
        InvalidPlan: There is nothing to compare, a candidate is named twice, or a number is out of range.
    """
    _check(candidates, profile)
    _check_requirements(deadline_ms, min_rate_mbit_s)
    if not 1 <= transfer_mb <= MOST_TRANSFER_MB:
        raise InvalidPlan(NUMBER_OUT_OF_RANGE(value=transfer_mb, what=MB_TO_TRANSFER(), low=1, high=MOST_TRANSFER_MB))
    if condition is not None or workloads:
        profile = profile_under(condition, profile)
    attempts = _order(candidates, profile, seed, name_of(condition))
    return CampaignPlan(
        pair=pair,
        profile=profile,
        candidates=tuple(candidates),
        attempts=attempts,
        predicted_s=tuple(
            seconds + workloads_s(workloads, condition, transfer_mb, has_hub=(key.solution, key.suite) in hubs)
            for key, seconds in zip(
                attempts, _predicted_s(attempts, pair, profile, history or {}, condition), strict=True
            )
        ),
        deadline_ms=deadline_ms,
        min_rate_mbit_s=min_rate_mbit_s,
        seed=seed,
        allow_load=allow_load,
        condition=condition,
        workloads=tuple(workloads),
        transfer_mb=transfer_mb,
    )


def _check(candidates: Sequence[Candidate], profile: Profile) -> None:
    if not candidates:
        raise InvalidPlan(NOTHING_TO_COMPARE())
    keys = [(candidate.solution, candidate.suite) for candidate in candidates]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise InvalidPlan(CANDIDATE_TWICE(solution=twice[0], suite=twice[1]))
    ranges = (
        (ECHO_REQUESTS_PER_SIZE(), profile.pings, 1, MAX_PINGS),
        (SECONDS_OF_TCP(), profile.seconds, 1, MAX_SECONDS),
        (ROUNDS(), profile.rounds, 1, MOST_PLANNED_ROUNDS),
        *((BYTES_IN_A_FRAME(), size, SMALLEST_FRAME_BYTES, LARGEST_FRAME_BYTES) for size in profile.frame_bytes),
    )
    for what, value, low, high in ranges:
        if not low <= value <= high:
            raise InvalidPlan(NUMBER_OUT_OF_RANGE(value=value, what=what, low=low, high=high))
    if not profile.frame_bytes or len(set(profile.frame_bytes)) != len(profile.frame_bytes):
        raise InvalidPlan(FRAME_SIZES_ALIKE())


def _check_requirements(deadline_ms: float | None, min_rate_mbit_s: float | None) -> None:
    if deadline_ms is not None and not 0 < deadline_ms < 1e6:
        raise InvalidPlan(DEADLINE_OUT_OF_RANGE(deadline_ms=deadline_ms))
    if min_rate_mbit_s is not None and not 0 < min_rate_mbit_s < 1e6:
        raise InvalidPlan(RATE_OUT_OF_RANGE(mbit_s=min_rate_mbit_s))


def _order(candidates: Sequence[Candidate], profile: Profile, seed: int, condition: str) -> tuple[AttemptKey, ...]:
    rounds = profile.rounds
    baselines = [candidate for candidate in candidates if candidate.solution == BASELINE]
    others = [candidate for candidate in candidates if candidate.solution != BASELINE]
    order = list(others)
    chosen: list[tuple[Candidate, int]] = []
    for round_number in range(1, rounds + 1):
        if profile.is_adaptive:
            pass  # the order of blocks is drawn for each cycle
        elif round_number % 2 == 0:
            order.reverse()
        else:
            random.Random(f"{seed}/{round_number}").shuffle(order)  # noqa: S311 - an order, not a secret
        chosen += [(candidate, round_number) for candidate in (*baselines, *order)]
    if others and not profile.is_adaptive:
        chosen += [(candidate, rounds) for candidate in baselines]
    return tuple(
        AttemptKey(position, candidate.solution, candidate.suite, condition, round_number)
        for position, (candidate, round_number) in enumerate(chosen)
    )


def is_first(key: AttemptKey, attempts: Sequence[AttemptKey]) -> bool:
    """Return whether an attempt is its candidate's first under its condition: then it has packet tests, too."""
    same = (key.solution, key.suite, key.condition)
    return key.position == min(
        (one.position for one in attempts if (one.solution, one.suite, one.condition) == same), default=key.position
    )


def echo_ms(condition: Condition | None, pair: PairSpec) -> float:
    """Return how long an echo request takes until the next one, roughly, in ms."""
    if condition is None:
        return _ECHO_MS_LAB if pair.is_lab else _ECHO_MS
    interval_s = ping_interval_s(condition)
    return condition.rtt_ms + _ECHO_MS_LAB if interval_s is None else 1_000 * interval_s


def packet_tests_s(key: AttemptKey) -> float:
    """Return how long a candidate's packet tests take, roughly, in seconds."""
    return capture_tests_s(0 if key.solution == BASELINE else _BREAKAGES)


def counted_tests_s(profile: Profile, tests_s: float) -> float:
    """Return how many of the seconds of packet tests count against a profile's budget: a quarter of it at most."""
    return 0.0 if profile.budget_s is None else min(tests_s, PACKET_TESTS_SHARE * profile.budget_s)


def _predicted_s(
    attempts: Sequence[AttemptKey],
    pair: PairSpec,
    profile: Profile,
    history: Mapping[str, MeanDurations],
    condition: Condition | None,
) -> tuple[float, ...]:
    """Return predicted seconds per attempt; of packet tests a quarter of the budget counts against it."""
    tests_s = sum(packet_tests_s(key) for key in attempts if is_first(key, attempts))
    left_s = math.inf if profile.budget_s is None else profile.budget_s - counted_tests_s(profile, tests_s)
    predicted: list[float] = []
    for key in attempts:
        seconds = min(left_s, _predict_s(key.solution, profile, history, echo_ms(condition, pair)))
        left_s -= seconds
        predicted.append(seconds + (packet_tests_s(key) if is_first(key, attempts) else 0.0))
    return tuple(predicted)


def _predict_s(solution: str, profile: Profile, history: Mapping[str, MeanDurations], each_ms: float) -> float:
    past = history.get(solution)
    if past is not None:
        return past.setup_s + past.probe_s + past.cleanup_s
    pings = GOOD_CYCLES * sum(profile.block_pings) if profile.is_adaptive else profile.pings * len(profile.frame_bytes)
    return _FIXED_S + pings * each_ms / 1000.0 + 2 * (OMIT_S + profile.seconds + DIRECTION_OVERHEAD_S)
