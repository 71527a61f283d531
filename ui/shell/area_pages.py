"""Makes the pages that are no step of a comparison and ties them to the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.common.page import Page
from ui.shell.page_links import connect_results, open_deploy

if TYPE_CHECKING:
    from app.domain.results import CampaignRecord
    from ui.deployments.task import DeploymentTask
    from ui.shell.navigator import Navigator


def make_page(name: str, window: Navigator) -> Page:
    """Return a new page; the names are those of the makers below."""
    makers = {
        "welcome": _welcome,
        "history": _history,
        "past": _past,
        "changes": _changes,
        "candidate": _candidate,
        "census": _census,
        "lint": _lint,
        "studies": _studies,
        "deploy": _deploy,
        "deployments": _deployments_page,
    }
    return makers[name](window)


def _welcome(window: Navigator) -> Page:
    from ui.shell.welcome import WelcomePage

    page = WelcomePage(window.context)
    page.lab_chosen.connect(window.begin_with_lab)
    page.hosts_chosen.connect(window.begin_with_hosts)
    page.history_chosen.connect(lambda: window.show_area("history"))
    page.lint_chosen.connect(lambda: window.show_area("lint"))
    page.resume_chosen.connect(window.resume_pair)
    return page


def _history(window: Navigator) -> Page:
    from app.domain.history import EntryKind
    from ui.results.history_page import HistoryPage

    page = HistoryPage(window.context)
    page.opened.connect(window.show_past)
    page.compare_asked.connect(lambda numbers: _open(window, "changes", *numbers))
    page.census_opened.connect(lambda number: _open(window, "census", number))
    page.deployment_opened.connect(lambda pair, which: _open(window, "deployments", pair, which))
    page.deleted.connect(
        lambda ids: window.wizard.forget({one.number for one in ids if one.kind is EntryKind.COMPARISON})
    )
    page.lab_chosen.connect(window.begin_with_lab)
    return page


def _open(window: Navigator, name: str, *wanted: int | str) -> None:
    """Show what an entry of the history is about; Back leads to the history."""
    page = window.area_page(name)
    page.origin = window.area_page("history")
    page.want(*wanted)  # type: ignore[attr-defined]
    window.show_area(name)


def _past(window: Navigator) -> Page:
    from ui.results.history_page import PastResultsPage

    page = PastResultsPage(window.context)
    connect_results(page, window)
    return page


def _changes(window: Navigator) -> Page:
    from ui.results.changes_page import ChangesPage

    page = ChangesPage(window.context)
    page.opened.connect(window.show_past)
    return page


def _candidate(window: Navigator) -> Page:
    from ui.results.candidate_page import CandidatePage
    from ui.results.results_page import ResultsPage

    page = CandidatePage(window.context)
    page.deploy_asked.connect(lambda wanted: open_deploy(window, wanted, page))
    page.remedy_asked.connect(window.go)

    def again(record: CampaignRecord) -> None:
        if isinstance(page.origin, ResultsPage):
            page.origin.again_asked.emit(record)

    page.again_asked.connect(again)
    return page


def _census(window: Navigator) -> Page:
    from ui.census.census_page import CensusPage

    page = CensusPage(window.context)
    page.lab_chosen.connect(window.begin_with_lab)
    return page


def _lint(window: Navigator) -> Page:
    from ui.lint.lint_page import LintPage

    return LintPage(window.context)


def _studies(window: Navigator) -> Page:
    from ui.shell.study_run import run_study
    from ui.studies.studies_page import StudiesPage

    page = StudiesPage(window.context)
    page.comparison_asked.connect(lambda wanted: run_study(window, page, wanted))
    page.results_asked.connect(window.show_past)
    return page


def _deploy(window: Navigator) -> Page:
    from ui.deployments.deploy_page import DeployPage

    page = DeployPage(window.context)
    page.lab_chosen.connect(window.begin_with_lab)
    page.deployments_asked.connect(lambda: window.show_area("deployments"))
    page.attention_wanted.connect(lambda: window.show_area("deploy"))
    return page


def _deployments_page(window: Navigator) -> Page:
    from ui.deployments.deployments_page import DeploymentsPage

    page = DeploymentsPage(window.context)
    page.deploy_asked.connect(lambda: window.show_area("deploy"))
    page.replace_asked.connect(lambda wanted: open_deploy(window, wanted, page))

    def begin(task: DeploymentTask) -> None:
        window.deploy.origin = page
        window.show_area("deploy")
        window.deploy.begin(task)

    def begin_beside(task: DeploymentTask) -> None:
        window.deploy.origin = page
        window.deploy.begin(task)

    page.task_asked.connect(begin)
    page.repair_begun.connect(begin_beside)
    page.repairs.may_begin = lambda: not window.is_rolling and window.current is not window.deploy
    window.deploy.changed.connect(page.on_deployment_changed)
    page.watcher.is_being_changed = lambda name: window.is_rolling and window.deploy.is_changing(name)
    return page
