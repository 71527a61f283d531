"""Measuring a study of its own kind from the studies page: question, run, what came of it."""

from __future__ import annotations

from dataclasses import replace

from app.domain.hosts import PairSpec
from app.measurement.lab_studies import WantedLabStudy
from app.reports.study_view import place_text
from app.storage.lab_results import LabResults
from ui.common.texts import tr
from ui.studies.lab_job import LabJob, LabOutcome
from ui.studies.measuring import Measuring
from ui.studies.outcome_notice import show_end
from ui.studies.own_hosts import OwnHostsForm
from ui.studies.study_dialog import LabStudyDialog


class LabMeasuring(Measuring):
    """Runs of the chosen study."""

    def ask(self, pair: PairSpec) -> None:
        """Show what will be measured and how long it takes; begin if the user agrees."""
        study, part = self.page.lab.study, self.page.lab.part
        if study is None or part is None:
            return
        wanted = WantedLabStudy(study, part.name, pair, nodes=self.page.nodes.kind)
        own = OwnHostsForm(pair, wanted.use_of_own_hosts)
        dialog = LabStudyDialog(self.page.window(), place_text(pair.name, wanted.nodes), study, part, own)
        dialog.ask(lambda: self.run(replace(wanted, is_fresh=dialog.is_fresh, consent=own.consent)))

    def run(self, wanted: WantedLabStudy) -> None:
        """Measure what is not done yet, or all of it."""
        name = wanted.pair.name
        pair = self.page.pair_there(name, lambda: self.run(wanted))
        if pair is None:
            return
        job = LabJob(self.page.services, replace(wanted, pair=pair), self.advanced.emit)
        title = tr("Measuring %1, %2 on %3").replace("%1", wanted.study.name).replace("%2", wanted.part)

        def resume() -> None:
            self.run(replace(wanted, is_fresh=wanted.is_fresh and not job.has_result.is_set()))

        def done(outcome: LabOutcome) -> None:
            self.page.progress = None
            self.take(outcome.results)
            failed = (
                tr("Some measurements failed, or were disturbed by other work of this computer."),
                tr("The tab Results has the reasons. They are made again when the study is resumed."),
            )
            is_whole = wanted.study.state(wanted.part, outcome.results).is_whole
            is_cancelled = outcome.is_cancelled
            show_end(self.page.notice, resume, is_cancelled=is_cancelled, is_whole=is_whole, failed=failed)

        title = title.replace("%3", place_text(name, wanted.nodes))
        self.start(title, job, done, resume, pair=pair, nodes=wanted.nodes)

    def take(self, found: LabResults) -> None:
        """Show results so far."""
        self.page.take_lab_results(found)
