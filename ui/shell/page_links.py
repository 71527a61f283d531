"""Links between pages: to a candidate, to a deployment, from results to all that follows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.common.page import Page

if TYPE_CHECKING:
    from ui.common.candidate_rows import Key
    from ui.common.deployment_preset import Wanted
    from ui.results.results_page import ResultsPage
    from ui.shell.navigator import Navigator


def open_deploy(window: Navigator, wanted: Wanted, origin: Page | None = None) -> None:
    """Show the deploy page with its fields filled in; Back returns to the page that asked for it."""
    page = window.deploy
    page.origin = origin
    page.want(wanted)
    window.show_area("deploy")


def open_candidate(window: Navigator, results: ResultsPage, key: Key) -> None:
    """Show the page of a candidate; Back leads to the results."""
    from ui.results.candidate_page import CandidatePage
    from ui.results.history_page import PastResultsPage

    page = window.area_page("candidate")
    if results.data is None or not isinstance(page, CandidatePage):
        return
    page.origin = results
    is_current = not isinstance(results, PastResultsPage)
    page.show_candidate(results.data, key, is_current=is_current, may_deploy=results.may_deploy(key))
    window.show_page(page)


def connect_results(page: ResultsPage, window: Navigator) -> None:
    """Let the buttons of a results page move the window."""
    from ui.shell.measure_again import measure_again

    page.candidate_asked.connect(lambda key: open_candidate(window, page, key))
    page.again_asked.connect(lambda record: measure_again(window, record, is_lab_gone=page.is_lab_gone))
    page.deciding_asked.connect(
        lambda record, profile: measure_again(window, record, is_lab_gone=page.is_lab_gone, profile=profile)
    )
    page.resume_asked.connect(lambda record: window.resume_pair(record.plan.pair.name, record.campaign_id))
    page.deploy_asked.connect(lambda wanted: open_deploy(window, wanted, page))
    history = window.area_page("history")
    history.note_changed.connect(page.take_note)  # type: ignore[attr-defined]
    history.deleted.connect(page.forget)  # type: ignore[attr-defined]
    page.note.saved.connect(history.note_changed)  # type: ignore[attr-defined]
