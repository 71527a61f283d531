from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.domain.conditions import AS_FOUND
from app.domain.events import CycleEnded, RoundEnded
from app.domain.interim import CandidateState, InterimCandidate, InterimResult
from app.domain.ranking import Ratio
from app.domain.results import AttemptKey
from support.sample_records import BASELINE, OPENVPN_UDP, WIREGUARD
from ui.common.ratio_model import RatioModel
from ui.common.theme import Theme
from ui.plots.ratios import RatioPlot

FAST, SLOW = ("wireguard", WIREGUARD.suite), ("openvpn-udp", OPENVPN_UDP.suite)


def cycle(number: int, values: tuple[float, float, float], *, is_counted: bool = True, round_: int = 1) -> CycleEnded:
    keys = [
        AttemptKey(position, one.solution, one.suite, AS_FOUND, round_)
        for position, one in enumerate((BASELINE, WIREGUARD, OPENVPN_UDP))
    ]
    return CycleEnded(round_, number, tuple(zip(keys, values, strict=True)), is_counted)


def round_ended(number: int, ratio: Ratio) -> RoundEnded:
    candidates = (
        InterimCandidate(*FAST, Ratio(1.0, 1.0, 1.0), CandidateState.OPEN),
        InterimCandidate(*SLOW, ratio, CandidateState.OPEN),
    )
    return RoundEnded(InterimResult(number, candidates, None, 60.0, "About 1 min more."))


@pytest.fixture
def model() -> RatioModel:
    found = RatioModel()
    found.take_cycle(cycle(1, (0.2, 1.0, 1.5)))
    found.take_cycle(cycle(2, (9.0, 9.0, 9.0), is_counted=False))
    found.take_cycle(cycle(3, (0.2, 1.0, 1.5)))
    found.take_round(round_ended(1, Ratio(1.5, None, None)))
    found.take_cycle(cycle(1, (0.2, 2.0, 3.0), round_=2))
    found.take_round(round_ended(2, Ratio(1.5, 1.2, 1.9)))
    return found


def test_ratios_are_those_of_the_vpns_and_disturbed_cycles_do_not_count(model: RatioModel) -> None:
    fast, slow = model.curves()
    assert (fast.key, slow.key) == (FAST, SLOW)
    assert fast.cycle.tolist() == [1, 2, 3]
    assert np.allclose(fast.ratio, 1.0)
    assert np.allclose(slow.ratio, 1.5)
    assert [(one.cycle, one.low) for one in slow.rounds] == [(2, None), (3, 1.2)]


def test_candidates_that_cannot_be_up_together_are_compared_over_as_many_cycles_of_each() -> None:
    model = RatioModel()
    for number in (1, 2):
        keys, values = zip(*cycle(number, (0.2, 1.0, 1.5)).block_ms, strict=True)
        for kept in (slice(0, 2), slice(2, 3)):
            model.take_cycle(CycleEnded(1, number, tuple(zip(keys[kept], values[kept], strict=True)), is_counted=True))
    model.take_round(round_ended(1, Ratio(1.5, None, None)))
    fast, slow = model.curves()
    assert fast.cycle.tolist() == slow.cycle.tolist() == [1, 2]
    assert np.allclose(fast.ratio, 1.0)
    assert np.allclose(slow.ratio, 1.5)
    assert [one.cycle for one in (*fast.rounds, *slow.rounds)] == [2, 2]


def test_the_plot_has_a_point_per_round_and_a_bar_where_there_is_an_interval(
    qtbot: QtBot, theme: Theme, model: RatioModel
) -> None:
    plot = RatioPlot(theme)
    qtbot.addWidget(plot)
    plot.set_candidates({FAST: ("WireGuard", 0), SLOW: ("OpenVPN", 0)})
    plot.draw(model.curves())
    series = plot._series[SLOW]
    assert series.dots.getData()[0].tolist() == [2.0, 3.0]
    assert series.bars.opts["x"].tolist() == [3.0]
    assert series.bars.opts["top"].tolist() == pytest.approx([0.4])
    rows = plot.figures().rows
    assert rows[1] == ("OpenVPN", "1.50", "1.20–1.90", "2", "3")
    plot.set_candidates({FAST: ("WireGuard", 0)})
    assert plot.figures().rows == ()
