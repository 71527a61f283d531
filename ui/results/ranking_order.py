"""Order of the ranking's lines: by rank, or by a column that was clicked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt

from app.domain.ranking import CandidateResult, Estimate, RankedCandidate
from app.domain.verdicts import Verdict
from app.ranking.weighting import Scored
from ui.common.candidate_rows import Key
from ui.plots.result_data import ResultData

RANK, NAME, VERDICT, LATENCY, RATIO, LATENCY_X, MBIT, MBIT_X, CPU, STATE, YOURS = range(11)
"""Columns of every ranking; the last one, by the user's own weights, is shown second. Those of workloads follow."""

_Value = float | str | None
_VALUES: dict[int, Callable[[CandidateResult], _Value]] = {
    NAME: lambda one: one.title.casefold(),
    VERDICT: lambda one: float(list(Verdict).index(one.verdict)),
    LATENCY: lambda one: mean(one.weighted_latency_ms),
    RATIO: lambda one: one.ratio_to_best.value if one.ratio_to_best is not None else None,
    LATENCY_X: lambda one: one.latency_vs_baseline,
    MBIT: lambda one: average(one.throughput_mbit_s.values()),
    MBIT_X: lambda one: one.throughput_vs_baseline,
    CPU: lambda one: average(one.cpu_pct.values()),
    STATE: lambda one: one.status.value,
}


def ordered(
    data: ResultData,
    column: int,
    order: Qt.SortOrder,
    scores: Mapping[Key, Scored] | None = None,
    further: Mapping[int, Mapping[Key, float]] | None = None,
) -> tuple[RankedCandidate, ...]:
    """Return the places sorted by a column; those without a value come last in either order, equal ones by rank.

    Args:
        column: Column of the ranking.
        order: Rising or falling.
        scores: By the user's own weights.
        further: Values of the columns after those of every ranking, by candidate.
    """
    places: Sequence[RankedCandidate] = data.ranking.ranking
    value_of = _VALUES.get(column)
    if column == YOURS and scores is not None:
        value_of = _of_candidate({key: float(one.rank) for key, one in scores.items()})
    elif further is not None and column in further:
        value_of = _of_candidate(further[column])
    if value_of is None:
        return tuple(places)
    valued = [(value_of(data.result((place.solution, place.suite))), place) for place in places]
    known = [(value, place) for value, place in valued if value is not None]
    is_falling = order is Qt.SortOrder.DescendingOrder
    known.sort(key=_by_value, reverse=is_falling)
    return (*(place for _, place in known), *(place for value, place in valued if value is None))


def _of_candidate(values: Mapping[Key, float]) -> Callable[[CandidateResult], _Value]:
    return lambda one: values.get((one.solution, one.suite))


def _by_value(pair: tuple[_Value, RankedCandidate]) -> Any:
    """Return the value; those of a column are all of one type."""
    return pair[0]


def mean(estimate: Estimate | None) -> float | None:
    """Return the mean of an estimate."""
    return estimate.mean if estimate is not None else None


def average(estimates: Iterable[Estimate]) -> float | None:
    """Return the mean of several estimates' means; None without any."""
    means = [estimate.mean for estimate in estimates]
    return sum(means) / len(means) if means else None
