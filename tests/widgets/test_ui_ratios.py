from __future__ import annotations

import csv
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.domain.conditions import AS_FOUND
from app.domain.events import CycleEnded, RoundEnded
from app.domain.interim import CandidateState, InterimCandidate, InterimResult
from app.domain.profiles import FRAME_BYTES
from app.domain.ranking import Ratio
from app.domain.results import Attempt, AttemptKey, AttemptStatus, Block, LatencySeries
from support.sample_records import BASELINE, OPENVPN_UDP, STARTED, WIREGUARD
from ui.common.ratio_model import RatioCurve, RatioModel, RoundRatio
from ui.common.theme import Theme
from ui.plots.export import csv_of
from ui.plots.framed import framed
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


def test_a_candidate_with_more_cycles_is_compared_with_the_last_of_a_faster_one() -> None:
    model = RatioModel()
    for number in (1, 2, 3, 4):
        keys, values = zip(*cycle(number, (0.2, 1.0, 1.5)).block_ms, strict=True)
        kept = slice(0, 3) if number < 3 else slice(2, 3)
        model.take_cycle(CycleEnded(1, number, tuple(zip(keys[kept], values[kept], strict=True)), is_counted=True))
    fast, slow = model.curves()
    assert (fast.key, slow.key) == (FAST, SLOW)
    assert slow.cycle.tolist() == [1, 2, 3, 4]
    assert np.allclose(slow.ratio, 1.5), "it has not become the fastest"


def test_a_candidate_that_failed_is_the_fastest_in_its_own_cycles_only() -> None:
    model = RatioModel()
    for number in (1, 2, 3):
        keys, values = zip(*cycle(number, (0.2, 1.0, 1.5)).block_ms, strict=True)
        kept = slice(0, 3) if number < 3 else slice(2, 3)
        model.take_cycle(CycleEnded(1, number, tuple(zip(keys[kept], values[kept], strict=True)), is_counted=True))
    failed = replace(attempt_ended((), (), 1), status=AttemptStatus.FAILED, blocks=())
    model.take_attempt(failed)
    ratios = {curve.key: curve.ratio.tolist() for curve in model.curves()}
    assert ratios[SLOW] == pytest.approx([1.5, 1.5, 1.0])
    model.forget(failed.key)
    assert [curve.key for curve in model.curves()] == [SLOW]


def test_a_reference_is_not_the_fastest() -> None:
    model = RatioModel(references=frozenset({FAST}))
    for number in (1, 2):
        model.take_cycle(cycle(number, (0.2, 1.0, 1.5)))
    keys, values = zip(*cycle(3, (0.2, 1.0, 1.5)).block_ms, strict=True)
    model.take_cycle(CycleEnded(1, 3, tuple(zip(keys[:2], values[:2], strict=True)), is_counted=True))
    reference, compared = model.curves()
    assert (reference.key, compared.key) == (FAST, SLOW)
    assert np.allclose(compared.ratio, 1.0)
    assert np.allclose(reference.ratio, 1.0 / 1.5)
    assert reference.cycle.size == 3


def test_the_plot_has_a_point_per_round_and_a_bar_where_there_is_an_interval(
    qtbot: QtBot, theme: Theme, model: RatioModel
) -> None:
    plot = RatioPlot(theme)
    qtbot.addWidget(plot)
    plot.set_candidates({FAST: ("WireGuard", 0), SLOW: ("OpenVPN", 0)})
    plot.draw(model.curves())
    series = plot._series[SLOW]
    assert series.dots.getData()[0].tolist() == [2.0, 3.0], "the only interval needs no place of its own"
    assert series.bars.opts["x"].tolist() == [3.0]
    assert series.bars.opts["top"].tolist() == pytest.approx([0.4])
    rows = plot.figures().rows
    assert rows[1] == ("OpenVPN", "1.50", "1.20–1.90", "2", "3")
    plot.set_candidates({FAST: ("WireGuard", 0)})
    assert plot.figures().rows == ()


def attempt_ended(values_ms: Sequence[float], disturbed: Collection[int], round_: int) -> Attempt:
    """Return WireGuard's attempt of a round with so many blocks of one request each."""
    rtt_us = np.array([1000 * value for value in values_ms], dtype=np.uint32)
    series = tuple(LatencySeries(size, rtt_us.size, rtt_us.size, 0, rtt_us) for size in FRAME_BYTES)
    blocks = tuple(Block(nth, float(nth), nth not in disturbed) for nth in range(1, rtt_us.size + 1))
    key = AttemptKey(1, *FAST, AS_FOUND, round_)
    return Attempt(
        key=key,
        status=AttemptStatus.COMPLETED,
        reason="",
        message="",
        started_at=STARTED,
        ended_at=STARTED,
        latency=series,
        blocks=blocks,
    )


def test_cycles_that_later_ones_show_to_be_disturbed_are_dropped_when_the_round_ends() -> None:
    model = RatioModel()
    for number, value in enumerate((3.0, 1.0, 1.0), start=1):
        model.take_cycle(cycle(number, (0.2, value, 1.5)))
    assert next(one for one in model.curves() if one.key == FAST).cycle.size == 3
    model.take_attempt(attempt_ended((3.0, 1.0, 1.0), {1}, 1))
    model.take_round(round_ended(1, Ratio(1.5, 1.4, 1.6)))
    fast, slow = model.curves()
    assert (fast.cycle.size, slow.cycle.size) == (2, 3)
    assert np.allclose(slow.ratio[:2], 1.5), "the curve leads to the point of the round"
    assert [one.cycle for one in fast.rounds] == [2]


