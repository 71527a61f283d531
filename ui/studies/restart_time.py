"""Choice of the time in which clients of a hub have to be back after its restart."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QWidget

from app.domain.hub_study import LEAST_WITHIN_S, MOST_WITHIN_S
from app.measurement.lab_study import LabStudy
from app.ranking.hub_study import recovery_s
from app.storage.lab_results import LabResults
from ui.common.basics import label_for, row
from ui.common.number_boxes import whole_box
from ui.common.texts import tr
from ui.common.tips import enable, set_tip

_STEP_S = 5


class RestartTime(QWidget):
    """Seconds, with their label; hidden for a study that restarts no hub."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._is_chosen = False
        self.box = whole_box(tr("Back within"), LEAST_WITHIN_S, MOST_WITHIN_S, recovery_s(), suffix=" s", step=_STEP_S)
        tip = tr("Clients count that are back so soon after a restart of the hub. Each time has results of its own.")
        set_tip(self.box, tip)
        self.box.valueChanged.connect(self._on_value)
        self.setLayout(row(label_for(tr("Back within"), self.box), self.box))
        self.hide()

    def _on_value(self) -> None:
        self._is_chosen = True
        self.changed.emit()

    def of(self, study: LabStudy | None) -> LabStudy | None:
        """Return a study with the chosen time; as it is where it restarts no hub."""
        if study is None or study.within_s is None:
            return study
        return study.with_time(self.box.value())

    def show_for(self, study: LabStudy | None, stored: Iterable[LabResults]) -> None:
        """Show itself for a study that restarts a hub, with the time of what is stored unless the user chose one.

        Args:
            stored: Results of the study on the chosen pair; the usual time is shown unless all have one and the same.
        """
        has_restart = study is not None and study.within_s is not None
        self.setVisible(has_restart)
        if study is None or not has_restart or self._is_chosen:
            return
        usual = study.with_time(recovery_s())
        times_s = {of_time.within_s or 0 for results in stored for of_time in usual.as_measured(results)}
        with QSignalBlocker(self.box):
            self.box.setValue(times_s.pop() if len(times_s) == 1 else recovery_s())

    def offer(self, *, is_on: bool, reason: str) -> None:
        """Enable the choice, or disable it and say why."""
        enable(self.box, is_on=is_on, reason=reason)
