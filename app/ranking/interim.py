"""Interim results of an adaptive comparison: what is decided after a round, who leaves, when it ends."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from itertools import combinations

from app.domain.interim import CandidateState, InterimCandidate, InterimResult, StopReason
from app.domain.ranking import AdviceKind
from app.domain.results import (
    Attempt,
    AttemptStatus,
    CampaignPlan,
    CampaignRecord,
    CampaignStatus,
    Candidate,
    CandidateId,
)
from app.ranking.choice import state_of
from app.ranking.compared import compared_of, judged
from app.ranking.criteria import best_of
from app.ranking.disturbed import has_repeats, in_the_way
from app.ranking.interim_field import (
    InterimField,
    field_of,
    ranked_of,
    ratio_to_first,
    references_of,
    values_of,
)
from app.ranking.messages import (
    BARRED_BY_LOSS,
    BARRED_MEASURED_AGAIN,
    BARRED_TO_THE_END,
    CLOSE_TO,
    EVERY_PAIR_DECIDED,
    FASTEST_DECIDED,
    FASTEST_SO_FAR,
    LAST_ATTEMPT_FAILED,
    LAST_ROUND_MEASURED,
    LAST_ROUND_MEASURED_UNDECIDED,
    MINUTES_WOULD_DISTINGUISH,
    NO_COMPLETE_ROUND,
    NO_PAIR_LEFT,
    NONE_ELIGIBLE,
    NONE_FASTER,
    NONE_MEASURED_AT_ALL,
    NOT_DISTINGUISHED,
    REFERENCE_MEASURED,
    SLOWER_THAN,
    TIME_LEFT_TOO_SHORT,
    TIME_USED_UP,
    TIME_USED_UP_UNDECIDED,
)
from app.ranking.sequential import (
    LEAST_ROUNDS,
    MOST_ROUNDS,
    is_within_margin,
    rounds_needed,
    sequential_differences,
)


@dataclass(frozen=True, slots=True)
class _Advice:
    """The choice that would be made if the comparison ended now.

    Attributes:
        best: Position of the candidate.
        rivals: By the positions of the others that could be chosen, how sure the choice is against each.
        barred: Candidates because of which nothing would be recommended instead, by position: what their hosts did,
            with the figure; empty where they lost frames.
        has_repeats: Whether such a candidate may be measured again.
        is_eligible: Whether the candidate may be recommended; if not, nothing may.
    """

    best: int
    rivals: Mapping[int, AdviceKind]
    barred: Mapping[int, str] = dataclass_field(default_factory=dict)
    has_repeats: bool = False
    is_eligible: bool = True

    def again(self, field: InterimField) -> list[int]:
        """Return the barred candidates that are measured again; one that left before does not come back."""
        return [i for i, words in self.barred.items() if self.has_repeats and words and field.is_measured_on[i]]

    def is_final(self, number: int, again: Collection[int]) -> bool:
        """Return whether more rounds than these are not needed for it.

        Args:
            number: Rounds so far.
            again: Barred candidates that are measured again.
        """
        if again:
            return False
        kinds = self.rivals.values()
        if number >= 2 and kinds and all(kind is AdviceKind.CLEAR for kind in kinds):
            return True
        return number >= LEAST_ROUNDS and AdviceKind.NOT_DECIDED not in kinds

    def open_pairs(self, field: InterimField) -> list[tuple[int, int]]:
        """Return the pairs that measuring on would decide for the choice, the candidate to choose first.

        Their order may be known: that a rival is faster does not say whether it is more than 10 % faster.
        """
        if not field.is_measured_on[self.best]:
            return []
        undecided = [i for i, kind in self.rivals.items() if kind is AdviceKind.NOT_DECIDED]
        return [(self.best, i) for i in undecided if field.is_measured_on[i] and field.is_decided(self.best, i)]


@dataclass(frozen=True, slots=True)
class _Prediction:
    """Prediction of the rest of a comparison.

    Attributes:
        left_s: Seconds until all is decided, or until budget or rounds are used up.
        slowest: The pair that takes longest; None where no pair is open.
        needed_s: Seconds that would probably decide it; None where budget or rounds end before.
    """

    left_s: float
    slowest: tuple[int, int] | None = None
    needed_s: float | None = None


def interim(plan: CampaignPlan, attempts: Sequence[Attempt], *, elapsed_s: float, round_s: float) -> InterimResult:
    """Judge an adaptive comparison after a round.

    Args:
        attempts: All that ended, of all rounds.
        elapsed_s: Seconds that it has taken.
        round_s: Seconds that the next round will take with the candidates that took part in the last one.

    Returns:
        What is known, who is measured on, and whether it ends here.
    """
    done = [one for one in attempts if one.status is AttemptStatus.COMPLETED]
    number = max((one.key.round for one in attempts), default=0)
    failed = _failed(plan, attempts)
    values = values_of(done)
    field = field_of(ranked_of(plan), values, number)
    advice = _advice(plan, attempts, field)
    needed = _rounds_needed(field, advice, number)
    positions = range(len(field.who))
    wanted = _wanted(field, advice, needed)
    states = {i: _state(field, i, failed, is_open=i in wanted) for i in positions}
    left = [i for i, state in states.items() if state is CandidateState.OPEN]
    is_final = advice is not None and advice.is_final(number, set(advice.again(field)) & set(left))
    stop = _stop(plan, field, left, number, is_final=is_final, elapsed_s=elapsed_s, round_s=round_s)
    prediction = _predicted(plan, needed, number, elapsed_s=elapsed_s, round_s=round_s)
    candidates = [_candidate(field, i, states[i]) for i in positions]
    ranked = {(one.solution, one.suite) for one in field.who}
    candidates += [_missing(one) for one in ranked_of(plan) if (one.solution, one.suite) not in ranked]
    candidates += [_reference(one, values, field, failed) for one in references_of(plan)]
    return InterimResult(
        round=number,
        candidates=tuple(candidates),
        stop=stop,
        left_s=0.0 if stop else prediction.left_s,
        sentence=_sentence(field, advice, stop, prediction),
    )


def _wanted(field: InterimField, advice: _Advice | None, needed: Mapping[tuple[int, int], int | None]) -> set[int]:
    """Return the candidates that are to be measured on: of open pairs, and barred ones with the choice beside them."""
    found = {i for pair in needed for i in pair}
    again = advice.again(field) if advice is not None else []
    return found | {advice.best, *again} if advice is not None and again else found


def _rounds_needed(field: InterimField, advice: _Advice | None, number: int) -> dict[tuple[int, int], int | None]:
    """Return the open pairs with the rounds in all that would probably decide them; None where none would."""
    needed = {pair: rounds_needed(field.found, pair, number) for pair in field.open_pairs()}
    for pair in advice.open_pairs(field) if advice is not None else ():
        needed[pair] = rounds_needed(field.found, pair, number, is_advice=True)
    return needed


def _failed(plan: CampaignPlan, attempts: Sequence[Attempt]) -> set[CandidateId]:
    """Return the candidates whose last attempt did not complete: they are not measured any more."""
    last: dict[CandidateId, Attempt] = {}
    for one in sorted(attempts, key=lambda each: (each.key.round, each.key.position)):
        last[one.key.solution, one.key.suite] = one
    ended = {key for key, one in last.items() if one.status is not AttemptStatus.COMPLETED}
    return ended & {(one.solution, one.suite) for one in plan.candidates}


def _state(field: InterimField, position: int, failed: set[CandidateId], *, is_open: bool) -> CandidateState:
    one = field.who[position]
    if (one.solution, one.suite) in failed:
        return CandidateState.FAILED
    if not field.is_measured_on[position]:
        return CandidateState.DECIDED  # it left before, and does not come back
    has_rounds = len(field.series[position]) >= 2
    return CandidateState.OPEN if is_open or not has_rounds else CandidateState.DECIDED


def _advice(plan: CampaignPlan, attempts: Sequence[Attempt], field: InterimField) -> _Advice | None:
    """Return the choice that would be made now, by the same rules as in the end; None where none can be made.

    Where nothing is eligible so far, it is one of those that may be deployed, or else one of all.
    """
    if not field.who:
        return None
    record = CampaignRecord(
        0, plan, CampaignStatus.RUNNING, attempts[0].started_at, None, {}, tuple(attempts), tunnelmark_version=""
    )
    everyone = judged(record)
    compared = compared_of(record, everyone)
    who = compared.contenders
    if not who:
        return None
    eligible = [i for i, one in enumerate(who) if one.result.barrier is None]
    eligible = eligible or [i for i, one in enumerate(who) if one.candidate.is_deployable] or list(range(len(who)))
    best, _ = best_of(who, compared.found.typical_ms, eligible)
    positions = {(one.solution, one.suite): i for i, one in enumerate(field.who)}
    at = [positions[one.candidate.solution, one.candidate.suite] for one in who]
    barred = in_the_way(compared, who[best], everyone)
    return _Advice(
        at[best],
        {at[i]: state_of(compared, best, i) for i in eligible if i != best},
        {place: barred[id(one)] for place, one in zip(at, who, strict=True) if id(one) in barred},
        has_repeats=has_repeats(attempts),
        is_eligible=who[best].result.barrier is None,
    )


def _stop(
    plan: CampaignPlan,
    field: InterimField,
    left: Sequence[int],
    number: int,
    *,
    is_final: bool,
    elapsed_s: float,
    round_s: float,
) -> StopReason | None:
    if not field.who:
        return StopReason.NOTHING_LEFT
    if number >= 2 and not left:
        return StopReason.ORDER_KNOWN
    if number >= MOST_ROUNDS:
        return StopReason.ROUNDS
    if is_final:
        return StopReason.GOOD_ENOUGH
    budget_s = plan.profile.budget_s
    if budget_s is not None and elapsed_s + round_s > budget_s:
        return StopReason.BUDGET
    return None


def _predicted(
    plan: CampaignPlan,
    needed: Mapping[tuple[int, int], int | None],
    number: int,
    *,
    elapsed_s: float,
    round_s: float,
) -> _Prediction:
    """Predict the rest of a comparison.

    Args:
        needed: Rounds in all that would probably decide each open pair; None where the most that there are would not.
    """
    budget_s = plan.profile.budget_s
    budget_left_s = math.inf if budget_s is None else max(0.0, budget_s - elapsed_s)
    if not needed:
        return _Prediction(min(max(1, 2 - number) * round_s, budget_left_s))
    slowest = max(needed, key=lambda pair: needed[pair] or math.inf)
    rounds = needed[slowest]
    needed_s = (rounds - number) * round_s if rounds is not None else math.inf
    most_s = max(1, MOST_ROUNDS - number) * round_s
    return _Prediction(
        min(needed_s, most_s, budget_left_s), slowest, needed_s if needed_s <= min(most_s, budget_left_s) else None
    )


def _candidate(field: InterimField, position: int, state: CandidateState) -> InterimCandidate:
    one = field.who[position]
    return InterimCandidate(
        one.solution, one.suite, ratio_to_first(field.found, position), state, _why(field, position, state)
    )


def _why(field: InterimField, position: int, state: CandidateState) -> str:
    if state is CandidateState.OPEN:
        return ""
    if state is CandidateState.FAILED:
        return LAST_ATTEMPT_FAILED()
    title = field.who[0].title
    if position and (0, position) in field.found.decided:
        return SLOWER_THAN(title=title)
    if position:
        return (CLOSE_TO if is_within_margin(field.found, 0, position) else NOT_DISTINGUISHED)(title=title)
    is_known = all(field.is_decided(0, other) for other in range(1, len(field.who)))
    return FASTEST_DECIDED() if is_known else FASTEST_SO_FAR()


def _reference(
    one: Candidate, values: Mapping[CandidateId, Mapping[int, float]], field: InterimField, failed: set[CandidateId]
) -> InterimCandidate:
    """Return a candidate without cryptography: two rounds are enough for its figures, and it decides nothing."""
    key = one.solution, one.suite
    series = values.get(key)
    if not series:
        return _missing(one)
    ratio = ratio_to_first(sequential_differences((field.series[0], series)), 1) if field.who else None
    if key in failed:
        return InterimCandidate(*key, ratio, CandidateState.FAILED, LAST_ATTEMPT_FAILED())
    if len(series) < 2:
        return InterimCandidate(*key, ratio, CandidateState.OPEN, "")
    return InterimCandidate(*key, ratio, CandidateState.DECIDED, REFERENCE_MEASURED())


def _missing(one: Candidate) -> InterimCandidate:
    return InterimCandidate(one.solution, one.suite, None, CandidateState.FAILED, NO_COMPLETE_ROUND())


def _sentence(field: InterimField, advice: _Advice | None, stop: StopReason | None, prediction: _Prediction) -> str:
    if nothing := _nothing_sentence(field, advice, is_end=stop is not None):
        return nothing
    if stop is StopReason.ORDER_KNOWN:
        are_decided = all(field.is_decided(*pair) for pair in combinations(range(len(field.who)), 2))
        return EVERY_PAIR_DECIDED() if are_decided else NO_PAIR_LEFT()
    if stop is StopReason.GOOD_ENOUGH and advice is not None:
        return NONE_FASTER(title=field.who[advice.best].title)
    if stop is StopReason.NOTHING_LEFT:
        return NONE_MEASURED_AT_ALL()
    if prediction.slowest is None:
        return _ENDED[stop, True]() if stop is not None else ""
    one, other = (field.who[position].title for position in prediction.slowest)
    if stop is not None:
        return _ENDED[stop, False](one=one, other=other)
    if prediction.needed_s is None:
        return TIME_LEFT_TOO_SHORT(one=one, other=other)
    minutes = max(1, math.ceil(prediction.needed_s / 60))
    return MINUTES_WOULD_DISTINGUISH(minutes=minutes, one=one, other=other)


def _nothing_sentence(field: InterimField, advice: _Advice | None, *, is_end: bool) -> str:
    """Return why nothing would be recommended; empty where something would, or that may still change."""
    barred = _barred_sentence(field, advice, is_end=is_end)
    if not barred and is_end and advice is not None and not advice.is_eligible:
        return NONE_ELIGIBLE()
    return barred


def _barred_sentence(field: InterimField, advice: _Advice | None, *, is_end: bool) -> str:
    """Return which candidate keeps anything from being recommended, and whether it is measured again; empty if none."""
    if advice is None or not (found := list(advice.barred) if is_end else advice.again(field)):
        return ""
    first = found[0]
    title, words = field.who[first].title, advice.barred[first]
    if not words:
        return BARRED_BY_LOSS(title=title)
    return (BARRED_TO_THE_END if is_end else BARRED_MEASURED_AGAIN)(title=title, words=words)


_ENDED = {
    (StopReason.BUDGET, True): TIME_USED_UP,
    (StopReason.BUDGET, False): TIME_USED_UP_UNDECIDED,
    (StopReason.ROUNDS, True): LAST_ROUND_MEASURED,
    (StopReason.ROUNDS, False): LAST_ROUND_MEASURED_UNDECIDED,
}
"""By the reason for the end, and whether every pair is decided."""
