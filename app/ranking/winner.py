"""Winner of a comparison in a few words, for lists."""

from __future__ import annotations

from app.domain.history import Winner
from app.domain.ranking import AdviceKind, CandidateResult, Ranking
from app.domain.results import AttemptStatus

METHOD = 5
"""Raised when the same measurements lead to another winner, or to other words for it."""


def winner_of(ranking: Ranking, version: str) -> Winner:
    """Return the recommended VPN, or why there is none; where there is no clear one, the first of those named."""
    advice, method = ranking.recommendation, method_of(version)
    if advice.solution is None or advice.suite is None:
        return Winner(f"none, because {_reason(ranking)}", method=method)
    key = (advice.solution, advice.suite)
    title = next(one.title for one in ranking.results if (one.solution, one.suite) == key)
    if not advice.is_clear:
        return Winner(f"no clear winner, first: {title}", method=method)
    is_tied = advice.kind is AdviceKind.AS_GOOD_AS
    return Winner(f"{title} (tied)" if is_tied else title, *key, method)


def method_of(version: str) -> str:
    """Return the version of the ranking: what another one stored is computed anew."""
    return f"{version}/{METHOD}"


def _reason(ranking: Ranking) -> str:
    protected = [one for one in ranking.results if not one.is_unprotected]
    completed = [one for one in protected if one.status is AttemptStatus.COMPLETED]
    if not protected:
        return "no VPN was compared"
    if not completed:
        return "all VPNs failed" if _have_failed(protected) else "no VPN was measured to the end"
    if not any(one.weighted_latency_ms for one in completed):
        return "no VPN carried every frame size"
    if any(one.barrier is None for one in completed):
        return "too little was measured"
    if any(one.verdict.is_deployable for one in completed):
        return "what was measured lost frames or failed its packet test"
    return "what was measured must not be deployed"


def _have_failed(results: list[CandidateResult]) -> bool:
    return all(one.status is AttemptStatus.FAILED for one in results)
