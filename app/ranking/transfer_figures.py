"""Comparisons of transfer times as the satellite study prints them, its Figures 3 to 6, from any table of times."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from app.domain.transfers import CONGESTION, Agreement, TransferCell
from app.ranking.messages import FIGURE_TITLE, LOSS_GEO, LOSS_LEO, NO_LOSS_GEO, NO_LOSS_LEO
from app.ranking.published_order import agreement
from app.ranking.published_transfers import difference_pct, published_transfers

FIGURES: Mapping[int, tuple[str, str]] = {
    3: ("leo", NO_LOSS_LEO()),
    4: ("geo", NO_LOSS_GEO()),
    5: ("leo-loss", LOSS_LEO()),
    6: ("geo-loss", LOSS_GEO()),
}
"""Condition and title by the study's number."""


@dataclass(frozen=True, slots=True)
class ComparisonTable:
    """One table of a figure: by how much each column is faster than each row.

    Attributes:
        figure: The study's number.
        title: Condition and congestion control.
        cells: Rows and columns alike, in the study's order.
        rows: Whole percent of the row's time, positive where the column is faster; None on the diagonal, and where a
            time is missing.
    """

    figure: int
    title: str
    cells: tuple[TransferCell, ...]
    rows: tuple[tuple[int | None, ...], ...]


@dataclass(frozen=True, slots=True)
class FigureComparison:
    """One table of a figure as the study prints it, and the same from own times.

    Attributes:
        published: The study's.
        own: The same cells; None also where an own time is missing.
        missing: Cells without an own time.
        agreement: Agreement of the order of its cells with the published one.
    """

    published: ComparisonTable
    own: ComparisonTable
    missing: tuple[TransferCell, ...]
    agreement: Agreement[TransferCell]

    def is_reversed(self, row: int, column: int) -> bool:
        """Whether two cells come out in the other order than in the study, where they differ by more than 5 %."""
        cells = self.own.cells
        pair = (cells[row], cells[column])
        return pair in self.agreement.against or pair[::-1] in self.agreement.against


def figure_comparisons(
    own_s: Mapping[TransferCell, float], cells: Collection[TransferCell]
) -> tuple[FigureComparison, ...]:
    """Return the study's comparisons of at least two of these cells, beside the same from own times."""
    published = published_transfers()
    found = []
    for theirs in figure_tables(published):
        if sum(one in cells for one in theirs.cells) < 2:
            continue
        mine = {one: own_s[one] for one in theirs.cells if one in own_s}
        own = _table(theirs.figure, theirs.title, theirs.cells, mine)
        missing = tuple(one for one in theirs.cells if one not in mine)
        found.append(FigureComparison(theirs, own, missing, agreement(mine, published)))
    return tuple(found)


def figure_tables(times_s: Mapping[TransferCell, float]) -> tuple[ComparisonTable, ...]:
    """Return the tables of Figures 3 to 6 of which at least two cells have a time.

    Args:
        times_s: Published times, or one's own.
    """
    tables = []
    for figure, (condition, title) in FIGURES.items():
        for congestion, kind in CONGESTION.items():
            cells = [one for one in published_transfers() if (one.condition, one.congestion) == (condition, congestion)]
            if sum(one in times_s for one in cells) >= 2:
                tables.append(_table(figure, FIGURE_TITLE(link=title, congestion=kind.title), cells, times_s))
    return tuple(tables)


def _table(
    figure: int, title: str, cells: Sequence[TransferCell], times_s: Mapping[TransferCell, float]
) -> ComparisonTable:
    rows = tuple(tuple(_difference(times_s, row, column) for column in cells) for row in cells)
    return ComparisonTable(figure, title, tuple(cells), rows)


def _difference(times_s: Mapping[TransferCell, float], row: TransferCell, column: TransferCell) -> int | None:
    if row == column or row not in times_s or column not in times_s:
        return None
    return difference_pct(times_s[row], times_s[column])
