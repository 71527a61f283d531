"""Candidates that are slow on this pair, by what was measured."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.ranking import CandidateResult, Ranking
from app.domain.verdicts import Finding
from app.policy import SpeedFigures, judge_speeds


def speed_findings(ranking: Ranking) -> Mapping[tuple[str, str], Finding]:
    """Return a finding for each protected candidate that is slow beside the best protected one of the same pair.

    Args:
        ranking: What was measured.

    Returns:
        Findings by (solution, suite), in the ranking's order. They bear on no verdict and no rank. A latency that does
        not differ significantly from the best is not called slow.
    """
    protected = {
        (one.solution, one.suite): one for one in ranking.results if not (one.is_unprotected or one.is_partial)
    }
    tied = _tied_with_best(ranking)
    measured = {key: _measured(one, is_tied=key in tied) for key, one in protected.items()}
    return judge_speeds(measured, {key: one.title for key, one in protected.items()})


def _tied_with_best(ranking: Ranking) -> set[tuple[str, str]]:
    """Return the candidates whose latency does not differ significantly from that of the fastest, itself left out."""
    if not ranking.ranking:
        return set()
    best = ranking.ranking[0]
    titles = {(one.solution, one.suite): one.title for one in ranking.results}
    return {
        (one.solution, one.suite)
        for one in ranking.ranking[1:]
        if one.rank is not None and titles[best.solution, best.suite] in one.tied_with
    }


def _measured(one: CandidateResult, *, is_tied: bool) -> SpeedFigures:
    means = [estimate.mean for estimate in one.throughput_mbit_s.values()]
    latency = None if is_tied else one.weighted_latency_ms
    return SpeedFigures(latency.mean if latency else None, sum(means) / len(means) if means else None)
