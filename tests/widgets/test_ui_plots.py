from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
from datetime import UTC, datetime

import numpy as np
import pyqtgraph as pg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyqtgraph.graphicsItems.ScatterPlotItem import renderSymbol
from PySide6.QtCore import Qt
from PySide6.QtGui import QPen
from pytestqt.qtbot import QtBot

from app.deployment.monitor_log import MonitorSample
from app.wording.colours import Marker
from ui.common.sample_model import Curve
from ui.common.theme import Theme
from ui.plots.axes import LogAxis, SecondsAxis, SizesAxis
from ui.plots.base import EndLabel, ScopePlot
from ui.plots.latency import LatencyPlot
from ui.plots.limits import LimitsBox
from ui.plots.packet_stream import ArrivingPlot, buckets
from ui.plots.pens import nice_top, symbol_of
from ui.plots.rtt_history import RttHistoryPlot
from ui.plots.spreading import spread
from ui.plots.throughput_cpu import CpuPlot, ThroughputPlot
from vpn_adapters.registry import ADAPTERS


@settings(deadline=None)  # the machine may be busy
@given(st.lists(st.floats(0, 100), min_size=1, max_size=12), st.floats(0.1, 5))
def test_labels_are_moved_apart_and_keep_their_order(wanted: list[float], distance: float) -> None:
    placed = spread(sorted(wanted), distance, 0, 100)
    assert all(b - a >= distance * 0.999 for a, b in itertools.pairwise(placed))


def test_labels_with_room_remain_where_they_are() -> None:
    assert spread([10, 50, 90], 5, 0, 100) == [10, 50, 90]


def test_labels_that_touch_move_as_little_as_possible() -> None:
    assert spread([50, 50], 10, 0, 100) == [45, 55]


@settings(deadline=None)  # the machine may be busy
@given(st.lists(st.tuples(st.floats(-10, 0), st.floats(0, 100)), min_size=1, max_size=400))
def test_thinning_loses_neither_the_least_nor_the_most(points: list[tuple[float, float]]) -> None:
    points.sort()
    x, y = (np.array(values) for values in zip(*points, strict=True))
    at, low, high = buckets(x, y, -10, 0, 50)
    assert len(at) <= 50
    assert low.min() == y.min()
    assert high.max() == y.max()
    assert np.all(low <= high)
    assert np.all(np.diff(at) > 0)


@settings(deadline=None)  # the machine may be busy
@given(st.floats(1e-6, 1e6))
def test_the_top_of_an_axis_is_round_and_not_far_above(value: float) -> None:
    top = nice_top(value)
    assert value * 0.998 <= top <= 2 * value


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_the_top_of_an_axis_without_figures_is_one(value: float) -> None:
    assert nice_top(value) == 1.0


@pytest.mark.parametrize(("low", "high"), [(-1, 1), (-0.5, 0.1), (0, 3), (2, 2.05)])
def test_a_logarithmic_axis_has_ticks_with_the_numbers_behind_them(theme: Theme, low: float, high: float) -> None:
    axis = LogAxis("left")
    ((_, values),) = axis.tickValues(low, high, 300)
    assert all(low <= value <= high for value in values)
    assert [float(text) for text in axis.tickStrings(values, 1, 1)] == pytest.approx([10**v for v in values], rel=0.01)


def test_frame_sizes_that_would_touch_are_left_out(theme: Theme) -> None:
    axis = SizesAxis()
    axis.sizes = (60, 128, 256, 512, 1024, 1400, 1514)
    ((_, values),) = axis.tickValues(1.7, 3.2, 400)
    assert axis.tickStrings(values, 1, 1) == ["60", "128", "256", "512", "1024", "1514"]


def labelled(qtbot: QtBot, theme: Theme, size_px: tuple[int, int], room_px: int) -> ScopePlot:
    """Return a plot on show, from 0 to 10 and from 0 to 1, with room for labels."""
    plot = ScopePlot(theme, "Test", label_room_px=room_px)
    qtbot.addWidget(plot)
    plot.resize(*size_px)
    with qtbot.waitExposed(plot):
        plot.show()
    plot.set_x_range(0, 10)
    plot.set_y_range(0, 1)
    return plot


