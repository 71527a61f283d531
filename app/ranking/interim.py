"""Interim results of an adaptive comparison: what is decided after a round, who leaves, when it ends."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from app.domain.interim import CandidateState, InterimCandidate, InterimResult, StopReason
from app.domain.ranking import Ratio
from app.domain.results import Attempt, AttemptStatus, CampaignPlan, Candidate, CandidateId
from app.domain.solutions import BASELINE
from app.ranking.blocks import is_disturbed, round_value_ms
from app.ranking.differences import Differences, differences
from app.ranking.messages import (
    CLOSE_TO,
    EVERY_PAIR_DECIDED,
    FASTEST_DECIDED,
    LAST_ATTEMPT_FAILED,
    LAST_ROUND_MEASURED,
    LAST_ROUND_MEASURED_UNDECIDED,
    MINUTES_WOULD_DISTINGUISH,
    NO_COMPLETE_ROUND,
    NONE_FASTER,
    NONE_MEASURED_AT_ALL,
    SLOWER_THAN,
    TIME_USED_UP,
    TIME_USED_UP_UNDECIDED,
)
from app.ranking.sequential import (
    LEAST_ROUNDS,
    MOST_ROUNDS,
    is_at_most_margin_slower,
    is_within_margin,
    rounds_needed,
    sequential_differences,
)

__all__ = ["interim", "is_disturbed", "ratio_to_first"]


@dataclass(frozen=True, slots=True)
class _Field:
    """Candidates with figures, fastest first.

    Attributes:
        who: The candidates.
        series: Their values by round, in ms.
        found: How they differ, by positions.
        is_measured_on: Whether each took part in the last round.
    """

    who: tuple[Candidate, ...]
    series: tuple[Mapping[int, float], ...]
    found: Differences
    is_measured_on: tuple[bool, ...]

    def shared_rounds(self, first: int, second: int) -> int:
        return len(self.series[first].keys() & self.series[second].keys())

    def is_decided(self, first: int, second: int) -> bool:
        pair = (first, second)
        if pair in self.found.decided or pair[::-1] in self.found.decided:
            return True
        return is_within_margin(self.found, first, second, self.shared_rounds(first, second))

    def open_pairs(self) -> list[tuple[int, int]]:
        """Return the pairs that measuring on would decide."""
        measured_on = [i for i in range(len(self.who)) if self.is_measured_on[i]]
        return [pair for pair in combinations(measured_on, 2) if not self.is_decided(*pair)]


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
    field = _field(plan, done, number)
    open_pairs = field.open_pairs()
    is_open = {position: any(position in pair for pair in open_pairs) for position in range(len(field.who))}
    states = {
        position: _state(field, position, failed, is_open=is_open[position]) for position in range(len(field.who))
    }
    left = [i for i, state in states.items() if state is CandidateState.OPEN]
    stop = _stop(plan, field, left, number, elapsed_s=elapsed_s, round_s=round_s)
    left_s, slowest = _left_s(plan, field, open_pairs, number, elapsed_s=elapsed_s, round_s=round_s)
    candidates = [_candidate(field, i, states[i]) for i in range(len(field.who))]
    ranked = {(one.solution, one.suite) for one in field.who}
    candidates += [_missing(one) for one in _vpns(plan) if (one.solution, one.suite) not in ranked]
    return InterimResult(
        round=number,
        candidates=tuple(candidates),
        stop=stop,
        left_s=0.0 if stop else left_s,
        sentence=_sentence(field, stop, slowest, left_s),
    )


def _vpns(plan: CampaignPlan) -> list[Candidate]:
    return [one for one in plan.candidates if one.solution != BASELINE]


def _failed(plan: CampaignPlan, attempts: Sequence[Attempt]) -> set[CandidateId]:
    """Return the candidates whose last attempt did not complete: they are not measured any more."""
    last: dict[CandidateId, Attempt] = {}
    for one in sorted(attempts, key=lambda each: (each.key.round, each.key.position)):
        last[one.key.solution, one.key.suite] = one
    ended = {key for key, one in last.items() if one.status is not AttemptStatus.COMPLETED}
    return ended & {(one.solution, one.suite) for one in plan.candidates}


def _field(plan: CampaignPlan, done: Sequence[Attempt], number: int) -> _Field:
    values: dict[CandidateId, dict[int, float]] = defaultdict(dict)
    for attempt in done:
        value = round_value_ms(attempt)
        if value is not None:
            values[attempt.key.solution, attempt.key.suite][attempt.key.round] = value
    who = [one for one in _vpns(plan) if values.get((one.solution, one.suite))]
    series = [values[one.solution, one.suite] for one in who]
    typical = differences(series).typical_ms  # the order needs no test
    order = sorted(range(len(who)), key=lambda i: typical[i])
    sorted_series = tuple(series[i] for i in order)
    return _Field(
        tuple(who[i] for i in order),
        sorted_series,
        sequential_differences(sorted_series),
        tuple(number in one for one in sorted_series),
    )


def _state(field: _Field, position: int, failed: set[CandidateId], *, is_open: bool) -> CandidateState:
    one = field.who[position]
    if (one.solution, one.suite) in failed:
        return CandidateState.FAILED
    if not field.is_measured_on[position]:
        return CandidateState.DECIDED  # it left before, and does not come back
    has_rounds = len(field.series[position]) >= 2
    return CandidateState.OPEN if is_open or not has_rounds else CandidateState.DECIDED


def _stop(
    plan: CampaignPlan, field: _Field, left: Sequence[int], number: int, *, elapsed_s: float, round_s: float
) -> StopReason | None:
    if not field.who:
        return StopReason.NOTHING_LEFT
    if number >= 2 and not left:
        return StopReason.ORDER_KNOWN
    if number >= MOST_ROUNDS:
        return StopReason.ROUNDS
    if _is_good_enough(field, number):
        return StopReason.GOOD_ENOUGH
    budget_s = plan.profile.budget_s
    if budget_s is not None and elapsed_s + round_s > budget_s:
        return StopReason.BUDGET
    return None


def _is_good_enough(field: _Field, number: int) -> bool:
    """Return whether no candidate can be more than 10 % faster than the best that may be deployed."""
    deployable = [i for i, one in enumerate(field.who) if one.is_deployable]
    best = _best_of(field)
    rivals = [i for i in (deployable or range(len(field.who))) if i != best]
    decided = [i for i in rivals if (best, i) in field.found.decided]
    if number >= 2 and len(decided) == len(rivals) and rivals:
        return True
    return number >= LEAST_ROUNDS and all(
        (best, i) in field.found.decided or is_at_most_margin_slower(field.found, best, i) for i in rivals
    )


def _best_of(field: _Field) -> int:
    """Return the position of the fastest candidate that may be deployed; of the fastest of all where none may."""
    return next((i for i, one in enumerate(field.who) if one.is_deployable), 0)


def _left_s(
    plan: CampaignPlan,
    field: _Field,
    open_pairs: Sequence[tuple[int, int]],
    number: int,
    *,
    elapsed_s: float,
    round_s: float,
) -> tuple[float, tuple[int, int] | None]:
    """Return the predicted seconds until the order is known or the budget ends, and the pair that takes longest."""
    needed = {pair: min(float(MOST_ROUNDS), rounds_needed(field.found, pair, number)) for pair in open_pairs}
    slowest = max(needed, key=lambda pair: needed[pair]) if needed else None
    rounds = math.ceil(needed[slowest]) - number if slowest is not None else max(0, 2 - number)
    left_s = max(1, rounds) * round_s
    if plan.profile.budget_s is not None:
        left_s = min(left_s, max(0.0, plan.profile.budget_s - elapsed_s))
    return left_s, slowest


def _candidate(field: _Field, position: int, state: CandidateState) -> InterimCandidate:
    one = field.who[position]
    return InterimCandidate(
        one.solution, one.suite, ratio_to_first(field.found, position), state, _why(field, position, state)
    )


def ratio_to_first(found: Differences, position: int) -> Ratio:
    """Return the latency of a candidate over that of the first, with its interval where two rounds hold both."""
    if position == 0:
        return Ratio(1.0, 1.0, 1.0)
    pair = found.between(position, 0)
    if pair.interval is None:
        return Ratio(found.typical_ms[position] / found.typical_ms[0], None, None)
    return Ratio(math.exp(pair.log_ratio), *pair.interval)


def _why(field: _Field, position: int, state: CandidateState) -> str:
    if state is CandidateState.OPEN:
        return ""
    if state is CandidateState.FAILED:
        return LAST_ATTEMPT_FAILED()
    title = field.who[0].title
    if position and (0, position) in field.found.decided:
        return SLOWER_THAN(title=title)
    if position:
        return CLOSE_TO(title=title)
    return FASTEST_DECIDED()


def _missing(one: Candidate) -> InterimCandidate:
    return InterimCandidate(one.solution, one.suite, None, CandidateState.FAILED, NO_COMPLETE_ROUND())


def _sentence(field: _Field, stop: StopReason | None, slowest: tuple[int, int] | None, left_s: float) -> str:
    if stop is StopReason.ORDER_KNOWN:
        return EVERY_PAIR_DECIDED()
    if stop is StopReason.GOOD_ENOUGH:
        return NONE_FASTER(title=field.who[_best_of(field)].title)
    if stop is StopReason.NOTHING_LEFT:
        return NONE_MEASURED_AT_ALL()
    if slowest is None:
        return _ENDED[stop, True]() if stop is not None else ""
    one, other = (field.who[position].title for position in slowest)
    if stop is not None:
        return _ENDED[stop, False](one=one, other=other)
    return MINUTES_WOULD_DISTINGUISH(minutes=max(1, math.ceil(left_s / 60)), one=one, other=other)


_ENDED = {
    (StopReason.BUDGET, True): TIME_USED_UP,
    (StopReason.BUDGET, False): TIME_USED_UP_UNDECIDED,
    (StopReason.ROUNDS, True): LAST_ROUND_MEASURED,
    (StopReason.ROUNDS, False): LAST_ROUND_MEASURED_UNDECIDED,
}
"""By the reason for the end, and whether every pair is decided."""
