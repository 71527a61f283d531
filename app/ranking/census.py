"""What a census says: the study's triple per solution, and which options are slow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.census import CensusRecord, OptionResult, OptionStatus, SolutionCensus


@dataclass(frozen=True, slots=True)
class BehindBest:
    """How far an option is behind the best one of its solution on the same pair.

    Attributes:
        throughput_pct: By how many percent its throughput is below the best; None where it was not measured.
        latency_factor: Its weighted latency divided by the least; None where it was not measured.
    """

    throughput_pct: float | None
    latency_factor: float | None


def count_census(record: CensusRecord) -> tuple[SolutionCensus, ...]:
    """Return the triple of each solution that was asked for.

    Works and fails count, aliases as they are listed; unprotected options and those that were not run do not.

    Args:
        record: The census.
    """
    return tuple(
        _count(solution, tuple(result for result in _in_order(record) if result.solution == solution))
        for solution in record.solutions
    )


def behind_best(census: SolutionCensus) -> Mapping[str, BehindBest]:
    """Return how far each working option is behind the best, by the name of its suite.

    Args:
        census: One solution.
    """
    working = [result for result in census.options if result.status is OptionStatus.WORKS]
    most = max((one.throughput_mbit_s for one in working if one.throughput_mbit_s), default=None)
    least = min((one.weighted_latency_ms for one in working if one.weighted_latency_ms), default=None)
    return {
        one.suite: BehindBest(
            100.0 * (1.0 - one.throughput_mbit_s / most) if most and one.throughput_mbit_s is not None else None,
            one.weighted_latency_ms / least if least and one.weighted_latency_ms else None,
        )
        for one in working
    }


def _count(solution: str, options: tuple[OptionResult, ...]) -> SolutionCensus:
    numbers = {status: sum(one.status is status for one in options) for status in OptionStatus}
    working, failed = numbers[OptionStatus.WORKS], numbers[OptionStatus.FAILS]
    return SolutionCensus(
        solution=solution,
        working=working,
        failed=failed,
        total=working + failed,
        unprotected=numbers[OptionStatus.UNPROTECTED],
        options=options,
    )


def _in_order(record: CensusRecord) -> tuple[OptionResult, ...]:
    """Return the results in the order of the plan, whatever was tried again."""
    places = {(item.solution, item.suite): item.position for item in record.plan.items}
    return tuple(sorted(record.results, key=lambda one: places.get((one.solution, one.suite), len(places))))