def test_labels_at_the_ends_do_not_overlap_on_the_screen(qtbot: QtBot, theme: Theme) -> None:
    plot = labelled(qtbot, theme, (500, 300), 120)
    plot.set_end_labels([EndLabel(f"candidate {n}", "#0072B2", False, 10, 0.5 + n / 1000) for n in range(6)])
    boxes = sorted(
        (item.mapRectToScene(item.boundingRect()) for item in plot._end_items), key=lambda box: box.center().y()
    )
    for upper, lower in itertools.pairwise(boxes):
        assert lower.center().y() - upper.center().y() >= 0.8 * upper.height()
    assert all(box.right() <= plot.width() for box in boxes)


def test_labels_that_do_not_fit_above_each_other_are_in_two_columns(qtbot: QtBot, theme: Theme) -> None:
    plot = labelled(qtbot, theme, (900, 110), 240)
    titles = [f"OpenVPN over UDP, AES-{n}-CBC with SHA1" for n in range(10)]
    plot.set_end_labels([EndLabel(title, "#0072B2", False, 10, n / 10) for n, title in enumerate(titles)])
    boxes = [item.mapRectToScene(item.boundingRect()) for item in plot._end_items]
    assert all(box.right() <= plot.width() for box in boxes)
    for one, other in itertools.combinations(boxes, 2):
        common = one.intersected(other)
        assert common.width() <= 1 or common.height() <= 0.2 * one.height()


def test_labels_whose_neighbours_touch_do_not_overlap_either(qtbot: QtBot, theme: Theme) -> None:
    plot = labelled(qtbot, theme, (900, 400), 156)
    # The lowest label touches the second; this touches the third, whose place would be far beside the lowest's.
    places = ((4.2, 0.4), (3.2, 0.6), (2.2, 0.61))
    plot.set_end_labels([EndLabel("IPsec with L2TPv3", "#0072B2", False, x, y) for x, y in places])
    _, second, third = (item.mapRectToScene(item.boundingRect()) for item in plot._end_items)
    assert third.right() > second.left()
    assert second.center().y() - third.center().y() >= 0.8 * third.height()


@pytest.mark.parametrize(("width_px", "most"), [(320, 3), (900, 1)])
def test_titles_take_several_lines_where_the_plot_is_narrow_and_do_not_touch(
    qtbot: QtBot, theme: Theme, width_px: int, most: int
) -> None:
    plot = ScopePlot(theme, "Test", label_room_px=132)
    qtbot.addWidget(plot)
    plot.resize(width_px, 300)
    with qtbot.waitExposed(plot):
        plot.show()
        titles = ("Bare underlay", "OpenVPN over UDP, AES-256-GCM", "OpenVPN over UDP, BF-CBC", "WireGuard")
        plot.set_end_labels([EndLabel(title, "#0072B2", False, 1, n / 1000) for n, title in enumerate(titles)])
    boxes = [item.mapRectToScene(item.boundingRect()) for item in plot._end_items]
    line_px = min(box.height() for box in boxes)
    assert 1 <= max(box.height() for box in boxes) / line_px <= most
    assert (max(box.height() for box in boxes) > 1.5 * line_px) is (most > 1)
    for upper, lower in itertools.pairwise(sorted(boxes, key=lambda box: box.center().y())):
        assert lower.center().y() - upper.center().y() >= 0.8 * (upper.height() + lower.height()) / 2
    assert all(box.top() >= 0 and box.right() <= plot.width() for box in boxes)


@pytest.mark.parametrize("height_px", [104, 130, 170])
def test_labels_of_eight_candidates_are_inside_a_low_plot(qtbot: QtBot, theme: Theme, height_px: int) -> None:
    plot = ScopePlot(theme, "Test", "frame size in bytes", "round-trip time in ms", label_room_px=156)
    qtbot.addWidget(plot)
    plot.resize(480, height_px)
    with qtbot.waitExposed(plot):
        plot.show()
        plot.set_y_range(0, 1)
        plot.set_end_labels([EndLabel(f"IPsec with GRE tap, {n}", "#0072B2", False, 1, 0.8 + n / 40) for n in range(8)])
    boxes = sorted(
        (item.mapRectToScene(item.boundingRect()) for item in plot._end_items), key=lambda box: box.center().y()
    )
    room = plot.view_box.mapRectToScene(plot.view_box.boundingRect())
    assert boxes[0].top() >= room.top() - 2
    assert boxes[-1].bottom() <= room.bottom() + 2
    distances = [lower.top() - upper.top() for upper, lower in itertools.pairwise(boxes)]
    assert min(distances) >= 0.9 * max(distances)
    plot.resize(480, 400)
    qtbot.waitUntil(lambda: plot.view_box.height() > 300)
    assert max(item.boundingRect().height() for item in plot._end_items) > boxes[0].height()  # margins are back


