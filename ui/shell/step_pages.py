"""Makes the pages of the steps and ties them to the window."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.measurement.wizard import Step
from ui.common.dialogs import Question
from ui.common.page import Page
from ui.common.texts import tr
from ui.results.results_page import ResultsPage
from ui.shell.measure_again import go_on, shows_running
from ui.shell.page_links import connect_results
from ui.shell.step_list import step_names

if TYPE_CHECKING:
    from ui.shell.navigator import Navigator


def make_page(
    step: Step, window: Navigator, show_pairs: Callable[[], object], refresh_offer: Callable[[], None]
) -> Page:
    """Return a new page for a step.

    Args:
        show_pairs: Shows the dialog of stored pairs.
        refresh_offer: Offers on the first page what can be resumed by now.
    """
    context = window.context
    match step:
        case Step.HOSTS:
            from ui.comparison.hosts_page import HostsPage

            hosts = HostsPage(context)
            hosts.pairs_asked.connect(show_pairs)
            hosts.changed.connect(lambda: go_on(window))
            hosts.may_take = lambda: not window.is_measuring
            return hosts
        case Step.LINK:
            from ui.comparison.link_page import LinkPage

            return LinkPage(context)
        case Step.CHOOSE:
            from ui.comparison.candidates_page import CandidatesPage

            choice = CandidatesPage(context)
            choice.hosts_asked.connect(lambda: window.go(Step.HOSTS))
            return choice
        case Step.PLAN:
            from ui.comparison.plan_page import PlanPage

            return PlanPage(context)
        case Step.RUN:
            from ui.comparison.run_page import RunPage

            run = RunPage(context)
            run.remedy_asked.connect(window.go)
            run.running_changed.connect(refresh_offer)
            return run
        case Step.RESULTS:
            results = ResultsPage(context)
            connect_results(results, window)
            return results


def begin_new(window: Navigator, then: Callable[[], None]) -> None:
    """Begin a new comparison, unless one is running."""
    if shows_running(window):
        return
    window.wizard.repeat(None)
    window.go(Step.HOSTS)
    then()


def confirm_change(window: Navigator, invalid: tuple[Step, ...], take: Callable[[], None]) -> None:
    """Take a change; ask before where settings of later steps would be lost that no finished comparison keeps."""
    is_kept = window.wizard.state.campaign_id is not None
    if is_kept or not {Step.LINK, Step.CHOOSE} & set(invalid):
        take()
        return
    names = ", ".join(f"{step.number} {step_names()[step]}" for step in invalid)
    Question(
        window,
        tr("Later steps must be repeated"),
        tr("Repeat: %1. Measured comparisons remain in the history.", names),
        tr("Change"),
        tr("Cancel"),
        "warning",
    ).ask(take)
