"""Pages in a small window: plots are whole, and names can be read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from dialog_tour import settle
from history_driver import fill_history
from layout_checks import layout_faults
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QStyleOptionViewItem
from sample_records import MODELS, sample_record
from window_driver import Driver

from app.domain.results import AttemptStatus, CampaignStatus
from app.measurement.wizard import Step
from ui.comparison.candidates_page import CandidatesPage
from ui.comparison.plan_page import PlanPage
from ui.results.history_order import WINNER
from ui.results.history_page import HistoryPage
from ui.results.ranking_order import RATIO

SIZES = [(1024, 700), pytest.param((1280, 800), marks=pytest.mark.full)]
_LEAST_PLOT_PX = 140


@pytest.mark.parametrize("size", SIZES)
def test_every_tab_of_the_results_is_whole_beside_the_ranking(driver: Driver, size: tuple[int, int]) -> None:
    window = driver.window
    window.resize(*size)
    driver.compare()
    driver.idle()
    page = window.results
    for nth in range(page.tabs.count()):
        page.tabs.setCurrentIndex(nth)
        settle()
        view = page.tabs.window()
        tabs = QRect(page.tabs.mapTo(view, QPoint(0, 0)), page.tabs.size())
        assert tabs.bottom() < window.footer.mapTo(view, QPoint(0, 0)).y(), page.tabs.tabText(nth)
        table = QRect(page.table.mapTo(view, QPoint(0, 0)), page.table.size())
        assert table.top() > page.title.mapTo(view, QPoint(0, 0)).y(), "the ranking is in sight as well"
        assert page.table.viewport().height() >= 2 * page.table.rowHeight(0)
    for plot in (page.tabs.latency, page.tabs.cdf, page.tabs.throughput, page.tabs.frontier, page.tabs.cpu):
        assert plot.height() >= _LEAST_PLOT_PX, plot.name


@pytest.mark.parametrize("size", SIZES)
def test_no_line_of_the_ranking_is_cut_and_no_button_moves_with_the_selected_line(
    driver: Driver, size: tuple[int, int], tmp_path: Path
) -> None:
    window = driver.window
    window.resize(*size)
    driver.compare()
    driver.idle()
    page = window.results
    for has_banner in (False, True):
        if has_banner:
            page.show_written(tmp_path / "report.html")
            assert page.notice._close.isVisible(), "its buttons are a help, no way on"
        settle()
        lines, rest = divmod(page.table.viewport().height(), page.table.rowHeight(0))
        assert lines >= 3
        assert rest <= 6, "a frame's width, and no part of a line"
    places = set()
    for row in range(page.table.rowCount()):
        page.table.setCurrentCell(row, 0)
        settle()
        places.add((page.report.mapTo(window, QPoint(0, 0)).x(), page.again.mapTo(window, QPoint(0, 0)).x()))
    assert len(places) == 1


@pytest.mark.parametrize("is_gone", [False, True])
def test_the_recommendation_remains_in_sight_in_a_low_window(driver: Driver, is_gone: bool) -> None:
    window = driver.window
    window.resize(1024, 680)
    driver.compare()
    driver.idle()
    page = window.results
    if is_gone:
        record = page.data.record
        left = tuple(replace(one, status=AttemptStatus.NOT_RUN) for one in record.attempts[1:])
        driver.services.records[1] = replace(
            record, status=CampaignStatus.CANCELLED, attempts=(record.attempts[0], *left)
        )
        driver.services.labs_gone = {1}
        page.data = None
        page.show_campaign(1)
        driver.idle()
        assert "has ended" in page.notice.text
    settle()
    assert page.table.viewport().visibleRegion().boundingRect().height() >= 2 * page.table.rowHeight(0)
    page.tabs.setCurrentIndex(3)
    page.table.setFocus()
    settle()
    sentence = page.sentence.sentence
    assert sentence.visibleRegion().boundingRect().height() == sentence.height()


def test_candidates_of_several_rounds_can_be_distinguished_in_the_ranking(driver: Driver) -> None:
    fill_history(driver)
    driver.window.resize(1280, 800)
    driver.window.show_past(2)
    driver.idle()
    settle()
    assert not [fault for fault in layout_faults(driver.window) if "look alike" in fault]
    assert not driver.window.past.table.isColumnHidden(RATIO)


@pytest.mark.parametrize("doubt", ["", "Other work kept 92 % of gateway-a's CPU busy."])
def test_ratios_with_their_intervals_have_room_in_the_ranking_of_a_small_window(driver: Driver, doubt: str) -> None:
    fill_history(driver)
    record = sample_record(rounds=3, pings=10, models=MODELS[:5])
    doubted = tuple(replace(one, doubts=(doubt,) if doubt else ()) for one in record.attempts)
    driver.services.records[2] = replace(record, campaign_id=2, attempts=doubted)
    driver.window.resize(1024, 700)
    driver.window.show_past(2)
    driver.idle()
    settle()
    table = driver.window.past.table
    assert not table.isColumnHidden(RATIO)
    assert any("(" in table.item(row, RATIO).text() for row in range(table.rowCount()))
    assert table.sizeHintForColumn(RATIO) <= table.columnWidth(RATIO)
    assert table.horizontalScrollBar().maximum() == 0


def test_steps_and_menu_have_their_words_in_a_narrow_window(driver: Driver) -> None:
    driver.inspect_hosts()
    for width in (1024, 1280):
        driver.window.resize(width, 700)
        settle()
        words = [entry.text().split()[-1] for entry in driver.window.steps.buttons.values()]
        assert words == ["Hosts", "Link", "Choice", "Plan", "Run", "Results"]
        assert driver.window.top.menu.text() == "Menu"
        assert layout_faults(driver.window) == []


@pytest.mark.parametrize("size", SIZES)
def test_no_name_of_the_choice_is_shortened(driver: Driver, size: tuple[int, int]) -> None:
    driver.window.resize(*size)
    driver.go_to(Step.CHOOSE)
    driver.idle()
    settle()
    page = driver.page(CandidatesPage)
    assert page.tree.sizeHintForColumn(0) <= page.tree.columnWidth(0)
    assert page.guidelines.summary.text().startswith("3 guidelines apply: "), "however much of their names is shown"


def test_filter_without_hits_says_so_and_returns(driver: Driver) -> None:
    fill_history(driver)
    driver.window.show_area("history")
    page = driver.page(HistoryPage)
    assert (page.table.isVisible(), page.nothing.isVisible(), page.every.isVisible()) == (True, False, False)
    page.search.setText("nothing of the kind")
    assert (page.table.isVisible(), page.nothing.isVisible(), page.every.isVisible()) == (False, True, True)
    driver.click(page.every)
    assert page.search.text() == ""
    assert (page.table.isVisible(), page.nothing.isVisible(), page.every.isVisible()) == (True, False, False)
    assert len(page.table.shown) == len(page.table.entries)


@pytest.mark.parametrize("size", SIZES)
def test_empty_history_is_up_together(driver: Driver, size: tuple[int, int]) -> None:
    driver.window.resize(*size)
    driver.window.show_area("history")
    page = driver.page(HistoryPage)
    settle()
    shown = [page.title, page.notice]
    assert all(widget.isVisible() for widget in shown)
    assert not page.table.isVisible()
    assert page.notice.geometry().top() - page.title.geometry().bottom() < 64


def test_every_candidate_of_the_plan_is_in_a_list_that_does_not_scroll_by_itself(driver: Driver) -> None:
    driver.window.resize(1024, 700)
    driver.go_to(Step.PLAN)
    driver.idle()
    settle()
    candidates = driver.window.step_page(Step.PLAN).candidates  # type: ignore[attr-defined]
    assert candidates.count() > 2
    assert candidates.verticalScrollBar().maximum() == 0


def test_the_plan_says_beside_files_and_commands_which_candidate_they_are_of(driver: Driver) -> None:
    driver.window.resize(1024, 700)
    driver.go_to(Step.PLAN)
    driver.idle()
    settle()
    page = driver.window.step_page(Step.PLAN)
    assert isinstance(page, PlanPage)
    for row in range(page.candidates.count()):
        page.candidates.setCurrentRow(row)
        driver.idle()
        title = page.candidates.item(row).text().split("\n", 1)[0]
        assert page.code_title.text() == f"Files and commands of {title}"
        assert page.code_title.visibleRegion().boundingRect().height() == page.code_title.height()
        assert page.code_title.sizeHint().width() <= page.code_title.width()


def test_the_history_keeps_the_words_that_there_is_no_winner(driver: Driver) -> None:
    fill_history(driver)
    driver.window.show_area("history")
    table = driver.page(HistoryPage).table
    modes = {}
    for row in range(table.rowCount()):
        option = QStyleOptionViewItem()
        option.textElideMode = Qt.TextElideMode.ElideMiddle
        index = table.model().index(row, WINNER)
        table.itemDelegateForIndex(index).initStyleOption(option, index)
        modes[index.data().split(" ")[0]] = option.textElideMode
    assert modes["none,"] is Qt.TextElideMode.ElideRight
    assert modes["WireGuard,"] is Qt.TextElideMode.ElideMiddle
