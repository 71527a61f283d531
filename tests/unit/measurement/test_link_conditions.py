"""The condition that was measured on the bare link, against the one that was asked for."""

from __future__ import annotations

import json
import random
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult, SessionPair
from app.domain.condition_files import presets
from app.domain.conditions import Condition, LinkDirection, Quantity
from app.domain.errors import DeadlineExceeded, ProbeFailed
from app.domain.hosts import Side
from app.measurement import link_conditions
from app.measurement.link_conditions import LinkMeasurement, _arrivals, check_loss, check_rate, check_rtt
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


class Receiver:
    """A host whose iperf3 receives 2 000 datagrams, or waits for ever where it lost the first one."""

    spec = SimpleNamespace(label="gateway-b")

    def __init__(self, hung: int) -> None:
        self.hung, self.tests = hung, 0

    def run(self, command: Command, **_: Any) -> CommandResult:
        self.tests += 1
        if self.tests <= self.hung:
            raise DeadlineExceeded("`iperf3` on gateway-b did not end in time.")
        part = {"packets": 250, "lost_packets": 2, "bytes": 148_800, "seconds": 0.5}
        found = {"intervals": [{"streams": [part]}] * 8, "end": {"streams": [{"udp": {"out_of_order": 0}}]}}
        return CommandResult(command.argv, 0, json.dumps(found), "", 4.0)


def streams_of(monkeypatch: pytest.MonkeyPatch, host: Any) -> tuple[DatagramStream, DatagramStream]:
    server = SimpleNamespace(wait_until_listening=lambda: None, ports=(25_201, 25_202))
    monkeypatch.setattr(link_conditions, "IperfServer", lambda *_, **__: nullcontext(server))
    link: Any = SimpleNamespace(underlay=lambda _side: "192.0.2.1", names=SimpleNamespace(iperf_port=25_201))
    measurement = LinkMeasurement(SessionPair(host, host), link, CancelToken())
    return measurement._streams(Side.B, (3.0, 600), (3.0, 600), 4)


def test_streams_that_hang_for_a_lost_datagram_are_received_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Receiver(hung=2)
    assert [one.sent for one in streams_of(monkeypatch, host)] == [2_000, 2_000]
    assert host.tests == 4, "two that hung, and both streams"


def test_streams_that_hang_each_time_are_a_link_that_cannot_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ProbeFailed, match="did not end in time"):
        streams_of(monkeypatch, Receiver(hung=99))
