"""From a stored campaign to a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.domain.ranking import Drift, RankedCandidate, Ranking, Recommendation
from app.domain.results import AttemptStatus, CampaignRecord
from app.ranking.candidates import Contender, completed, contenders
from app.ranking.cautions import CampaignDoubts, campaign_doubts, choice_cautions
from app.ranking.drift import drift_of, hides
from app.ranking.eligibility import barrier_cautions, is_eligible, with_eligibility
from app.ranking.intervals import significant_pairs
from app.ranking.missing import missing_caution, not_compared, why_no_advice
from app.ranking.recommendation import choose, drifted, no_recommendation, recommendation
from app.wording.colours import BASELINE_SOLUTION


def rank(record: CampaignRecord) -> Ranking:
    """Rank what was measured, and say which candidate to take.

    A candidate's rank is one more than the number of candidates that are significantly faster by weighted latency, so
    that those which cannot be told apart from the best share its rank. References without cryptography, candidates
    with a frame size that did not cross, those that the user ended early and those that failed have no rank.

    Args:
        record: A campaign, finished or not.

    Returns:
        Results and ranking in the same order: ranked candidates, then those without a weighted latency, then
        references, then those that did not complete.
    """
    everyone = with_eligibility(contenders(record, _condition(record), BASELINE_SOLUTION))
    rounds = len({one.key.round for one in completed(record.attempts)})
    baseline = [one for each in everyone if each.candidate.solution == BASELINE_SOLUTION for one in each.attempts]
    drift = drift_of(completed(baseline))
    ranked = _ranked(everyone)
    doubts = campaign_doubts(record, drift, rounds, ranked=len(ranked))
    advice = _advice(record, everyone, [one for _, one in ranked if is_eligible(one)], doubts, drift)
    places = [*ranked, *((None, one) for one in _unranked(everyone))]
    return Ranking(
        results=tuple(one.result for _, one in places),
        ranking=tuple(_place(number, one, ranked) for number, one in places),
        recommendation=advice,
        drift=drift,
        rounds=rounds,
        doubts=doubts.sentences,
    )


def _advice(
    record: CampaignRecord,
    everyone: Sequence[Contender],
    eligible: Sequence[Contender],
    doubts: CampaignDoubts,
    drift: Drift,
) -> Recommendation:
    obstacle = why_no_advice(record, everyone)
    choice = None if obstacle else choose(sorted(eligible, key=_mean_ms))
    if choice is None:
        missing = filter(None, [missing_caution(everyone)])
        cautions = (*doubts.leading, *missing, *doubts.of_figures, *barrier_cautions(everyone))
        advice = no_recommendation(everyone, cautions, obstacle)
    else:
        cautions = choice_cautions(doubts, choice.best, everyone)
        advice = recommendation(choice, cautions, is_partial=any(_is_missing(one) for one in everyone))
        is_ahead = advice.is_clear and choice.others and not choice.rivals
        if is_ahead and hides(drift, _mean_ms(choice.others[0]) / _mean_ms(choice.best)):
            advice = drifted(advice, choice, drift)
    return replace(advice, sentence=" ".join(filter(None, (advice.sentence, not_compared(everyone)))))


def _condition(record: CampaignRecord) -> str:
    keys = (*record.plan.attempts, *(attempt.key for attempt in record.attempts))
    return keys[0].condition if keys else ""


def _is_ranked(one: Contender) -> bool:
    is_whole = one.result.status is AttemptStatus.COMPLETED
    return is_whole and not one.candidate.is_unprotected and one.result.weighted_latency_ms is not None


def _is_missing(one: Contender) -> bool:
    """Whether a candidate that may be deployed was not measured to the end."""
    return one.candidate.verdict.is_deployable and one.result.status is not AttemptStatus.COMPLETED


def _mean_ms(one: Contender) -> float:
    estimate = one.result.weighted_latency_ms
    return estimate.mean if estimate is not None else float("inf")


def _ranked(everyone: Sequence[Contender]) -> list[tuple[int, Contender]]:
    order = sorted((one for one in everyone if _is_ranked(one)), key=_mean_ms)
    pairs = significant_pairs([one.figures.weighted_ms for one in order])
    beaten_by = [sum(1 for _, slower in pairs if slower == position) for position in range(len(order))]
    numbered = [(1 + beaten, one) for beaten, one in zip(beaten_by, order, strict=True)]
    return sorted(numbered, key=lambda place: (place[0], _mean_ms(place[1])))


def _unranked(everyone: Sequence[Contender]) -> list[Contender]:
    rest = [one for one in everyone if not _is_ranked(one)]
    return sorted(
        rest, key=lambda one: (one.result.status is not AttemptStatus.COMPLETED, one.candidate.is_unprotected)
    )


def _place(number: int | None, one: Contender, ranked: Sequence[tuple[int, Contender]]) -> RankedCandidate:
    tied = tuple(other.title for rank_, other in ranked if rank_ == number and other is not one)
    return RankedCandidate(number, one.candidate.solution, one.candidate.suite, tied)
