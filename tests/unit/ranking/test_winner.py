"""Why a comparison has no winner, for lists."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.ranking import AdviceKind, Barrier, BarrierReason
from app.ranking.rank import rank
from app.ranking.winner import winner_of
from support.sample_records import sample_record


@pytest.mark.parametrize(
    ("reason", "code"),
    [(BarrierReason.GATE, "rank.hosts-too-busy"), (BarrierReason.LOSS, "rank.frames-or-tests-failed")],
)
def test_the_reason_is_what_bars_those_that_may_be_deployed(reason: BarrierReason, code: str) -> None:
    ranking = rank(sample_record(rounds=1))
    barred = tuple(replace(one, barrier=Barrier(reason, "was barred")) for one in ranking.results)
    none = replace(ranking.recommendation, kind=AdviceKind.NONE, solution=None, suite=None)
    winner = winner_of(replace(ranking, results=barred, recommendation=none), "1")
    assert winner.text.data["reason"].code == code  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("reason", "has_bare", "code"),
    [
        (BarrierReason.GATE, True, "rank.hosts-too-busy"),
        (BarrierReason.LOSS, False, "rank.link-unknown"),
        (BarrierReason.LOSS, True, "rank.too-little-measured"),
    ],
)
def test_the_reason_is_what_bars_the_one_that_may_be_the_best(
    reason: BarrierReason, code: str, *, has_bare: bool
) -> None:
    ranking = rank(sample_record(rounds=1))
    results = tuple(
        replace(one, barrier=Barrier(reason, "was barred")) if one.solution == "wireguard" else one
        for one in ranking.results
        if has_bare or one.solution != "baseline"
    )
    none = replace(ranking.recommendation, kind=AdviceKind.NONE, solution=None, suite=None)
    winner = winner_of(replace(ranking, results=results, recommendation=none), "1")
    assert winner.text.data["reason"].code == code  # type: ignore[attr-defined]
