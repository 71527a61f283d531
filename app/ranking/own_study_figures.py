"""Own figures of a study's candidates in a comparison, and their order against the published one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.results import CampaignRecord
from app.domain.transfers import Agreement
from app.ranking.comparison_study import Cell, ComparisonStudy, Figures, StudyOrder, as_figures, published_figures
from app.ranking.file_study import own_files
from app.ranking.published_order import agreement


@dataclass(frozen=True, slots=True)
class ComparedOrder:
    """A published order, and how own figures agree with it."""

    order: StudyOrder
    agreement: Agreement[Cell]


def own_figures(study: ComparisonStudy, record: CampaignRecord) -> Mapping[Cell, Figures]:
    """Return what a comparison measured of a study's candidates, over its rounds; cells without any are left out."""
    wanted = set(study.cells)
    return {cell: one for cell, one in as_figures(own_files(record)).items() if cell in wanted}


def compared_orders(study: ComparisonStudy, own: Mapping[Cell, Figures]) -> tuple[ComparedOrder, ...]:
    """Compare all orders that a study publishes."""
    published = published_figures(study)
    return tuple(
        ComparedOrder(one, agreement(_values(own, one.figure), _values(published, one.figure))) for one in study.order
    )


def _values(figures: Mapping[Cell, Figures], name: str) -> dict[Cell, float]:
    """Return one figure of all cells that have it."""
    return {cell: value for cell, one in figures.items() if (value := one.get(name)) is not None}
