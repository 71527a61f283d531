"""Samples of a candidate over time, with outages as shaded spans."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.ranking.sample_history import SampleHistory, SampleOutage
from ui.common.theme import Theme
from ui.plots.samples import SamplesPlot


@pytest.fixture
def plot(qtbot: QtBot, theme: Theme) -> SamplesPlot:
    one = SamplesPlot(theme)
    qtbot.addWidget(one)
    return one


RTT_MS = np.array([1.0, np.nan, np.nan, 2.0, 4.0, np.nan])
ROUNDS = np.array([1, 1, 1, 1, 2, 2])


def test_outages_are_shaded_with_what_is_known_of_them(plot: SamplesPlot) -> None:
    assert not plot.getPlotItem().getAxis("left").style["showValues"]
    outages = (SampleOutage(1, 2, 1, 2.5, 6.0), SampleOutage(5, 5, 2, 0.0, 4.0))
    plot.draw("ipsec", SampleHistory(60, RTT_MS, np.array([1.0, 1.0, 5.0, 5.0, 80.0, 80.0]), ROUNDS, outages))
    assert plot.tips == [
        "Round 1: 2 requests in a row had no reply\nduration: 2.5 s to 6.0 s",
        "Round 2: request 6 had no reply\nduration: at most 4.0 s",
    ]
    assert plot._spans[0].getRegion() == (1.0, 5.0)
    left, right = plot._spans[1].getRegion()
    assert left < 80.0 < right, "an outage within a block can be seen, too"
    assert plot.figures().rows == (("1", "2 – 3", "2", "2.5 s to 6.0 s"), ("2", "6 – 6", "1", "at most 4.0 s"))
    assert plot.getPlotItem().getAxis("bottom").labelText == "seconds since the comparison began"
    assert len(plot.export_rows().rows) == 6
    assert plot.export_rows().rows[4] == (2, 5, 80.0, 4.0)


def test_requests_that_were_not_sent_are_not_exported(plot: SamplesPlot) -> None:
    sent = np.array([True, True, False, True, True, True])
    plot.draw("ipsec", SampleHistory(60, RTT_MS, None, ROUNDS, (), sent))
    assert [row[1] for row in plot.export_rows().rows] == [1, 2, 4, 5, 6]


def test_a_host_that_prints_whole_milliseconds_has_samples_of_0(plot: SamplesPlot) -> None:
    rtt_ms = np.array([0.0, 1.0, 0.0, 2.0])
    plot.draw("ipsec", SampleHistory(60, rtt_ms, None, np.ones(4, int), ()))
    (series,) = plot.hover_series()
    assert np.isfinite(series.y).all()
    assert series.text(0).endswith("0 ms")


def test_without_times_no_duration_is_given(plot: SamplesPlot) -> None:
    plot.draw("ipsec", SampleHistory(60, RTT_MS, None, ROUNDS, (SampleOutage(1, 2, 1),)))
    assert plot.tips == ["Round 1: 2 requests in a row had no reply\nThe times of requests are not stored."]
    assert plot._spans[0].getRegion() == (1.5, 3.5)
    assert plot.figures().rows == (("1", "2 – 3", "2", "–"),)
    assert plot.getPlotItem().getAxis("bottom").labelText == "request, in order"
    (series,) = plot.hover_series()
    assert series.text(4) == "request 5, round 2\n4.00 ms"
    plot.draw("", None)
    assert plot.tips == []
    assert plot.hover_series() == []


def test_where_nothing_was_answered_everything_is_shaded(plot: SamplesPlot) -> None:
    lost = np.full(3, np.nan)
    plot.draw("ipsec", SampleHistory(60, lost, None, np.ones(3, np.int64), (SampleOutage(0, 2, 1),)))
    assert len(plot.tips) == 1
    assert not plot.getPlotItem().getAxis("left").style["showValues"]
    plot.set_log(is_log=False)
    assert len(plot.tips) == 1, "drawn anew, not twice"
