"""Measuring again: the hosts of an earlier comparison, its candidates, profile and limits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.discovery.pair_discovery import Discovery
from app.domain.hosts import HostSpec, PairSpec
from app.domain.profiles import Profile
from app.domain.results import CampaignPlan, CampaignRecord
from app.measurement.wizard import Step
from app.wording.titles import local_title
from ui.common.texts import tr

if TYPE_CHECKING:
    from ui.shell.navigator import Navigator


def measure_again(
    window: Navigator, record: CampaignRecord, *, is_lab_gone: bool = False, profile: Profile | None = None
) -> None:
    """Inspect the hosts of a comparison, or a new lab of its kind, and go to the plan with everything restored.

    Args:
        is_lab_gone: Whether its practice lab has ended.
        profile: Instead of the comparison's own one.
    """
    wizard, pair = window.wizard, record.plan.pair
    if shows_running(window):
        return
    state = wizard.state
    wizard.repeat(record.plan if profile is None else replace(record.plan, profile=profile))
    if is_lab_gone:
        window.go(Step.HOSTS)
        window.hosts.use_lab(like=record)
    elif state.discovery is not None and state.pair is not None and _hosts(state.pair) == _hosts(pair):
        known = replace(state.pair, load_cap_mbit_s=pair.load_cap_mbit_s)
        wizard.set_discovery(replace(state.discovery, pair=known))
        if state.is_link_confirmed and not _is_looser(known.load_cap_mbit_s, state.pair.load_cap_mbit_s):
            wizard.confirm_link(state.discovery.link, known)
            wizard.set_options(replace(wizard.state.options, has_load_consent=state.options.has_load_consent))
        go_on(window)
    else:
        window.go(Step.HOSTS)
        window.hosts.show_pair(pair)
        window.hosts.discover()


def shows_running(window: Navigator) -> bool:
    """Show the comparison that is running, if there is one: it has to end before another one begins."""
    if window.is_measuring:
        window.go(Step.RUN)
        window.show_status(tr("A comparison is running: cancel it before starting another."))
    return window.is_measuring


def run_plan(window: Navigator, found: Discovery, plan: CampaignPlan, resume_id: int | None) -> None:
    """Measure what was planned before, with the candidates of the wizard.

    Args:
        resume_id: Number of the comparison that goes on; None for a new one.
    """
    window.wizard.set_plan(plan)
    window.wizard.enter(Step.RUN)
    window.run_page.begin(found, plan, resume_id)
    window.show_page(window.run_page)


def _is_looser(cap_mbit_s: float | None, former_mbit_s: float | None) -> bool:
    """Whether a cap lets more load through than the one that consent was given for; None is no cap."""
    if former_mbit_s is None:
        return False
    return cap_mbit_s is None or cap_mbit_s > former_mbit_s


def _hosts(pair: PairSpec) -> tuple[HostSpec, HostSpec, str, str]:
    return pair.a, pair.b, pair.underlay_a, pair.underlay_b


def go_on(window: Navigator) -> None:
    """Go to the first step that still needs the user, once the hosts of a repeated comparison have been inspected."""
    from ui.comparison.plan_page import PlanPage

    wizard = window.wizard
    restored, found = wizard.take_restored(), wizard.state.discovery
    if restored is None or found is None:
        return
    if found.pair.is_lab and not wizard.state.is_link_confirmed:  # no consent to load is needed there
        wizard.confirm_link(found.link, found.pair)
    if restored.is_any:
        wizard.choose(wizard.state.chosen)
    plan = window.step_page(Step.PLAN)
    if isinstance(plan, PlanPage):
        plan.restore_options()
    step = next(one for one in (Step.LINK, Step.CHOOSE, Step.PLAN) if one is Step.PLAN or not wizard.is_done(one))
    window.go(step)
    if window.current is window.step_page(step):
        missing = tr("Not possible on these hosts now: %1.").replace(
            "%1", "; ".join(map(local_title, restored.missing))
        )
        window.current.notice.show_message(
            "caution" if restored.missing else "info",
            tr("Candidates, profile, limits, link condition and workloads are those of the earlier comparison.")
            if restored.is_any
            else tr("None of the candidates of the earlier comparison is possible on these hosts now."),
            missing if restored.missing else "",
        )
