"""Works, fails and total of each solution, beside the published figures."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QHeaderView

from app.domain.census import CensusPlan, OptionResult, OptionStatus
from app.ranking.published_census import STUDY_2019, published_triples
from ui.texts import NONE, tr
from ui.widgets.data_table import DataTable

_SOLUTION, _WORKS, _FAILS, _TOTAL, _UNPROTECTED, _LEFT, _PUBLISHED = range(7)
_FIGURE_PX = 88


class TriplesTable(DataTable):
    """One line per solution."""

    def __init__(self) -> None:
        super().__init__(
            [
                tr("Solution"),
                tr("Works"),
                tr("Fails"),
                tr("Total"),
                tr("Unprotected"),
                tr("Not tried"),
                tr("Published: works/fails/total"),
            ],
            {_WORKS, _FAILS, _TOTAL, _UNPROTECTED, _LEFT},
            tr("Census per solution"),
        )
        self.set_tips(
            {
                _TOTAL: tr("Works and fails together. Aliases count as listed, unprotected options do not count."),
                _PUBLISHED: STUDY_2019,
            }
        )
        header = self.horizontalHeader()
        header.setStretchLastSection(True)
        header.resizeSection(_SOLUTION, 160)
        header.setSectionResizeMode(_PUBLISHED, QHeaderView.ResizeMode.Stretch)
        for column in (_WORKS, _FAILS, _TOTAL, _UNPROTECTED, _LEFT):
            header.resizeSection(column, max(_FIGURE_PX, header.sectionSizeFromContents(column).width()))

    def show_census(self, plan: CensusPlan, results: Sequence[OptionResult]) -> None:
        """Show how far each solution is."""
        self.setRowCount(len(plan.solutions))
        for nth, solution in enumerate(plan.solutions):
            planned = sum(item.solution == solution for item in plan.items)
            own = [one for one in results if one.solution == solution]
            numbers = {status: sum(one.status is status for one in own) for status in OptionStatus}
            works, fails = numbers[OptionStatus.WORKS], numbers[OptionStatus.FAILS]
            unprotected = numbers[OptionStatus.UNPROTECTED]
            texts = [solution, *map(str, (works, fails, works + fails, unprotected))]
            texts += [str(planned - works - fails - unprotected), _published(solution)]
            for column, text in enumerate(texts):
                self.cell(nth, column).setText(text)
            self.cell(nth, _PUBLISHED).setToolTip(_published(solution))
        rows_px = self.verticalHeader().defaultSectionSize() * self.rowCount()
        self.setMaximumHeight(rows_px + self.horizontalHeader().sizeHint().height() + 2 * self.frameWidth() + 2)


def _published(solution: str) -> str:
    triples = published_triples(solution)
    return " · ".join(f"{one.platform} {one.working}/{one.failed}/{one.total}" for one in triples) or NONE
