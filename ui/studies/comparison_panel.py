"""A study that is measured again by a comparison: what it is, its parts, own figures beside the published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from app.domain.results import CampaignStatus
from app.ranking.comparison_study import ComparisonStudy, StudyPart
from app.ranking.repeated_study import RepeatedStudy, StudyRun, unmeasured_study
from app.ranking.study_maps import comparison_maps
from app.wording.local_forms import minute_text
from ui.common.basics import ChoiceBox, button, label, label_for, name_tabs, row
from ui.common.heat_maps import HeatMaps
from ui.common.study_views import StudyFigures, StudyOrders, StudyRanks
from ui.common.texts import tr
from ui.common.theme import GRID, Theme
from ui.common.tips import enable
from ui.studies.comparison_tables import CandidatesTable, ComparisonPartsTable
from ui.studies.study_page import study_page

_LEAST_BOX_PX = 320


class ComparisonPanel(QWidget):
    """Tabs of the chosen study; own figures are those of the chosen run.

    Args:
        theme: Colours.
    """

    run_chosen = Signal(int)
    """Carries the number of the comparison whose figures are wanted."""
    results_asked = Signal(int)
    """Carries the number of the comparison whose results are to be opened."""
    part_changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.study: ComparisonStudy | None = None
        self.runs = ChoiceBox()
        self.runs.setAccessibleName(tr("Own figures of"))
        self.runs.setMinimumWidth(_LEAST_BOX_PX)
        self.runs.currentIndexChanged.connect(self._on_run)
        self.open = button(tr("&Open results"), "report", on_click=self._open)
        self.parts, self.candidates = ComparisonPartsTable(), CandidatesTable()
        self.parts.currentCellChanged.connect(lambda *_cells: self.part_changed.emit())
        self.figures, self.orders, self.maps = StudyFigures(), StudyOrders(), HeatMaps(theme)
        self.what = label("", "strong", is_selectable=True)
        self.source, self.notes = label("", "muted", is_selectable=True), label("", "muted", is_selectable=True)
        self.tabs = QTabWidget()
        name_tabs(self.tabs, tr("Views of the study"))
        heads = tr("Candidates, and what they are measured with"), tr("What differs from the study")
        of_candidates, of_notes = (label(text, "heading") for text in heads)
        overview = self.what, self.source, self.parts, of_candidates, self.candidates, of_notes, self.notes
        self.tabs.addTab(study_page(*overview), tr("Parts"))
        self.tabs.addTab(study_page(self.figures), tr("Figures"))
        self.tabs.addTab(study_page(self.orders), tr("Agreement"))
        self.tabs.addTab(self.maps, tr("Heat maps"))
        self.ranks = StudyRanks()
        self._ranks_at = self.tabs.addTab(study_page(self.ranks), tr("Mean ranks"))
        body = QVBoxLayout(self)
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(GRID)
        body.addLayout(row(label_for(tr("O&wn figures of"), self.runs), self.runs, self.open, 0))
        body.addWidget(self.tabs, 1)

    @property
    def part(self) -> StudyPart | None:
        """The selected part."""
        nth = self.parts.currentRow()
        return self.study.part[nth] if self.study is not None and 0 <= nth < len(self.study.part) else None

    @property
    def run(self) -> int | None:
        """Number of the comparison whose figures are shown; None for none."""
        number = self.runs.currentData()
        return number if isinstance(number, int) else None

    def show_study(self, study: ComparisonStudy, runs: Sequence[StudyRun], titles: Mapping[str, str]) -> None:
        """Show a study; the newest run is chosen, unless one is already.

        Args:
            runs: Its stored comparisons, newest first.
            titles: Titles of solutions, by name.
        """
        former = self.run if self.study is study else None
        if self.study is not study:
            self.study = study
            self.what.setText(tr(study.title))
            self.source.setText(tr("Source: %1").replace("%1", study.citation))
            self.notes.setText("\n".join(map(tr, study.notes)))
            self.parts.show_study(study)
            self.show_figures(unmeasured_study(study))
        self.candidates.show_study(study, titles)
        self.runs.blockSignals(True)  # noqa: FBT003 - Qt has it so
        self.runs.clear()
        for one in runs:
            self.runs.addItem(_run_text(one), one.campaign_id)
        if not runs:
            self.runs.addItem(tr("none: not measured yet"), None)
        self.runs.setCurrentIndex(max(0, self.runs.findData(former) if former is not None else 0))
        self.runs.blockSignals(False)  # noqa: FBT003 - Qt has it so
        enable(self.runs, is_on=bool(runs), reason=tr("No comparison of this study is stored."))
        self._on_run()

    def show_figures(self, repeated: RepeatedStudy) -> None:
        """Show own figures beside the published ones."""
        self.figures.show_study(repeated)
        self.orders.show_study(repeated)
        self.maps.show_in(self.tabs, comparison_maps(repeated))
        self.tabs.setTabVisible(self._ranks_at, self.ranks.show_study(repeated))

    def _on_run(self) -> None:
        number = self.run
        enable(self.open, is_on=number is not None, reason=tr("No comparison of this study is stored."))
        if number is not None:
            self.run_chosen.emit(number)
        elif self.study is not None:
            self.show_figures(unmeasured_study(self.study))

    def _open(self) -> None:
        if self.run is not None:
            self.results_asked.emit(self.run)


def _run_text(run: StudyRun) -> str:
    states = {
        CampaignStatus.RUNNING: tr("running"),
        CampaignStatus.CANCELLED: tr("cancelled"),
        CampaignStatus.INTERRUPTED: tr("interrupted"),
    }
    words = (run.part, run.pair, minute_text(run.at.astimezone()), states.get(run.status, ""))
    return f"{tr('Comparison %1').replace('%1', str(run.campaign_id))}: {', '.join(filter(None, words))}"
