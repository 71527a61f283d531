"""Own figures of a study's candidates in a comparison, and their order against the published one."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from app.domain.profiles import FRAME_BYTES, FRAME_WEIGHTS
from app.domain.results import Attempt, AttemptStatus, CampaignRecord
from app.domain.transfers import Agreement
from app.ranking.comparison_study import Cell, ComparisonStudy, Figures, StudyFigure, StudyOrder, published_order
from app.ranking.published_order import agreement
from app.ranking.rounds import RoundFigures, measure, round_figures
from app.ranking.summaries import jitter_ms
from app.ranking.weighted import weighted_latency_ms
from app.ranking.weighting import bytes_per_frame

_FRAME_MEAN_BYTES = sum(weight * size for size, weight in zip(FRAME_BYTES, FRAME_WEIGHTS, strict=True))

_OF_COMPARISON: Mapping[str, Callable[[RoundFigures], Mapping[int, float]]] = {
    "weighted-latency": lambda found: found.weighted_ms,
    "throughput": lambda found: found.both_mbit_s,
}
"""Figures by round that each comparison has, as the data file of a study names them."""


def _added_bytes(attempt: Attempt) -> float | None:
    """Return the captured bytes per frame beyond the frame's own, weighted as the latency is; None if unknown."""
    found = bytes_per_frame(attempt.capture)
    return None if found is None else found - _FRAME_MEAN_BYTES


def _jitter_ms(attempt: Attempt) -> float | None:
    """Return the mean difference of successive round-trip times, weighted as the latency is; None if unknown."""
    found = {one.frame_bytes: jitter_ms([one]) for one in attempt.latency}
    return weighted_latency_ms({size: value for size, value in found.items() if value is not None})


_OF_ATTEMPT: Mapping[str, Callable[[Attempt], float | None]] = {"overhead": _added_bytes, "jitter": _jitter_ms}
"""Figures of each attempt by itself."""

_OVER_ROUNDS: Mapping[str, Callable[[list[float]], float]] = {"mean": statistics.fmean, "longest": max}


@dataclass(frozen=True, slots=True)
class ComparedOrder:
    """A published order, and how own figures agree with it."""

    order: StudyOrder
    agreement: Agreement[Cell]


def own_figures(study: ComparisonStudy, record: CampaignRecord) -> Mapping[Cell, Figures]:
    """Return what a comparison measured of a study's candidates, over its rounds; cells without any are left out."""
    wanted = {(one.solution, one.suite) for one in study.candidate}
    attempts: dict[tuple[str, str], list[Attempt]] = defaultdict(list)
    for one in record.attempts:
        key = one.key.solution, one.key.suite
        if one.status is AttemptStatus.COMPLETED and key in wanted:
            attempts[key].append(one)
    found: dict[Cell, Figures] = {}
    for key, some in attempts.items():
        for way in study.way:
            figures = _of_workload(study, some, way.name) if study.workload else _of_comparison(study, some)
            if figures[study.figure[0].name] is not None:
                found[*key, way.name] = figures
    return found


def _of_comparison(study: ComparisonStudy, attempts: list[Attempt]) -> Figures:
    by_round = round_figures(measure(attempts))

    def values(own: str) -> Iterable[float | None]:
        return map(_OF_ATTEMPT[own], attempts) if own in _OF_ATTEMPT else _OF_COMPARISON[own](by_round).values()

    return {one.name: _over_rounds(one, values(one.own)) for one in study.figure}


def _of_workload(study: ComparisonStudy, attempts: list[Attempt], way: str) -> Figures:
    results = [one.figures for some in attempts for one in some.workloads if one.workload == study.workload]
    return {
        one.name: _over_rounds(one, (figures.get(f"{one.own}-{way}") for figures in results)) for one in study.figure
    }


def _over_rounds(figure: StudyFigure, values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return _OVER_ROUNDS[figure.over_rounds](known) if known else None


def compared_order(study: ComparisonStudy, order: StudyOrder, own: Mapping[Cell, Figures]) -> ComparedOrder:
    """Compare the order of own figures with a published one.

    Places count from the best, so that of figures of which more is better the largest has the first place.
    """
    sign = -1.0 if order.places and study.kind(order.figure).is_higher_better else 1.0
    values = {cell: figures[order.figure] for cell, figures in own.items()}
    mine = {cell: sign * value for cell, value in values.items() if value is not None}
    return ComparedOrder(order, agreement(mine, published_order(study, order)))


def compared_orders(study: ComparisonStudy, own: Mapping[Cell, Figures]) -> tuple[ComparedOrder, ...]:
    """Compare all orders that a study publishes."""
    return tuple(compared_order(study, one, own) for one in study.order)
