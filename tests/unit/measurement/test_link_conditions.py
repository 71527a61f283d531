"""The condition that was measured on the bare link, against the one that was asked for."""

from __future__ import annotations

import random

import pytest

from app.domain.condition_files import presets
from app.domain.conditions import Condition, LinkDirection, Quantity
from app.measurement.link_conditions import _arrivals, check_loss, check_rate, check_rtt
from app.probes.bare_link import DatagramStream, Echo

DIRECT_MS = 0.8


def pinged(condition: Condition, *, begins: tuple[float, float], more_ms: float = 0.0) -> list[Echo]:
    """Return echoes of a link whose traces began some seconds before, with a host's noise."""
    draw = random.Random(7)  # noqa: S311 - noise, no secret
    sent = [0.03 * number + draw.uniform(0.0, 0.004) for number in range(120)]
    back = _arrivals(condition.b_to_a, _arrivals(condition.a_to_b, sent, begins[0]), begins[1])
    noise = [DIRECT_MS + more_ms + draw.expovariate(2.0) for _ in sent]
    return [
        Echo(9_000.0 + begin, 1_000 * (end - begin) + late) for begin, end, late in zip(sent, back, noise, strict=True)
    ]


@pytest.mark.parametrize("name", presets())
@pytest.mark.parametrize("begins", [(0.0, 0.0), (0.137, 0.291)])
def test_the_round_trip_of_each_preset_is_recognised(name: str, begins: tuple[float, float]) -> None:
    condition = presets()[name]
    found = check_rtt(condition, pinged(condition, begins=begins), DIRECT_MS + 0.05)
    assert found.is_met, found
    assert found.asked == pytest.approx(condition.rtt_ms, rel=0.1, abs=2.0)


@pytest.mark.parametrize("name", ["geo", "leo", "lte", "dsl", "wifi"])
def test_another_round_trip_is_not(name: str) -> None:
    condition = presets()[name]
    late = pinged(condition, begins=(0.1, 0.2), more_ms=max(1.0, 0.04 * condition.rtt_ms))
    assert not check_rtt(condition, late, DIRECT_MS).is_met
    direct = Condition("none", "none")
    assert not check_rtt(condition, pinged(direct, begins=(0.0, 0.0)), DIRECT_MS).is_met


def test_a_rate_counts_within_three_percent_of_what_losses_leave() -> None:
    way = LinkDirection(rate_mbit_s=10.0, loss_pct=2.0)
    assert [check_rate("a_to_b", way, rate).is_met for rate in (9.4, 9.6, 10.0, 10.2)] == [False, True, True, False]


@pytest.mark.parametrize(
    ("loss_pct", "burst", "lost", "is_met"),
    [(1.0, 1.0, 22, True), (1.0, 1.0, 40, False), (1.0, 1.0, 0, False), (1.0, 8.0, 40, True), (0.0, 1.0, 2, True)],
)
def test_a_loss_counts_by_its_interval(loss_pct: float, burst: float, lost: int, is_met: bool) -> None:
    way = LinkDirection(loss_pct=loss_pct, burst_frames=burst)
    found = check_loss("b_to_a", way, DatagramStream(None, 2_300, lost, 0))
    assert (found.quantity, found.is_met) == (Quantity.LOSS, is_met)
    assert found.low <= found.measured <= found.high


def test_a_loss_that_was_not_asked_for_is_noticed() -> None:
    assert not check_loss("a_to_b", LinkDirection(), DatagramStream(None, 2_300, 4, 0)).is_met
