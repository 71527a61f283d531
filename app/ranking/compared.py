"""Candidates of a comparison beside each other, as ranks, choice and interim results need them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from app.domain.gates import Gate
from app.domain.results import AttemptStatus, CampaignRecord
from app.domain.solutions import BASELINE
from app.ranking.candidates import Contender, completed, contenders
from app.ranking.choice import Compared
from app.ranking.differences import differences, fitted
from app.ranking.eligibility import with_eligibility
from app.ranking.gates import rounds_gate
from app.ranking.round_spreads import round_spreads
from app.ranking.round_time import attempt_s, further_round_s
from app.ranking.sequential import sequential_differences


def judged(record: CampaignRecord) -> tuple[Contender, ...]:
    """Return every candidate with its figures and what bars it from the recommendation, in the plan's order."""
    return with_eligibility(_with_rounds_gates(contenders(record, _condition(record), BASELINE)), record.plan)


def is_ranked(one: Contender) -> bool:
    """Return whether a candidate has a rank: protected, measured completely, with every frame size."""
    is_whole = one.result.status is AttemptStatus.COMPLETED
    return is_whole and not one.candidate.is_unprotected and bool(one.figures.median_ms)


def compared_of(record: CampaignRecord, everyone: Sequence[Contender]) -> Compared:
    """Return the candidates that have a rank, and how they differ.

    Args:
        everyone: All candidates of the record.
    """
    ranked = [one for one in everyone if is_ranked(one)]
    compare = sequential_differences if record.plan.profile.is_adaptive else differences
    typical_ms = fitted([one.figures.median_ms for one in ranked]).typical_ms
    order = sorted(range(len(ranked)), key=lambda i: typical_ms[i])
    fastest_first = tuple(ranked[i] for i in order)
    rounds = {number for one in ranked for number in one.figures.median_ms}
    return Compared(
        fastest_first,
        compare([one.figures.median_ms for one in fastest_first]),
        len(rounds),
        _round_s(record),
        is_sequential=record.plan.profile.is_adaptive,
    )


def _round_s(record: CampaignRecord) -> float:
    """Return the seconds that a further round takes, without what happens once only."""
    done = completed(record.attempts)
    last = max((one.key.round for one in done), default=0)
    if record.plan.profile.is_adaptive:
        return further_round_s([one for one in done if one.key.round == last])
    return sum(attempt_s(one, record.plan) for one in done) / max(1, len({one.key.round for one in done}))


def _condition(record: CampaignRecord) -> str:
    keys = (*record.plan.attempts, *(attempt.key for attempt in record.attempts))
    return keys[0].condition if keys else ""


def _with_rounds_gates(everyone: Sequence[Contender]) -> tuple[Contender, ...]:
    """Return the candidates with the verdict on how much their rounds differ, in the same order."""
    ranked = [one for one in everyone if is_ranked(one)]
    spreads = round_spreads([one.figures.median_ms for one in ranked])
    gates = {id(one): _rounds_gate(spread) for one, spread in zip(ranked, spreads, strict=True)}
    return tuple(
        replace(one, result=replace(one.result, gates=(*one.result.gates, *gates.get(id(one), ())))) for one in everyone
    )


def _rounds_gate(spread: float) -> tuple[Gate, ...]:
    return (rounds_gate(100.0 * math.expm1(spread)),) if math.isfinite(spread) else ()
