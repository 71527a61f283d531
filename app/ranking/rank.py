"""From a stored campaign to a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.domain.ranking import AdviceKind, CandidateResult, Drift, RankedCandidate, Ranking, Recommendation
from app.domain.results import AttemptStatus, CampaignRecord
from app.domain.solutions import BASELINE
from app.ranking.candidates import Contender, completed
from app.ranking.cautions import CampaignDoubts, campaign_doubts, choice_cautions, means_caution
from app.ranking.choice import Choice, Compared, choose
from app.ranking.compared import compared_of, is_ranked, judged
from app.ranking.disturbed import disturbed_obstacle, disturbed_rivals
from app.ranking.drift import drift_of, hides, is_interleaved
from app.ranking.eligibility import barrier_cautions
from app.ranking.interim_field import ratio_to_first
from app.ranking.missing import missing_caution, not_compared, why_no_advice
from app.ranking.recommendation import drifted, no_recommendation, recommendation, under


def rank(record: CampaignRecord) -> Ranking:
    """Rank what was measured, and say which candidate to take.

    A candidate's rank is one more than the number of candidates that are faster beyond chance. References without
    cryptography, candidates with a frame size that did not cross, those that the user ended early and those that failed
    have no rank.

    Args:
        record: A campaign, finished or not.

    Returns:
        Results and ranking in the same order: ranked candidates, then those without a weighted latency, then
        references, then those that did not complete.
    """
    everyone = judged(record)
    rounds = len({one.key.round for one in completed(record.attempts)})
    baseline = [one for each in everyone if each.candidate.solution == BASELINE for one in each.attempts]
    drift = drift_of(completed(baseline), is_interleaved=is_interleaved(record))
    compared = compared_of(record, everyone)
    decided = _choice(record, everyone, compared)
    doubts = campaign_doubts(record, drift, rounds, ranked=len(compared.contenders))
    unranked = _unranked(everyone)
    outdone = decided[0].outdone if decided[0] is not None else None
    places = sorted(_places(compared, outdone), key=lambda each: each[0].rank or 0)
    return Ranking(
        results=(*(result for _, result in places), *(one.result for one in unranked)),
        ranking=(
            *(place for place, _ in places),
            *(RankedCandidate(None, one.candidate.solution, one.candidate.suite) for one in unranked),
        ),
        recommendation=_advice(record, everyone, decided, doubts, drift),
        drift=drift,
        rounds=rounds,
        doubts=doubts.sentences,
    )


def _choice(record: CampaignRecord, everyone: Sequence[Contender], compared: Compared) -> tuple[Choice | None, str]:
    """Return the choice, or why nothing can be recommended although something was measured."""
    obstacle = why_no_advice(record, everyone)
    choice = None if obstacle else choose(compared, is_partial=any(_is_missing(one) for one in everyone))
    rivals = disturbed_rivals(compared, choice.best, everyone) if choice is not None else ()
    return (None, disturbed_obstacle(rivals, choice.best)) if choice is not None and rivals else (choice, obstacle)


def _advice(
    record: CampaignRecord,
    everyone: Sequence[Contender],
    decided: tuple[Choice | None, str],
    doubts: CampaignDoubts,
    drift: Drift,
) -> Recommendation:
    choice, obstacle = decided
    if choice is None:
        missing = filter(None, [missing_caution(everyone)])
        cautions = (*doubts.leading, *missing, *doubts.of_figures, *barrier_cautions(everyone))
        advice = no_recommendation(everyone, cautions, obstacle)
    else:
        advice = recommendation(choice, choice_cautions(doubts, choice.best, everyone))
        is_apart = not drift.is_interleaved  # interleaved candidates meet the same drift
        if is_apart and choice.kind is AdviceKind.CLEAR and choice.others and hides(drift, choice.lead):
            advice = drifted(advice, choice, drift)
    sentence = advice.sentence if record.plan.condition is None else under(record.plan.condition.name, advice.sentence)
    return replace(advice, sentence=" ".join(filter(None, (sentence, not_compared(everyone)))))


def _is_missing(one: Contender) -> bool:
    """Whether a candidate that may be deployed was not measured to the end."""
    return one.candidate.is_deployable and one.result.status is not AttemptStatus.COMPLETED


def _places(compared: Compared, outdone: frozenset[int] | None) -> list[tuple[RankedCandidate, CandidateResult]]:
    """Return the ranked candidates with their places, fastest first."""
    found, who = compared.found, compared.contenders
    places = []
    for i, one in enumerate(who):
        beaten_by = sum((other, i) in found.decided for other in range(i))
        alike = [who[j] for j in range(len(who)) if j != i and not {(i, j), (j, i)} & found.decided]
        tied = tuple(other.title for other in alike)
        place = RankedCandidate(1 + beaten_by, one.candidate.solution, one.candidate.suite, tied)
        is_dominated = i in outdone if outdone is not None and one.result.barrier is None else None
        result = replace(one.result, ratio_to_best=ratio_to_first(found, i), is_dominated=is_dominated)
        doubts = (*result.doubts, *filter(None, [means_caution(result, who[0].result)]))
        places.append((place, replace(result, doubts=doubts)))
    return places


def _unranked(everyone: Sequence[Contender]) -> list[Contender]:
    rest = [one for one in everyone if not is_ranked(one)]
    return sorted(
        rest, key=lambda one: (one.result.status is not AttemptStatus.COMPLETED, one.candidate.is_unprotected)
    )
