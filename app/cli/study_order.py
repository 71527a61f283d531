"""Order of a study's own figures against the published one, on the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from app.cli.context import CommandContext
from app.cli.tables import Column, Kind, Table
from app.domain.transfers import Agreement
from app.ranking.comparison_study import ComparisonStudy, places_text
from app.ranking.own_study_figures import ComparedOrder, compared_orders
from app.reports.study_view import MOST_NAMED, not_named
from app.wording.language import tr
from app.wording.local_forms import local_figure

C = TypeVar("C", bound=Any)


def print_order(context: CommandContext, agreed: Agreement[C], name: Callable[[C], str]) -> None:
    """Print the rank correlation, and the pairs of cells in the other order that differ most in the study."""
    if agreed.correlation is not None:
        context.out.print(tr("Rank correlation: {number}").format(number=local_figure(agreed.correlation, 2)))
    for one, other in agreed.against[:MOST_NAMED]:
        context.out.print(tr("Other order: {one} and {other}.").format(one=name(one), other=name(other)))
    more = not_named(agreed.against)
    if more:
        context.out.print(tr("Other order: {number} more, all in --json.").format(number=more))


def print_places(context: CommandContext, study: ComparisonStudy, compared: Sequence[ComparedOrder] | None) -> None:
    """Print the orders that a study publishes as places, with how own figures agree where there are any.

    Args:
        compared: Each of the study's orders with its agreement; None before anything was measured.
    """
    own = [Column(tr("pairs in\nthis order"), Kind.FIGURE), Column(tr("rank\ncorrelation"), Kind.FIGURE, rank=1)]
    columns = [Column(tr("figure")), Column(tr("where")), *(own if compared is not None else [])]
    table = Table((*columns, Column(tr("published places"), Kind.PROSE)), more="--json")
    for one in compared_orders(study, {}) if compared is None else compared:
        figure = tr(study.kind(one.order.figure).title)
        cells = _agreement_cells(one.agreement) if compared is not None else []
        table.add_row(figure, one.order.words, *cells, places_text(study, one.order))
    table.print(context.out)
    for one in compared or ():
        figure = tr(study.kind(one.order.figure).title)
        for first, second in one.agreement.against[:MOST_NAMED]:
            text = tr("Other order ({figure}, {where}): {one} and {other}.").format(
                figure=figure, where=one.order.words, one=study.label(first), other=study.label(second)
            )
            context.out.print(text)
        more = not_named(one.agreement.against)
        if more:
            text = tr("Other order ({figure}, {where}): {number} more, all in --json.")
            context.out.print(text.format(figure=figure, where=one.order.words, number=more))


def _agreement_cells(agreed: Agreement[C]) -> list[str]:
    pairs = tr("{same} of {pairs}").format(same=agreed.same, pairs=agreed.pairs) if agreed.pairs else "–"
    return [pairs, "–" if agreed.correlation is None else local_figure(agreed.correlation, 2)]
