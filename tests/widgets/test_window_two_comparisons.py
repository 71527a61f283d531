"""Two comparisons of the history side by side: candidates, ratios, curves, the pair's history, what else changed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication
from sample_records import MODELS, STARTED, pair, sample_record
from test_ui_plot_mouse import move_to
from window_driver import Driver

from app.domain.condition_files import presets
from app.domain.results import AttemptStatus, CampaignRecord, CampaignStatus
from ui.results.changes_page import ChangesPage
from ui.results.history_page import HistoryPage, PastResultsPage


def stored(number: int, days: int, kernel: str = "6.1.0", factor: float = 1.0, *, models: int = 5) -> CampaignRecord:
    record = sample_record(rounds=3, pings=40, models=MODELS[:models], noise=0.005, pair_spec=pair(is_lab=False))
    facts = {**record.facts, "b": replace(record.facts["b"], kernel=kernel)}
    attempts = tuple(
        replace(one, latency=tuple(replace(each, rtt_us=(each.rtt_us * factor).astype("u4")) for each in one.latency))
        if one.key.solution == "wireguard"
        else one
        for one in record.attempts
    )
    started = STARTED + timedelta(days=days)
    return replace(record, campaign_id=number, started_at=started, facts=facts, attempts=attempts)


@pytest.fixture
def filled(driver: Driver) -> Driver:
    """A window with three comparisons of a pair, one of another pair, and one that is running."""
    records = driver.services.records
    records[1] = stored(1, 0)
    records[2] = stored(2, 100, "6.6.0")
    records[3] = stored(3, 365, "6.12.0", 1.4, models=4)
    lab = sample_record(rounds=1, pings=10)
    records[4] = replace(lab, campaign_id=4, started_at=STARTED + timedelta(days=366))
    records[5] = replace(
        sample_record(status=CampaignStatus.RUNNING, attempts_kept=2), campaign_id=5, started_at=STARTED
    )
    return driver


def history(driver: Driver) -> HistoryPage:
    driver.window.show_area("history")
    page = driver.page(HistoryPage)
    driver.idle()
    return page


def compared(driver: Driver, *keys: str) -> ChangesPage:
    page = history(driver)
    page.table.choose(keys)
    page.compare.click()
    changes = driver.page(ChangesPage)
    driver.until(lambda: changes.data is not None)
    driver.idle()
    return changes


def rows(page: ChangesPage) -> dict[str, list[str]]:
    table = page.table
    return {
        table.cell(row, 0).text(): [table.cell(row, column).text() for column in range(1, table.columnCount())]
        for row in range(table.rowCount())
    }


def test_two_comparisons_that_have_ended_can_be_compared(filled: Driver) -> None:
    page = history(filled)
    for keys, is_on in ((("1", "3"), True), (("1",), False), (("1", "2", "3"), False), (("1", "5"), False)):
        page.table.choose(keys)
        assert page.compare.isEnabled() is is_on, keys
    assert page.compare.toolTip().startswith("Select two comparisons")


def test_candidates_have_the_figures_of_the_command_line(filled: Driver) -> None:
    page = compared(filled, "3", "1")
    assert page.data is not None
    assert page.data.diff.before.campaign_id == 1, "the earlier one comes first, however they were selected"
    found = rows(page)
    wireguard = next(cells for title, cells in found.items() if title.startswith("WireGuard"))
    assert wireguard[2] == "1.40"
    assert wireguard[-1] == "changed beyond chance"
    gone = next(cells for title, cells in found.items() if cells[-1] == "only in the earlier one")
    assert gone[1:4] == ["–", "–", "–"]
    assert page.sentence.text().startswith("Beyond chance: WireGuard")
    assert "comparison 1" in page.what.text()
    assert "comparison 3" in page.what.text()


def test_a_skipped_candidate_is_called_so_and_a_factor_of_medians_too(filled: Driver) -> None:
    page = compared(filled, "1", "2")
    assert not page.note.isVisible(), "where the means have the same factors nothing has to be said"
    record = filled.services.records[2]
    attempts = tuple(
        replace(one, status=AttemptStatus.SKIPPED)
        if one.key.solution == "openvpn-udp"
        else replace(one, latency=tuple(replace(each, rtt_us=_with_outliers(each.rtt_us)) for each in one.latency))
        if one.key.solution == "wireguard"
        else one
        for one in record.attempts
    )
    filled.services.records[2] = replace(record, attempts=attempts)
    page = compared(filled, "1", "2")
    skipped = next(cells for cells in rows(page).values() if cells[-1] == "skipped in the later one")
    assert skipped[2] == "–"
    assert page.note.isVisible()
    assert page.note.text().startswith("Factors are of medians")


def _with_outliers(rtt_us: np.ndarray) -> np.ndarray:
    longer = rtt_us.copy()
    longer[::5] = 20 * longer.min()
    return longer


def test_what_else_changed_is_named(filled: Driver) -> None:
    page = compared(filled, "1", "3")
    table = page.settings
    lines = [[table.cell(row, column).text() for column in range(3)] for row in range(table.rowCount())]
    assert ["B: kernel", "6.1.0", "6.12.0"] in lines
    assert page.tabs.tabText(page.tabs.count() - 1) == f"What else changed ({len(lines)})"
    texts = [page.past.item(nth).text() for nth in range(page.past.count())]
    assert len(texts) == 3, "those of the pair, without the lab's"
    assert "B: kernel: 6.6.0 → 6.12.0" in texts[0]
    assert "B: kernel: 6.1.0 → 6.6.0" in texts[1]
    assert texts[2].endswith("first of the pair")


def test_plots_show_both_comparisons_and_all_of_the_pair(filled: Driver) -> None:
    page = compared(filled, "1", "3")
    ratios = {row[0]: row for row in page.ratios.figures().rows}
    assert float(ratios["WireGuard"][1]) == pytest.approx(1.4, rel=0.02)
    low, high = (float(end) for end in ratios["WireGuard"][2].split("–"))
    assert 1 < low < 1.4 < high
    curves = [row for row in page.curves.figures().rows if row[0] == "WireGuard"]
    assert len(curves) == 7
    earlier, later = (float(text.split()[0]) for text in curves[-1][2:])
    assert later / earlier == pytest.approx(1.4, rel=0.05)
    saved = [row for row in page.curves.export_rows().rows if row[0] == "WireGuard"]
    assert page.curves.export_rows().headers[2:] == ("frame_bytes", "mean_ms", "p5_ms", "p95_ms", "replies")
    assert [row[1] for row in saved] == ["earlier"] * 7 + ["later"] * 7
    assert all(row[4] < row[3] < row[5] and row[6] > 0 for row in saved)  # type: ignore[operator]
    trend = [row for row in page.trend.figures().rows if row[0] == "WireGuard"]
    assert [row[1].rpartition(" ")[2] for row in trend] == ["3", "2", "1"]
    assert trend[0][3] != "–"


def test_the_trend_says_under_the_mouse_what_changed(filled: Driver) -> None:
    page = compared(filled, "1", "3")
    page.tabs.setCurrentIndex(3)
    QApplication.processEvents()
    plot = page.trend
    key = next(key for key in plot.shown.names if key[0] == "wireguard")
    for other in plot.shown.names:
        plot.shown.show(other, is_shown=other == key)
    (series,) = plot.hover_series()
    at = plot.view_box.mapViewToScene(QPointF(series.x[-1], series.y[-1]))
    move_to(plot, plot.mapFromScene(at))
    lines = plot.hover.tip.text().splitlines()
    assert lines[0] == "WireGuard"
    assert lines[1].endswith("comparison 3")
    assert lines[3].startswith("95 % interval: ")
    assert "B: kernel: 6.6.0 → 6.12.0" in lines


def test_a_hidden_candidate_is_hidden_in_every_plot_of_the_page(filled: Driver) -> None:
    page = compared(filled, "1", "3")
    key = next(key for key in page.shown.names if key[0] == "wireguard")
    page.shown.show(key, is_shown=False)
    for plot in (page.ratios, page.curves, page.trend):
        assert "WireGuard" not in {row[0] for row in plot.figures().rows}
        assert plot.figures().rows
    page.curves.set_log(is_log=False)
    assert page.curves.view_box.viewRange()[1][0] == pytest.approx(0)
    assert np.isfinite(page.curves.view_box.viewRange()).all()


def test_comparisons_of_different_pairs_say_so(filled: Driver) -> None:
    page = compared(filled, "1", "4")
    assert page.notice.isVisible()
    assert "different pairs" in page.notice.text


def test_either_comparison_is_opened_and_back_leads_to_the_history(filled: Driver) -> None:
    page = compared(filled, "1", "3")
    page.later.click()
    past = filled.page(PastResultsPage)
    filled.until(lambda: past.data is not None)
    assert past.data is not None
    assert past.data.record.campaign_id == 3
    filled.window.show_page(page)
    filled.window.footer.back.click()
    assert filled.window.current is filled.window.area_page("history")


def test_a_damaged_comparison_is_reported(filled: Driver) -> None:
    page = history(filled)
    page.table.choose(("1", "3"))
    del filled.services.records[3]
    page.compare.click()
    changes = filled.page(ChangesPage)
    filled.until(changes.notice.isVisible)
    assert changes.data is None
    assert not changes.tabs.isVisible()


def test_only_comparisons_under_the_same_condition_share_a_trend(filled: Driver) -> None:
    records = filled.services.records
    plan = records[2].plan
    records[2] = replace(records[2], plan=replace(plan, condition=presets()["geo"]))
    page = compared(filled, "1", "3")
    assert page.data is not None
    assert [past.campaign_id for past in page.data.past] == [1, 3]
    assert page.data.under_others == 1
    assert "1 under other conditions" in page.past.item(page.past.count() - 1).text()
    columns = page.trend.export_rows()
    place = columns.headers.index("condition")
    assert {row[place] for row in columns.rows} == {"as-found"}
    other = compared(filled, "1", "2")
    assert "different conditions" in other.notice.text


def test_the_oldest_comparison_that_is_shown_is_not_called_unchanged(filled: Driver) -> None:
    page = compared(filled, "1", "3")
    assert page.data is not None
    page._fill_past(replace(page.data, left_out=2))
    texts = [page.past.item(nth).text() for nth in range(page.past.count())]
    assert texts[-2].endswith("the oldest one that is shown")
    assert not any(text.endswith("nothing changed") for text in texts)