def test_late_replies_are_clipped_and_counted_in_words(qtbot: QtBot, theme: Theme) -> None:
    plot = ArrivingPlot(theme)
    qtbot.addWidget(plot)
    at_s = np.linspace(-9, 0, 1000)
    rtt_ms = np.full(1000, 0.5)
    rtt_ms[::400] = 80.0
    plot.draw("wireguard", at_s, rtt_ms)
    _, y = plot._samples.getData()
    top = plot.view_box.viewRange()[1][1]
    assert top < 2
    assert y.max() <= top * 1.01
    assert plot._note.toPlainText() == f"3 above {top:g} ms"


def test_a_plot_without_samples_is_empty_and_does_not_fail(qtbot: QtBot, theme: Theme) -> None:
    empty = np.empty((0, 2))
    plots = ThroughputPlot(theme), CpuPlot(theme, "A"), ArrivingPlot(theme)
    for plot in plots:
        qtbot.addWidget(plot)
    plots[0].draw("wireguard", {"a_to_b": empty, "b_to_a": empty}, 3)
    plots[1].draw(np.empty((0, 5)))
    plots[2].draw("wireguard", np.empty(0), np.full(0, math.nan))
    assert plots[0].heading.text() == "Throughput, Mbit/s"
    assert plots[1].words == ""


def test_a_closed_plot_follows_the_theme_no_more(qtbot: QtBot, theme: Theme) -> None:
    plot = ArrivingPlot(theme)
    box = LimitsBox(theme, plot)
    qtbot.addWidget(box)
    box.setCurrentIndex(1)
    plot.close()
    plot.close()
    with qtbot.captureExceptions() as exceptions:
        theme.zoom(1.25)
        theme.zoom(0)
    assert exceptions == []


def test_cpu_is_stacked(qtbot: QtBot, theme: Theme) -> None:
    plot = CpuPlot(theme, "A")
    qtbot.addWidget(plot)
    plot.draw(np.array([[1, 10, 20, 5, 0], [2, 30, 40, 10, 0]], dtype=float))
    tops = [area.getData()[1].tolist() for area in plot._areas]
    assert tops == [[35, 80], [30, 70], [10, 30]]
    assert plot.words == "A 80 %"


def test_newest_throughput_is_below_the_plot_that_its_heading_names(qtbot: QtBot, theme: Theme) -> None:
    plot = ThroughputPlot(theme)
    qtbot.addWidget(plot)
    rows = {"a_to_b": np.array([[1.0, 250.0], [2.0, 283.4]]), "b_to_a": np.array([[1.0, 321.6]])}
    plot.draw("ipsec", rows, 3)
    assert plot.heading.text() == "Throughput, Mbit/s"
    assert plot.newest.text() == "\u2501 A→B 283  \u2504 B→A 322"
    assert plot._end_labels == ()


def test_a_plot_without_data_has_no_numbers_at_its_axis(qtbot: QtBot, theme: Theme) -> None:
    watch, throughput, arriving, latency = (
        RttHistoryPlot(theme),
        ThroughputPlot(theme),
        ArrivingPlot(theme),
        LatencyPlot(theme),
    )
    plots: tuple[ScopePlot, ...] = (watch, throughput, arriving, latency)
    for plot in plots:
        qtbot.addWidget(plot)
        assert not plot.getPlotItem().getAxis("left").style["showValues"], plot.name
    now = datetime.now(UTC)
    watch.draw("wireguard", [MonitorSample(now, (1.5, None), 0.0)])
    throughput.draw("ipsec", {"a_to_b": np.array([[1.0, 250.0]]), "b_to_a": np.empty((0, 2))}, 3)
    arriving.draw("ipsec", np.array([-1.0]), np.array([2.0]))
    latency.set_candidates({("ipsec", "x"): ("ipsec", 0)})
    latency.draw([_curve("ipsec")])
    for plot in plots:
        assert plot.getPlotItem().getAxis("left").style["showValues"], plot.name
    watch.draw("wireguard", [MonitorSample(now, (None, None), 100.0)])
    assert not watch.getPlotItem().getAxis("left").style["showValues"], "nothing answered"


