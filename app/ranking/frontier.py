"""Candidates that no other one beats in both latency and throughput."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.ranking import CandidateResult, Estimate, Ranking


@dataclass(frozen=True, slots=True)
class FrontierPoint:
    """Candidate with both figures.

    Attributes:
        result: Its results.
        latency: Weighted latency in ms.
        throughput_mbit_s: Mean of both directions.
        is_on_frontier: Whether it is protected, and no protected candidate is better in both.
    """

    result: CandidateResult
    latency: Estimate
    throughput_mbit_s: float
    is_on_frontier: bool


def frontier(ranking: Ranking) -> tuple[FrontierPoint, ...]:
    """Return every candidate that has both figures."""
    found = [
        (one, one.weighted_latency_ms, sum(each.mean for each in rates) / len(rates))
        for one in ranking.results
        if one.weighted_latency_ms is not None and (rates := one.throughput_mbit_s.values())
    ]
    rivals = [(latency.mean, rate) for one, latency, rate in found if _is_rival(one)]
    return tuple(
        FrontierPoint(
            one,
            latency,
            rate,
            _is_rival(one) and not any(ms < latency.mean and mbit_s > rate for ms, mbit_s in rivals),
        )
        for one, latency, rate in found
        if latency.mean > 0 and rate > 0
    )


def _is_rival(one: CandidateResult) -> bool:
    return not (one.is_unprotected or one.is_partial)
