"""Measuring a study of its own kind from the studies page: question, run, what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from app.domain.errors import TunnelmarkError
from app.domain.hosts import PairSpec
from app.measurement.lab_studies import WantedLabStudy
from ui.common.texts import tr
from ui.studies.lab_dialog import LabStudyDialog
from ui.studies.lab_job import LabJob, LabOutcome, LabStudyProgress
from ui.studies.outcome_notice import show_end

if TYPE_CHECKING:
    from ui.studies.studies_page import StudiesPage


class LabMeasuring(QObject):
    """Runs of the chosen study for a page.

    Args:
        page: Shows the study; only one run of it at a time.
    """

    _advanced = Signal(object)

    def __init__(self, page: StudiesPage) -> None:
        super().__init__(page)
        self._page = page
        self._advanced.connect(self._on_advanced, Qt.ConnectionType.QueuedConnection)

    def ask(self, pair: PairSpec) -> None:
        """Say what will be measured and how long it takes; begin if the user agrees."""
        study, part = self._page.lab.study, self._page.lab.part
        if study is None or part is None:
            return
        dialog = LabStudyDialog(self._page.window(), pair.name, study.name, part)
        dialog.ask(lambda: self.run(WantedLabStudy(study, part.name, pair, is_fresh=dialog.is_fresh)))

    def run(self, wanted: WantedLabStudy) -> None:
        """Measure what is not done yet, or all of it."""
        name = wanted.pair.name
        pair = self._page.lab_pair(name)
        if pair is None:
            actions = {tr("Resume"): lambda: self.run(wanted)}
            hint = tr("Start it in the lab menu at the top right.")
            text = tr("%1 is not running.").replace("%1", name)
            self._page.notice.show_message("caution", text, hint, actions)
            return
        job = LabJob(self._page.services, replace(wanted, pair=pair), self._advanced.emit)
        title = tr("Measuring %1, %2 on %3").replace("%1", wanted.study.name).replace("%2", wanted.part)

        def resume() -> None:
            self.run(replace(wanted, is_fresh=wanted.is_fresh and not job.has_result.is_set()))

        self._page.measure(
            title.replace("%3", name), job, partial(self._on_done, wanted, resume), partial(self._on_failed, resume)
        )

    def _on_advanced(self, progress: LabStudyProgress) -> None:
        page = self._page
        page.progress = progress
        page.busy.progress(progress.text, progress.fraction)
        if progress.results is not None:
            page.take_lab_results(progress.results)

    def _on_done(self, wanted: WantedLabStudy, resume: Callable[[], None], outcome: LabOutcome) -> None:
        self._page.progress = None
        self._page.take_lab_results(outcome.results)
        failed = (
            tr("Some measurements failed, or were disturbed by other work of this computer."),
            tr("The tab Results has the reasons. They are made again when the study is resumed."),
        )
        is_whole = wanted.study.state(wanted.part, outcome.results).is_whole
        is_cancelled = outcome.is_cancelled
        show_end(self._page.notice, resume, is_cancelled=is_cancelled, is_whole=is_whole, failed=failed)

    def _on_failed(self, resume: Callable[[], None], error: TunnelmarkError) -> None:
        self._page.progress = None
        self._page.notice.show_error(error, {tr("Resume"): resume})
