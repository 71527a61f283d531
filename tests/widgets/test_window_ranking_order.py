"""The ranking sorted by a column: no brackets, a sign at shared ranks, and a third click that returns to the ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from window_driver import Driver

from app.ranking.messages import MEANS_AND_MEDIANS_DIFFER
from app.ranking.rank import rank
from support.message_checks import shows
from support.sample_records import sample_record, with_late_replies
from ui.common.theme import Theme
from ui.plots.result_data import prepare
from ui.results.ranking_order import CPU, LATENCY, MBIT, NAME, RANK, RATIO, VERDICT
from ui.results.ranking_table import _PLACE, RankingTable


def _column(table: RankingTable, column: int) -> list[str]:
    return [table.item(row, column).text() for row in range(table.rowCount())]


def _click(driver: Driver, table: RankingTable, column: int) -> None:
    header = table.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(column) + 12, header.height() // 2)
    driver.qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)


def _highlighted(table: RankingTable) -> list[int]:
    headers = [table.horizontalHeaderItem(column).text() for column in range(table.columnCount())]
    return [column for column, text in enumerate(headers) if text.endswith(("\u25b4", "\u25be"))]


def _brackets(table: RankingTable) -> int:
    return sum(table.item(row, RANK).data(_PLACE) is not None for row in range(table.rowCount()))


def test_third_click_on_a_header_returns_to_the_order_of_the_ranks(driver: Driver) -> None:
    driver.compare()
    driver.idle()
    results = driver.window.results
    table = results.table
    by_rank = _column(table, NAME)
    shared = _brackets(table)
    assert shared > 1
    assert sum(text.endswith("=") for text in _column(table, RANK)) == shared
    assert results.shared.isVisible(), "what the sign means"
    assert results.shared.text() == "=  not tested: one round; medians decide"
    assert results.sentence.why.text() == "&Details and warnings", "no number beside that of the tab"
    assert "significantly faster" in table.horizontalHeaderItem(RANK).toolTip()
    assert _highlighted(table) == []
    table.setCurrentCell(1, 0)
    key = table.selected_key()

    _click(driver, table, MBIT)
    rising = _column(table, MBIT)
    figures = [float(text.split()[0].replace("\u202f", "")) for text in rising if text != "–"]
    assert figures == sorted(figures)
    assert _brackets(table) == 0
    assert _highlighted(table) == [MBIT]
    assert sum(text.endswith("=") for text in _column(table, RANK)) == shared
    assert table.selected_key() == key
    assert results.tabs.currentWidget() is not None

    _click(driver, table, MBIT)
    falling = [text for text in _column(table, MBIT) if text != "–"]
    assert falling == [text for text in reversed(rising) if text != "–"]
    assert "falling" in table.accessibleDescription()

    _click(driver, table, MBIT)
    assert _column(table, NAME) == by_rank
    assert _brackets(table) == shared
    assert _highlighted(table) == []
    assert table.selected_key() == key


@pytest.mark.parametrize("order", Qt.SortOrder)
def test_candidates_without_a_figure_come_last_in_either_order(
    open_window: Callable[..., Driver], order: Qt.SortOrder
) -> None:
    driver = open_window(failure=("preflight", "No room."))
    driver.compare()
    driver.idle()
    table = driver.window.results.table
    table.sort_by(MBIT, order)
    shown = _column(table, MBIT)
    assert shown[0] != "–"
    assert set(shown[1:]) == {"–"}


def test_other_columns_and_the_rank_column(driver: Driver) -> None:
    driver.compare()
    driver.idle()
    table = driver.window.results.table
    by_rank = _column(table, NAME)
    for column in (NAME, VERDICT, LATENCY, CPU):
        _click(driver, table, column)
        assert sorted(_column(table, NAME)) == sorted(by_rank)
        assert _highlighted(table) == [column]
    _click(driver, table, NAME)
    assert _column(table, NAME) == sorted(by_rank, key=str.casefold)
    _click(driver, table, RANK)
    assert _column(table, NAME) == by_rank
    assert _highlighted(table) == []


def test_selected_line_belongs_to_the_candidate_that_is_deployed(driver: Driver) -> None:
    driver.compare()
    driver.idle()
    results = driver.window.results
    results.table.sort_by(NAME, Qt.SortOrder.DescendingOrder)
    for row in range(results.table.rowCount()):
        results.table.setCurrentCell(row, 0)
        title = results.table.item(row, NAME).text()
        assert results.deploy.accessibleName() == (f"Deploy {title}" if results.deploy.isEnabled() else "Deploy")


def test_ranking_can_be_folded_so_that_the_plots_have_its_room(driver: Driver) -> None:
    driver.window.resize(1024, 700)
    driver.compare()
    driver.idle()
    results = driver.window.results
    driver.until(lambda: results.tabs.y() > results.table.y() + 80)  # layouts settle on posted events
    top = results.tabs.y()
    key = results.table.selected_key()
    driver.click(results.fold)
    driver.until(lambda: results.tabs.y() < top - 80)
    assert not results.table.isVisible()
    assert results.table.selected_key() == key
    assert results.deploy.isEnabled()
    driver.click(results.fold)
    driver.until(lambda: results.tabs.y() > top - 80)
    assert results.table.isVisible()


def test_the_ratio_of_medians_is_beside_the_latency_with_its_interval(driver: Driver, theme: Theme) -> None:
    record = sample_record(rounds=3)
    ranking = rank(record)
    table = RankingTable(theme)
    driver.qtbot.addWidget(table)
    table.resize(900, 300)
    table.show_data(prepare(record, ranking))
    assert not table.isColumnHidden(RATIO)
    header = table.horizontalHeaderItem(RATIO)
    assert header.text() == "Median × best"
    assert "Medians decide the rank" in header.toolTip()
    titles = {one.title: one for one in ranking.results}
    for row, title in enumerate(_column(table, NAME)):
        ratio, text = titles[title].ratio_to_best, table.item(row, RATIO).text()
        if ratio is None:
            assert text == "–"
        elif ratio.interval is None:
            assert text == f"{ratio.value:.2f}"
        else:
            assert text == f"{ratio.value:.2f} ({ratio.low:.2f}–{ratio.high:.2f})"
    assert "95 % interval" in table.item(0, LATENCY).toolTip(), "that of the mean, which does not decide"
    table.sort_by(RATIO)
    ratios = [titles[title].ratio_to_best for title in _column(table, NAME)]
    known = [one.value for one in ratios if one is not None]
    assert known == sorted(known)
    assert len(known) > 2


def test_where_means_and_medians_differ_the_ratio_says_so(driver: Driver, theme: Theme) -> None:
    record = with_late_replies(sample_record(rounds=3), "openvpn-udp")
    table = RankingTable(theme)
    driver.qtbot.addWidget(table)
    table.show_data(prepare(record, rank(record)))
    best = table.item(0, NAME).text()
    assert shows(table.item(1, RATIO).toolTip(), MEANS_AND_MEDIANS_DIFFER.text, best=best)
    assert not shows(table.item(2, RATIO).toolTip(), MEANS_AND_MEDIANS_DIFFER.text)


def test_what_the_sentence_names_is_selected_although_another_one_comes_first(driver: Driver, theme: Theme) -> None:
    driver.compare()
    driver.idle()
    data = driver.window.results.data
    last = data.ranking.ranking[-1]
    advice = replace(data.ranking.recommendation, solution=last.solution, suite=last.suite, is_clear=False)
    table = RankingTable(theme)
    driver.qtbot.addWidget(table)
    table.show_data(replace(data, ranking=replace(data.ranking, recommendation=advice)))
    assert table.selected_key() == (last.solution, last.suite)
