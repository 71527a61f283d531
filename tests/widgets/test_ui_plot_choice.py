"""Candidates of plots are hidden and shown again; round-trip times on a logarithmic or linear axis."""

from __future__ import annotations

import csv
import io
import math
from datetime import UTC, datetime

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from window_driver import Driver

from app.deployment.monitor_log import MonitorSample
from app.domain.results import CampaignRecord
from app.ranking.rank import rank
from support.sample_records import sample_record
from ui.common.ratio_model import RatioCurve, RoundRatio
from ui.common.sample_model import Curve
from ui.common.theme import Theme
from ui.plots.base import ScopePlot
from ui.plots.export import csv_of
from ui.plots.framed import PlotFrame, framed
from ui.plots.latency import LatencyPlot
from ui.plots.packet_stream import ArrivingPlot
from ui.plots.ratios import RatioPlot
from ui.plots.result_data import ResultData, prepare
from ui.plots.result_plots import CdfPlot, CpuBarsPlot, FrontierPlot
from ui.plots.rtt_history import RttHistoryPlot
from ui.plots.shown import CandidatePlot, Shown, ShownMenu

FAST, SLOW = ("wireguard", "x"), ("ipsec", "x")
NAMES = {FAST: ("WireGuard", 0), SLOW: ("IPsec", 0)}


def curve(key: tuple[str, str], first_ms: float) -> Curve:
    sizes, mean = np.array([60.0, 1514.0]), first_ms * np.array([1.0, 2.0])
    return Curve(key, sizes, mean, 0.9 * mean, 1.2 * mean, np.array([7000.0, 1000.0]))


CURVES = curve(FAST, 0.5), curve(SLOW, 20.0)


def latency(theme: Theme, shown: Shown | None = None) -> LatencyPlot:
    plot = LatencyPlot(theme, (60, 1514), shown)
    plot.set_candidates(NAMES)
    plot.draw(CURVES)
    return plot


def show(qtbot: QtBot, plot: ScopePlot) -> PlotFrame:
    frame = framed(plot)
    qtbot.addWidget(frame)
    frame.resize(640, 420)
    frame.show()
    qtbot.waitExposed(frame)
    return frame


@pytest.fixture(scope="module")
def data() -> ResultData:
    record = sample_record(rounds=3)
    return prepare(record, rank(record))


def test_a_hidden_candidate_is_neither_drawn_nor_in_table_and_export(qtbot: QtBot, theme: Theme) -> None:
    plot = latency(theme)
    frame = show(qtbot, plot)
    frame.switch.click()
    assert frame.table is not None
    assert frame.table.rowCount() == 4
    high = plot.view_box.viewRange()[1][1]
    plot.shown.show(SLOW, is_shown=False)
    assert not plot._bands[SLOW].middle.isVisible()
    assert not plot._bands[SLOW].fill.isVisible()
    assert [label.text for label in plot._end_labels] == ["WireGuard"]
    assert plot.view_box.viewRange()[1][1] < high, "the axis follows what is shown"
    assert {row[0] for row in csv.reader(io.StringIO(csv_of([plot]).decode()))} == {"Candidate", "WireGuard"}
    frame.refresh()
    assert frame.table.rowCount() == 2
    assert frame.choose.text() == "1/2"
    assert frame.choose.accessibleName() == f"Candidates shown: 1 of 2: {plot.name}"


def test_a_candidate_remains_hidden_while_samples_arrive(qtbot: QtBot, theme: Theme) -> None:
    plot = latency(theme)
    qtbot.addWidget(plot)
    plot.shown.show(SLOW, is_shown=False)
    plot.draw(CURVES)
    assert not plot._bands[SLOW].dots.isVisible()
    assert len(plot.figures().rows) == 2
    plot.shown.show_all()
    assert plot._bands[SLOW].dots.isVisible()
    assert len(plot.figures().rows) == 4


def test_all_candidates_can_be_hidden_and_shown_again(qtbot: QtBot, theme: Theme, data: ResultData) -> None:
    shown = Shown()
    cdf, frontier, cpu = CdfPlot(theme, shown), FrontierPlot(theme, shown), CpuBarsPlot(theme, shown)
    latencies = LatencyPlot(theme, shown=shown)
    plots: tuple[CandidatePlot, ...] = (latencies, cdf, frontier, cpu)
    for plot in plots:
        qtbot.addWidget(plot)
    cdf.draw(data, 60)
    frontier.draw(data)
    cpu.draw(data)
    latencies.set_candidates(data.names)
    latencies.draw(data.curves)
    before = [len(plot.figures().rows) for plot in plots]
    assert before == [35, 5, 5, 10]
    shown.hide_all()
    assert [len(plot.figures().rows) for plot in plots] == [0] * 4
    assert [plot._end_labels for plot in plots] == [()] * 4
    assert [list(plot.hover_series()) for plot in plots if plot is not frontier] == [[]] * 3
    shown.show_all()
    assert [len(plot.figures().rows) for plot in plots] == before


def test_a_hidden_ratio_has_neither_line_nor_interval(qtbot: QtBot, theme: Theme) -> None:
    plot = RatioPlot(theme)
    qtbot.addWidget(plot)
    plot.set_candidates(NAMES)
    cycles = np.arange(1.0, 11.0)
    plot.draw(
        [
            RatioCurve(FAST, cycles, np.ones(10), (RoundRatio(10, 1.0, 1.0, 1.0),)),
            RatioCurve(SLOW, cycles, np.full(10, 8.0), (RoundRatio(10, 8.0, 7.0, 9.0),)),
        ]
    )
    assert plot.view_box.viewRange()[1][1] > 9
    plot.shown.show(SLOW, is_shown=False)
    assert not any(item.isVisible() for item in plot._series[SLOW].items)
    assert plot.view_box.viewRange()[1][1] < 2


