"""Studies that a comparison measures again: chosen, begun, shown beside own figures, also from the history."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import fake_services
import pytest
import shiboken6
from fake_studies import study_models, study_record, with_files
from layout_checks import layout_faults
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTableWidget
from pytestqt.qtbot import QtBot
from window_driver import Driver

from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.hosts import PairSpec
from app.domain.progress import ProgressSink
from app.domain.results import CampaignRecord, CampaignStatus
from app.ranking.comparison_study import Figures, comparison_studies
from app.ranking.own_study_figures import compared_orders
from app.ranking.published import IPSEC_TLS
from app.ranking.repeated_study import RepeatedStudy
from ui.common.heat_maps import HeatMaps
from ui.common.theme import Theme
from ui.comparison.run_page import RunPage
from ui.results.history_page import PastResultsPage
from ui.results.study_tab import StudyTab
from ui.studies.comparison_dialog import ComparisonStudyDialog
from ui.studies.studies_page import StudiesPage

STUDY = comparison_studies()[IPSEC_TLS]
SLOWEST = STUDY.candidate[2]


def chosen(driver: Driver, study: str = IPSEC_TLS) -> StudiesPage:
    """Show a study."""
    driver.window.show_area("studies")
    page = driver.page(StudiesPage)
    page.studies.setCurrentText(study)
    driver.idle()
    return page


def column(table: QTableWidget, nth: int) -> list[str]:
    return [cast("str", table.item(row, nth).text()) for row in range(table.rowCount())]


@pytest.fixture
def hosts_of_the_study(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the hosts have all candidates but the last one, and comparisons move files."""
    models = study_models(STUDY)
    monkeypatch.setattr(fake_services, "_MODELS", {**fake_services._MODELS, **models})
    candidates = tuple(one.candidate for one in list(models.values())[:-1])
    services, discover, record = driver.services, driver.services.discover, driver.services._record

    def found(pair: PairSpec, *, token: CancelToken, on_progress: ProgressSink) -> Discovery:
        return replace(discover(pair, token=token, on_progress=on_progress), candidates=candidates)

    def stored(number: int, plan: object, attempts: tuple[object, ...], status: CampaignStatus) -> CampaignRecord:
        return record(number, plan, with_files(attempts, STUDY), status)  # type: ignore[arg-type]

    monkeypatch.setattr(services, "discover", found)
    monkeypatch.setattr(services, "_record", stored)


def test_before_any_run_it_says_what_it_is_and_shows_what_is_published(driver: Driver) -> None:
    page = chosen(driver)
    panel = page.panel
    assert panel.isVisible()
    assert not page.tabs.isVisible()
    assert not page.report.isVisible()
    assert column(panel.parts, 0) == [one.name for one in STUDY.part]
    assert column(panel.candidates, 0) == [one.label for one in STUDY.candidate]
    assert STUDY.citation in panel.source.text()
    assert panel.notes.text().count("\n") == len(STUDY.notes) - 1
    assert not panel.runs.isEnabled()
    assert not panel.open.isEnabled()
    panel.tabs.setCurrentIndex(1)
    driver.lay_out()
    table = panel.figures.table
    assert column(table, 3)[:2] == ["14.0", "18.0"]
    assert table.isColumnHidden(2), "no own figures"
    panel.tabs.setCurrentWidget(panel.maps)
    driver.lay_out()
    assert panel.maps.view.choice.count() == len(STUDY.figure) * len(STUDY.way)
    assert not panel.maps.view.own.isVisible(), "the published map alone"
    assert panel.maps.view.published.isVisible()
    assert layout_faults(driver.window) == []
    panel.tabs.setCurrentIndex(2)
    driver.lay_out()
    assert layout_faults(driver.window) == []
    page.studies.setCurrentIndex(0)
    assert page.tabs.isVisible()


