"""Comparisons of transfer times as the satellite study prints them, its Figures 3 to 6, from any table of times."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from app.domain.transfers import CONGESTION, TransferCell
from app.ranking.heat_maps import HeatMap, agreed, differences, missing_of
from app.ranking.messages import FIGURE_TITLE, LOSS_GEO, LOSS_LEO, NO_LOSS_GEO, NO_LOSS_LEO
from app.ranking.published_transfers import published_transfers
from app.wording.language import tr
from app.wording.messages import local_text

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


def figure_maps(
    own_s: Mapping[TransferCell, float], cells: Collection[TransferCell], failed: Collection[TransferCell] = ()
) -> tuple[HeatMap, ...]:
    """Return the study's comparisons of at least two of these cells, beside the same from own times.

    Args:
        own_s: Own times by cell.
        cells: Cells of the part.
        failed: Cells that were measured in vain.
    """
    published, found = published_transfers(), []
    for theirs in figure_tables(published):
        if sum(one in cells for one in theirs.cells) < 2:
            continue
        mine = [own_s.get(one) for one in theirs.cells]
        printed = [published[one] for one in theirs.cells]
        missing = missing_of(mine)
        found.append(
            HeatMap(
                title=tr("Figure {number}: {title}").format(number=theirs.figure, title=local_text(theirs.title)),
                head=tr("VPN, PEP"),
                names=tuple(map(way_name, theirs.cells)),
                published=differences(printed),
                own=differences(mine),
                missing=missing,
                agreement=agreed(mine, printed),
                failed=tuple(nth for nth in missing if theirs.cells[nth] in failed),
            )
        )
    return tuple(found)


def way_name(cell: TransferCell) -> str:
    """Return VPN and proxy of a cell."""
    return cell.solution if cell.proxy == "none" else f"{cell.solution}, PEP {cell.proxy}"


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
    rows = differences([times_s.get(cell) for cell in cells])
    percents = tuple(tuple(None if value is None else value.percent for value in row) for row in rows)
    return ComparisonTable(figure, title, tuple(cells), percents)
