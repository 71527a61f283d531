"""Study that a comparison repeats: known by its plan, with own figures beside the published ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from app.domain.results import CampaignRecord, CampaignStatus
from app.domain.solutions import BASELINE
from app.ranking.comparison_study import Cell, ComparisonStudy, Figures, StudyCandidate, comparison_studies
from app.ranking.own_study_figures import ComparedOrder, compared_orders, own_figures
from app.storage import Store
from app.storage.summaries import PlanSummary
from app.wording.titles import local_title


@dataclass(frozen=True, slots=True)
class RepeatedStudy:
    """A study with own figures.

    Attributes:
        study: The study.
        own: Own figures by cell.
        orders: Its published orders, and how the own ones agree.
        left_out: Its candidates that were not planned.
    """

    study: ComparisonStudy
    own: Mapping[Cell, Figures]
    orders: tuple[ComparedOrder, ...]
    left_out: tuple[StudyCandidate, ...] = ()


@dataclass(frozen=True, slots=True)
class StudyRun:
    """A stored comparison that repeats a study.

    Attributes:
        campaign_id: Its number.
        pair: Name of the pair.
        at: When it began, UTC.
        status: Its status.
        part: The part that it is; empty where its amounts are those of none.
    """

    campaign_id: int
    pair: str
    at: datetime
    status: CampaignStatus
    part: str


def study_of(
    candidates: Collection[tuple[str, str]], workloads: Collection[str], seed: int, *, has_condition: bool
) -> ComparisonStudy | None:
    """Return the study that a comparison repeats, whether it was begun as one or measures the same; None otherwise.

    These studies were measured without a condition: under one a comparison repeats none.

    Args:
        candidates: Solutions and suites of its plan.
        workloads: Workloads of its plan.
        seed: Seed of its plan.
        has_condition: Whether its plan has a condition of the link.
    """
    if has_condition:
        return None
    for study in comparison_studies().values():
        known = {(one.solution, one.suite) for one in study.candidate if one.solution != BASELINE}
        is_same = study.workload in workloads if study.workload else seed == study.seed
        if is_same and known.intersection(candidates):
            return study
    return None


def unmeasured_study(study: ComparisonStudy) -> RepeatedStudy:
    """Return a study without own figures."""
    return RepeatedStudy(study, {}, compared_orders(study, {}))


def repeated_study(record: CampaignRecord) -> RepeatedStudy | None:
    """Return the study that a comparison repeats, with its own figures; None for any other comparison."""
    plan = record.plan
    keys = [(one.solution, one.suite) for one in plan.candidates]
    study = study_of(keys, plan.workloads, plan.seed, has_condition=plan.condition is not None)
    if study is None:
        return None
    if plan.seed == study.seed:  # begun as the study: what was added to it is shown with it
        titles = ((one.solution, one.suite, local_title(one.title)) for one in plan.candidates)
        study = study.with_others(StudyCandidate(*one) for one in titles)
    own = own_figures(study, record)
    return RepeatedStudy(study, own, compared_orders(study, own), study.left_out(keys))


def study_runs(store: Store) -> Mapping[str, tuple[StudyRun, ...]]:
    """Return the stored comparisons that repeat a study, newest first, by its name."""
    found: dict[str, list[StudyRun]] = {}
    for one in store.list_plans():
        study = study_of(one.candidates, one.workloads, one.seed, has_condition=one.has_condition)
        if study is not None:
            run = StudyRun(one.campaign_id, one.pair, one.started_at, one.status, _part(study, one))
            found.setdefault(study.name, []).append(run)
    return {name: tuple(runs) for name, runs in found.items()}


def _part(study: ComparisonStudy, plan: PlanSummary) -> str:
    return next((one.name for one in study.part if one.amounts == plan.profile), "")
