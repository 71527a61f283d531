"""Words of a plan: how much it measures, under which condition of the link, with which workloads."""

from __future__ import annotations

from app.domain.results import CampaignPlan
from app.domain.solutions import BASELINE
from app.probes.workloads import WORKLOADS, planned_workloads
from app.wording.conditions import condition_words
from app.wording.messages import local_text
from ui.common.texts import count, tr


def amounts(plan: CampaignPlan) -> str:
    """Return how much a plan measures."""
    profile = plan.profile
    if profile.budget_s is not None:
        return tr(
            "At most %1 rounds and %2 min of measuring; it ends as soon as the order is known.",
            profile.rounds,
            f"{profile.budget_s / 60:g}",
        )
    has_baseline = any(one.solution == BASELINE for one in plan.candidates)
    repeated = " " + tr("The baseline is measured first and last.") if has_baseline else ""
    return (
        tr(
            "%1 attempts; %2 frame sizes × %3 pings; %4 s of TCP per direction.",
            len(plan.attempts),
            len(profile.frame_bytes),
            count(profile.pings),
            profile.seconds,
        )
        + repeated
    )


def additions(plan: CampaignPlan, *, is_adaptive_chosen: bool = False) -> list[str]:
    """Return a line for the condition of the link, and one for the workloads; none where the plan has neither.

    Args:
        is_adaptive_chosen: Whether the profile adaptive was chosen; where fixed rounds replace it, a line says so.
    """
    lines = []
    if plan.condition is not None:
        lines.append(tr("Link like %1: %2.", plan.condition.name, condition_words(plan.condition)))
    if is_adaptive_chosen and not plan.profile.is_adaptive:
        lines.append(tr("Fixed rounds replace Adaptive, whose tests take such a link for disturbed."))
    if plan.workloads:
        known = {one.name: local_text(one.title) for one in planned_workloads(plan)}
        titles = "; ".join(known.get(name, name) for name in plan.workloads)
        if set(plan.workloads) == set(WORKLOADS):
            titles = tr("all")
        lines.append(tr("Workloads: %1.", titles))
    return lines
