"""The condition that was measured on the bare link, against the one that was asked for."""

from __future__ import annotations

import json
import random
from contextlib import nullcontext
from dataclasses import asdict, replace
from types import SimpleNamespace
from typing import Any

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult, SessionPair
from app.domain.condition_files import presets
from app.domain.conditions import Condition, LinkDirection, Quantity
from app.domain.errors import DeadlineExceeded, ProbeFailed, ProgramMissing
from app.domain.hosts import Side
from app.lab.link_emulator import Direction
from app.measurement import link_conditions
from app.measurement.link_conditions import (
    LinkMeasurement,
    _arrivals,
    check_loss,
    check_rate,
    check_rtt,
    mean_range,
)
from app.probes.bare_link import DatagramStream, Echo
from app.probes.messages import IPERF_MISSING
from support.message_checks import has_message

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


@pytest.mark.parametrize("begins", [(0.23, 0.07), (0.23, 0.82), (0.42, 0.22), (0.42, 0.52), (0.49, 0.51)])
def test_starts_of_traces_are_found_where_others_fit_better_at_first(begins: tuple[float, float]) -> None:
    condition = presets()["leo"]
    found = check_rtt(condition, pinged(condition, begins=begins), DIRECT_MS + 0.05)
    assert found.is_met, found


@pytest.mark.parametrize("name", ["geo", "leo", "lte", "dsl", "wifi"])
def test_another_round_trip_is_not(name: str) -> None:
    condition = presets()[name]
    late = pinged(condition, begins=(0.1, 0.2), more_ms=max(1.0, 0.04 * condition.rtt_ms))
    assert not check_rtt(condition, late, DIRECT_MS).is_met
    direct = Condition("none", "none")
    assert not check_rtt(condition, pinged(direct, begins=(0.0, 0.0)), DIRECT_MS).is_met


def test_a_rate_counts_within_three_percent_of_what_losses_leave() -> None:
    way = LinkDirection(rate_mbit_s=10.0, loss_pct=2.0)
    found = [check_rate("a_to_b", way, rate, 2.5) for rate in (9.4, 9.6, 10.0, 10.2)]
    assert [one.is_met for one in found] == [False, True, True, False]
    assert {one.asked_range for one in found} == {None}


@pytest.mark.parametrize(
    ("loss_pct", "burst", "lost", "is_met"),
    [(1.0, 1.0, 22, True), (1.0, 1.0, 40, False), (1.0, 1.0, 0, False), (1.0, 8.0, 40, True), (0.0, 1.0, 2, True)],
)
def test_a_loss_counts_by_its_interval(loss_pct: float, burst: float, lost: int, is_met: bool) -> None:
    way = LinkDirection(loss_pct=loss_pct, burst_frames=burst)
    found = check_loss("b_to_a", way, DatagramStream(None, 2_300, lost, 0), 4)
    assert (found.quantity, found.is_met) == (Quantity.LOSS, is_met)
    assert found.low <= found.measured <= found.high


def test_a_loss_that_was_not_asked_for_is_noticed() -> None:
    assert not check_loss("a_to_b", LinkDirection(), DatagramStream(None, 2_300, 4, 0), 4).is_met


@pytest.mark.parametrize(
    ("window_s", "least", "most"),
    [(1.0, 2.0, 10.0), (2.0, 6.0, 6.0), (2.5, 5.2, 6.8), (0.5, 2.0, 10.0), (7.0, 5.43, 6.57)],
)
def test_the_mean_of_a_trace_lies_between_those_of_its_parts(window_s: float, least: float, most: float) -> None:
    assert mean_range((10.0, 2.0), 1.0, window_s) == pytest.approx((least, most), abs=0.005)
    assert mean_range((10.0, 10.0, 2.0, 2.0), 0.5, window_s) == pytest.approx((least, most), abs=0.005)


def test_the_highest_mean_of_a_trace_may_begin_within_a_step() -> None:
    assert mean_range((10.0, 2.0, 6.0), 1.0, 1.5) == pytest.approx((5.0 / 1.5, 13.0 / 1.5))