@pytest.mark.qt_log_ignore("does not support", extend=True)
def test_the_menu_has_a_box_for_each_candidate_and_remains_open(qtbot: QtBot, theme: Theme) -> None:
    plot = latency(theme)
    frame = show(qtbot, plot)
    frame.choose.click()
    menu = frame.findChild(ShownMenu)
    assert menu is not None
    qtbot.waitUntil(menu.isVisible)
    boxes = [one for one in menu.actions() if one.isCheckable()]
    assert [(one.text(), one.isChecked()) for one in boxes] == [("WireGuard", True), ("IPsec", True)]
    QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Space)
    assert not plot.shown.is_shown(SLOW)
    assert menu.isVisible()
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(boxes[1]).center())
    assert plot.shown.is_shown(SLOW)
    assert menu.isVisible()
    next(one for one in menu.actions() if one.text() == "Hide all").trigger()
    assert not any(one.isChecked() for one in boxes)
    next(one for one in menu.actions() if one.text() == "Show all").trigger()
    assert all(one.isChecked() for one in boxes)
    QTest.keyClick(menu, Qt.Key.Key_Escape)
    QApplication.processEvents()
    assert not plot.hover.tip.isVisible()


def test_the_linear_axis_begins_at_zero_and_the_logarithmic_one_comes_again(qtbot: QtBot, theme: Theme) -> None:
    plot = latency(theme)
    frame = show(qtbot, plot)
    before = plot.view_box.viewRange()
    assert frame.scale.accessibleName() == f"Linear RTT axis: {plot.name}"
    frame.scale.click()
    assert frame.scale.accessibleName() == f"Logarithmic RTT axis: {plot.name}"
    assert plot.view_box.viewRange()[1] == pytest.approx([0, 50])
    assert plot._bands[SLOW].middle.getData()[1].tolist() == [20, 40]
    plot.draw(CURVES)
    assert plot._bands[SLOW].middle.getData()[1].tolist() == [20, 40], "the scale holds while samples arrive"
    axis = plot.getPlotItem().getAxis("left")
    levels = axis.tickValues(0, 50, 300)
    assert axis.tickStrings(levels[0][1], 1, levels[0][0])[1] == f"{levels[0][1][1]:g}"
    frame.scale.click()
    assert np.allclose(plot.view_box.viewRange(), before)
    assert plot._bands[SLOW].middle.getData()[1].tolist() == pytest.approx([math.log10(20), math.log10(40)])


def test_every_plot_of_round_trip_times_has_both_scales(qtbot: QtBot, theme: Theme, data: ResultData) -> None:
    arriving, watched, cdf, frontier = ArrivingPlot(theme), RttHistoryPlot(theme), CdfPlot(theme), FrontierPlot(theme)
    arriving.draw("ipsec", np.array([-5.0, -2.0]), np.array([0.5, 5.0]))
    watched.draw("ipsec", [MonitorSample(datetime.now(UTC), (0.5, 5.0), 0.0)])
    cdf.draw(data, 60)
    frontier.draw(data)
    plots: tuple[ScopePlot, ...] = (arriving, watched, cdf, frontier)
    for plot in plots:
        frame = show(qtbot, plot)
        texts = [
            series.text(nth)
            for series in plot.hover_series()
            for nth in range(series.x.size)
            if math.isfinite(series.y[nth])
        ]
        was_log = plot.is_log
        frame.scale.click()
        assert plot.is_log is not was_log
        (left, right), (low, high) = plot.view_box.viewRange()
        shown = [
            left <= x <= right and low <= y <= high
            for series in plot.hover_series()
            for x, y in zip(series.x, series.y, strict=True)
        ]
        assert np.mean(shown) > 0.9, plot.name  # the tail of a distribution is cut off
        again = [series.text(nth) for series in plot.hover_series() for nth in range(series.x.size)]
        assert again == texts, "figures do not depend on the scale"


def test_a_choice_holds_for_all_tabs_of_the_results_and_ends_with_another_comparison(driver: Driver) -> None:
    from ui.results.result_tabs import ResultTabs

    tabs = ResultTabs(driver.window.context.theme)
    driver.qtbot.addWidget(tabs)
    tabs.resize(900, 400)
    tabs.show()
    first = prepared(sample_record(rounds=2))
    tabs.show_data(first)
    hidden = next(iter(first.names))
    tabs.shown.show(hidden, is_shown=False)
    tabs.latency.set_log(is_log=False)
    tabs.latency.view_box.sigRangeChangedManually.emit([True, True])
    for nth in range(5):
        tabs.setCurrentIndex(nth)
    title = first.names[hidden][0]
    for plot in (tabs.latency, tabs.ratios, tabs.cdf, tabs.frontier, tabs.cpu):
        assert plot.figures().rows
        assert title not in {row[0] for row in plot.figures().rows}
    tabs.setCurrentIndex(0)
    tabs.show_data(first)
    assert not tabs.shown.is_shown(hidden)
    assert not tabs.latency.is_log
    assert tabs.latency.zoom.is_zoomed
    tabs.show_data(prepared(sample_record(rounds=1)))
    assert tabs.shown.is_shown(hidden)
    assert not tabs.latency.zoom.is_zoomed
    assert not tabs.latency.is_log, "a scale is a matter of taste, not of a comparison"


def prepared(record: CampaignRecord) -> ResultData:
    return prepare(record, rank(record))
