"""Results of a census: the study's triple per solution, and which options are slow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.domain.census import CensusRecord, OptionResult, OptionStatus, SolutionCensus
from app.policy import SpeedFigures, best_of, judge_speed


@dataclass(frozen=True, slots=True)
class BehindBest:
    """Lag of an option behind the best one of its solution on the same pair.

    Attributes:
        throughput_pct: By how many percent its throughput is below the best; None where it was not measured.
        latency_factor: Its weighted latency divided by the least; None where it was not measured.
        slow: Why it counts as slow, as a sentence; empty where it does not.
    """

    throughput_pct: float | None = None
    latency_factor: float | None = None
    slow: str = ""


def count_census(record: CensusRecord) -> tuple[SolutionCensus, ...]:
    """Return the triple of each solution that was asked for.

    Works and fails count, aliases as they are listed; unprotected options and those that were not run do not.
    """
    return tuple(
        _count(solution, tuple(result for result in _in_order(record) if result.solution == solution))
        for solution in record.solutions
    )


def behind_best(options: Iterable[OptionResult]) -> Mapping[tuple[str, str], BehindBest]:
    """Return how far each working option is behind the best working one of its solution.

    Args:
        options: Results, of one solution or of several.

    Returns:
        By solution and suite; what does not work is not in it.
    """
    working = [one for one in options if one.status is OptionStatus.WORKS]
    best = {
        solution: best_of(_measured(one) for one in working if one.solution == solution)
        for solution in {one.solution for one in working}
    }
    return {(one.solution, one.suite): _behind(one, best[one.solution]) for one in working}


def _behind(one: OptionResult, best: SpeedFigures) -> BehindBest:
    latency, least = one.weighted_latency_ms, best.weighted_latency_ms
    throughput, most = one.throughput_mbit_s, best.throughput_mbit_s
    finding = judge_speed(one.name, _measured(one), best)
    return BehindBest(
        throughput_pct=100.0 * (1.0 - throughput / most) if throughput is not None and most else None,
        latency_factor=latency / least if latency and least else None,
        slow=finding.reason if finding is not None else "",
    )


def _measured(one: OptionResult) -> SpeedFigures:
    return SpeedFigures(one.weighted_latency_ms, one.throughput_mbit_s)


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
