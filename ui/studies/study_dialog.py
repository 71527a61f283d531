"""Question before a part of a study is measured: how many transfers, and how long they take."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QWidget

from app.ranking.study_parts import PART_TITLES, PartState, predicted_s
from app.wording.messages import local_text
from ui.common.basics import label
from ui.common.dialogs import Question
from ui.common.operations import Operation
from ui.common.texts import count, duration, tr
from ui.common.tips import enable


class StudyDialog(Question):
    """An estimate, and whether cells that have a time are measured again.

    Args:
        pair: Name of the lab's pair.
        part: What is to be measured.
    """

    def __init__(self, parent: QWidget, pair: str, part: PartState) -> None:
        title = tr("Measure %1 on %2?").replace("%1", part.name).replace("%2", pair)
        text = tr(
            "%1. Each transfer moves 30 MB between nodes behind the gateways over an emulated satellite link. It can "
            "be stopped and resumed: each result is stored as soon as there is one."
        ).replace("%1", local_text(PART_TITLES[part.name]))
        super().__init__(parent, title, text, tr("Start"), tr("Cancel"), "study")
        self._part = part
        self.fresh = QCheckBox(tr("Measure transfers again that have a time"))
        if part.measured == len(part.cells):
            self.fresh.setChecked(True)
            enable(self.fresh, is_on=False, reason=tr("Every transfer of this part has a time."))
        self.fresh.toggled.connect(self._estimate)
        self.body.addWidget(self.fresh)
        self.fresh.setVisible(part.measured > 0)
        self.estimate = label("", "strong")
        self.body.addWidget(self.estimate)
        self._estimate()

    @property
    def is_fresh(self) -> bool:
        """Whether all cells are measured, those with a time as well."""
        return self.fresh.isChecked()

    def _estimate(self) -> None:
        part = self._part
        number = len(part.cells) if self.is_fresh else len(part.cells) - part.measured
        seconds = predicted_s(part.cells) if self.is_fresh else part.left_s
        text = tr("%1 of %2 transfers, about %3").replace("%1", count(number)).replace("%2", count(len(part.cells)))
        self.estimate.setText(text.replace("%3", duration(seconds)))


def ask_stop(parent: QWidget, run: Operation | None) -> None:
    """Ask whether a run is stopped; both hosts are restored then."""
    Question(
        parent,
        tr("Stop the study?"),
        tr("What is being measured is stopped and both hosts are restored. The study can be resumed."),
        tr("Stop"),
        tr("Continue"),
        "warning",
    ).ask(lambda: run.cancel() if run is not None else None)
