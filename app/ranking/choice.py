"""Choice among the candidates that may be recommended, and how sure it is."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from app.domain.profiles import PROFILES, ProfileName
from app.domain.ranking import AdviceKind
from app.ranking.candidates import Contender
from app.ranking.criteria import LATENCY_MARGIN, LATENCY_MARGIN_MS, alternative, best_of, dominated, is_close
from app.ranking.differences import Differences
from app.ranking.sequential import is_at_most_margin_slower, rounds_needed

CLEAR_MARGIN = 1 / 3
"""With one round there is no test; a lead below this share (a factor of 1.5) is then taken for chance.

Source: our choice; undisturbed attempts of one candidate differed by factors up to 1.28 in practice labs.
"""

_SMALL_RATIO = 1.05
"""Below it, more rounds are to show that two candidates are alike, not that they differ. Source: our choice."""

MOST_PLANNED_ROUNDS = 100
"""Limit of the rounds of a comparison; an adaptive one ends after fewer, see `sequential.MOST_ROUNDS`."""

STANDARD_ROUNDS = PROFILES[ProfileName.STANDARD].rounds
"""Rounds that usually show which candidates differ."""


class Closeness(Enum):
    """Margin within which a choice is of those that are as good."""

    SHARE = auto()  # 10 %
    TIME = auto()  # 0.05 ms
    EITHER = auto()  # 10 % of some, 0.05 ms of others


@dataclass(frozen=True, slots=True)
class Compared:
    """Candidates that were measured completely.

    Attributes:
        contenders: Fastest first.
        found: How they differ, by their positions.
        rounds: Rounds that any of them completed.
        round_s: Seconds that a further round takes.
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
        alike: Those of the others that are within the margin, with some certainty.
        undecided: Those of the others of which the figures say neither that nor that they are slower.
        because: What decided among those within the margin; empty if there was one only.
        lead: Latency of the fastest of the others over that of the best; 1 without others.
        kind: How sure that is.
        rounds: Rounds that it rests on: those that hold the best and the others that it is as good as, or
            else the fastest of the others; all where it is not decided.
        minutes: Minutes of measuring that would probably decide; None where it is decided, or where no number of rounds
            would that such a comparison can have.
        is_tied: Whether any measured candidate, barred ones included, does not differ significantly from the best.
        outdone: Positions of the candidates that could have been taken and that another one outdoes; the best may be
            among them where figures are missing, or differ little.
        undominated: The candidates that could have been taken and that no other one outdoes, fastest first.
        alternative: Sentence on what to take where something else counts more than latency; empty where there is none.
        closeness: Margin within which the best is of all that are alike.
        faster: Candidates that were measured completely and are faster than the best, but are barred; fastest first.
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
    closeness: Closeness = Closeness.SHARE
    faster: tuple[Contender, ...] = ()


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
    undecided, alike = _those(states, AdviceKind.NOT_DECIDED), _those(states, AdviceKind.AS_GOOD_AS)
    outdone = dominated(who, found, eligible)
    undominated = [i for i in eligible if i not in outdone]

    def at(positions: Sequence[int]) -> tuple[Contender, ...]:
        return tuple(who[i] for i in positions)

    kind = AdviceKind.NOT_DECIDED if is_partial and not others else _surest(states.values())
    return Choice(
        best=who[best],
        others=at(others),
        alike=at(alike),
        undecided=at(undecided),
        because=because,
        lead=found.typical_ms[others[0]] / found.typical_ms[best] if others else 1.0,
        kind=kind,
        rounds=_rounds(compared, best, () if kind is AdviceKind.NOT_DECIDED else alike or others[:1]),
        minutes=_minutes(compared, best, undecided),
        is_tied=sum(best in pair for pair in found.decided) < len(who) - 1,
        outdone=outdone,
        undominated=at(undominated),
        alternative=alternative(who, found, best, undominated),
        closeness=_closeness(compared, best, alike),
        faster=_barred(who[:best]),
    )


def _barred(some: Sequence[Contender]) -> tuple[Contender, ...]:
    return tuple(one for one in some if one.result.barrier is not None)


def _rounds(compared: Compared, best: int, beside: Sequence[int]) -> int:
    """Return how many rounds hold the best and each of some others at least; without others all rounds."""
    return min((compared.found.between(best, i).rounds for i in beside), default=compared.rounds)


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
    if is_within_share(compared, best, other):
        return AdviceKind.AS_GOOD_AS
    interval = compared.found.between(best, other).interval
    if interval is not None and is_close(interval[1] * typical[other], typical[other]):
        return AdviceKind.AS_GOOD_AS
    return AdviceKind.NOT_DECIDED


def is_within_share(compared: Compared, best: int, other: int) -> bool:
    """Return whether the best is at most 10 % slower than another candidate, with some certainty."""
    if compared.is_sequential and is_at_most_margin_slower(compared.found, best, other):
        return True
    interval = compared.found.between(best, other).interval
    return interval is not None and interval[1] <= 1 + LATENCY_MARGIN


def _closeness(compared: Compared, best: int, alike: Sequence[int]) -> Closeness:
    """Return within what the best is of all those that are as good."""
    typical = compared.found.typical_ms
    is_share = [is_within_share(compared, best, i) for i in alike]
    if all(is_share):
        return Closeness.SHARE
    highest = [(compared.found.between(best, i).interval or (0.0, math.inf))[1] for i in alike]
    gaps_ms = [(times - 1) * typical[i] for i, times in zip(alike, highest, strict=True)]
    return Closeness.TIME if max(gaps_ms) <= LATENCY_MARGIN_MS else Closeness.EITHER


def _minutes(compared: Compared, best: int, undecided: Sequence[int]) -> int | None:
    if not undecided:
        return None
    if compared.rounds < 2:
        return math.ceil(STANDARD_ROUNDS * compared.round_s / 60)
    needed = [_rounds_needed(compared, best, other) for other in undecided]
    known = [rounds for rounds in needed if rounds is not None]
    if len(known) < len(needed):
        return None
    return math.ceil(max(1, max(known) - compared.rounds) * compared.round_s / 60)


def _rounds_needed(compared: Compared, best: int, other: int) -> int | None:
    """Return how many rounds would probably show that the best is faster, or slower by no more than the margin.

    None where no number of rounds would that such a comparison can have.
    """
    if compared.is_sequential:
        return rounds_needed(compared.found, (best, other), compared.rounds, is_advice=True)
    pair = compared.found.between(best, other)
    if not math.isfinite(pair.half_width):
        return compared.rounds + STANDARD_ROUNDS
    is_faster = pair.log_ratio < -math.log(_SMALL_RATIO)
    goal = -pair.log_ratio if is_faster else math.log1p(LATENCY_MARGIN) - abs(pair.log_ratio)
    needed = compared.rounds * (pair.half_width / goal) ** 2 if goal > 0 else math.inf
    return math.ceil(needed) if needed <= MOST_PLANNED_ROUNDS else None
