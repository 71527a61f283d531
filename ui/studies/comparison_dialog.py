"""Question before a study is measured again by a comparison: what is measured, where, how long it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QCheckBox, QWidget

from app.domain.hosts import PairSpec
from app.domain.results import CampaignStatus
from app.measurement.planned_study import WantedStudy
from app.ranking.comparison_study import ComparisonStudy, StudyPart
from app.ranking.repeated_study import StudyRun
from ui.common.basics import label
from ui.common.dialogs import Question
from ui.common.texts import count, duration, tr
from ui.studies.comparison_panel import ComparisonPanel


class ComparisonStudyDialog(Question):
    """An estimate, and whether an interrupted run goes on.

    Args:
        pair: Name of the lab's pair.
        part: What is to be measured.
        is_begun: Whether a comparison of this part on this pair was interrupted.
    """

    def __init__(self, parent: QWidget, pair: str, study: ComparisonStudy, part: StudyPart, *, is_begun: bool) -> None:
        title = tr("Measure %1, %2 on %3?").replace("%1", study.name).replace("%2", part.name).replace("%3", pair)
        text = tr(
            "It is a comparison like any other: it can be paused, cancelled and resumed, and is in the History "
            "afterwards. Some ciphers of a study are insecure today, so it runs in a practice lab only."
        )
        super().__init__(parent, title, text, tr("Start"), tr("Cancel"), "study")
        self.fresh = QCheckBox(tr("Begin anew, although an interrupted comparison of this part could go on"))
        self.fresh.setVisible(is_begun)
        self.body.addWidget(self.fresh)
        number = len(study.candidate)
        words = tr("Up to %1 candidates, about %2").replace("%1", count(number))
        self.estimate = label(words.replace("%2", duration(part.predicted_s(number))), "strong")
        self.body.addWidget(self.estimate)

    @property
    def is_fresh(self) -> bool:
        """Whether an interrupted comparison does not go on."""
        return self.fresh.isChecked()


def ask_comparison(
    parent: QWidget,
    panel: ComparisonPanel,
    pair: PairSpec,
    runs: Sequence[StudyRun],
    then: Callable[[WantedStudy], None],
) -> None:
    """Ask about the part that is chosen on the panel.

    Args:
        pair: Of a practice lab.
        runs: Stored comparisons of the study.
        then: Gets what is to be measured if the user agrees.
    """
    study, part = panel.study, panel.part
    if study is None or part is None:
        return
    stopped = (CampaignStatus.CANCELLED, CampaignStatus.INTERRUPTED)
    is_begun = any((one.pair, one.part) == (pair.name, part.name) and one.status in stopped for one in runs)
    dialog = ComparisonStudyDialog(parent.window(), pair.name, study, part, is_begun=is_begun)
    dialog.ask(lambda: then(WantedStudy(study, part.name, pair, dialog.is_fresh)))
