"""Limits of controllers in plots of round-trip times."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.domain.controllers import ControllerSetting
from ui.common.sample_model import Curve
from ui.common.theme import Theme
from ui.plots.latency import LatencyPlot
from ui.plots.limits import LimitsBox


@pytest.fixture
def plot(qtbot: QtBot, theme: Theme) -> LatencyPlot:
    """Return a plot whose round-trip times are between 1 and 10 ms."""
    one = LatencyPlot(theme, (60, 1514))
    qtbot.addWidget(one)
    one.resize(700, 400)
    with qtbot.waitExposed(one):
        one.show()
        one.set_candidates({("ipsec", "x"): ("ipsec", 0)})
        values = [np.array([60.0, 1514.0]), *(np.array(two) for two in ([2.0, 5.0], [1.2, 4.0], [3.0, 9.0]))]
        one.draw([Curve(("ipsec", "x"), *values, np.array([10.0, 10.0]))])
    return one


def test_limits_are_off_at_first_and_only_those_in_sight_are_drawn(plot: LatencyPlot, theme: Theme) -> None:
    box = LimitsBox(theme, plot)
    (limits,) = box.limits
    assert limits.setting is None
    assert limits.seen == ()
    before = plot.view_box.viewRange()
    box.setCurrentIndex(box.findData(ControllerSetting.PROFINET))
    assert limits.seen == (), "the shortest round trip is not known"
    box.count_from(1.0)
    assert [one.limit_ms for one, _ in limits.seen] == [3, 5, 9]
    words = "PROFINET RT {0} ms: shortest RTT + 2 × {0} ms"
    assert [label for _, label in limits.seen] == [words.format(value) for value in (1, 2, 4)]
    assert plot.view_box.viewRange() == before, "lines do not change what is seen"
    box.setCurrentIndex(box.findData(ControllerSetting.MODBUS))
    assert limits.seen == (), "50 ms are far above"
    box.setCurrentIndex(box.findData(ControllerSetting.ETHERNET_IP))
    assert [one.limit_ms for one, _ in limits.seen] == [4, 7]
    box.setCurrentIndex(0)
    assert limits.seen == ()


def test_lines_of_cyclic_data_do_not_contradict_the_advice_on_a_long_path(plot: LatencyPlot, theme: Theme) -> None:
    box = LimitsBox(theme, plot)
    (limits,) = box.limits
    values = [np.array([60.0, 128.0]), *(np.array(two) for two in ([501.0, 501.1], [500.0, 500.1], [501.9, 501.9]))]
    plot.draw([Curve(("ipsec", "x"), *values, np.array([10.0, 10.0]))])
    box.count_from(500.0)
    box.setCurrentIndex(box.findData(ControllerSetting.PROFINET))
    assert limits._lines[0][0].limit_ms == 502.0, "above every reply: an update time of 1 ms is safe"
    box.setCurrentIndex(box.findData(ControllerSetting.MODBUS))
    assert [one.limit_ms for one, _ in limits._lines][:4] == [50, 100, 200, 500], "time-outs are absolute"


def test_lines_follow_the_scale_and_the_part_that_is_seen(plot: LatencyPlot, theme: Theme) -> None:
    box = LimitsBox(theme, plot)
    (limits,) = box.limits
    box.count_from(1.0)
    box.setCurrentIndex(box.findData(ControllerSetting.PROFINET))
    places = [line.value() for _, line in limits._seen()]
    assert places == pytest.approx(np.log10([3.0, 5.0, 9.0]))
    plot.set_log(is_log=False)
    assert [line.value() for _, line in limits._seen()] == [3.0, 5.0, 9.0]
    values = [np.array([60.0, 1514.0]), *(np.array(two) for two in ([2.0, 1_500.0], [1.2, 900.0], [3.0, 1_900.0]))]
    plot.draw([Curve(("ipsec", "x"), *values, np.array([10.0, 10.0]))])
    shown = limits.seen
    assert [one.limit_ms for one, _ in shown] == [1 + 2 * 2**step for step in range(10)]
    assert shown[-1][1] == "PROFINET RT 512 ms: shortest RTT + 2 × 512 ms"
    assert not shown[0][1], "labels that would touch are left out"
