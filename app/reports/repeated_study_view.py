"""Study beside own figures in words: rows of its table, and how the orders agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.transfers import Agreement
from app.ranking.comparison_study import (
    Cell,
    ComparisonStudy,
    Figures,
    StudyFigure,
    StudyOrder,
    places_text,
    published_figures,
    times_bare,
)
from app.ranking.own_study_figures import ComparedOrder
from app.ranking.repeated_study import RepeatedStudy
from app.reports.heat_map_view import MISSING
from app.reports.study_view import MOST_NAMED, more_text
from app.wording.language import tr
from app.wording.local_forms import decimal, listed_names, local_figure

_UNITS = {"_ms": "ms", "_pct": "%", "_mbit_s": "Mbit/s"}
"""By the end of a figure's name."""


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One figure of one cell, own beside published; `–` where there is none.

    Attributes:
        label: Name of the candidate in the study.
        way: Direction; empty where the figure has none.
        own: Own figure.
        published: Published figure.
        own_ratio: Own figure over that of the bare link.
        published_ratio: The same of the published one.
        own_place: Place among all own cells, 1 the best.
        published_place: The same of the published ones.
    """

    label: str
    way: str
    own: str
    published: str
    own_ratio: str
    published_ratio: str
    own_place: str
    published_place: str


def figure_title(figure: StudyFigure) -> str:
    """Return a figure's title with its unit."""
    unit = next((unit for end, unit in _UNITS.items() if figure.name.endswith(end)), "")
    return ", ".join(filter(None, (tr(figure.title), unit)))


def figure_rows(repeated: RepeatedStudy, name: str) -> tuple[FigureRow, ...]:
    """Return a row for each cell of a study's table.

    Args:
        name: Of the figure.
    """
    study, kind = repeated.study, repeated.study.kind(name)
    sources = repeated.own, published_figures(study)
    places = [_places(figures, kind) for figures in sources]
    labels = {(one.solution, one.suite): one.label for one in study.candidate}
    printed = {one.name: one.printed for one in study.way}
    rows = []
    for cell in study.cells:
        texts = [_text(kind, figures.get(cell, {}).get(name)) for figures in sources]
        ratios = [_ratio(times_bare(figures, cell, name)) for figures in sources]
        order = [str(one.get(cell, MISSING)) for one in places]
        rows.append(FigureRow(labels[cell[:2]], _with_arrow(printed[cell[2]]), *texts, *ratios, *order))
    return tuple(rows)


def _with_arrow(text: str) -> str:
    return text.replace("->", "→")


def _text(kind: StudyFigure, value: float | None) -> str:
    if value is None:
        return MISSING
    return local_figure(value, 3) if kind.decimals is None else decimal(value, kind.decimals)


def _ratio(value: float | None) -> str:
    return MISSING if value is None else decimal(value, 2)


def _places(figures: Mapping[Cell, Figures], kind: StudyFigure) -> dict[Cell, int]:
    """Return the place of each cell, the same where values are the same."""
    values = {cell: value for cell, one in figures.items() if (value := one.get(kind.name)) is not None}
    order = sorted(values.values(), reverse=kind.is_higher_better)
    return {cell: order.index(value) + 1 for cell, value in values.items()}


def order_sentence(found: ComparedOrder) -> str:
    """Return how many pairs have the published order, and the rank correlation; that too few are measured."""
    agreed = found.agreement
    if not agreed.pairs:
        return tr("Too few cells have an own figure.")
    pairs = tr("{same} of {pairs} pairs have the published order.").format(same=agreed.same, pairs=agreed.pairs)
    if agreed.correlation is None:
        return pairs
    return f"{pairs} {tr('Rank correlation: {number}').format(number=decimal(agreed.correlation, 2))}."


def other_order(study: ComparisonStudy, agreed: Agreement[Cell]) -> list[str]:
    """Return the pairs in the other order, the published difference largest first; the rest as a number."""
    pairs = [
        tr("{one} and {other}").format(one=_with_arrow(study.label(one)), other=_with_arrow(study.label(other)))
        for one, other in agreed.against[:MOST_NAMED]
    ]
    return [*pairs, *filter(None, [more_text(agreed.against)])]


def published_places(study: ComparisonStudy, order: StudyOrder) -> str:
    """Return published places as a sentence; empty where figures are published."""
    return tr("Published: {places}.").format(places=places_text(study, order)) if order.places else ""


def left_out_sentence(repeated: RepeatedStudy) -> str:
    """Return which candidates of the study the hosts did not have; empty where they had all."""
    if not repeated.left_out:
        return ""
    names = listed_names([one.label for one in repeated.left_out])
    return tr("Left out, since these hosts do not have it: {names}.").format(names=names)
