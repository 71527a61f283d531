"""Lines above the page for what runs on other pages, each with the button that goes there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QProgressBar, QWidget

from ui.common.accessible import Role, notify_shown, set_role
from ui.common.basics import ElidedLabel, button, column, icon_label, label, row, set_variant, show_text
from ui.common.icons import set_icon
from ui.common.texts import duration, tr
from ui.common.theme import GRID, tabular
from ui.common.tips import enable
from ui.deployments.confirm_countdown import SPOKEN_AT_S
from ui.shell.running_job import Job


class RunningLine(QFrame):
    """The running operation of one area; a countdown as large as on its own page."""

    def __init__(self) -> None:
        super().__init__()
        set_role(self, Role.Notification)
        self.setProperty("variant", "running")
        self._job: Job | None = None
        self._icon = icon_label("play", "accent")
        self.left = label("", "countdown", is_wrapping=False)
        self.left.setFont(tabular(self.left.font()))
        self.text = ElidedLabel(variant="heading")
        self.hint = ElidedLabel()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.time = label("", is_wrapping=False)
        self.time.setFont(tabular(self.time.font()))
        self.show_button = button(tr("Show"), "arrow-right")
        middle = column(self.text, self.hint, self.bar, spacing_px=GRID // 2)
        layout = row(margin_px=(2 * GRID, GRID, 2 * GRID, GRID), spacing_px=GRID + 4)
        self.setLayout(layout)
        layout.addWidget(self._icon)
        layout.addWidget(self.left)
        layout.addLayout(middle, 1)
        layout.addWidget(self.time)
        layout.addWidget(self.show_button, 0, Qt.AlignmentFlag.AlignVCenter)
        self.setVisible(False)

    def show_job(self, job: Job) -> None:
        """Show what runs, and how far it is."""
        former, self._job = self._job, job
        if job == former and not self.isHidden():
            return
        self._show_progress(job)
        self.text.setText(job.text)
        show_text(self.hint, job.hint)
        self._dress(job)
        self.show_button.setText(job.action or tr("Show"))
        busy = tr("In progress now.")
        enable(self.show_button, is_on=not job.action or job.is_warning, reason=busy)
        self.setAccessibleName(job.text)
        self.setAccessibleDescription(job.hint)
        self.bar.setAccessibleName(tr("Time left to confirm") if job.is_countdown else tr("Progress"))
        self.show_button.setAccessibleName(job.action or tr("Show: %1", job.state))
        if self.isHidden():
            self.setVisible(True)
        elif former is not None and _is_to_be_read(former, job):
            notify_shown(self)

    def _show_progress(self, job: Job) -> None:
        left = duration(job.left_s) if job.left_s is not None else ""
        self.left.setVisible(job.is_countdown)
        self.left.setText(left if job.is_countdown else "")
        self.time.setText(tr("%1 left", left) if left and not job.is_countdown else "")
        self.bar.setVisible(job.fraction is not None or not job.is_warning)
        self.bar.setRange(0, 0 if job.fraction is None else 1000)
        if job.fraction is not None:
            self.bar.setValue(round(1000 * job.fraction))

    def _dress(self, job: Job) -> None:
        icon = "warning" if job.is_warning else "clock" if job.is_countdown else "play"
        if self._icon.property("icon_name") != icon:
            set_icon(self._icon, icon, "legacy" if job.is_warning else "accent")
        is_urgent = job.is_countdown or job.is_warning
        variant = "primary" if is_urgent else ""
        if self.show_button.property("variant") != variant:
            set_variant(self.show_button, variant)
            set_icon(self.show_button, "arrow-right", "on_accent" if is_urgent else "text")


class RunningLines(QWidget):
    """A line per area in which something runs."""

    show_asked = Signal(str)
    """Carries the area that is wanted."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = {area: RunningLine() for area in ("deployment", "leftover", "comparison", "census", "studies")}
        layout = column(spacing_px=0)
        self.setLayout(layout)
        for area, line in self.lines.items():
            line.show_button.clicked.connect(partial(self._ask, area))
            layout.addWidget(line)
        self.setVisible(False)

    def _ask(self, area: str) -> None:
        self.show_asked.emit(area)

    def show_jobs(self, jobs: Sequence[Job]) -> None:
        """Show these, and no others."""
        by_area = {job.area: job for job in jobs}
        self.setVisible(bool(jobs))
        for area, line in self.lines.items():
            if area in by_area:
                line.show_job(by_area[area])
            else:
                line.setVisible(False)


def _is_to_be_read(former: Job, job: Job) -> bool:
    """Whether screen readers are to read it again: it became a countdown or a warning, or little time is left."""
    if job.is_countdown != former.is_countdown or job.is_warning != former.is_warning:
        return True
    if not job.is_countdown or former.left_s is None or job.left_s is None:
        return False
    return any(job.left_s <= second < former.left_s for second in SPOKEN_AT_S)