def _curve(solution: str) -> Curve:
    sizes = np.array([60.0, 1514.0])
    band = np.array([0.9, 1.8]), np.array([1.2, 2.5])
    return Curve((solution, "x"), sizes, np.array([1.0, 2.0]), *band, np.array([1400.0, 100.0]))


@pytest.mark.parametrize(("number", "shown"), [(3, 3), (5, 1)])
def test_of_many_candidates_only_the_chosen_one_has_its_band(
    qtbot: QtBot, theme: Theme, number: int, shown: int
) -> None:
    plot = LatencyPlot(theme, (60, 1514))
    qtbot.addWidget(plot)
    curves = [_curve(name) for name in list(ADAPTERS)[:number]]
    plot.set_candidates({curve.key: (curve.key[0], 0) for curve in curves})
    plot.draw(curves)
    plot.highlight(curves[1].key)
    bands = {key: band.fill.isVisible() for key, band in plot._bands.items()}
    assert sum(bands.values()) == shown
    assert bands[curves[1].key]
    symbols = {band.dots.opts["symbol"] for band in plot._bands.values()}
    assert len(symbols) == number, "every solution has a shape of its own"


@pytest.mark.parametrize("width_px", [60, 140, 600])
def test_seconds_have_room_beside_each_other(theme: Theme, width_px: int) -> None:
    ((step, ticks),) = SecondsAxis("bottom").tickValues(0, 10, width_px)
    assert step * width_px / 10 >= 40
    assert all(0 <= tick <= 10 for tick in ticks)


_A_LINE = """
import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QColor
from ui.plots.pens import plot_pen
app = pg.mkQApp()
plot = pg.PlotWidget(background="#ffffff")
plot.hideAxis("left")
plot.hideAxis("bottom")
plot.addItem(pg.PlotCurveItem(np.arange(3.0), np.ones(3), pen=plot_pen("#000000", 4)))
plot.resize(200, 100)
plot.show()
app.processEvents()
image = plot.grab().toImage()
column = [image.pixelColor(image.width() // 2, y).lightness() for y in range(image.height())]
print(sum(1 - light / 255 for light in column) / image.devicePixelRatio())
"""


@pytest.mark.parametrize("scale", ["2", pytest.param("1", marks=pytest.mark.full)])
def test_lines_are_as_wide_on_screens_with_fine_pixels(scale: str) -> None:
    environment = {**os.environ, "QT_SCALE_FACTOR": scale, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", _A_LINE], env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    assert float(done.stdout) == pytest.approx(4, abs=0.6)


_MANY_UPDATES = """
import sys
import numpy as np
import pyqtgraph as pg
app = pg.mkQApp()
plot = pg.PlotWidget()
curve, dots = pg.PlotCurveItem(), pg.ScatterPlotItem()
low, high = pg.PlotCurveItem(), pg.PlotCurveItem()
for item in (curve, dots, low, high, pg.FillBetweenItem(low, high, brush="#0072B2")):
    plot.addItem(item)
plot.show()
before = sys.getrefcount(None)
x = np.arange(50.0)
for nth in range(1000):
    for item in (curve, dots, low, high):
        item.setData(x, x + nth)
    if nth % 100 == 0:
        app.processEvents()
lost = before - sys.getrefcount(None)
print(lost)
sys.exit(0 if lost < 1000 else 3)  # of 4000 updates
"""


def test_thousands_of_updates_neither_abort_nor_eat_references_to_none() -> None:
    # PySide6 6.12.0 gives away one reference to None per update and aborts with 'deallocating None'.
    done = subprocess.run(
        [sys.executable, "-c", _MANY_UPDATES], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def drawn(marker: Marker) -> np.ndarray:
    """Return the opacity of each pixel of a marker without an outline."""
    image = renderSymbol(symbol_of(marker), 8, QPen(Qt.PenStyle.NoPen), pg.mkBrush("#ff0000"))
    alpha: np.ndarray = pg.functions.ndarray_from_qimage(image)[..., 3].copy()
    return alpha


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("marker", Marker)
def test_a_marker_without_an_outline_can_be_seen(marker: Marker) -> None:
    assert drawn(marker).sum() / 255 >= 6, "less than 6 of some 64 pixels"


@pytest.mark.usefixtures("qapp")
def test_no_two_markers_are_drawn_alike() -> None:
    pictures = {marker: drawn(marker) for marker in Marker}
    alike = [(a, b) for a, b in itertools.combinations(Marker, 2) if np.array_equal(pictures[a], pictures[b])]
    assert alike == []
