"""Candidates of plots are hidden and shown again; round-trip times on a logarithmic or linear axis."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from window_driver import Driver

from app.deployment.monitor_log import MonitorSample
from app.domain.ranking import Ratio
from app.domain.results import CampaignRecord
from app.ranking.pictures import ratio_rows
from app.ranking.rank import rank
from app.reports.figures import draw_figures
from app.reports.svg import PAGE
from support.sample_records import sample_record
from ui.common.ratio_model import RatioCurve, RoundRatio
from ui.common.sample_model import Curve
from ui.common.theme import Theme
from ui.plots.base import ScopePlot
from ui.plots.export import csv_of
from ui.plots.framed import PlotFrame, framed
from ui.plots.intervals import IntervalPlot
from ui.plots.latency import LatencyPlot
from ui.plots.packet_stream import ArrivingPlot
from ui.plots.ratios import RatioPlot
from ui.plots.result_bars import CpuBarsPlot, ThroughputBarsPlot
from ui.plots.result_data import ResultData, prepare
from ui.plots.result_plots import CdfPlot, FrontierPlot, ring_words
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
    with qtbot.waitExposed(frame):
        frame.show()
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
    assert {row[0] for row in csv.reader(io.StringIO(csv_of([plot]).decode()))} == {"candidate", "WireGuard"}
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
    latencies, throughput = LatencyPlot(theme, shown=shown), ThroughputBarsPlot(theme, shown)
    plots: tuple[CandidatePlot, ...] = (latencies, cdf, frontier, cpu, throughput)
    for plot in plots:
        qtbot.addWidget(plot)
    cdf.draw(data, 60)
    frontier.draw(data)
    cpu.draw(data)
    throughput.draw(data)
    latencies.set_candidates(data.names)
    latencies.draw(data.curves)
    before = [len(plot.figures().rows) for plot in plots]
    assert before == [35, 5, 5, 10, 10]
    shown.hide_all()
    assert [len(plot.figures().rows) for plot in plots] == [0] * 5
    assert [plot._end_labels for plot in plots] == [()] * 5
    assert [list(plot.hover_series()) for plot in plots if plot is not frontier] == [[]] * 4
    shown.show_all()
    assert [len(plot.figures().rows) for plot in plots] == before


def test_a_hidden_ratio_has_neither_line_nor_interval(qtbot: QtBot, theme: Theme) -> None:
    plot = RatioPlot(theme)
    qtbot.addWidget(plot)
    plot.set_candidates(NAMES)
    cycles = np.arange(1.0, 11.0)
    plot.draw(
        [
            RatioCurve(FAST, cycles, np.ones(10), (RoundRatio(1, 10, 1.0, 1.0, 1.0),)),
            RatioCurve(SLOW, cycles, np.full(10, 8.0), (RoundRatio(1, 10, 8.0, 7.0, 9.0),)),
        ]
    )
    assert plot.view_box.viewRange()[1][1] > 9
    plot.shown.show(SLOW, is_shown=False)
    assert not any(item.isVisible() for item in plot._series[SLOW].items)
    assert plot.view_box.viewRange()[1][1] < 2


def test_window_and_report_show_the_same_figures_in_the_same_order(
    qtbot: QtBot, theme: Theme, data: ResultData
) -> None:
    drawn = {one.title: one.data.rows for one in draw_figures(data.record, data.ranking, PAGE)}
    names = {data.candidate(key).title: name for key, (name, _) in data.names.items()}
    cdf, throughput, cpu = CdfPlot(theme), ThroughputBarsPlot(theme), CpuBarsPlot(theme)
    for plot in (cdf, throughput, cpu):
        qtbot.addWidget(plot)
    cdf.draw(data, 60)
    throughput.draw(data)
    cpu.draw(data)

    in_report = [names[row[0]] for row in drawn["TCP throughput"]]
    assert [row[0] for row in throughput.figures().rows[::2]] == in_report
    assert [row[:2] for row in cpu.figures().rows] == [
        (names[row[0]], row[1]) for row in drawn["CPU during throughput"]
    ]
    medians = {row[0]: float(row[3].split()[0]) for row in cdf.figures().rows}
    for title, _answered, median, *_ in drawn["How many replies are in time: 60-byte frames"]:
        assert medians[names[title]] == pytest.approx(float(median), rel=0.01)


def test_rings_are_around_those_that_the_recommendation_calls_undominated(
    qtbot: QtBot, theme: Theme, data: ResultData
) -> None:
    kinds = {"wireguard": False, "openvpn-udp": True, "openvpn-tcp": False}
    results = tuple(replace(one, is_dominated=kinds.get(one.solution)) for one in data.ranking.results)
    changed = replace(data, ranking=replace(data.ranking, results=results))
    plot = FrontierPlot(theme)
    qtbot.addWidget(plot)
    plot.draw(changed)
    names = {data.names[key][0]: key[0] for key in data.names}
    assert {names[row[0]]: row[1] for row in plot.figures().rows if names[row[0]] in kinds} == {
        "wireguard": "yes",
        "openvpn-udp": "no",
        "openvpn-tcp": "yes",
    }
    assert {row[1] for row in plot.figures().rows if names[row[0]] not in kinds} == {"–"}, "barred ones have none"
    rings = [one for one in plot.getPlotItem().items if isinstance(one, pg.ScatterPlotItem) and one.opts["size"] == 18]
    assert len(rings) == 2
    figure = next(one for one in draw_figures(data.record, changed.ranking, PAGE) if one.name == "frontier")
    in_report = {row[0]: row[-1] for row in figure.data.rows}
    titles = {data.candidate(key).title: key[0] for key in data.names}
    assert {titles[title]: word for title, word in in_report.items() if titles[title] in kinds} == {
        "wireguard": "yes",
        "openvpn-udp": "no",
        "openvpn-tcp": "yes",
    }
    ring = ring_words().removesuffix(".").removeprefix("Ring: ")
    assert ring in figure.caption


def test_bars_of_throughput_say_direction_and_interval(qtbot: QtBot, theme: Theme, data: ResultData) -> None:
    plot = ThroughputBarsPlot(theme)
    qtbot.addWidget(plot)
    plot.draw(data)
    key = ("wireguard", next(suite for solution, suite in data.names if solution == "wireguard"))
    estimate = data.result(key).throughput_mbit_s["b_to_a"]
    row = next(row for row in plot.figures().rows if row[:2] == (data.names[key][0], "B→A"))
    assert row[2].startswith(f"{estimate.mean:.1f} Mbit/s")
    texts = [one.text(0) for one in plot.hover_series()]
    assert any(text.startswith(f"{data.names[key][0]}\nB→A: {estimate.mean:.1f} Mbit/s") for text in texts)


def test_figures_of_bars_are_in_one_line_where_a_plot_is_low(qtbot: QtBot, theme: Theme, data: ResultData) -> None:
    plot = ThroughputBarsPlot(theme)
    qtbot.addWidget(plot)
    plot.resize(600, 500)
    with qtbot.waitExposed(plot):
        plot.show()
        plot.draw(data)
    qtbot.waitUntil(lambda: plot.view_box.height() > 400)
    plot.draw(data)

    def texts() -> list[str]:
        return [item.toPlainText() for item in plot._items if isinstance(item, pg.TextItem)]

    assert len(texts()) == 10
    plot.resize(600, 150)
    qtbot.waitUntil(lambda: len(texts()) == 5)
    assert all("A→B" in text and "B→A" in text for text in texts())
    plot.resize(600, 500)
    qtbot.waitUntil(lambda: len(texts()) == 10)


@pytest.mark.parametrize("kind", [CpuBarsPlot, ThroughputBarsPlot])
@pytest.mark.parametrize("size", [(900, 500), (560, 500), (560, 150)])
def test_figures_at_the_ends_of_bars_are_never_cut(
    qtbot: QtBot, theme: Theme, data: ResultData, kind: type[CpuBarsPlot], size: tuple[int, int]
) -> None:
    plot = kind(theme)
    qtbot.addWidget(plot)
    plot.resize(1200, 400)
    with qtbot.waitExposed(plot):
        plot.show()
        busy = tuple(replace(bar, user_pct=60.0, system_pct=30.0, softirq_pct=10.0) for bar in data.cpu)
        plot.draw(replace(data, cpu=busy))
    plot.resize(*size)
    qtbot.waitUntil(lambda: plot.width() == size[0])
    notes = [item for item in plot._items if isinstance(item, pg.TextItem) and item.toPlainText().startswith(" ")]
    assert len(notes) >= 5
    room = plot.viewport().rect()
    qtbot.waitUntil(lambda: all(room.right() >= one.mapRectToScene(one.boundingRect()).right() for one in notes))


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
    ratios = IntervalPlot(theme, "Ratios", "times the fastest")
    ratios.draw(data.names, {(one.solution, one.suite): ratio for one, ratio in ratio_rows(data.ranking)}, {})
    plots: tuple[ScopePlot, ...] = (arriving, watched, cdf, frontier, ratios)
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


@pytest.mark.parametrize(
    ("rounds", "words"), [((1,), ["1 round"]), ((3,), ["3 rounds"]), ((3, 2), ["3 and 2 rounds"]), ((), [])]
)
def test_a_ratio_names_its_rounds(
    qtbot: QtBot, theme: Theme, data: ResultData, rounds: tuple[int, ...], words: list[str]
) -> None:
    plot = IntervalPlot(theme, "Ratios", "times the fastest")
    qtbot.addWidget(plot)
    key = next(iter(data.names))
    plot.draw(data.names, {key: Ratio(1.12, 1.05, 1.19)}, {key: rounds})
    (series,) = plot.hover_series()
    expected = [data.names[key][0], "times the fastest: 1.120", "95 % interval: 1.050 to 1.190", *words]
    assert series.text(0).splitlines() == expected


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
    for nth in range(6):
        tabs.setCurrentIndex(nth)
    title = first.names[hidden][0]
    for plot in (tabs.latency, tabs.ratios, tabs.cdf, tabs.throughput, tabs.frontier, tabs.cpu):
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
