"""Choice among the candidates that may be recommended, and how sure it is."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from app.domain.profiles import PROFILES, ProfileName
from app.domain.ranking import AdviceKind
from app.ranking.candidates import Contender
from app.ranking.criteria import LATENCY_MARGIN, alternative, best_of, dominated, is_close
from app.ranking.differences import Differences
from app.ranking.sequential import LEAST_ROUNDS, is_at_most_margin_slower, rounds_needed

CLEAR_MARGIN = 0.33
"""With one round there is no test; a lead below this share (a factor of 1.5) is then taken for chance.

Source: our choice; undisturbed attempts of one candidate differed by factors up to 1.28 in practice labs.
"""

_SMALL_RATIO = 1.05
"""Below it, more rounds are to show that two candidates are alike, not that they differ. Source: our choice."""

MOST_PLANNED_ROUNDS = 100
"""Limit of the rounds of a comparison."""

STANDARD_ROUNDS = PROFILES[ProfileName.STANDARD].rounds
"""Rounds that usually show which candidates differ."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Candidates that were measured completely.

    Attributes:
        contenders: Fastest first.
        found: How they differ, by their positions.
        rounds: Rounds that any of them completed.
        round_s: Seconds that one round of the comparison took.
        is_sequential: Whether they were compared after each round, which decided what was measured on.
    """

    contenders: tuple[Contender, ...]
    found: Differences
    rounds: int
    round_s: float
    is_sequential: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """The candidate to take, and why it and not another.

    Attributes:
        best: The one to take.
        others: All other candidates that could have been taken, fastest first.
        alike: Those of the others that are within the margin, with certainty.
        undecided: Those of the others of which the figures say neither that nor that they are slower.
        because: What decided among those within the margin; empty if there was one only.
        lead: Latency of the fastest of the others over that of the best; 1 without others.
        kind: How sure that is.
        rounds: How many rounds it rests on.
        minutes: Minutes of measuring that would probably decide; None where it is decided, or nothing would.
        is_tied: Whether any measured candidate, barred ones included, does not differ significantly from the best.
        outdone: Positions of the candidates that could have been taken and that another one outdoes.
        undominated: The candidates that could have been taken and that no other one outdoes, fastest first.
        alternative: Sentence on what to take where something else counts more than latency; empty where there is none.
    """

    best: Contender
    others: tuple[Contender, ...]
    alike: tuple[Contender, ...]
    undecided: tuple[Contender, ...]
    because: str
    lead: float
    kind: AdviceKind
    rounds: int
    minutes: int | None
    is_tied: bool
    outdone: frozenset[int] = frozenset()
    undominated: tuple[Contender, ...] = ()
    alternative: str = ""


def choose(compared: Compared, *, is_partial: bool) -> Choice | None:
    """Choose among the candidates that may be recommended.

    Args:
        compared: All that were measured completely.
        is_partial: Whether others that may be deployed were not measured to the end.

    Returns:
        The choice; None if no candidate is eligible.
    """
    eligible = [i for i, one in enumerate(compared.contenders) if one.result.barrier is None]
    if not eligible:
        return None
    who, found = compared.contenders, compared.found
    best, because = best_of(who, found.typical_ms, eligible)
    others = [i for i in eligible if i != best]
    states = {i: state_of(compared, best, i) for i in others}
    undecided = _those(states, AdviceKind.NOT_DECIDED)
    outdone = dominated(who, found, eligible) - {best}
    undominated = [i for i in eligible if i not in outdone]

    def at(positions: Sequence[int]) -> tuple[Contender, ...]:
        return tuple(who[i] for i in positions)

    return Choice(
        best=who[best],
        others=at(others),
        alike=at(_those(states, AdviceKind.AS_GOOD_AS)),
        undecided=at(undecided),
        because=because,
        lead=found.typical_ms[others[0]] / found.typical_ms[best] if others else 1.0,
        kind=AdviceKind.NOT_DECIDED if is_partial and not others else _surest(states.values()),
        rounds=compared.rounds,
        minutes=_minutes(compared, best, undecided),
        is_tied=sum(best in pair for pair in found.decided) < len(who) - 1,
        outdone=frozenset(outdone),
        undominated=at(undominated),
        alternative=alternative(who, found, best, undominated),
    )


def _those(states: Mapping[int, AdviceKind], kind: AdviceKind) -> list[int]:
    return [i for i, one in states.items() if one is kind]


def _surest(states: Collection[AdviceKind]) -> AdviceKind:
    """Return how sure a choice is that is so sure against each of the others."""
    return next((one for one in (AdviceKind.NOT_DECIDED, AdviceKind.AS_GOOD_AS) if one in states), AdviceKind.CLEAR)


def state_of(compared: Compared, best: int, other: int) -> AdviceKind:
    """Return how sure it is that the best is the better choice of two."""
    typical = compared.found.typical_ms
    if compared.rounds < 2:
        is_clear = typical[best] / typical[other] <= 1 - CLEAR_MARGIN
        return AdviceKind.CLEAR if is_clear else AdviceKind.NOT_DECIDED
    if (best, other) in compared.found.decided:
        return AdviceKind.CLEAR
    if (
        compared.is_sequential
        and compared.rounds >= LEAST_ROUNDS
        and is_at_most_margin_slower(compared.found, best, other)
    ):
        return AdviceKind.AS_GOOD_AS
    interval = compared.found.between(best, other).interval
    if interval is not None and is_close(interval[1] * typical[other], typical[other]):
        return AdviceKind.AS_GOOD_AS
    return AdviceKind.NOT_DECIDED


def _minutes(compared: Compared, best: int, undecided: Sequence[int]) -> int | None:
    if not undecided:
        return None
    if compared.rounds < 2:
        return math.ceil(STANDARD_ROUNDS * compared.round_s / 60)
    needed = max(_rounds_needed(compared, best, other) for other in undecided)
    if needed > MOST_PLANNED_ROUNDS:
        return None
    return math.ceil(max(1, math.ceil(needed) - compared.rounds) * compared.round_s / 60)


def _rounds_needed(compared: Compared, best: int, other: int) -> float:
    """Return how many rounds would probably tell two apart, or show that they are within the margin."""
    if compared.is_sequential:
        return rounds_needed(compared.found, (best, other), compared.rounds, is_advice=True)
    pair = compared.found.between(best, other)
    if not math.isfinite(pair.half_width):
        return compared.rounds + float(STANDARD_ROUNDS)
    size = abs(pair.log_ratio)
    goal = size if size > math.log(_SMALL_RATIO) else math.log1p(LATENCY_MARGIN) - size
    return compared.rounds * (pair.half_width / goal) ** 2
