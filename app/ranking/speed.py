"""Candidates that are slow on this pair, by what was measured."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.ranking import CandidateResult, Ranking
from app.domain.verdicts import Finding
from app.policy import Measured, judge_speeds


def speed_findings(ranking: Ranking) -> Mapping[tuple[str, str], Finding]:
    """Return a finding for each protected candidate that is slow beside the best protected one of the same pair.

    Args:
        ranking: What was measured.

    Returns:
        Findings by (solution, suite), in the ranking's order. They bear on no verdict and no rank.
    """
    protected = {
        (one.solution, one.suite): one for one in ranking.results if not (one.is_unprotected or one.is_partial)
    }
    measured = {key: _measured(one) for key, one in protected.items()}
    return judge_speeds(measured, {key: one.title for key, one in protected.items()})


def _measured(one: CandidateResult) -> Measured:
    means = [estimate.mean for estimate in one.throughput_mbit_s.values()]
    latency = one.weighted_latency_ms
    return Measured(latency.mean if latency else None, sum(means) / len(means) if means else None)
