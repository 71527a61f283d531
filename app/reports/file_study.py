"""Repetition of a study of comparisons as data for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.domain.results import CampaignRecord
from app.ranking.comparison_study import (
    Cell,
    ComparisonStudy,
    Figures,
    published_figures,
    published_order,
    times_bare,
)
from app.ranking.overview_ranks import overview_ranks
from app.ranking.own_study_figures import ComparedOrder
from app.ranking.repeated_study import RepeatedStudy, unmeasured_study
from app.ranking.study_maps import comparison_maps
from app.reports.heat_map_data import heat_map_data
from app.wording.language import source_language


def comparison_study_data(
    study: ComparisonStudy, record: CampaignRecord, own: Mapping[Cell, Figures], compared: Sequence[ComparedOrder]
) -> dict[str, object]:
    """Return own figures beside what a study publishes, a row for each candidate and way.

    Args:
        compared: The study's orders, compared with those of the own figures.
    """
    measured = [(one.solution, one.suite) for one in record.plan.candidates]
    return {
        "format": 1,
        "study": study.name,
        "source": study.citation,
        "pair": record.plan.pair.name,
        "campaign_id": record.campaign_id,
        "version": record.tunnelmark_version,
        "rounds": record.plan.profile.rounds,
        **_figures_data(RepeatedStudy(study, own, tuple(compared))),
        "left_out": [[one.solution, one.suite] for one in study.left_out(measured)],
    }


def published_study_data(study: ComparisonStudy) -> dict[str, object]:
    """Return what a study publishes, with the keys of a repetition; own figures are null."""
    head = {"format": 1, "study": study.name, "source": study.citation}
    return {**head, **_figures_data(unmeasured_study(study))}


def _figures_data(repeated: RepeatedStudy) -> dict[str, object]:
    study, own = repeated.study, repeated.own
    published, orders = published_figures(study), [_order(one) for one in repeated.orders]
    with source_language():
        maps = heat_map_data(comparison_maps(repeated))
    return {
        "rows": [
            {
                "solution": one.solution,
                "suite": one.suite,
                "study_name": one.label,
                "direction": way.name,
                "own": _figures(study, own, (one.solution, one.suite, way.name)),
                "published": _figures(study, published, (one.solution, one.suite, way.name)),
                "places": _places(study, (one.solution, one.suite, way.name)),
            }
            for one in study.candidate
            for way in study.way
        ],
        "order": {key: value for key, value in orders[0].items() if key not in _OF_ORDERS} if orders else None,
        "orders": orders,
        **({"mean_ranks": _mean_ranks(study, own)} if study.has_mean_ranks else {}),
        "heat_maps": maps,
    }


def _mean_ranks(study: ComparisonStudy, own: Mapping[Cell, Figures]) -> list[dict[str, object]]:
    return [
        {"solution": cell[0], "suite": cell[1], "mean_rank": round(found.mean, 3), "ranks": dict(found.ranks)}
        for cell, found in overview_ranks(study, own).items()
    ]


_OF_ORDERS = ("figure", "places", "platform", "on")
"""Keys that tell the orders of a study apart."""


def _order(compared: ComparedOrder) -> dict[str, Any]:
    agreed, order = compared.agreement, compared.order
    return {
        "figure": order.figure,
        "places": order.places or None,
        "platform": order.platform or None,
        "on": order.title or None,
        "pairs": agreed.pairs,
        "same": agreed.same,
        "rank_correlation": agreed.correlation,
        "against": [[list(one), list(other)] for one, other in agreed.against],
    }


def _figures(study: ComparisonStudy, figures: Mapping[Cell, Figures], cell: Cell) -> dict[str, object] | None:
    found = figures.get(cell)
    return None if found is None else {**found, "times_bare": times_bare(figures, cell, study.figure[0].name)}


def _places(study: ComparisonStudy, cell: Cell) -> dict[str, int]:
    """Return the published places of a cell, by column of the study's table."""
    found = ((one.places, published_order(study, one).get(cell)) for one in study.order if one.places)
    return {name: round(place) for name, place in found if place is not None}
