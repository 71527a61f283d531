"""Parts for people who do not see well: plots as tables, icons on selected lines, a countdown that is read out."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from pytestqt.qtbot import QtBot
from window_driver import Driver

from app.deployment.monitor_log import MonitorSample
from app.measurement.wizard import Step
from ui.common.icons import make_icon
from ui.common.theme import Theme
from ui.deployments.confirm_countdown import Countdown
from ui.plots.framed import PlotFrame, framed
from ui.plots.packet_stream import ArrivingPlot
from ui.plots.rtt_history import RttHistoryPlot
from ui.plots.throughput_cpu import CpuPlot, ThroughputPlot


def _texts(frame: PlotFrame) -> list[list[str]]:
    table = frame.table
    assert table is not None
    return [
        [table.cell(row, column).text() for column in range(table.columnCount())] for row in range(table.rowCount())
    ]


def test_the_button_shows_figures_and_the_plot_again(qtbot: QtBot, theme: Theme) -> None:
    plot = ThroughputPlot(theme)
    frame = framed(plot)
    qtbot.addWidget(frame)
    frame.show()
    plot.draw("ipsec", {"a_to_b": np.array([[1.0, 250.0]]), "b_to_a": np.array([[1.0, 321.6]])}, 3)
    assert frame.switch.accessibleName() == "Show as table: Throughput, Mbit/s"
    frame.switch.setFocus()
    qtbot.keyClick(frame.switch, Qt.Key.Key_Space)
    assert _texts(frame) == [["A→B", "1 s", "250.0 Mbit/s"], ["B→A", "1 s", "321.6 Mbit/s"]]
    assert not plot.isVisible()
    assert frame.switch.accessibleName() == "Show as plot: Throughput, Mbit/s"
    qtbot.keyClick(frame.switch, Qt.Key.Key_Space)
    assert plot.isVisible()


def test_new_figures_reach_the_table_and_leave_the_selection_alone(qtbot: QtBot, theme: Theme) -> None:
    plot = CpuPlot(theme, "A")
    frame = framed(plot)
    qtbot.addWidget(frame)
    frame.show()
    plot.draw(np.array([[1, 10, 20, 5, 0]], dtype=float))
    frame.switch.click()
    assert _texts(frame) == [["A", "1 s", "10 %", "20 %", "5 %", "35 %"]]
    assert frame.table is not None
    frame.table.selectRow(0)
    plot.draw(np.array([[1, 10, 20, 5, 0], [2, 30, 40, 10, 0]], dtype=float))
    qtbot.waitUntil(lambda: len(_texts(frame)) == 2)
    assert _texts(frame)[1] == ["A", "2 s", "30 %", "40 %", "10 %", "80 %"]
    assert frame.table.currentRow() == 0


def test_arriving_times_are_reported_by_the_second(qtbot: QtBot, theme: Theme) -> None:
    plot = ArrivingPlot(theme)
    qtbot.addWidget(plot)
    plot.draw("wireguard", np.array([-1.9, -1.5, -1.1, -0.2]), np.array([1.0, 2.0, 30.0, math.nan]))
    rows = plot.figures().rows
    assert len(rows) == 10
    assert rows[0][1:] == ("0", "1", "–", "–")
    assert rows[1][1:] == ("3", "0", "2.00 ms", "30.00 ms")


def test_a_watched_tunnel_tells_its_losses_newest_first(qtbot: QtBot, theme: Theme) -> None:
    plot = RttHistoryPlot(theme)
    qtbot.addWidget(plot)
    start = datetime(2026, 3, 4, 9, 30, tzinfo=UTC)
    samples = [
        MonitorSample(at=start + timedelta(seconds=5 * nth), rtt_ms=rtt, loss_pct=0.0)
        for nth, rtt in enumerate([(1.0, 2.0), (None, 3.0)])
    ]
    plot.draw("wireguard", samples)
    assert [row[1:] for row in plot.figures().rows] == [("–", "3.00 ms"), ("1.00 ms", "2.00 ms")]
    axis = plot.getPlotItem().getAxis("bottom")
    last = f"{samples[-1].at.astimezone():%H:%M:%S}"
    assert axis.tickStrings([-60.0, 0.0], 1, 1) == ["-60 s", last], "it is not now: the monitor may have been stopped"


def test_each_plot_of_a_comparison_has_its_figures(driver: Driver) -> None:
    driver.go_to(Step.RUN)
    driver.until(lambda: not driver.window.is_measuring)
    page = driver.window.run_page
    live = [one for one in page.findChildren(PlotFrame) if one.isVisibleTo(page)]
    driver.next()
    driver.idle()
    tabs = driver.window.results.tabs
    for nth in range(tabs.count()):
        tabs.setCurrentIndex(nth)  # a plot is made when its tab is opened
    frames = [*live, *driver.window.results.findChildren(PlotFrame)]
    assert len(frames) == 10
    for frame in frames:
        frame.switch.click()
        assert frame.is_table
        assert _texts(frame), frame.switch.accessibleName()


@pytest.mark.parametrize("name", ["check", "error", "clock"])
def test_icons_keep_their_colour_on_a_selected_line(qtbot: QtBot, theme: Theme, name: str) -> None:
    icon = make_icon(name, theme.colours.good)
    plain, selected = (icon.pixmap(16, mode).toImage() for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected))
    assert plain == selected


def test_the_countdown_is_read_again_when_little_time_is_left(
    qtbot: QtBot, theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    countdown = Countdown()
    qtbot.addWidget(countdown)
    read: list[str] = []
    monkeypatch.setattr(
        "ui.deployments.confirm_countdown.notify_shown", lambda widget: read.append(widget.left.accessibleName())
    )
    for left_s in (120, 61, 60, 59, 31, 29, 11, 9, 1):
        countdown.show_left(left_s, 120, "")
    assert read == ["Time left: 1 min", "Time left: 29 s", "Time left: 9 s"]
    countdown.confirm.click()
    assert len(read) == 4


def test_the_countdown_says_which_addresses_can_be_tried(qtbot: QtBot) -> None:
    countdown = Countdown()
    qtbot.addWidget(countdown)
    countdown.set_addresses("198.19.0.1/24", "198.19.0.2/24")
    countdown.show_left(90, 120, "")
    assert "host A is 198.19.0.1 in it, host B is 198.19.0.2." in countdown.text.text()
    countdown.set_addresses("", "")
    countdown.show_left(80, 120, "")
    assert "198.19" not in countdown.text.text()