def test_a_round_that_is_measured_again_counts_once() -> None:
    model = RatioModel()
    model.take_cycle(cycle(1, (0.2, 5.0, 5.0)))
    for position, key in enumerate((FAST, SLOW)):
        model.forget(AttemptKey(position, *key, AS_FOUND, 1))
    model.take_cycle(cycle(1, (0.2, 1.0, 1.5)))
    assert [one.cycle.size for one in model.curves()] == [1, 1]
    assert np.allclose(model.curves()[1].ratio, 1.5)


def test_a_candidate_that_left_has_one_point_for_the_rounds_without_it(model: RatioModel) -> None:
    model.take_round(round_ended(3, Ratio(1.6, 1.3, 1.9)))
    slow = model.curves()[1]
    assert [(one.number, one.cycle, one.ratio) for one in slow.rounds] == [(1, 2, 1.5), (3, 3, 1.6)]


@pytest.mark.parametrize("rounds", [1, 8])
def test_intervals_of_eight_candidates_are_beside_each_other(qtbot: QtBot, theme: Theme, rounds: int) -> None:
    plot = RatioPlot(theme)
    qtbot.addWidget(plot)
    plot.resize(520, 300)
    keys = [("wireguard", str(nth)) for nth in range(8)]
    plot.set_candidates({key: (f"Candidate {nth}", nth) for nth, key in enumerate(keys)})
    cycles = np.arange(1.0, 6 * rounds + 1)
    ended = tuple(RoundRatio(nth, 6 * nth, 1.5, 1.2, 1.9) for nth in range(1, rounds + 1))
    plot.draw([RatioCurve(key, cycles, np.full(cycles.size, 1.5), ended) for key in keys])
    places = np.array([plot._series[key].bars.opts["x"] for key in keys])
    assert places.shape == (8, rounds)
    gaps = np.diff(places, axis=0)
    pixel = abs(plot.view_box.viewPixelSize()[0])
    assert (gaps > 2 * pixel).all(), "each interval is a line of its own"
    assert np.allclose(places.mean(axis=0), [one.cycle for one in ended]), "around the end of the round"
    assert places[-1, 0] - places[0, 0] < 6, "those of two rounds are apart"
    assert all(label.x >= places[-1, -1] for label in plot._end_labels), "names are right of them"
    assert plot._series[keys[0]].bars.opts["beam"] < gaps.min()
    shown = [series for series in plot.hover_series() if series.x.size == rounds]
    assert np.allclose([series.x for series in shown], places)


def test_ratios_have_both_scales(qtbot: QtBot, theme: Theme, model: RatioModel) -> None:
    plot = RatioPlot(theme)
    frame = framed(plot)
    qtbot.addWidget(frame)
    frame.resize(520, 300)
    frame.show()
    plot.set_candidates({FAST: ("WireGuard", 0), SLOW: ("OpenVPN", 0)})
    plot.draw(model.curves())
    assert frame.scale.accessibleName().startswith("Logarithmic axis of ratios")
    frame.scale.click()
    series = plot._series[SLOW]
    assert series.dots.getData()[1].tolist() == pytest.approx([np.log10(1.5)] * 2)
    assert series.bars.opts["top"].tolist() == pytest.approx([np.log10(1.9 / 1.5)])
    low, high = plot.view_box.viewRange()[1]
    assert low < 0 < np.log10(1.9) < high
    assert frame.scale.accessibleName().startswith("Linear axis of ratios")


def test_an_export_has_every_cycle_as_plain_numbers(qtbot: QtBot, theme: Theme, model: RatioModel) -> None:
    plot = RatioPlot(theme)
    qtbot.addWidget(plot)
    plot.set_candidates({FAST: ("WireGuard", 0), SLOW: ("OpenVPN", 0)})
    plot.draw(model.curves())
    rows = list(csv.reader(csv_of([plot]).decode().splitlines()))
    assert rows[0] == [
        *("candidate", "cycle", "times_fastest", "round", "round_times_fastest", "round_low", "round_high")
    ]
    assert [row[1:] for row in rows[1:] if row[0] == "OpenVPN"] == [
        ["1", "1.5", "", "", "", ""],
        ["2", "1.5", "1", "1.5", "", ""],
        ["3", "1.5", "2", "1.5", "1.2", "1.9"],
    ]


def test_an_export_numbers_the_rounds_of_a_candidate_that_joined_late_as_the_comparison_does(
    qtbot: QtBot, theme: Theme
) -> None:
    model = RatioModel()
    late = AttemptKey(2, *SLOW, AS_FOUND, 1)
    for number in (1, 2, 3):
        model.take_cycle(cycle(1, (0.2, 1.0, 1.5), round_=number))
        if number == 1:
            model.forget(late)
        model.take_round(round_ended(number, Ratio(1.5, 1.2, 1.9)))
    plot = RatioPlot(theme)
    qtbot.addWidget(plot)
    plot.set_candidates({FAST: ("WireGuard", 0), SLOW: ("OpenVPN", 0)})
    plot.draw(model.curves())
    rows = list(csv.reader(csv_of([plot]).decode().splitlines()))
    at = rows[0].index("round")
    assert [(row[1], row[at]) for row in rows if row[0] == "WireGuard"] == [("1", "1"), ("2", "2"), ("3", "3")]
    assert [(row[1], row[at]) for row in rows if row[0] == "OpenVPN"] == [("1", "2"), ("2", "3")]
    assert "after round 2" in plot._round_text(model.curves()[1], 0)
