"""Measuring a study by a comparison: inspect the lab's hosts, plan it, and go to the running comparison."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.progress import ProgressSink
from app.measurement.planned_study import PlannedStudy, WantedStudy, check_study_pair, plan_study
from app.wording.local_forms import listed_names
from ui.common.texts import tr
from ui.shell.measure_again import run_plan, shows_running

if TYPE_CHECKING:
    from ui.shell.navigator import Navigator
    from ui.studies.studies_page import StudiesPage


@dataclass(frozen=True, slots=True)
class _FoundStudy:
    discovery: Discovery
    planned: PlannedStudy


def run_study(window: Navigator, page: StudiesPage, wanted: WantedStudy) -> None:
    """Measure a study; what happens is shown on the page of running comparisons."""
    if shows_running(window):
        return
    services = window.context.services
    page.notice.clear()

    def plan(token: CancelToken, report: ProgressSink) -> _FoundStudy:
        check_study_pair(wanted.pair)
        services.refuse_if_in_use(wanted.pair)
        found = services.discover(wanted.pair, token=token, on_progress=report)
        return _FoundStudy(found, plan_study(services, found, wanted.study, wanted.part, is_fresh=wanted.is_fresh))

    page.start(tr("Inspecting both hosts"), plan, partial(_go_on, window, wanted), busy=page.busy)


def _go_on(window: Navigator, wanted: WantedStudy, found: _FoundStudy) -> None:
    if shows_running(window):  # begun while the hosts were inspected
        return
    planned, wizard = found.planned, window.wizard
    wizard.repeat(None)
    wizard.set_discovery(found.discovery)
    wizard.confirm_link(found.discovery.link, found.discovery.pair)
    wizard.choose([(one.solution, one.suite) for one in planned.plan.candidates])
    run_plan(window, found.discovery, planned.plan, planned.resume_id)
    window.run_page.notice.show_message("info", *_words(wanted, planned))


def _words(wanted: WantedStudy, planned: PlannedStudy) -> tuple[str, str]:
    """Return what is measured, and what is not."""
    text = tr("This comparison repeats %1, part %2. The results will have a tab Study.", wanted.study.name, wanted.part)
    hints = []
    if planned.resume_id is not None:
        number = str(planned.resume_id)
        hints.append(tr("Comparison %1, which was interrupted, goes on.", number))
    if planned.gone_id is not None:
        number = str(planned.gone_id)
        hints.append(tr("The lab of comparison %1, which was interrupted, has ended. A new comparison begins.", number))
    if planned.left_out:
        names = listed_names([one.label for one in planned.left_out])
        hints.append(tr("Left out, since these hosts do not have it: %1.", names))
    return text, " ".join(hints)
