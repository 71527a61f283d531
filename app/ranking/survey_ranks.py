"""Mean ranks of the survey of 2004 by own figures, and by what it prints of each system."""

from __future__ import annotations

from collections.abc import Mapping

from app.policy.overview import PRINTED_SITES, overview_systems
from app.ranking.comparison_study import Cell, ComparisonStudy, Figures
from app.ranking.mean_ranks import mean_ranks


def survey_ranks(study: ComparisonStudy, own: Mapping[Cell, Figures]) -> Mapping[Cell, float]:
    """Return the mean rank of each cell that has every figure and is a system of the survey, the lowest first.

    Attributes are the study's figures, and the survey's setup and tasks for ten sites, all of equal weight.
    """
    systems = {one.published.name: one.published for one in overview_systems()}
    names = {(one.solution, one.suite): one.published for one in study.candidate if one.published in systems}
    cells = [
        cell
        for cell, found in own.items()
        if cell[:2] in names and all(found.get(one.name) is not None for one in study.figure)
    ]
    if not cells:
        return {}
    of = {cell: systems[names[cell[:2]]] for cell in cells}
    attributes: dict[str, Mapping[Cell, float]] = {
        one.name: {cell: (-1.0 if one.is_higher_better else 1.0) * (own[cell][one.name] or 0.0) for cell in cells}
        for one in study.figure
    }
    attributes["setup"] = {cell: float(one.setup_asterisks) for cell, one in of.items()}
    attributes["tasks"] = {cell: float(one.effort.total(PRINTED_SITES)) for cell, one in of.items()}
    means = mean_ranks(attributes, dict.fromkeys(attributes, 1.0))
    return dict(sorted(means.items(), key=lambda one: one[1]))