def test_places_are_shown_where_a_study_publishes_no_figures(driver: Driver) -> None:
    panel = chosen(driver, "industrial-2019").panel
    panel.tabs.setCurrentIndex(2)
    words = "\n".join(one.text() for one in panel.orders.findChildren(type(panel.source)))
    assert "Published: 1 MACsec; 2 Wireguard; 3 OpenVPN, Freelan, SSH." in words
    assert panel.figures.table.isColumnHidden(3), "no published figures"
    driver.lay_out()
    assert layout_faults(driver.window) == []
    panel.tabs.setCurrentWidget(panel.maps)
    panel.maps.view.choice.setCurrentText("Weighted latency: Xeon Server")
    driver.lay_out()
    shown = {panel.maps.view.published.item(row, column).text() for row in range(6) for column in range(1, 7)}
    assert shown == {"", "+", "−", "="}
    assert "states places alone" in panel.maps.view.lines.text()
    heard = panel.maps.view.published.item(0, 2).data(Qt.ItemDataRole.AccessibleTextRole)
    assert heard == "IPsec AES-128 is ahead of OpenVPN AES-128-CBC"
    assert layout_faults(driver.window) == []


def test_mean_ranks_of_the_study_of_2004_are_shown_with_the_ranks_they_are_made_of(driver: Driver) -> None:
    page = chosen(driver, "oslv-2004")
    tabs, study = page.panel.tabs, comparison_studies()["oslv-2004"]
    nth = [tabs.tabText(one) for one in range(tabs.count())].index("Mean ranks")
    assert not tabs.isTabVisible(nth), "nothing is measured"
    figures: Figures = {one.name: 2.0 for one in study.figure}
    keys = [(one.solution, one.suite) for one in study.candidate if one.solution in ("pptp", "tinc")]
    own = {(*key, "both"): figures for key in keys}
    found = RepeatedStudy(study, own, compared_orders(study, own))
    page.panel.show_figures(found)
    assert tabs.isTabVisible(nth)
    tabs.setCurrentIndex(nth)
    driver.lay_out()
    (table,) = page.panel.ranks.tables.tables
    assert table.isVisible()
    assert [column(table, at) for at in (0, 1)] == [["Tinc", "PPTP"], ["1.33", "1.67"]]
    first = [column(table, at)[0] for at in range(2, table.columnCount())]
    assert first == [*("1.5" for _ in study.figure), "1.0", "1.0"]
    assert layout_faults(driver.window) == []
    tab = StudyTab(page.context.theme, found)
    assert column(tab.ranks.tables.tables[0], 0) == ["Tinc", "PPTP"]
    assert tab.isAncestorOf(tab.ranks), "the results of the comparison have them, too"
    assert tab.isAncestorOf(tab.maps), "without any, they end with the tab as well"
    tab.deleteLater()
    page.studies.setCurrentText(IPSEC_TLS)
    driver.idle()
    assert not tabs.isTabVisible(nth)


def test_it_is_measured_by_a_comparison_and_then_shown_beside_the_published_figures(
    driver: Driver, hosts_of_the_study: None
) -> None:
    page = chosen(driver)
    driver.click(page.begin)
    dialog = driver.dialog()
    assert isinstance(dialog, ComparisonStudyDialog)
    assert not dialog.fresh.isVisible()
    assert "min" in dialog.estimate.text()
    driver.services.holds_after = 3  # the page of the run may come later than the end of a comparison
    dialog.accept()
    driver.until(lambda: isinstance(driver.window.current, RunPage))
    assert "repeats ipsec-tls-2011, part quick" in driver.window.current.notice.text
    driver.services.holds_after = None
    driver.until(lambda: not driver.window.is_measuring)
    driver.idle()
    (record,) = driver.services.records.values()
    assert (record.plan.seed, record.plan.workloads) == (STUDY.seed, STUDY.workloads)
    assert len(record.plan.candidates) == len(STUDY.candidate) - 1
    page = chosen(driver)
    assert page.panel.run == record.campaign_id
    assert page.panel.runs.currentText().startswith(f"Comparison {record.campaign_id}: quick, lab:practice, ")
    driver.until(lambda: not page.panel.figures.table.isColumnHidden(2))
    assert STUDY.candidate[-1].label in page.panel.figures.left_out.text()


