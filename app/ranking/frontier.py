"""Latency and throughput of candidates against each other."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.ranking import CandidateResult, Estimate, Ranking


@dataclass(frozen=True, slots=True)
class FrontierPoint:
    """Candidate with both figures.

    Attributes:
        result: Its results; `is_dominated` decides whether it is on the frontier, as in the recommendation.
        latency: Weighted latency in ms.
        throughput_mbit_s: Mean of both directions.
    """

    result: CandidateResult
    latency: Estimate
    throughput_mbit_s: float


def frontier(ranking: Ranking) -> tuple[FrontierPoint, ...]:
    """Return every candidate that has both figures."""
    found = [
        (one, one.weighted_latency_ms, sum(each.mean for each in rates) / len(rates))
        for one in ranking.results
        if one.weighted_latency_ms is not None and (rates := one.throughput_mbit_s.values())
    ]
    return tuple(FrontierPoint(one, latency, rate) for one, latency, rate in found if latency.mean > 0 and rate > 0)
