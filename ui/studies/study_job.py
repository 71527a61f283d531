"""Run of a part of a study, in a worker thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING

from app.domain.cancel import CancelToken
from app.domain.errors import Cancelled
from app.domain.hosts import PairSpec
from app.domain.progress import ProgressSink
from app.domain.transfers import TransferCell, TransferResult
from app.ranking.study_parts import SATCOM, PartState, missing_cells, predicted_s
from app.reports.study_view import StudyView, part_view, place_text
from app.wording.messages import local_text
from ui.common.texts import tr
from ui.studies.study_progress import StudyProgress

if TYPE_CHECKING:
    from app.measurement.studies import StudyRequest
    from app.services.wiring import Services
    from app.storage.study_results import StudyResults


@dataclass(frozen=True, slots=True)
class StudyOutcome:
    """End of a run.

    Attributes:
        view: The part with all results; None if there is none.
        is_cancelled: Whether it was cancelled; it can be resumed.
    """

    view: StudyView | None
    is_cancelled: bool


@dataclass(frozen=True, slots=True)
class StudyJob:
    """Measures the cells of a part that have no time yet, or all of them.

    Attributes:
        services: The program's.
        pair: That of a practice lab, or one with machines behind its hosts.
        part: What is measured.
        request: Its cells, kind of nodes, whether they are measured again, and what the user agreed to.
        on_progress: Gets how far it is, in the worker's thread.
        has_result: Set with the first result: from then on the stored results know what is to be measured again.
    """

    services: Services
    pair: PairSpec
    part: PartState
    request: StudyRequest
    on_progress: Callable[[StudyProgress[StudyView]], None]
    has_result: Event = field(default_factory=Event)

    def __call__(self, token: CancelToken, report: ProgressSink) -> StudyOutcome:
        """Run it; what was measured is stored, also where it is cancelled."""
        try:
            self._run(token, report)
        except Cancelled:
            return StudyOutcome(self._view(), is_cancelled=True)
        return StudyOutcome(self._view(), is_cancelled=False)

    def _run(self, token: CancelToken, report: ProgressSink) -> None:
        services, pair, request = self.services, self.pair, self.request
        request.refuse(pair)
        services.refuse_if_in_use(pair)
        stored = services.study_results(SATCOM, pair.name, request.nodes)
        missing = self._missing(stored)
        self.on_progress(self._progress(missing, list(missing)))
        found = services.discover(pair, token=token, on_progress=report)
        if stored is not None:
            missing = self._missing(services.todays_results(stored, found))
        left = list(missing)
        self.on_progress(self._progress(missing, left))

        def on_result(result: TransferResult) -> None:
            self.has_result.set()
            if result.cell in left:
                left.remove(result.cell)
            self.on_progress(self._progress(missing, left, self._view()))

        def on_step(text: str) -> None:
            progress = self._progress(missing, left)
            report(f"{local_text(text)} · {progress.text}", progress.fraction)

        services.run_study(found, request, token=token, report=on_step, on_result=on_result)

    def _missing(self, stored: StudyResults | None) -> tuple[TransferCell, ...]:
        done = stored.done() if stored is not None else ()
        return missing_cells(self.request.cells, done, is_fresh=self.request.is_fresh)

    def _progress(
        self, missing: tuple[TransferCell, ...], left: list[TransferCell], view: StudyView | None = None
    ) -> StudyProgress[StudyView]:
        is_shaped = not self.pair.is_lab
        whole_s, left_s = (predicted_s(some, is_shaped=is_shaped) for some in (missing, left))
        fraction = 1.0 - left_s / whole_s if whole_s else 1.0
        done = len(missing) - len(left)
        words = tr("%1 of %2 transfers")
        place = place_text(self.pair.name, self.request.nodes)
        return StudyProgress(place, self.part.name, words, done, len(missing), left_s, fraction, view)

    def _view(self) -> StudyView | None:
        results = self.services.study_results(SATCOM, self.pair.name, self.request.nodes)
        return part_view(results, self.part.cells) if results is not None else None
