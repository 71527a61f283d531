"""Plan of a study that is measured again by one comparison: what is measured, what is left out, what goes on."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from app.discovery.pair_discovery import Discovery
from app.domain.errors import InvalidOption, StorageFault
from app.domain.hosts import PairSpec
from app.domain.results import CampaignPlan, CampaignRecord
from app.domain.solutions import BASELINE
from app.measurement.messages import RESUME_OTHER_LINK
from app.measurement.messages.studies import FILE_STUDY_NEEDS_LAB, STUDY_UNDER_CONDITION, STUDY_WITHOUT_ITS_OWN
from app.measurement.options import RunOptions
from app.ranking.comparison_study import ComparisonStudy, StudyCandidate
from app.ranking.outcome import attempts_left
from app.wording.titles import local_title

logger = logging.getLogger(__name__)


class StudyServices(Protocol):
    """Services that the plan of a study needs."""

    def plan(self, discovery: Discovery, chosen: Sequence[tuple[str, str]], options: RunOptions) -> CampaignPlan:
        """Make a plan with predicted times."""
        ...

    def unfinished_like(self, plan: CampaignPlan) -> tuple[int, ...]:
        """Return the numbers of interrupted comparisons of the same on a plan's pair, newest first."""
        ...

    def is_lab_gone(self, record: CampaignRecord) -> bool:
        """Whether the practice lab that a comparison ran in has ended."""
        ...

    def record(self, campaign_id: int) -> CampaignRecord:
        """Return a stored comparison."""
        ...


@dataclass(frozen=True, slots=True)
class WantedStudy:
    """A study that a user wants to be measured.

    Attributes:
        study: The study.
        part: Name of its part.
        pair: A practice lab's.
        is_fresh: Whether an interrupted comparison of it does not go on.
    """

    study: ComparisonStudy
    part: str
    pair: PairSpec
    is_fresh: bool = False


@dataclass(frozen=True, slots=True)
class PlannedStudy:
    """A study's comparison as it would begin.

    Attributes:
        plan: What is measured.
        study: The study, with candidates that were added to it.
        chosen: Candidates that are measured.
        left_out: Those that would be, and that these hosts do not have.
        predicted_s: About how long what is left of it takes, in s.
        resume_id: Number of the interrupted comparison of the same plan that goes on; None for a new one.
        gone_id: Number of one that does not, because its practice lab has ended; None where there is none.
    """

    plan: CampaignPlan
    study: ComparisonStudy
    chosen: tuple[StudyCandidate, ...]
    left_out: tuple[StudyCandidate, ...]
    predicted_s: float
    resume_id: int | None
    gone_id: int | None = None


def check_study_pair(pair: PairSpec) -> None:
    """Refuse a pair that is no practice lab's.

    Raises:
        InvalidOption: It is one of the user's own hosts.
    """
    if not pair.is_lab:
        raise InvalidOption(FILE_STUDY_NEEDS_LAB(pair=pair.name))


def plan_study(
    services: StudyServices,
    found: Discovery,
    study: ComparisonStudy,
    part: str,
    *,
    is_fresh: bool,
    wanted: Collection[tuple[str, str]] | None = None,
) -> PlannedStudy:
    """Plan a part of a study on hosts that have been inspected.

    Args:
        is_fresh: Whether an interrupted comparison of it does not go on.
        wanted: Solutions and suites, which these hosts have, to be measured beside the bare link; None for all
            candidates of the study.

    Raises:
        InvalidOption: The lab emulates a condition of its own, or nothing of the study is wanted.
    """
    left_out = study.left_out([(one.solution, one.suite) for one in found.candidates])
    if wanted is not None:
        study, left_out = _with_wanted(found, study, wanted), ()
    chosen = tuple(one for one in study.candidate if one not in left_out and _is_wanted(one, wanted))
    plan = services.plan(
        found,
        [(one.solution, one.suite) for one in chosen],
        RunOptions(profile=study.parts[part].amounts, workloads=study.workloads, seed=study.seed),
    )
    if plan.condition is not None:
        raise InvalidOption(STUDY_UNDER_CONDITION(study=study.name, name=plan.condition.name, pair=plan.pair.name))
    resumed, gone_id = (None, None) if is_fresh else _resumed(services, plan)
    predicted_s = study.parts[part].predicted_s(len(chosen))
    if resumed is None:
        return PlannedStudy(plan, study, chosen, left_out, predicted_s, None, gone_id)
    plan = resumed_plan(resumed, found)
    left_s = predicted_s * attempts_left(resumed) / resumed.attempts_needed
    return PlannedStudy(plan, study, chosen, left_out, left_s, resumed.campaign_id)


def _with_wanted(found: Discovery, study: ComparisonStudy, wanted: Collection[tuple[str, str]]) -> ComparisonStudy:
    """Return a study with what is wanted besides its own candidates, of which at least one must be wanted."""
    if not any(_is_wanted(one, wanted) for one in study.candidate if one.solution != BASELINE):
        names = tuple(f"{one.solution}:{one.suite}" for one in study.candidate if one.solution != BASELINE)
        raise InvalidOption(STUDY_WITHOUT_ITS_OWN(study=study.name, known=names))
    offered = {(one.solution, one.suite): one.title for one in found.candidates}
    return study.with_others(StudyCandidate(*key, local_title(offered[key])) for key in wanted)


def _is_wanted(one: StudyCandidate, wanted: Collection[tuple[str, str]] | None) -> bool:
    return wanted is None or one.solution == BASELINE or (one.solution, one.suite) in wanted


def unfinished_studies(services: StudyServices, plan: CampaignPlan) -> Iterator[CampaignRecord]:
    """Yield the pair's interrupted comparisons that have this very plan, newest first; what cannot be read is none."""
    for number in services.unfinished_like(plan):
        try:
            record = services.record(number)
        except StorageFault as error:
            logger.warning("%s", error.sentence())
            continue
        if _asked_for(record.plan) == _asked_for(plan):
            yield record


def _resumed(services: StudyServices, plan: CampaignPlan) -> tuple[CampaignRecord | None, int | None]:
    """Return the comparison that goes on, or else the number of the newest one whose lab has ended."""
    gone_id = None
    for record in unfinished_studies(services, plan):
        if not services.is_lab_gone(record):
            return record, None
        gone_id = gone_id if gone_id is not None else record.campaign_id
    return None, gone_id


def _asked_for(plan: CampaignPlan) -> tuple[object, ...]:
    return plan.workloads, plan.profile, plan.attempts, plan.condition


def resumed_plan(record: CampaignRecord, found: Discovery) -> CampaignPlan:
    """Return the plan that was interrupted, for the pair as it is reached now."""
    plan, pair = record.plan, found.pair
    if (pair.underlay_a, pair.underlay_b) != (plan.pair.underlay_a, plan.pair.underlay_b):
        raise InvalidOption(RESUME_OTHER_LINK(pair=pair.name, campaign=record.campaign_id))
    return replace(plan, pair=replace(pair, load_cap_mbit_s=plan.pair.load_cap_mbit_s))
