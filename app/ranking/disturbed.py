"""Candidates that a busy host or an unknown link bars from the recommendation, and that may be the best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import mean

from app.domain.gates import GateName
from app.domain.ranking import AdviceKind, BarrierReason
from app.domain.results import Attempt, AttemptStatus
from app.domain.solutions import BASELINE
from app.ranking.candidates import Contender
from app.ranking.choice import Compared, state_of
from app.ranking.eligibility import FEWEST_LOST, LOSS_TIMES_BARE
from app.ranking.gates import MOST_REPEATS, busy_gate, repeats_of
from app.ranking.missing import most_busy
from app.ranking.proofs import failed_proofs
from app.ranking.sequential import LEAST_ROUNDS
from app.wording.language import tr, trn
from app.wording.local_forms import listed_names
from app.wording.numbers import figure

SURE_LOSS_PCT = 1.0
"""A loss above it is the candidate's own where the bare link was not measured, if others lose less. Source: our
choice."""


def disturbed_rivals(compared: Compared, best: Contender, everyone: Sequence[Contender]) -> tuple[Contender, ...]:
    """Return the candidates that only a busy host or lost frames bar, and that may be faster than the choice.

    Load seldom disturbs all candidates alike: if it happens to bar the fastest ones, a slow one is left to choose. The
    same holds for lost frames: without the bare link it is not known whether the link lost them.

    Args:
        compared: Candidates that were measured completely.
        best: The choice, one of them.
        everyone: All candidates, the bare link included.
    """
    is_link_known = any(one.candidate.solution == BASELINE and one.result.loss_pct is not None for one in everyone)
    at = next(i for i, one in enumerate(compared.contenders) if one is best)
    found = []
    for i, one in enumerate(compared.contenders):
        if i == at:
            continue
        is_undecided = state_of(compared, at, i) is AdviceKind.NOT_DECIDED
        if _is_disturbed(one):
            is_rival = is_undecided or _was_as_fast(one, best)
        else:
            is_rival = is_undecided and not is_link_known and _may_be_the_link(one, best)
        if is_rival:
            found.append(one)
    return tuple(found)


def in_the_way(compared: Compared, best: Contender, everyone: Sequence[Contender]) -> dict[int, str]:
    """Return the candidates because of which nothing would be recommended now: a busy host or lost frames bar them.

    They are those that may be faster than the choice, or all that a busy host bars where most are or where nothing is
    eligible.

    Args:
        compared: Candidates that were measured completely.
        best: The choice that would be made, one of them.
        everyone: All candidates, the bare link included.

    Returns:
        By the identity of the candidate what its hosts did, with the figure; empty where it lost frames.
    """
    found = most_busy(everyone)
    if not found and best.result.barrier is not None:
        found = tuple(one for one in compared.contenders if _is_disturbed(one))
    elif not found:
        found = disturbed_rivals(compared, best, everyone)
    return {id(one): gate.words if (gate := busy_gate(one.result.gates)) is not None else "" for one in found}


def has_repeats(attempts: Sequence[Attempt]) -> bool:
    """Return whether a barred candidate may be measured again; rounds after the third count as repeats."""
    number = max((one.key.round for one in attempts), default=0)
    return repeats_of(attempts) + max(0, number - LEAST_ROUNDS) < MOST_REPEATS


def disturbed_obstacle(rivals: tuple[Contender, ...], best: Contender) -> str:
    """Return why nothing is recommended, after "Nothing can be recommended:"."""
    busy = tuple(one for one in rivals if _is_disturbed(one))
    if not busy:
        losses = listed_names([f"{one.title} ({figure(one.result.loss_pct or 0.0, 2)} %)" for one in rivals])
        return tr(
            "{losses} lost frames and may be faster than {title}; whether the link lost them is not known, because the "
            "bare link was not measured: measure again with it"
        ).format(losses=losses, title=best.title)
    gate = busy_gate(busy[0].result.gates)
    names = listed_names([one.title for one in busy])
    words = tr(" ({words} with {title})").format(words=gate.words, title=busy[0].title) if gate is not None else ""
    repeats = repeats_of(busy[0].attempts)
    if gate is not None and repeats:
        words = trn(
            " ({words} with {title}, after {number} repeat)", " ({words} with {title}, after {number} repeats)", repeats
        ).format(words=gate.words, title=busy[0].title, number=repeats)
    gates = [busy_gate(one.result.gates) for one in busy]
    if all(each is not None and each.name is GateName.ROUNDS for each in gates):
        return trn(
            "{names} varied too much from round to round{words}, by itself or because the hosts were busy, and may be "
            "faster than {title}: measure again, in more rounds if it recurs",
            "{names} varied too much from round to round{words}, by themselves or because the hosts were busy, and may "
            "be faster than {title}: measure again, in more rounds if it recurs",
            len(busy),
        ).format(names=names, words=words, title=best.title)
    return trn(
        "the hosts were too busy while {names} was measured{words}, which may be faster than {title}; end other work "
        "on them and on this computer, then measure again",
        "the hosts were too busy while {names} were measured{words}, which may be faster than {title}; end other work "
        "on them and on this computer, then measure again",
        len(busy),
    ).format(names=names, words=words, title=best.title)


def _is_disturbed(one: Contender) -> bool:
    barrier = one.result.barrier
    is_busy = barrier is not None and barrier.reason is BarrierReason.GATE
    return is_busy and one.candidate.is_deployable and not failed_proofs(one)


def _was_as_fast(one: Contender, best: Contender) -> bool:
    """Return whether a disturbed candidate's shortest round trips are no longer than the best one's typical ones.

    Its own median tells how busy the hosts were: divided by its spread it is near what the candidate can do.
    """
    spread = next((gate.value for gate in one.result.gates if gate.name is GateName.SPREAD), None)
    shared = one.figures.median_ms.keys() & best.figures.median_ms.keys()
    if spread is None or not shared:
        return False
    times = mean([math.log(one.figures.median_ms[r] / best.figures.median_ms[r]) for r in shared])
    return times <= math.log(spread)


def _may_be_the_link(one: Contender, best: Contender) -> bool:
    """Return whether a candidate is barred by a loss that may be the link's: a small one, or one the best has as well.

    What both lost is counted over the rounds that hold both.
    """
    barrier = one.result.barrier
    if barrier is None or barrier.reason is not BarrierReason.LOSS or not one.candidate.is_deployable:
        return False
    shared = one.figures.median_ms.keys() & best.figures.median_ms.keys()
    lost, share = _loss(one, shared)
    most = max(SURE_LOSS_PCT / 100, LOSS_TIMES_BARE * _loss(best, shared)[1])
    return lost < FEWEST_LOST or share <= most


def _loss(one: Contender, rounds: frozenset[int] | set[int]) -> tuple[int, float]:
    """Return how many requests were lost in some rounds, and their share of all."""
    series = [
        each
        for attempt in one.attempts
        if attempt.status is AttemptStatus.COMPLETED and attempt.key.round in rounds
        for each in attempt.latency
    ]
    sent, received = sum(each.sent for each in series), sum(each.received for each in series)
    return sent - received, (sent - received) / sent if sent else 0.0
