"""Order of a study's own figures against the published one, on the terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from app.cli.context import CommandContext
from app.domain.transfers import Agreement
from app.reports.study_view import MOST_NAMED
from app.wording.language import tr
from app.wording.local_forms import local_figure

C = TypeVar("C", bound=Any)


def print_order(context: CommandContext, agreed: Agreement[C], name: Callable[[C], str]) -> None:
    """Print the rank correlation, and the pairs of cells in the other order that differ most in the study."""
    if agreed.correlation is not None:
        text = tr("Rank correlation: {number}").format(number=local_figure(agreed.correlation, 2))
        context.out.print(text, markup=False)
    for one, other in agreed.against[:MOST_NAMED]:
        text = tr("Other order: {one} and {other}.").format(one=name(one), other=name(other))
        context.out.print(text, markup=False)
