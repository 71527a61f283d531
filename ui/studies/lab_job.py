"""Run of a part of a study of its own kind, the hub's or that with nodes, in a worker thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TYPE_CHECKING, Any

from app.domain.cancel import CancelToken
from app.domain.errors import Cancelled
from app.domain.progress import ProgressSink
from app.reports.lab_study import result_words
from app.reports.study_view import place_text
from app.wording.messages import local_text
from ui.common.texts import tr
from ui.studies.study_progress import StudyProgress

if TYPE_CHECKING:
    from app.measurement.lab_studies import WantedLabStudy
    from app.services.wiring import Services
    from app.storage.lab_results import LabResult, LabResults


@dataclass(frozen=True, slots=True)
class LabOutcome:
    """End of a run.

    Attributes:
        results: All results of the part.
        is_cancelled: Whether it was cancelled; it can be resumed.
    """

    results: LabResults
    is_cancelled: bool


@dataclass
class LabJob:
    """Measures what is not done of a part, or all of it.

    Attributes:
        services: The program's.
        wanted: What is measured, and where.
        on_progress: Gets how far it is, in the worker's thread.
        has_result: Set with the first result: from then on the stored results know what is to be measured again.
        ended: Keys of this run's results.
    """

    services: Services
    wanted: WantedLabStudy
    on_progress: Callable[[StudyProgress[LabResults]], None]
    has_result: Event = field(default_factory=Event)
    ended: set[Any] = field(default_factory=set)

    def __call__(self, token: CancelToken, report: ProgressSink) -> LabOutcome:
        """Run it; what was measured is stored, also where it is cancelled."""
        try:
            self._run(token, report)
        except Cancelled:
            return LabOutcome(self._results(), is_cancelled=True)
        return LabOutcome(self._results(), is_cancelled=False)

    def _run(self, token: CancelToken, report: ProgressSink) -> None:
        from app.measurement.lab_studies import plan_lab_study

        wanted = self.wanted
        planned = plan_lab_study(self.services, wanted, token=token, on_progress=report)
        total, whole_s = planned.state.total - planned.state.measured, planned.state.left_s
        words, place = tr("%1 of %2 measurements"), place_text(wanted.pair.name, wanted.nodes)
        now: StudyProgress[LabResults] = StudyProgress(place, wanted.part, words, 0, total, whole_s, 0.0)
        self.on_progress(now)

        def on_result(result: LabResult) -> None:
            nonlocal now
            self.has_result.set()
            results: Any = self._results()
            self.ended.add(results.key_of(result))
            left_s = wanted.study.state(wanted.part, results, self.ended, is_shaped=wanted.is_shaped).left_s
            fraction = 1.0 - left_s / whole_s if whole_s else 1.0
            now = replace(now, done=len(self.ended), left_s=left_s, fraction=fraction, found=results)
            self.on_progress(now)
            report(f"{result_words(result)} · {now.text}", fraction)

        def on_step(text: str) -> None:
            report(f"{local_text(text)} · {now.text}", now.fraction)

        self.services.run_lab_study(planned.discovery, wanted, token=token, report=on_step, on_result=on_result)

    def _results(self) -> LabResults:
        wanted = self.wanted
        return self.services.lab_results(wanted.study.name, wanted.pair.name, wanted.part, wanted.nodes)