SKY = LinkDirection(
    trace_mbit_s=(8.0, 5.0, 1.0, 8.0), trace_loss_pct=(0.0, 2.0, 100.0, 1.0), trace_step_s=0.35, queue_ms=100.0
)
"""Satellites with handovers: a slow step in which all is lost."""


def sent_over(way: Direction, begin_s: float, rate_mbit_s: float, frame_bytes: int, seconds: float) -> list[float]:
    """Return when frames arrive that are sent evenly, in s from the first one on; the trace began before it."""
    way.offer(bytes(60), 0.0)
    gap_s, found = 8 * frame_bytes / rate_mbit_s / 1e6, []
    for number in range(int(seconds / gap_s)):
        way.offer(bytes(frame_bytes - 4), begin_s + number * gap_s)
    while (when := way.next_s()) is not None:
        found.append(when - begin_s)
        way.drop_first()
    return found[1:]


@pytest.mark.parametrize("phase", range(14))
def test_the_emulators_own_traces_are_recognised_wherever_a_test_begins(phase: int) -> None:
    settings, begin_s = asdict(SKY), 2.8 + 0.1 * phase
    arrived = sent_over(Direction(settings, seed=phase), begin_s, 9.6, 1_446, 6.0)
    mbit_s = sum(1.0 <= one < 3.5 for one in arrived) * 8 * 1_446 / 2.5e6
    found = check_rate("a_to_b", SKY, mbit_s, 2.5)
    assert found.is_met, found
    assert found.asked == pytest.approx((8.0 + 5.0 * 0.98 + 0.0 + 8.0 * 0.99) / 4)
    sent = round(4.0 / (8 * 600 / 0.5e6))
    kept = len(sent_over(Direction(settings, seed=phase), begin_s, 0.5, 600, 4.0))
    loss = check_loss("a_to_b", SKY, DatagramStream(None, sent, sent - kept, 0), 4.0)
    assert loss.is_met, loss
    assert loss.asked == pytest.approx(103.0 / 4)


def test_other_traces_are_not() -> None:
    rates = [check_rate("b_to_a", SKY, rate, 2.5) for rate in (4.6, 4.8, 5.9, 6.1)]
    assert [one.is_met for one in rates] == [False, True, True, False], rates
    assert all(one.asked_range is not None and one.asked_range[0] < one.asked < one.asked_range[1] for one in rates)
    losses = [check_loss("b_to_a", SKY, DatagramStream(None, 2_000, lost, 0), 4.0) for lost in (200, 460, 700)]
    assert [one.is_met for one in losses] == [False, True, False], losses


def test_a_gap_at_the_end_of_a_stream_counts_as_unknown() -> None:
    way = LinkDirection(trace_loss_pct=(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 100.0), trace_step_s=0.5)
    assert check_loss("a_to_b", way, DatagramStream(None, 2_188, 0, 0), 4.0).is_met
    assert not check_loss("a_to_b", way, DatagramStream(None, 2_500, 500, 0), 4.0).is_met
    shallow = replace(way, trace_loss_pct=(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 80.0))
    assert not check_loss("a_to_b", shallow, DatagramStream(None, 2_188, 0, 0), 4.0).is_met


def test_datagrams_that_are_fewer_than_the_steps_of_a_trace_may_all_meet_one_value() -> None:
    way = LinkDirection(trace_loss_pct=(0.0, 20.0), trace_step_s=0.002)
    found = check_loss("a_to_b", way, DatagramStream(None, 2_500, 500, 0), 4.0)
    assert (found.asked, found.asked_range, found.is_met) == (10.0, (0.0, 20.0), True)
    slow = check_loss("a_to_b", replace(way, trace_step_s=0.5), DatagramStream(None, 2_500, 500, 0), 4.0)
    assert (slow.asked_range, slow.is_met) == (pytest.approx((10.0, 10.0)), False)


