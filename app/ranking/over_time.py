"""All comparisons of a pair in the order of time: latencies, and what else changed from one to the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from app.domain.conditions import name_of
from app.domain.ranking import Estimate, Ranking
from app.domain.results import CampaignRecord, CandidateId
from app.ranking.compared_settings import ComparedSetting, changed_settings


@dataclass(frozen=True, slots=True)
class PastComparison:
    """Comparison among others of its pair.

    Attributes:
        campaign_id: Its number.
        at: When it began, UTC.
        latencies: Weighted latency in ms of each candidate that has one.
        profile: Name of its profile.
        condition: Name of the condition that the link was under.
        changed: Versions, hosts and conditions that differ from the comparison before it; empty for the first one.
    """

    campaign_id: int
    at: datetime
    latencies: Mapping[CandidateId, Estimate]
    profile: str
    condition: str
    changed: tuple[ComparedSetting, ...]


def over_time(found: Iterable[tuple[CampaignRecord, Ranking]]) -> tuple[PastComparison, ...]:
    """Return comparisons of one pair, the oldest first.

    Args:
        found: The comparisons with their rankings, in any order.
    """
    ordered = sorted(found, key=lambda one: one[0].started_at)
    past: list[PastComparison] = []
    former: CampaignRecord | None = None
    for record, ranking in ordered:
        latencies = {
            (one.solution, one.suite): one.weighted_latency_ms
            for one in ranking.results
            if one.weighted_latency_ms is not None
        }
        changed = tuple(changed_settings(former, record)) if former is not None else ()
        names = record.plan.profile.name.value, name_of(record.plan.condition)
        past.append(PastComparison(record.campaign_id, record.started_at, latencies, *names, changed))
        former = record
    return tuple(past)
