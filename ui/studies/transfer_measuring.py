"""Measuring the study of transfers from the studies page: question, run, what came of it."""

from __future__ import annotations

from app.domain.topology import NodeKind
from app.ranking.study_parts import PartState
from app.reports.study_view import StudyView, place_text
from ui.common.texts import tr
from ui.studies.measuring import Measuring
from ui.studies.outcome_notice import show_end
from ui.studies.study_dialog import StudyDialog
from ui.studies.study_job import StudyJob, StudyOutcome


class TransferMeasuring(Measuring):
    """Runs of a part of the study."""

    def ask(self, part: PartState, name: str) -> None:
        """Show what will be measured and how long it takes; begin if the user agrees.

        Args:
            name: Name of the pair.
        """
        nodes = self.page.nodes.kind
        dialog = StudyDialog(self.page.window(), place_text(name, nodes), part)
        dialog.ask(lambda: self.run(part, name, nodes, is_fresh=dialog.is_fresh))

    def run(self, part: PartState, name: str, nodes: NodeKind, *, is_fresh: bool = False) -> None:
        """Measure the cells of a part that are not done yet, or all of them.

        Args:
            part: The part.
            name: Name of the pair.
            nodes: Kind of the nodes.
            is_fresh: Whether cells that have a time are measured again.
        """
        pair = self.page.lab_pair(name, lambda: self.run(part, name, nodes, is_fresh=is_fresh))
        if pair is None:
            return
        job = StudyJob(self.page.services, pair, part, nodes, is_fresh, self.advanced.emit)
        title = tr("Measuring %1 on %2").replace("%1", part.name).replace("%2", place_text(name, nodes))

        def resume() -> None:
            self.run(part, name, nodes, is_fresh=is_fresh and not job.has_result.is_set())

        def done(outcome: StudyOutcome) -> None:
            self.page.progress = None
            if outcome.view is not None:
                self.take(outcome.view)
            is_whole = outcome.view is not None and outcome.view.is_whole
            hint = tr("The tab Times has the reason of each. They are measured again when the study is resumed.")
            failed = tr("Some transfers failed."), hint
            show_end(self.page.notice, resume, is_cancelled=outcome.is_cancelled, is_whole=is_whole, failed=failed)

        self.start(title, job, done, resume, pair=pair, nodes=nodes)

    def take(self, found: StudyView) -> None:
        """Show results so far."""
        self.page.take_view(found)
