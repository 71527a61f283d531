"""Own transfer times beside the published ones."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent

from app.domain.transfers import CONGESTION
from app.reports.study_view import StudyView, own_text, published_text
from app.wording.messages import local_text
from ui.common.data_table import DataTable
from ui.common.texts import tr
from ui.common.tips import set_tip
from ui.studies.columns import fit_columns

_CONDITION, _CONGESTION, _SOLUTION, _PROXY, _OWN, _PUBLISHED = range(6)
_LEAST_CONGESTION_EM = 14


class TimesTable(DataTable):
    """One line per cell of the study's table."""

    def __init__(self) -> None:
        super().__init__(
            [
                tr("Condition"),
                tr("Congestion control"),
                tr("VPN"),
                tr("PEP"),
                tr("Own s"),
                tr("Published s"),
            ],
            {_OWN, _PUBLISHED},
            tr("Own and published times"),
        )
        self.stretch(_CONGESTION, _LEAST_CONGESTION_EM)

    def show_view(self, view: StudyView) -> None:
        """Show the times of a part."""
        self.setRowCount(len(view.cells))
        messages = {one.cell: one.message for one in view.results.results}
        for nth, cell in enumerate(view.cells):
            texts = (
                cell.condition,
                local_text(CONGESTION[cell.congestion].title),
                cell.solution,
                cell.proxy,
                own_text(view, cell),
                published_text(cell, has_section=False),
            )
            for column, text in enumerate(texts):
                self.cell(nth, column).setText(text)
            set_tip(self.cell(nth, _PUBLISHED), published_text(cell))
            set_tip(self.cell(nth, _OWN), local_text(messages.get(cell, "")))
        self._fit_columns()

    def showEvent(self, event: QShowEvent) -> None:
        """Fit the columns in the current style of the window."""
        super().showEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        fit_columns(self, (_CONDITION, _SOLUTION, _PROXY, _OWN, _PUBLISHED))
