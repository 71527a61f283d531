"""Mean ranks of the overview of 2004 by own figures, and by what it prints of each system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.policy.overview import PRINTED_SITES, PublishedSystem, overview_systems
from app.ranking.comparison_study import Cell, ComparisonStudy, Figures, StudyFigure
from app.ranking.mean_ranks import mean_ranks, ranks

SETUP, TASKS = "setup", "tasks"
"""Attributes that the overview prints; the others are the study's figures."""


@dataclass(frozen=True, slots=True)
class OverviewRank:
    """Rank of a system by all attributes, of equal weight.

    Attributes:
        mean: Mean of its ranks; the lowest is the best.
        ranks: By attribute, 1 the best; equal figures share the mean of their places.
    """

    mean: float
    ranks: Mapping[str, float]


def overview_ranks(study: ComparisonStudy, own: Mapping[Cell, Figures]) -> Mapping[Cell, OverviewRank]:
    """Return the ranks of each cell that has every figure and is a system of the overview, the lowest mean first.

    Attributes are the study's figures, and the overview's setup and tasks for ten sites.
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
    attributes = _attributes(study, own, {cell: systems[names[cell[:2]]] for cell in cells})
    means = mean_ranks(attributes, dict.fromkeys(attributes, 1.0))
    by_attribute = {name: ranks(figures) for name, figures in attributes.items()}
    return {
        cell: OverviewRank(mean, {name: found[cell] for name, found in by_attribute.items()})
        for cell, mean in sorted(means.items(), key=lambda one: one[1])
    }


def _attributes(
    study: ComparisonStudy, own: Mapping[Cell, Figures], systems: Mapping[Cell, PublishedSystem]
) -> Mapping[str, Mapping[Cell, float]]:
    """Return figures by attribute and cell of some systems; lower is better."""

    def lower_better(figure: StudyFigure, cell: Cell) -> float:
        value = own[cell][figure.name] or 0.0
        return -value if figure.is_higher_better else value

    return {
        **{one.name: {cell: lower_better(one, cell) for cell in systems} for one in study.figure},
        SETUP: {cell: float(one.setup_asterisks) for cell, one in systems.items()},
        TASKS: {cell: float(one.effort.total(PRINTED_SITES)) for cell, one in systems.items()},
    }
