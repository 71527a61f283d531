"""The figures of one candidate, round by round."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from app.domain.hosts import DIRECTIONS
from app.domain.ranking import Estimate
from app.domain.results import Attempt
from app.ranking.blocks import round_value_ms
from app.ranking.intervals import estimate
from app.ranking.summaries import means_ms
from app.ranking.weighted import weighted_latency_ms

SIDES = ("a", "b")


@dataclass(frozen=True, slots=True)
class Measured:
    """A completed attempt with what is needed of its samples more than once.

    Attributes:
        attempt: The attempt.
        means_ms: Mean RTT in ms by frame size; sizes that did not cross are left out.
    """

    attempt: Attempt
    means_ms: Mapping[int, float]


def measure(attempts: Sequence[Attempt]) -> tuple[Measured, ...]:
    """Return completed attempts with their means, in the same order."""
    means = iter(means_ms([series for attempt in attempts for series in attempt.latency]))
    return tuple(
        Measured(
            attempt,
            {series.frame_bytes: mean for series in attempt.latency if (mean := next(means)) is not None},
        )
        for attempt in attempts
    )


@dataclass(frozen=True, slots=True)
class RoundFigures:
    """One value per round, by round; rounds without a value are left out.

    Attributes:
        weighted_ms: Weighted latency in ms.
        throughput_mbit_s: By direction, in Mbit/s.
        both_mbit_s: Mean of both directions in Mbit/s.
        cpu_pct: By `a` and `b`, during throughput, in percent of all cores.
        cpu_per_mbit_s: CPU percent of both hosts together per Mbit/s of the mean of both directions.
        cpu_at_rate_pct: CPU percent of both hosts together while TCP ran at the rate that all candidates carry.
        median_ms: Weighted latency of medians in ms, above 0 (with blocks: of their middle): it decides who is faster,
            since single late replies move it less than the mean.
    """

    weighted_ms: Mapping[int, float]
    throughput_mbit_s: Mapping[str, Mapping[int, float]]
    both_mbit_s: Mapping[int, float]
    cpu_pct: Mapping[str, Mapping[int, float]]
    cpu_per_mbit_s: Mapping[int, float]
    cpu_at_rate_pct: Mapping[int, float]
    median_ms: Mapping[int, float]


def round_figures(measured: Sequence[Measured]) -> RoundFigures:
    """Return the figures of one candidate by round.

    Args:
        measured: Its completed attempts. Where a round holds several (the baseline begins every round and ends the
            last one), they are averaged.

    Returns:
        The figures.
    """
    attempts = [one.attempt for one in measured]
    throughput = {one: _by_round(attempts, partial(_throughput, direction=one)) for one in DIRECTIONS}
    cpu = {one: _by_round(attempts, partial(_cpu, side=one)) for one in SIDES}
    both = {
        number: (throughput["a_to_b"][number] + throughput["b_to_a"][number]) / 2
        for number in throughput["a_to_b"].keys() & throughput["b_to_a"].keys()
    }
    per_mbit = {
        number: (cpu["a"][number] + cpu["b"][number]) / both[number]
        for number in both.keys() & cpu["a"].keys() & cpu["b"].keys()
        if both[number] > 0
    }
    weighted = {id(one.attempt): weighted_latency_ms(one.means_ms) for one in measured}
    medians = _by_round(attempts, round_value_ms)
    deciding = {number: value for number, value in medians.items() if value > 0}
    return RoundFigures(
        weighted_ms=_by_round(attempts, lambda one: weighted[id(one)]),
        throughput_mbit_s=throughput,
        both_mbit_s=both,
        cpu_pct=cpu,
        cpu_per_mbit_s=per_mbit,
        cpu_at_rate_pct=_by_round(attempts, _cpu_at_rate),
        median_ms=deciding,
    )


def attempt_both_mbit_s(attempt: Attempt) -> float | None:
    """Return the mean throughput of both directions of one attempt in Mbit/s; None if one is missing."""
    values = [_throughput(attempt, direction) for direction in DIRECTIONS]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else None


def over_rounds(values: Mapping[int, float]) -> Estimate | None:
    """Return mean and interval of values by round."""
    return estimate([values[number] for number in sorted(values)])


def size_estimates(attempts: Sequence[Attempt]) -> dict[int, Estimate]:
    """Return mean RTT in ms with its interval over rounds by frame size; sizes that did not cross are left out."""
    means = {id(one.attempt): one.means_ms for one in measure(attempts)}
    sizes = sorted({size for found in means.values() for size in found})
    estimates = {size: over_rounds(_by_round(attempts, lambda one: means[id(one)].get(size))) for size in sizes}  # noqa: B023
    return {size: found for size, found in estimates.items() if found is not None}


def ratio(values: Mapping[int, float], reference: Mapping[int, float]) -> float | None:
    """Return the mean of the values divided by the mean of the reference, over the rounds that hold both."""
    shared = values.keys() & reference.keys()
    divisor = math.fsum(reference[number] for number in shared)
    return math.fsum(values[number] for number in shared) / divisor if divisor > 0 else None


def _throughput(attempt: Attempt, direction: str) -> float | None:
    return _mean(series.mbit_s for series in attempt.throughput if series.direction == direction)


def _cpu(attempt: Attempt, side: str) -> float | None:
    usage = attempt.cpu_throughput.get(side)
    return usage.busy_pct if usage is not None and math.isfinite(usage.busy_pct) else None


def _cpu_at_rate(attempt: Attempt) -> float | None:
    busy = [usage.busy_pct for usage in attempt.cpu_at_rate.values() if math.isfinite(usage.busy_pct)]
    return math.fsum(busy) if len(busy) == len(SIDES) else None


def _mean(values: Iterable[float]) -> float | None:
    finite = [value for value in values if math.isfinite(value)]
    return math.fsum(finite) / len(finite) if finite else None


def _by_round(attempts: Sequence[Attempt], value_of: Callable[[Attempt], float | None]) -> dict[int, float]:
    values: dict[int, list[float]] = defaultdict(list)
    for attempt in attempts:
        value = value_of(attempt)
        if value is not None:
            values[attempt.key.round].append(value)
    return {number: math.fsum(found) / len(found) for number, found in values.items()}
