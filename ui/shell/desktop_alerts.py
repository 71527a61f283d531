"""Notifications of the desktop while another window is in front: something has ended, or waits for the user."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from ui.common.texts import tr
from ui.deployments.desktop_notification import Notifier

if TYPE_CHECKING:
    from ui.shell.navigator import Navigator
    from ui.shell.running_job import Job

_TITLE = "Tunnelmark"


class DesktopAlerts:
    """Belongs to a window."""

    def __init__(self, window: Navigator) -> None:
        self._window = window
        self._former: dict[str, Job] = {}
        self.notifier = Notifier(window, window.windowIcon())

    def follow(self, jobs: Sequence[Job]) -> None:
        """Compare what runs now with what ran before."""
        former, self._former = self._former, {job.area: job for job in jobs}
        if self._window.isActiveWindow():
            self.notifier.rest()
            return
        for area, job in self._former.items():
            if _is_urgent(job) and not _is_urgent(former.get(area)):
                self.notifier.notify(_TITLE, f"{job.text}\n{job.hint}".strip())
        for area in former.keys() - self._former.keys():
            QTimer.singleShot(0, self._window, partial(self._notify_end, area))  # its page says by then how it ended

    def _notify_end(self, area: str) -> None:
        window = self._window
        texts = {
            "comparison": lambda: tr("The comparison has ended. %1", window.run_page.head.text.text()),
            "census": lambda: tr("The census has ended."),
            "studies": lambda: tr("The measurement of a study has ended."),
            "deployment": lambda: window.deploy.live.outcome,
        }
        if area in texts:
            self.notifier.notify(_TITLE, texts[area]())


def _is_urgent(job: Job | None) -> bool:
    return job is not None and (job.is_countdown or job.is_warning)
