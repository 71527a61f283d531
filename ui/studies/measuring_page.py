"""Page on which one part of a study at a time is measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from app.domain.errors import TunnelmarkError
from app.domain.hosts import PairSpec
from app.reports.study_view import StudyView
from app.storage.lab_results import LabResults
from ui.common.context import PageContext
from ui.common.operations import Job, Operation, T
from ui.common.page import BusyLine, Page
from ui.studies.lab_panel import LabPanel
from ui.studies.nodes_choice import NodesChoice
from ui.studies.study_dialog import ask_stop
from ui.studies.study_progress import StudyProgress

if TYPE_CHECKING:
    from app.services.wiring import Services


class MeasuringPage(Page):
    """Page of studies as the runs on it see it.

    Attributes:
        busy: How far the run is.
        progress: The same as data; None while nothing is measured.
        nodes: The chosen kind of nodes.
        lab: The chosen study with a run of its own kind.
    """

    def __init__(self, context: PageContext, title: str, intro: str) -> None:
        super().__init__(context, title, intro)
        self._run: Operation | None = None
        self.progress: StudyProgress[StudyView] | StudyProgress[LabResults] | None = None
        self.busy = BusyLine()
        self.nodes = NodesChoice()
        self.lab = LabPanel(context.theme)

    @property
    def is_running(self) -> bool:
        """Whether a part is being measured."""
        return self._run is not None and self._run.is_running

    @property
    def services(self) -> Services:
        """The program's."""
        return cast("Services", self.context.services)

    def measure(
        self, title: str, job: Job[T], on_done: Callable[[T], None], on_failed: Callable[[TunnelmarkError], None]
    ) -> None:
        """Run a part of a study in a worker thread."""
        self.notice.clear()
        self._run = self.start(title, job, on_done, busy=self.busy, on_failure=on_failed)
        self.changed.emit()

    def cancel(self) -> bool:
        """Esc asks first while a part is being measured."""
        if not self.is_running:
            return super().cancel()
        ask_stop(self.window(), self._run)
        return True

    def pair_there(self, name: str, again: Callable[[], None]) -> PairSpec | None:
        """Return a running lab's pair, or one with machines; where it is not there, say so with a way to go on."""
        raise NotImplementedError

    def take_view(self, view: StudyView) -> None:
        """Take results of the study of transfers; show them where their part is on show."""
        raise NotImplementedError

    def take_lab_results(self, results: LabResults) -> None:
        """Take results of a run of its own kind, and show them."""
        raise NotImplementedError