def test_a_run_of_the_history_is_shown_beside_the_study(driver: Driver) -> None:
    driver.services.records[7] = study_record(STUDY)
    page = chosen(driver)
    driver.idle()
    table = page.panel.figures.table
    nth = next(row for row in range(table.rowCount()) if column(table, 0)[row] == SLOWEST.label)
    assert (column(table, 6)[nth], column(table, 7)[nth]) != (column(table, 7)[nth], column(table, 6)[nth])
    assert column(table, 6)[0] == column(table, 7)[0] == "1"
    page.panel.tabs.setCurrentWidget(page.panel.maps)
    driver.lay_out()
    maps, slowest = page.panel.maps.view, STUDY.candidate.index(SLOWEST)
    assert maps.own.isVisible()
    assert maps.own.item(slowest, 5).text().endswith("*")
    assert f"{slowest + 1} {SLOWEST.label}" in maps.lines.text()
    assert maps.lines.text().startswith("Rank correlation: 0.")
    for width_px in (1024, 1920, 1024):
        driver.window.resize(width_px, 700)
        driver.lay_out()
        driver.idle()
        if width_px == 1024:
            driver.until(lambda: maps.published.y() > maps.own.geometry().bottom())
            driver.until(lambda: maps.lines.y() > maps.published.geometry().bottom())
            driver.until(lambda: page.panel.maps.horizontalScrollBar().maximum() == 0)
        else:
            driver.until(lambda: maps.published.y() == maps.own.y())
    driver.click(page.panel.open)
    past = driver.page(PastResultsPage)
    tab = past.tabs.study
    assert tab is not None
    assert past.tabs.tabText(past.tabs.indexOf(tab)) == "Study"
    words = "\n".join(one.text() for one in tab.orders.findChildren(type(past.what)))
    assert "pairs have the published order. Rank correlation: 0." in words
    maps = tab.maps
    assert maps.choice.count() == len(STUDY.figure) * len(STUDY.way)
    assert not maps.own.isHidden()
    assert maps.lines.text().startswith("Rank correlation: 0.")
    assert f"{SLOWEST.label} A→B and " in words or f" and {SLOWEST.label} A→B" in words


def test_an_interrupted_run_goes_on_unless_it_is_begun_anew(driver: Driver, hosts_of_the_study: None) -> None:
    stopped = replace(study_record(STUDY), status=CampaignStatus.INTERRUPTED)
    driver.services.records[7] = stopped
    page = chosen(driver)
    driver.click(page.begin)
    dialog = driver.dialog()
    assert isinstance(dialog, ComparisonStudyDialog)
    assert dialog.fresh.isVisible()
    dialog.reject()


def test_other_comparisons_have_no_tab_of_a_study(driver: Driver) -> None:
    driver.compare()
    driver.idle()
    assert driver.window.results.tabs.study is None


def test_nothing_else_begins_while_the_hosts_are_inspected(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    def hangs(_pair: PairSpec, *, token: CancelToken, on_progress: ProgressSink) -> Discovery:
        token.sleep(60.0)
        raise AssertionError("not cancelled")

    monkeypatch.setattr(driver.services, "discover", hangs)
    page = chosen(driver)
    driver.click(page.begin)
    driver.dialog().accept()
    driver.until(page.busy.isVisible)
    assert not page.begin.isEnabled()
    assert not page.studies.isEnabled()
    page.cancel()
    driver.until(page.begin.isEnabled)
    assert page.studies.isEnabled()


def test_maps_whose_page_is_being_deleted_are_not_arranged(qtbot: QtBot, theme: Theme) -> None:
    page = HeatMaps(theme)
    view = page.view
    view.setParent(None)
    qtbot.addWidget(view)
    shiboken6.delete(page)
    view.arrange()
