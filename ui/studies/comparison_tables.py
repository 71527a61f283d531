"""Tables of a study that is measured again by a comparison: its parts, its candidates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QEvent
from PySide6.QtGui import QShowEvent

from app.domain.solutions import BASELINE
from app.ranking.comparison_study import ComparisonStudy
from app.wording.titles import local_title
from ui.common.data_table import DataTable
from ui.common.texts import count, duration, tr


class _WholeTable(DataTable):
    """A table as high as all its lines: the page around it scrolls."""

    def show_rows(self, rows: Sequence[Iterable[str]]) -> None:
        """Show texts."""
        self.setRowCount(len(rows))
        for nth, texts in enumerate(rows):
            for column, text in enumerate(texts):
                self.cell(nth, column).setText(text)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        """Fit it in the current style of the window."""
        super().showEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Fit it to larger texts."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        self.share_width()
        is_scrolled = self.horizontalHeader().length() > self.viewport().width()
        bar_px = self.horizontalScrollBar().sizeHint().height() if is_scrolled else 0
        self.setFixedHeight(self.height_for_all_px() + bar_px)


class ComparisonPartsTable(_WholeTable):
    """One line per part."""

    def __init__(self) -> None:
        super().__init__(
            [tr("Part"), tr("Candidates"), tr("Rounds"), tr("Takes about")], {1, 2, 3}, tr("Parts of the study")
        )
        self.set_tips({3: tr("With all candidates; those that the hosts do not have are left out.")})
        self.fit()

    def show_study(self, study: ComparisonStudy) -> None:
        """Show the parts of a study, the first one selected."""
        number = len(study.candidate)
        self.show_rows(
            [
                (one.name, count(number), count(one.amounts.rounds), duration(one.predicted_s(number)))
                for one in study.part
            ]
        )
        self.setCurrentCell(0, 0)


class CandidatesTable(_WholeTable):
    """One line per candidate of the study."""

    def __init__(self) -> None:
        super().__init__([tr("VPN in the study"), tr("Measured with"), tr("Suite")], (), tr("Candidates of the study"))
        self.fit()

    def show_study(self, study: ComparisonStudy, titles: Mapping[str, str]) -> None:
        """Show the candidates of a study.

        Args:
            titles: Of solutions, by name.
        """
        self.show_rows(
            [
                (one.label, tr("bare link"), "")
                if one.solution == BASELINE
                else (one.label, local_title(titles.get(one.solution, one.solution)), one.suite)
                for one in study.candidate
            ]
        )
