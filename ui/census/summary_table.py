"""Counts of each solution, beside the published figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHeaderView

from app.domain.census import CensusPlan, OptionResult, OptionStatus
from app.ranking.published_census import STUDY_2019, published_triples
from ui.common.data_table import DataTable
from ui.common.texts import NONE, tr
from ui.common.tips import set_tip

_SOLUTION, _WORKS, _FAILS, _UNPROTECTED, _LEFT, _ALL, _PUBLISHED = range(7)
_FIGURE_PX = 88
_LEAST_PUBLISHED_EM = 14


class TriplesTable(DataTable):
    """One line per solution."""

    def __init__(self) -> None:
        super().__init__(
            [
                tr("VPN"),
                tr("Works"),
                tr("Fails"),
                tr("Unprotected"),
                tr("Not tried"),
                tr("Options"),
                tr("Failed in a study of 2019"),
            ],
            {_WORKS, _FAILS, _UNPROTECTED, _LEFT, _ALL},
            tr("Census per solution"),
        )
        self.set_tips(
            {
                _ALL: tr("All that the programs list; aliases count as listed."),
                _PUBLISHED: STUDY_2019,
            }
        )
        header = self.horizontalHeader()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(_SOLUTION, QHeaderView.ResizeMode.ResizeToContents)
        self.stretch(_PUBLISHED, _LEAST_PUBLISHED_EM)

    def showEvent(self, event: QShowEvent) -> None:
        """Fit columns of figures to their headers, in the current style of the window."""
        super().showEvent(event)
        header = self.horizontalHeader()
        for column in (_WORKS, _FAILS, _UNPROTECTED, _LEFT, _ALL):
            header.resizeSection(column, max(_FIGURE_PX, header.sectionSizeFromContents(column).width()))
        self.share_width()

    def show_census(self, plan: CensusPlan, results: Sequence[OptionResult], titles: Mapping[str, str]) -> None:
        """Show how far each VPN is, by its title."""
        self.setRowCount(len(plan.solutions))
        for nth, solution in enumerate(plan.solutions):
            planned = sum(item.solution == solution for item in plan.items)
            own = [one for one in results if one.solution == solution]
            numbers = {status: sum(one.status is status for one in own) for status in OptionStatus}
            works, fails = numbers[OptionStatus.WORKS], numbers[OptionStatus.FAILS]
            unprotected = numbers[OptionStatus.UNPROTECTED]
            left = planned - works - fails - unprotected
            texts = [
                titles.get(solution, solution),
                *map(str, (works, fails, unprotected, left, planned)),
                _published(solution),
            ]
            self.show_row(nth, texts)
            set_tip(self.cell(nth, _PUBLISHED), _per_platform(solution))
        self.share_width()
        rows_px = self.verticalHeader().defaultSectionSize() * self.rowCount()
        bar_px = self.horizontalScrollBar().sizeHint().height()  # where all columns have no room
        self.setMaximumHeight(rows_px + self.horizontalHeader().sizeHint().height() + 2 * self.frameWidth() + bar_px)


def _published(solution: str) -> str:
    """Return how many options failed in the study, over all its platforms."""
    triples = published_triples(solution)
    if not triples:
        return NONE
    failed, total = (_range([getattr(one, name) for one in triples]) for name in ("failed", "total"))
    return tr("%1 of %2, on %3 platforms", failed, total, len(triples))


def _range(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else tr("%1 to %2", low, high)


def _per_platform(solution: str) -> str:
    triples = published_triples(solution)
    return "\n".join(tr("%1: %2 of %3 failed", one.platform, one.failed, one.total) for one in triples)
