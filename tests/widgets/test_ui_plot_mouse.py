"""Plots under the mouse: figures of a point, zoom, pan, and the way back."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.deployment.monitor_log import MonitorSample
from ui.common.ratio_model import RatioCurve, RoundRatio
from ui.common.sample_model import Curve
from ui.common.theme import Theme
from ui.plots.axes import LogAxis
from ui.plots.base import ScopePlot
from ui.plots.framed import PlotFrame, framed
from ui.plots.hover import HoverSeries, nearest
from ui.plots.latency import LatencyPlot
from ui.plots.packet_stream import ArrivingPlot
from ui.plots.ratios import RatioPlot
from ui.plots.rtt_history import RttHistoryPlot
from ui.plots.throughput_cpu import CpuPlot, ThroughputPlot

WIREGUARD, IPSEC = ("wireguard", "x"), ("ipsec", "x")
PLAIN = "\u202f"


def curve(key: tuple[str, str], first_ms: float) -> Curve:
    sizes, mean = np.array([60.0, 512.0, 1514.0]), first_ms * np.array([1.0, 1.5, 2.0])
    return Curve(key, sizes, mean, 0.9 * mean, 1.2 * mean, np.array([7000.0, 2000.0, 1000.0]))


def latency(theme: Theme) -> LatencyPlot:
    plot = LatencyPlot(theme, (60, 512, 1514))
    plot.set_candidates({WIREGUARD: ("WireGuard", 0), IPSEC: ("IPsec", 0)})
    plot.draw([curve(WIREGUARD, 0.5), curve(IPSEC, 1.0)])
    return plot


def ratios(theme: Theme) -> RatioPlot:
    plot = RatioPlot(theme)
    plot.set_candidates({WIREGUARD: ("WireGuard", 0), IPSEC: ("IPsec", 0)})
    rounds = RoundRatio(1, 10, 1.5, None, None), RoundRatio(2, 20, 1.52, 1.4, 1.65)
    cycles = np.arange(1.0, 21.0)
    plot.draw([RatioCurve(IPSEC, cycles, np.full(20, 1.52), rounds)])
    return plot


def throughput(theme: Theme) -> ThroughputPlot:
    plot = ThroughputPlot(theme)
    plot.draw("ipsec", {"a_to_b": np.array([[1.0, 250.0], [2.0, 260.0]]), "b_to_a": np.array([[1.0, 321.6]])}, 3)
    return plot


def arriving(theme: Theme) -> ArrivingPlot:
    plot = ArrivingPlot(theme)
    plot.draw("ipsec", np.array([-5.0, -4.999, -2.0]), np.array([1.0, 1.5, 0.8]), 512)
    return plot


def cpu(theme: Theme) -> CpuPlot:
    plot = CpuPlot(theme, "A")
    plot.draw(np.array([[1, 10, 20, 5, 0], [2, 30, 40, 10, 0]], dtype=float))
    return plot


def watched(theme: Theme) -> RttHistoryPlot:
    plot = RttHistoryPlot(theme)
    now = datetime(2026, 3, 4, 9, 30, tzinfo=UTC)
    plot.draw("wireguard", [MonitorSample(now, (1.5, None), 50.0)])
    return plot


@pytest.fixture
def shown(qtbot: QtBot, theme: Theme) -> Callable[[Callable[[Theme], ScopePlot]], PlotFrame]:
    """Return a function that shows a plot in its frame."""

    def show(make: Callable[[Theme], ScopePlot]) -> PlotFrame:
        frame = framed(make(theme))
        qtbot.addWidget(frame)
        frame.resize(640, 420)
        with qtbot.waitExposed(frame):
            frame.show()
        QApplication.processEvents()
        return frame

    return show


def plot_of(frame: PlotFrame) -> ScopePlot:
    found = frame.findChild(ScopePlot)
    assert isinstance(found, ScopePlot)
    return found


def pixel_of(plot: ScopePlot, x: float, y: float) -> QPoint:
    return plot.mapFromScene(plot.view_box.mapViewToScene(QPointF(x, y)))


def move_to(plot: ScopePlot, at: QPoint) -> None:
    plot.scene()._lastMoveEventTime = 0  # pyqtgraph leaves out what follows too fast
    QTest.mouseMove(plot.viewport(), at)
    viewport = plot.viewport()
    none = Qt.MouseButton.NoButton, Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(QMouseEvent.Type.MouseMove, QPointF(at), QPointF(viewport.mapToGlobal(at)), *none)
    QApplication.sendEvent(viewport, event)


def scroll_wheel(plot: ScopePlot, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    at = plot.viewport().rect().center()
    event = QWheelEvent(
        QPointF(at),
        QPointF(plot.viewport().mapToGlobal(at)),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        modifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(plot.viewport(), event)


@pytest.mark.parametrize(
    ("make", "x", "y", "lines"),
    [
        (
            latency,
            math.log10(512),
            math.log10(0.75),
            ["WireGuard", "512 bytes", "mean 0.75 ms", "5th to 95th percentile: 0.68 ms to 0.90 ms", "2 000 replies"],
        ),
        (
            ratios,
            20,
            1.52,
            ["IPsec", "after round 2, 20 cycles", "1.520 times the fastest", "95 % interval: 1.400 to 1.650"],
        ),
        (ratios, 5, 1.52, ["IPsec", "after 5 cycles", "1.520 times the fastest"]),
        (throughput, 2, 260, ["A→B, 2 s", "260.0 Mbit/s"]),
        (arriving, -5, 1.2, ["4.99 s ago", "512 bytes", "1.00 ms to 1.50 ms", "2 replies"]),
        (cpu, 2, 30, ["A, 2 s", "user 30 %", "system 40 %", "softirq 10 %", "Sum 80 %"]),
        (watched, 0, 1.5, [None, "1.50 ms", "loss 50 %"]),
    ],
)
def test_the_point_under_the_mouse_has_its_figures(
    shown: Callable[[Callable[[Theme], ScopePlot]], PlotFrame],
    make: Callable[[Theme], ScopePlot],
    x: float,
    y: float,
    lines: list[str | None],
) -> None:
    plot = plot_of(shown(make))
    move_to(plot, pixel_of(plot, x, y))
    assert plot.hover.tip.isVisible()
    found = plot.hover.tip.text().replace(PLAIN, " ").splitlines()
    assert [line for line, wanted in zip(found, lines, strict=True) if wanted] == [line for line in lines if line]
    assert plot.rect().contains(plot.hover.tip.geometry())


def test_figures_vanish_where_there_is_no_point_and_with_the_mouse(
    shown: Callable[[Callable[[Theme], ScopePlot]], PlotFrame],
) -> None:
    plot = plot_of(shown(latency))
    move_to(plot, pixel_of(plot, math.log10(512), math.log10(0.75)))
    assert plot.hover.tip.isVisible()
    move_to(plot, pixel_of(plot, math.log10(64), math.log10(3)))
    assert not plot.hover.tip.isVisible()
    move_to(plot, pixel_of(plot, math.log10(512), math.log10(0.75)))
    move_to(plot, QPoint(3, plot.height() // 2))
    assert not plot.hover.tip.isVisible(), "over the numbers of the axis"


def test_figures_under_a_resting_mouse_are_those_that_arrived_last(
    shown: Callable[[Callable[[Theme], ScopePlot]], PlotFrame],
) -> None:
    plot = plot_of(shown(throughput))
    assert isinstance(plot, ThroughputPlot)
    move_to(plot, pixel_of(plot, 2, 260))
    plot.draw("ipsec", {"a_to_b": np.array([[1.0, 250.0], [2.0, 262.0]]), "b_to_a": np.array([[1.0, 321.6]])}, 3)
    assert plot.hover.tip.text() == "A→B, 2 s\n262.0 Mbit/s"


def test_the_wheel_zooms_and_the_view_holds_while_samples_arrive(
    shown: Callable[[Callable[[Theme], ScopePlot]], PlotFrame],
) -> None:
    frame = shown(throughput)
    plot = plot_of(frame)
    assert isinstance(plot, ThroughputPlot)
    before = plot.view_box.viewRange()
    assert not frame.reset.isVisible()
    scroll_wheel(plot)
    zoomed = plot.view_box.viewRange()
    assert zoomed[0][1] - zoomed[0][0] < before[0][1] - before[0][0]
    assert zoomed[1][1] - zoomed[1][0] < before[1][1] - before[1][0]
    plot.draw("ipsec", {"a_to_b": np.array([[1.0, 900.0]]), "b_to_a": np.empty((0, 2))}, 20)
    assert np.allclose(plot.view_box.viewRange(), zoomed)
    assert frame.reset.isVisible()
    assert frame.reset.accessibleName() == "Reset view: Throughput, Mbit/s"
    frame.reset.setFocus()
    frame.reset.click()
    assert np.allclose(plot.view_box.viewRange(), [(0, 20), (0, 1000)], rtol=0.05)
    assert not frame.reset.isVisible()
    assert frame.switch.hasFocus()


def test_dragging_moves_the_view_and_a_double_click_shows_everything_again(
    qtbot: QtBot, shown: Callable[[Callable[[Theme], ScopePlot]], PlotFrame]
) -> None:
    frame = shown(latency)
    plot = plot_of(frame)
    before = plot.view_box.viewRange()
    viewport, middle, left = plot.viewport(), plot.viewport().rect().center(), Qt.MouseButton.LeftButton
    QTest.mousePress(viewport, left, Qt.KeyboardModifier.NoModifier, middle)
    for nth in range(1, 6):
        plot.scene()._lastMoveEventTime = 0
        at = QPointF(middle + QPoint(20 * nth, 8 * nth))
        event = QMouseEvent(
            QMouseEvent.Type.MouseMove,
            at,
            QPointF(viewport.mapToGlobal(at)),
            left,
            left,
            Qt.KeyboardModifier.NoModifier,
        )
        QApplication.sendEvent(viewport, event)
    QTest.mouseRelease(viewport, left, Qt.KeyboardModifier.NoModifier, middle + QPoint(100, 40))
    moved = plot.view_box.viewRange()
    assert moved[0][0] < before[0][0]
    assert moved[1][0] > before[1][0]
    assert moved[0][1] - moved[0][0] == pytest.approx(before[0][1] - before[0][0])
    assert frame.reset.isVisible()
    QTest.mouseDClick(viewport, left, Qt.KeyboardModifier.NoModifier, middle)
    assert np.allclose(plot.view_box.viewRange(), before)
    qtbot.waitUntil(lambda: not frame.reset.isVisible())


def test_labels_of_curves_that_end_out_of_sight_are_hidden(
    shown: Callable[[Callable[[Theme], ScopePlot]], PlotFrame],
) -> None:
    plot = plot_of(shown(latency))
    assert all(item.isVisible() for item in plot._end_items)
    for _ in range(8):
        scroll_wheel(plot)
    (left, right), (low, high) = plot.view_box.viewRange()
    for item, label in zip(plot._end_items, plot._end_labels, strict=True):
        assert item.mapRectToScene(item.boundingRect()).right() <= plot.width() or not item.isVisible()
        assert item.isVisible() is (left <= label.x <= right and low <= label.y <= high)
    assert not all(item.isVisible() for item in plot._end_items)


def test_no_one_can_zoom_or_move_into_emptiness(
    shown: Callable[[Callable[[Theme], ScopePlot]], PlotFrame],
) -> None:
    plot = plot_of(shown(latency))
    (left, right), (low, high) = plot.view_box.viewRange()
    plot.view_box.scaleBy((1e6, 1e6))
    plot.view_box.translateBy(x=1e6, y=1e6)
    (farthest, _), (lowest, _) = plot.view_box.viewRange()
    assert farthest >= left - 2.01 * (right - left)
    assert lowest >= low - 2.01 * (high - low)


def test_on_a_page_that_scrolls_the_wheel_scrolls_and_zooms_with_control(qtbot: QtBot, theme: Theme) -> None:
    area, page = QScrollArea(), QWidget()
    layout = QVBoxLayout(page)
    plot = latency(theme)
    plot.setMinimumHeight(300)
    layout.addWidget(plot)
    layout.addSpacing(900)
    area.setWidget(page)
    area.setWidgetResizable(True)
    qtbot.addWidget(area)
    area.resize(500, 400)
    with qtbot.waitExposed(area):
        area.show()
    before = plot.view_box.viewRange()
    scroll_wheel(plot)
    assert plot.view_box.viewRange() == before
    scroll_wheel(plot, Qt.KeyboardModifier.ControlModifier)
    assert plot.zoom.is_zoomed


@settings(deadline=None)  # the machine may be busy
@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=60),
    st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_no_point_is_nearer_than_the_one_that_is_shown(
    points: list[tuple[float, float]], place: tuple[float, float]
) -> None:
    x, y = (np.array(values) for values in zip(*points, strict=True))
    found = nearest([HoverSeries(x, y, str)], place, (0.01, 0.01), [(0, 1), (0, 1)])
    distances = np.hypot(x - place[0], y - place[1])
    assert (found is not None) == bool(distances.min() <= 0.24)
    if found is not None:
        assert distances[found[1]] == pytest.approx(distances.min())


def test_missing_points_and_empty_series_are_not_found() -> None:
    series = [HoverSeries(np.empty(0), np.empty(0), str), HoverSeries(np.array([0.5]), np.array([math.nan]), str)]
    assert nearest(series, (0.5, 0.5), (0.01, 0.01), [(0, 1), (0, 1)]) is None


@pytest.mark.parametrize("low", [-1.0, 0.0, 1.7, 3.2])
@pytest.mark.parametrize("decades", [0.2, 0.02, 0.002])
def test_a_zoomed_logarithmic_axis_has_several_ticks_with_different_numbers(
    theme: Theme, low: float, decades: float
) -> None:
    axis = LogAxis("left")
    ((_, values),) = axis.tickValues(low, low + decades, 300)
    assert 2 <= len(values) <= 12
    texts = axis.tickStrings(values, 1, 1)
    assert len(set(texts)) == len(texts)
    assert [float(text) for text in texts] == pytest.approx([10**value for value in values], rel=1e-3)
