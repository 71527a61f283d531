"""Winner of a comparison in a few words, for lists."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.history import Winner
from app.domain.ranking import AdviceKind, BarrierReason, CandidateResult, Ranking
from app.domain.results import AttemptStatus
from app.domain.solutions import BASELINE
from app.ranking.messages import (
    ALL_VPNS_FAILED,
    FRAMES_OR_TESTS_FAILED,
    HOSTS_TOO_BUSY,
    LINK_UNKNOWN,
    MEASURED_NOT_DEPLOYABLE,
    NO_CLEAR_WINNER,
    NO_VPN_CARRIED_ALL_SIZES,
    NO_VPN_COMPARED,
    NO_VPN_MEASURED,
    NO_WINNER,
    TIED_WINNER,
    TOO_LITTLE_MEASURED,
)

METHOD = 9
"""Raised when the same measurements lead to another winner, or to other words for it."""


def winner_of(ranking: Ranking, version: str) -> Winner:
    """Return the recommended VPN, or why there is none; where there is no clear one, the first of those named."""
    advice, method = ranking.recommendation, method_of(version)
    if advice.solution is None or advice.suite is None:
        return Winner(NO_WINNER(reason=_reason(ranking)), method=method)
    key = (advice.solution, advice.suite)
    title = next(one.title for one in ranking.results if (one.solution, one.suite) == key)
    if not advice.is_clear:
        return Winner(NO_CLEAR_WINNER(title=title), method=method)
    is_tied = advice.kind is AdviceKind.AS_GOOD_AS
    return Winner(TIED_WINNER(title=title) if is_tied else title, *key, method)


def method_of(version: str) -> str:
    """Return the version of the ranking: what another one stored is computed anew."""
    return f"{version}/{METHOD}"


def _reason(ranking: Ranking) -> str:
    protected = [one for one in ranking.results if not one.is_unprotected]
    completed = [one for one in protected if one.status is AttemptStatus.COMPLETED]
    if not protected:
        return NO_VPN_COMPARED()
    if not completed:
        return ALL_VPNS_FAILED() if _have_failed(protected) else NO_VPN_MEASURED()
    if not any(one.weighted_latency_ms for one in completed):
        return NO_VPN_CARRIED_ALL_SIZES()
    has_bare = any(one.solution == BASELINE and one.status is AttemptStatus.COMPLETED for one in ranking.results)
    return _why_barred(completed, has_bare=has_bare)


def _why_barred(completed: Sequence[CandidateResult], *, has_bare: bool) -> str:
    barriers = {one.barrier.reason for one in completed if one.barrier and one.verdict.is_deployable}
    barriers.discard(BarrierReason.VERDICT)  # of a sound candidate: it is there for comparison alone
    if any(one.barrier is None for one in completed):  # too little is left, or what is barred may be the best
        if BarrierReason.GATE in barriers:
            return HOSTS_TOO_BUSY()
        return LINK_UNKNOWN() if BarrierReason.LOSS in barriers and not has_bare else TOO_LITTLE_MEASURED()
    if barriers == {BarrierReason.GATE}:
        return HOSTS_TOO_BUSY()
    if barriers:
        return FRAMES_OR_TESTS_FAILED()
    return MEASURED_NOT_DEPLOYABLE()


def _have_failed(results: list[CandidateResult]) -> bool:
    return all(one.status is AttemptStatus.FAILED for one in results)
