"""Question before a part of a study of its own kind is measured: how much, and how long it takes."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QWidget

from app.measurement.lab_studies import LabPartState
from ui.common.basics import label
from ui.common.dialogs import Question
from ui.common.texts import count, duration, tr
from ui.common.tips import enable


class LabStudyDialog(Question):
    """An estimate, and whether what has a result is measured again.

    Args:
        pair: Name of the lab's pair.
        study: Name of the study.
        part: What is to be measured.
    """

    def __init__(self, parent: QWidget, pair: str, study: str, part: LabPartState) -> None:
        title = tr("Measure %1, %2 on %3?").replace("%1", study).replace("%2", part.name).replace("%3", pair)
        text = tr(
            "Tunnels are built in turn on both hosts of the lab, and removed again. It can be stopped and "
            "resumed: each result is stored as soon as there is one."
        )
        super().__init__(parent, title, text, tr("Start"), tr("Cancel"), "study")
        self._part = part
        self.fresh = QCheckBox(tr("Measure again what has a result"))
        if part.is_whole:
            self.fresh.setChecked(True)
            enable(self.fresh, is_on=False, reason=tr("Everything in this part has a result."))
        self.fresh.toggled.connect(self._estimate)
        self.body.addWidget(self.fresh)
        self.fresh.setVisible(part.measured > 0)
        self.estimate = label("", "strong")
        self.body.addWidget(self.estimate)
        self._estimate()

    @property
    def is_fresh(self) -> bool:
        """Whether all is measured, also what has a result."""
        return self.fresh.isChecked()

    def _estimate(self) -> None:
        part = self._part
        number = part.total if self.is_fresh else part.total - part.measured
        text = tr("%1 of %2 measurements, about %3").replace("%1", count(number)).replace("%2", count(part.total))
        self.estimate.setText(text.replace("%3", duration(part.all_s if self.is_fresh else part.left_s)))