def test_the_round_trip_of_rates_that_change_is_recognised() -> None:
    way = LinkDirection(delay_ms=20.0, trace_mbit_s=(2.0, 0.1, 0.5), trace_step_s=0.4, queue_ms=100.0)
    condition = Condition("sky", "Handovers", a_to_b=way, b_to_a=way)
    found = check_rtt(condition, pinged(condition, begins=(0.3, 0.9)), DIRECT_MS)
    assert found.is_met, found
    fast = replace(way, trace_mbit_s=(2.0, 2.0, 2.0))
    other = pinged(replace(condition, a_to_b=fast, b_to_a=fast), begins=(0.3, 0.9))
    assert not check_rtt(condition, other, DIRECT_MS).is_met


@pytest.mark.parametrize(
    ("way", "gentle", "full", "seconds"),
    [
        (LinkDirection(), 3.0, 3.0, 4),
        (LinkDirection(trace_ms=(1.0, 2.0), trace_step_s=5.0, rate_mbit_s=2.0), 1.0, 2.4, 4),
        (SKY, 0.5, 9.6, 4),
        (LinkDirection(trace_loss_pct=(0.0, 1.0), trace_step_s=3.6), 3.0, 3.0, 10),
        (replace(SKY, trace_step_s=15.0), 0.5, 9.6, 20),
    ],
)
def test_streams_fit_the_lowest_and_the_highest_rate_and_last_as_long_as_the_trace(
    monkeypatch: pytest.MonkeyPatch, way: LinkDirection, gentle: float, full: float, seconds: int
) -> None:
    asked: list[tuple[float, float, int]] = []

    def streams(_self: object, _receiver: Side, first: Any, second: Any, length: int) -> tuple[DatagramStream, ...]:
        asked.append((first[0], second[0], length))
        return (DatagramStream(5.0, 1_000, 999, 0, 2.5),) * 2

    monkeypatch.setattr(LinkMeasurement, "_streams", streams)
    nothing: Any = None
    found = LinkMeasurement(nothing, nothing, CancelToken())._direction(Side.B, way)
    assert asked == [(gentle, full, seconds), (gentle, gentle, 2 * seconds)]
    names = [Quantity.LOSS, Quantity.ORDER, Quantity.RATE]
    assert [one.quantity for one in found] == (names if way.rates_mbit_s else names[:2])


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


def streams_of(
    monkeypatch: pytest.MonkeyPatch, host: Any, *, has_server: bool = False
) -> tuple[DatagramStream, DatagramStream]:
    if not has_server:
        server = SimpleNamespace(wait_until_listening=lambda: None, ports=(25_201, 25_202))
        monkeypatch.setattr(link_conditions, "IperfServer", lambda *_, **__: nullcontext(server))
    link: Any = SimpleNamespace(underlay=lambda _side: "192.0.2.1", names=SimpleNamespace(iperf_port=25_201))
    measurement = LinkMeasurement(SessionPair(host, host), link, CancelToken())
    return measurement._streams(Side.B, (3.0, 600), (3.0, 600), 4)


def test_streams_that_hang_for_a_lost_datagram_are_received_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Receiver(hung=2)
    assert [(one.sent, one.rate_s) for one in streams_of(monkeypatch, host)] == [(2_000, 2.5), (2_000, 2.5)]
    assert host.tests == 4, "two that hung, and both streams"


@pytest.mark.parametrize("lacking", ["client", "server"])
def test_a_host_without_iperf3_is_named_after_one_try(monkeypatch: pytest.MonkeyPatch, lacking: str) -> None:
    host: Any = Receiver(hung=0)
    commands: list[Command] = []

    def run(command: Command, **more: Any) -> CommandResult:
        commands.append(command)
        if lacking == "client":
            return CommandResult(command.argv, 127, "", "sh: 1: iperf3: not found", 0.1)
        for line in ("@start first 500", "@start second 501", "sh: 1: iperf3: not found", "@exit first 127"):
            more.get("on_line", lambda *_: None)(None, line)
        return CommandResult(command.argv, 0, "", "", 0.1)

    host.run = run
    with pytest.raises(ProgramMissing, check=has_message(IPERF_MISSING, host="gateway-b")):
        streams_of(monkeypatch, host, has_server=lacking == "server")
    assert sum("iperf3" in one.argv for one in commands) == 1


def test_streams_that_hang_each_time_are_a_link_that_cannot_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ProbeFailed, match="did not end in time"):
        streams_of(monkeypatch, Receiver(hung=99))
