"""Run of a study from the studies page: what runs of every kind show meanwhile, and how they fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from app.domain.errors import TunnelmarkError
from app.domain.hosts import PairSpec
from app.domain.topology import NodeKind
from ui.common.operations import Job, T
from ui.common.texts import tr
from ui.studies.measuring_page import MeasuringPage
from ui.studies.study_progress import StudyProgress


class Measuring(QObject):
    """Runs of one kind of study for a page.

    Args:
        page: Shows the study; only one run of it at a time.
    """

    advanced = Signal(object)

    def __init__(self, page: MeasuringPage) -> None:
        super().__init__(page)
        self.page = page
        self.advanced.connect(self._on_advanced, Qt.ConnectionType.QueuedConnection)

    def take(self, found: Any) -> None:
        """Show results so far."""
        raise NotImplementedError

    def start(
        self,
        title: str,
        job: Job[T],
        on_done: Callable[[T], None],
        resume: Callable[[], None],
        *,
        pair: PairSpec,
        nodes: NodeKind,
    ) -> None:
        """Run in a worker thread; a run that fails can be resumed, and hosts that it may have left changed are listed.

        Args:
            pair: Pair on which it runs.
            nodes: Kind of the nodes.
        """

        def failed(error: TunnelmarkError) -> None:
            self.page.progress = None
            self.page.notice.show_error(error, {tr("Resume"): resume})
            is_of_nodes = nodes is NodeKind.MACHINES
            self.page.context.leftovers.take_left(pair, error.left, is_of_nodes=is_of_nodes)

        self.page.measure(title, job, on_done, failed)

    def _on_advanced(self, progress: StudyProgress[Any]) -> None:
        self.page.progress = progress
        self.page.busy.progress(progress.text, progress.fraction)
        if progress.found is not None:
            self.take(progress.found)
