"""The state of a comparison and what each change of it means."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from app.discovery.pair_discovery import Discovery
from app.domain.errors import InvalidPlan
from app.domain.hosts import PairSpec
from app.domain.link import Link
from app.domain.messages import mark
from app.domain.profiles import PROFILES, ProfileName
from app.domain.results import CampaignPlan, Candidate
from app.domain.verdicts import Verdict
from app.measurement.messages import HOSTS_NOT_INSPECTED, NOT_OFFERED, NOTHING_TICKED, STEP_COMES_FIRST
from app.measurement.options import RunOptions

DEFAULT_OPTIONS = RunOptions(PROFILES[ProfileName.ADAPTIVE])


class Step(StrEnum):
    """The steps, in order."""

    HOSTS = "hosts"
    LINK = "link"
    CHOOSE = "choose"
    PLAN = "plan"
    RUN = "run"
    RESULTS = "results"

    @property
    def number(self) -> int:
        """From 1."""
        return list(Step).index(self) + 1

    @property
    def word(self) -> str:
        """Its name for users, to be translated."""
        return _WORDS[self]


_WORDS = {
    Step.HOSTS: mark("Hosts"),
    Step.LINK: mark("Link"),
    Step.CHOOSE: mark("Choice"),
    Step.PLAN: mark("Plan"),
    Step.RUN: mark("Run"),
    Step.RESULTS: mark("Results"),
}


@dataclass(frozen=True, slots=True)
class ComparisonState:
    """State of the wizard: what was entered or found so far.

    Attributes:
        pair: The pair, once entered.
        discovery: Facts that were found on it.
        is_link_confirmed: Whether the user has seen and accepted the link.
        chosen: Candidates that are to be measured, as (solution, suite), in the order they are shown.
        is_choice_made: Whether the user has seen and accepted what is chosen.
        options: Profile and limits.
        plan: Made from all that.
        campaign_id: Number of the comparison that ran.
        has_failures: Whether attempts failed in it.
        is_complete: Whether it ran to its end: it was neither cancelled nor interrupted.
    """

    pair: PairSpec | None = None
    discovery: Discovery | None = None
    is_link_confirmed: bool = False
    chosen: tuple[tuple[str, str], ...] = ()
    is_choice_made: bool = False
    options: RunOptions = DEFAULT_OPTIONS
    plan: CampaignPlan | None = None
    campaign_id: int | None = None
    has_failures: bool = False
    is_complete: bool = True


_DEPENDENT: Mapping[Step, tuple[Step, ...]] = {
    Step.HOSTS: (Step.LINK, Step.CHOOSE, Step.PLAN, Step.RUN),
    Step.LINK: (Step.PLAN, Step.RUN),
    Step.CHOOSE: (Step.PLAN, Step.RUN),
    Step.PLAN: (Step.RUN,),
    Step.RUN: (),
    Step.RESULTS: (),
}


@dataclass(frozen=True, slots=True)
class Restored:
    """Outcome of restoring an earlier comparison on hosts that have been inspected.

    Attributes:
        is_any: Whether one of its VPNs is possible there; if none is, the safe defaults are ticked.
        missing: Titles of candidates that are not.
    """

    is_any: bool
    missing: tuple[str, ...]


class ComparisonWizard:
    """Holds the state, says which steps can be entered, and what a change makes invalid.

    Not thread-safe: it belongs to the thread that shows it.
    """

    def __init__(self) -> None:
        self.state = ComparisonState()
        self.current = Step.HOSTS
        self._repeated: CampaignPlan | None = None
        self._restored: Restored | None = None

    def is_done(self, step: Step) -> bool:
        """Whether a step has everything that the next one needs."""
        state = self.state
        return {
            Step.HOSTS: state.discovery is not None,
            Step.LINK: state.discovery is not None and state.is_link_confirmed,
            Step.CHOOSE: state.is_choice_made and bool(state.chosen),
            Step.PLAN: state.plan is not None,
            Step.RUN: state.campaign_id is not None,
            Step.RESULTS: False,
        }[step]

    def can_enter(self, step: Step) -> bool:
        """Whether all steps before this one are done."""
        return all(self.is_done(earlier) for earlier in Step if earlier.number < step.number)

    def enter(self, step: Step) -> None:
        """Go to a step.

        Raises:
            InvalidPlan: An earlier step is not done yet.
        """
        if not self.can_enter(step):
            first = next(earlier for earlier in Step if not self.is_done(earlier))
            raise InvalidPlan(STEP_COMES_FIRST(number=first.number, step=first.word))
        self.current = step

    def invalidated_by_change_in(self, step: Step) -> tuple[Step, ...]:
        """Return the later steps that hold something now and would have to be done again after a change in `step`.

        Another link leaves the choice of candidates as it is; other hosts make everything invalid.
        """
        return tuple(later for later in _DEPENDENT[step] if self.is_done(later))

    def set_discovery(self, discovery: Discovery) -> None:
        """Take what was found; ticks the safe defaults, or the candidates of the comparison that is repeated."""
        kept = self.state.chosen if self.state.pair == discovery.pair else ()
        offered = {(candidate.solution, candidate.suite) for candidate in discovery.candidates}
        chosen = tuple(key for key in kept if key in offered) or discovery.defaults
        is_same = self.state.pair is not None and _are_same_hosts(self.state.pair, discovery.pair)
        options = self.state.options if is_same else replace(self.state.options, may_shape=False)
        self.state = ComparisonState(pair=discovery.pair, discovery=discovery, chosen=chosen, options=options)
        repeated, self._repeated = self._repeated, None
        if repeated is not None and _are_same_hosts(repeated.pair, discovery.pair):
            self._restore(repeated, discovery)

    def repeat(self, plan: CampaignPlan | None) -> None:
        """Restore candidates, profile and limits of a plan as soon as its hosts, or a lab, are found; None: no more."""
        self._repeated, self._restored = plan, None

    def take_restored(self) -> Restored | None:
        """Return what the last `set_discovery` has restored; once, None afterwards and where it was nothing."""
        restored, self._restored = self._restored, None
        return restored

    def _restore(self, plan: CampaignPlan, discovery: Discovery) -> None:
        wanted = {(one.solution, one.suite): one for one in plan.candidates}
        offered = {(one.solution, one.suite) for one in discovery.candidates}
        chosen = tuple(key for key in wanted if key in offered)
        is_any = any(not wanted[key].is_unprotected for key in chosen) or (bool(chosen) and set(chosen) == set(wanted))
        self.state = replace(self.state, chosen=chosen if is_any else self.state.chosen)
        self.restore_options(plan)
        self._restored = Restored(is_any, tuple(one.title for key, one in wanted.items() if key not in offered))

    def restore_options(self, plan: CampaignPlan) -> None:
        """Take what an earlier comparison was planned with; consents to load and shaping are not restored."""
        options = replace(
            self.state.options,
            profile=plan.profile,
            deadline_ms=plan.deadline_ms,
            min_rate_mbit_s=plan.min_rate_mbit_s,
            load_cap_mbit_s=plan.pair.load_cap_mbit_s,
            has_load_consent=False,
            condition=plan.condition,
            may_shape=False,
            workloads=plan.workloads,
            transfer_mb=plan.transfer_mb,
        )
        self.state = replace(self.state, options=options)

    def judge_again(self, discovery: Discovery) -> None:
        """Take the same candidates with other verdicts; the choice is kept, a plan made from it is not."""
        known = self._discovery()
        judged = replace(known, candidates=discovery.candidates, defaults=discovery.defaults)
        self.state = replace(self.state, discovery=judged, plan=None, campaign_id=None)

    def confirm_link(self, link: Link, pair: PairSpec) -> None:
        """Accept (or change) the link."""
        discovery = self._discovery()
        self.state = replace(
            self.state,
            pair=pair,
            discovery=replace(discovery, link=link, pair=pair),
            is_link_confirmed=True,
            plan=None,
            campaign_id=None,
        )

    def choose(self, keys: Iterable[tuple[str, str]]) -> None:
        """Take the ticked candidates, in the order in which they are offered.

        Raises:
            InvalidPlan: Nothing that protects traffic is ticked, or something unknown is.
        """
        wanted = set(keys)
        candidates = self._discovery().candidates
        offered = {(candidate.solution, candidate.suite): candidate for candidate in candidates}
        unknown = wanted - set(offered)
        if unknown:
            raise InvalidPlan(NOT_OFFERED(suites=tuple(sorted(map(" ".join, unknown)))))
        if not wanted:
            raise InvalidPlan(NOTHING_TICKED())
        chosen = tuple(key for key in offered if key in wanted)
        self.state = replace(self.state, chosen=chosen, is_choice_made=True, plan=None, campaign_id=None)

    def risky_choices(self) -> tuple[Candidate, ...]:
        """Return the ticked candidates that may be measured, knowingly, but are not to be deployed."""
        return tuple(
            candidate
            for candidate in self._discovery().candidates
            if (candidate.solution, candidate.suite) in self.state.chosen
            and (candidate.verdict.needs_reason or candidate.verdict is Verdict.INSECURE)
        )

    def rename_pair(self, old: str, new: str) -> None:
        """A stored pair has another name now: results of the comparison are to be stored under that."""
        state = self.state
        if state.pair is None or state.pair.is_lab or state.pair.name != old:
            return
        pair, found, plan = replace(state.pair, name=new), state.discovery, state.plan
        self.state = replace(
            state,
            pair=pair,
            discovery=replace(found, pair=replace(found.pair, name=new)) if found is not None else None,
            plan=replace(plan, pair=replace(plan.pair, name=new)) if plan is not None else None,
        )

    def set_options(self, options: RunOptions) -> None:
        """Take profile and limits."""
        self.state = replace(self.state, options=options, plan=None, campaign_id=None)

    def set_plan(self, plan: CampaignPlan) -> None:
        """Take the plan that was made."""
        self.state = replace(self.state, plan=plan, campaign_id=None)

    def set_campaign(self, campaign_id: int, *, has_failures: bool = False, is_complete: bool = True) -> None:
        """A comparison has run (or was opened from the history)."""
        self.state = replace(self.state, campaign_id=campaign_id, has_failures=has_failures, is_complete=is_complete)

    def forget(self, campaign_ids: Collection[int]) -> None:
        """Comparisons have been deleted; the results step is closed where it shows one of them."""
        if self.state.campaign_id in campaign_ids:
            self.state = replace(self.state, campaign_id=None)
            if self.current is Step.RESULTS:
                self.current = Step.PLAN

    def _discovery(self) -> Discovery:
        if self.state.discovery is None:
            raise InvalidPlan(HOSTS_NOT_INSPECTED())
        return self.state.discovery


def _are_same_hosts(one: PairSpec, other: PairSpec) -> bool:
    """Whether two pairs are the same hosts, or both a practice lab: a lab that was started anew has other ports."""
    if one.is_lab or other.is_lab:
        return one.is_lab and other.is_lab
    places = [(pair.a.address, pair.a.port, pair.b.address, pair.b.port) for pair in (one, other)]
    return places[0] == places[1]
