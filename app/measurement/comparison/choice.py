"""A comparison that a user chose: whether it may be made on the pair, and its plan."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from app.discovery.pair_discovery import Discovery
from app.domain.adapters import find_suite
from app.domain.conditions import Condition
from app.domain.errors import InvalidPlan
from app.domain.hosts import PairSpec, Side
from app.domain.hubs import Hub
from app.domain.profiles import Profile
from app.domain.results import CampaignPlan, Candidate
from app.measurement.choice_checks import check_shaping
from app.measurement.comparison.planning import plan_campaign
from app.measurement.comparison.workload_needs import refuse_lacking
from app.measurement.messages import CANDIDATES_NOT_OFFERED
from app.measurement.options import RunOptions
from app.storage.summaries import MeanDurations


def plan_choice(
    discovery: Discovery,
    chosen: Sequence[tuple[str, str]],
    options: RunOptions,
    *,
    usual_condition: Callable[[PairSpec], Condition | None],
    durations: Callable[[str, Profile], Mapping[str, MeanDurations]],
    hubs: Mapping[str, Hub] | None = None,
) -> CampaignPlan:
    """Return the plan of a comparison, with predicted times.

    Args:
        chosen: Solution and suite of each candidate.
        usual_condition: Returns the condition that lasts on a pair's link, where none was chosen.
        durations: Returns how long attempts with a profile took on a pair of this name, by solution.
        hubs: Hubs with many clients, by solution.

    Raises:
        InvalidPlan: The link must not be shaped, a candidate is not offered, or as `plan_campaign`.
        PackageMissing: A host lacks what a workload needs.
    """
    pair = discovery.pair
    condition = options.condition or usual_condition(pair)
    check_shaping(pair, condition, may_shape=options.may_shape)
    refuse_lacking(pair, discovery.facts, options.workloads)
    # Under a condition, or with workloads, attempts take another time than those before.
    is_as_before = condition is None and not options.workloads
    return plan_campaign(
        replace(pair, load_cap_mbit_s=options.load_cap_mbit_s),
        _offered(discovery, chosen),
        options.profile,
        seed=options.seed if options.seed is not None else secrets.randbelow(2**31),
        deadline_ms=options.deadline_ms,
        min_rate_mbit_s=options.min_rate_mbit_s,
        allow_load=options.has_load_consent,
        history=durations(pair.name, options.profile) if is_as_before else {},
        condition=condition,
        workloads=options.workloads,
        transfer_mb=options.transfer_mb,
        hubs=_with_hub(discovery, chosen, hubs or {}) if options.workloads else (),
    )


def _with_hub(
    discovery: Discovery, chosen: Sequence[tuple[str, str]], hubs: Mapping[str, Hub]
) -> list[tuple[str, str]]:
    """Return those of the candidates whose suite a hub offers, too."""
    facts = discovery.facts[Side.A.value], discovery.facts[Side.B.value]
    return [
        (solution, suite)
        for solution, suite in chosen
        if solution in hubs and find_suite(hubs[solution].adapter(1), *facts, suite) is not None
    ]


def _offered(discovery: Discovery, chosen: Sequence[tuple[str, str]]) -> list[Candidate]:
    by_key = {(candidate.solution, candidate.suite): candidate for candidate in discovery.candidates}
    unknown = tuple(" ".join(key) for key in chosen if key not in by_key)
    if unknown:
        raise InvalidPlan(CANDIDATES_NOT_OFFERED(candidates=unknown))
    return [by_key[key] for key in chosen]
