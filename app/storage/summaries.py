"""Rows of lists of stored things, without their samples."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.domain.conditions import AS_FOUND
from app.domain.history import Winner
from app.domain.profiles import Profile, ProfileName
from app.domain.results import CampaignPlan, CampaignStatus


@dataclass(frozen=True, slots=True)
class CampaignSummary:
    """One line of a list of campaigns.

    Attributes:
        campaign_id: Number in the database.
        pair: Name of the pair.
        profile: How thoroughly.
        status: Its status.
        started_at: UTC.
        ended_at: UTC; None while it is running, or where no process was left to write it down.
        attempts_done: Attempts that completed, failed or were skipped: those that resuming would not make again.
        attempts_planned: Attempts in the plan.
        vpns_measured: VPNs with at least one completed attempt; the baseline is none.
        vpns_planned: VPNs in the plan.
        candidates: Titles of what was compared, in the plan's order.
        message: What happened where it did not complete.
        vpns_failed: VPNs without a completed attempt, of which one failed.
        note: Note of the user.
        winner: Recommended VPN; None until it was ranked for a list.
        condition: Name of the condition of the link.
    """

    campaign_id: int
    pair: str
    profile: ProfileName
    status: CampaignStatus
    started_at: datetime
    ended_at: datetime | None
    attempts_done: int
    attempts_planned: int
    vpns_measured: int
    vpns_planned: int
    candidates: tuple[str, ...]
    message: str = ""
    vpns_failed: int = 0
    note: str = ""
    winner: Winner | None = None
    condition: str = AS_FOUND


@dataclass(frozen=True, slots=True)
class PlanSummary:
    """Plan of a stored comparison, as far as it tells one from another.

    Attributes:
        campaign_id: Number in the database.
        pair: Name of the pair.
        status: Its status.
        started_at: UTC.
        profile: How thoroughly.
        candidates: Solutions and suites.
        workloads: Names of its workloads.
        seed: Of the order of its candidates.
        has_condition: Whether it was under a condition of the link.
    """

    campaign_id: int
    pair: str
    status: CampaignStatus
    started_at: datetime
    profile: Profile
    candidates: tuple[tuple[str, str], ...]
    workloads: tuple[str, ...]
    seed: int
    has_condition: bool

    def is_like(self, plan: CampaignPlan) -> bool:
        """Return whether it has the profile, candidates, workloads and seed of a plan, and a condition as that has."""
        candidates = tuple((one.solution, one.suite) for one in plan.candidates)
        own = (self.profile, self.candidates, self.workloads, self.seed, self.has_condition)
        return own == (plan.profile, candidates, plan.workloads, plan.seed, plan.condition is not None)


@dataclass(frozen=True, slots=True)
class CensusSummary:
    """One line of a list of censuses.

    Attributes:
        census_id: Number in the database.
        pair: Name of the pair.
        started_at: UTC.
        is_complete: Whether every option has a result.
        is_running: Whether a living process runs it.
        options: Options in the plan.
        tried: Options that were tried.
        failed: Options that do not work.
        pings: Echo requests for each option.
        note: Note of the user.
    """

    census_id: int
    pair: str
    started_at: datetime
    is_complete: bool
    is_running: bool
    options: int
    tried: int
    failed: int
    pings: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class MeanDurations:
    """Average duration of the completed attempts of one solution.

    Attributes:
        attempts: Over how many.
        setup_s: Seconds to build the tunnel.
        probe_s: Seconds that the probes took.
        cleanup_s: Seconds to restore both hosts.
    """

    attempts: int
    setup_s: float
    probe_s: float
    cleanup_s: float
