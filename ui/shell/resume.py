"""Resuming an interrupted comparison: inspect the hosts, roll back leftovers, measure the rest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.errors import NotFound, TunnelmarkError
from app.domain.progress import ProgressSink
from app.domain.results import CampaignPlan, CampaignRecord
from app.measurement.wizard import Step
from app.wording.messages import local_text
from ui.common.texts import tr
from ui.shell.measure_again import measure_again, run_plan, shows_running

if TYPE_CHECKING:
    from app.tunnel.recovery import RecoveryReport
    from ui.shell.navigator import Navigator


class LabGone(NotFound):
    """The practice lab that an interrupted comparison ran in has ended.

    Attributes:
        record: The comparison.
    """

    def __init__(self, record: CampaignRecord) -> None:
        super().__init__(
            tr("The practice lab that this comparison ran in has ended, so it cannot be resumed."),
            hint=tr("Results so far are saved. Figures of two labs cannot be mixed."),
        )
        self.record = record


@dataclass(frozen=True, slots=True)
class _FoundCampaign:
    campaign_id: int
    plan: CampaignPlan
    discovery: Discovery
    recovery: RecoveryReport


def resume_pair(window: Navigator, pair_name: str, wanted: int | None = None) -> None:
    """Resume an interrupted or cancelled comparison of a pair.

    Args:
        wanted: Number of the comparison; None for the newest that is unfinished.
    """
    if shows_running(window):
        return
    services = window.context.services
    page = window.hosts
    window.go(Step.HOSTS)
    page.notice.clear()

    def find(token: CancelToken, report: ProgressSink) -> _FoundCampaign:
        campaign_id = wanted if wanted is not None else services.unfinished(pair_name)
        if campaign_id is None:
            raise NotFound(
                tr("There is no interrupted comparison of %1 any more.", pair_name),
                hint=tr("Start a new one."),
            )
        record = services.record(campaign_id)
        if services.is_lab_gone(record):
            raise LabGone(record)
        plan = record.plan
        services.refuse_if_in_use(plan.pair)
        discovery = services.discover(plan.pair, token=token, on_progress=report)
        report(tr("Rolling back leftovers of the interrupted run"), None)
        recovery = services.recover(plan.pair, token=token)
        return _FoundCampaign(campaign_id, plan, discovery, recovery)

    def fail(error: TunnelmarkError) -> None:
        actions = {}
        if isinstance(error, LabGone):
            record = error.record
            actions = {tr("Measure again in a new lab"): lambda: measure_again(window, record, is_lab_gone=True)}
        page.notice.show_error(error, actions)

    page.start(tr("Inspecting both hosts"), find, partial(_go_on, window), busy=page.busy, on_failure=fail)


def _go_on(window: Navigator, found: _FoundCampaign) -> None:
    """Measure what is left."""
    from ui.comparison.plan_page import PlanPage

    wizard = window.wizard
    window.context.leftovers.take_recovery(found.plan.pair, found.recovery)
    if shows_running(window):  # begun while the hosts were inspected
        return
    wizard.set_discovery(found.discovery)
    wizard.confirm_link(found.discovery.link, found.discovery.pair)
    offered = {(c.solution, c.suite) for c in found.discovery.candidates}
    wizard.choose([key for c in found.plan.candidates if (key := (c.solution, c.suite)) in offered])
    wizard.restore_options(found.plan)
    plan = window.step_page(Step.PLAN)
    if isinstance(plan, PlanPage):
        plan.restore_options()
    run_plan(window, found.discovery, found.plan, found.campaign_id)
    sentences = found.recovery.sentences()
    if sentences:
        kind = "info" if found.recovery.is_clean else "caution"
        window.run_page.notice.show_message(kind, " ".join(map(local_text, sentences)))
