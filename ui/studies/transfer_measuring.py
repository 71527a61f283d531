"""Measuring the study of transfers from the studies page: question, run, what came of it."""

from __future__ import annotations

from dataclasses import replace

from app.domain.hosts import PairSpec
from app.measurement.studies import StudyRequest
from app.ranking.study_parts import SATCOM, PartState
from app.reports.study_view import StudyView, place_text
from ui.common.texts import tr
from ui.studies.measuring import Measuring
from ui.studies.outcome_notice import show_end
from ui.studies.own_hosts import OwnHostsForm
from ui.studies.study_dialog import StudyDialog
from ui.studies.study_job import StudyJob, StudyOutcome


class TransferMeasuring(Measuring):
    """Runs of a part of the study."""

    def ask(self, part: PartState, pair: PairSpec) -> None:
        """Show what will be measured and how long it takes; begin if the user agrees."""
        request = StudyRequest(SATCOM, part.cells, nodes=self.page.nodes.kind)
        own = OwnHostsForm(pair, request.use_of_own_hosts)
        dialog = StudyDialog(self.page.window(), place_text(pair.name, request.nodes), part, own)
        dialog.ask(lambda: self.run(part, pair.name, replace(request, is_fresh=dialog.is_fresh, consent=own.consent)))

    def run(self, part: PartState, name: str, request: StudyRequest) -> None:
        """Measure the cells of a part that are not done yet, or all of them.

        Args:
            part: The part.
            name: Name of the pair.
            request: What is measured of it.
        """
        pair = self.page.pair_there(name, lambda: self.run(part, name, request))
        if pair is None:
            return
        job = StudyJob(self.page.services, pair, part, request, self.advanced.emit)
        title = tr("Measuring %1 on %2").replace("%1", part.name).replace("%2", place_text(name, request.nodes))

        def resume() -> None:
            self.run(part, name, replace(request, is_fresh=request.is_fresh and not job.has_result.is_set()))

        def done(outcome: StudyOutcome) -> None:
            self.page.progress = None
            if outcome.view is not None:
                self.take(outcome.view)
            is_whole = outcome.view is not None and outcome.view.results.done().issuperset(request.cells)
            hint = tr("The tab Times has the reason of each. They are measured again when the study is resumed.")
            failed = tr("Some transfers failed."), hint
            show_end(self.page.notice, resume, is_cancelled=outcome.is_cancelled, is_whole=is_whole, failed=failed)

        self.start(title, job, done, resume, pair=pair, nodes=request.nodes)

    def take(self, found: StudyView) -> None:
        """Show results so far."""
        self.page.take_view(found)
