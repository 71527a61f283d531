from __future__ import annotations

from collections.abc import Iterator

import pytest
from fake_hosts import Answer, FakeClock, FakeHost

from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.hosts import Side
from app.probes.cpu import CpuReading
from app.probes.cpu_counters import CpuCounters
from app.probes.cpu_ticks import parse_cpu_line

BUSY = ("10.0 5 cpu 0 0 0 0 0 0 0 0", "11.0 5 cpu 50 0 0 50 0 0 0 0", "12.0 14 cpu 150 0 0 50 0 0 0 0")
IDLE = ("70.0 - cpu 0 0 0 0 0 0 0 0", "71.0 - cpu 0 0 0 100 0 0 0 0", "72.0 - cpu 0 0 0 200 0 0 0 0")


def host(label: str, readings: tuple[str, ...]) -> FakeHost:
    left: Iterator[str] = iter(readings)

    def answer(command: Command, token: CancelToken) -> Answer:
        yield next(left)
        return 0

    return FakeHost(label, answer)


def read(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[CpuCounters, list[CpuReading]]:
    readings: list[CpuReading] = []
    clock = FakeClock()
    counters = CpuCounters(
        SessionPair(host("gateway-a", a), host("gateway-b", b)), on_reading=readings.append, clock=clock
    )
    for _ in a:
        counters.read(CancelToken())
        clock.now_s += 1.0
    return counters, readings


def test_usage_is_from_the_first_reading_to_the_last() -> None:
    counters, readings = read(BUSY, IDLE)

    assert counters.usage()["a"].busy_pct == pytest.approx(75.0)
    assert counters.usage()["a"].seconds == pytest.approx(2.0)
    assert counters.usage()["b"].busy_pct == 0.0
    assert [(one.at_s, one.usage.busy_pct) for one in readings if one.side is Side.A] == [(1.0, 50.0), (2.0, 100.0)]


def test_fragments_are_counted_where_the_host_counts_them() -> None:
    counters, _ = read(BUSY, IDLE)

    assert counters.fragments(Side.A) == 9
    assert counters.fragments(Side.B) is None


def test_a_host_without_two_readings_is_left_out() -> None:
    counters, readings = read(BUSY, ("70.0 - cpu 0 0 0 0 0 0 0 0", "no counters", "no counters"))

    assert set(counters.usage()) == {"a"}
    assert counters.fragments(Side.B) is None
    assert {one.side for one in readings} == {Side.A}


def test_a_reading_that_was_made_otherwise_counts() -> None:
    counters, _ = read(BUSY[:2], IDLE[:2])
    last = parse_cpu_line(BUSY[2])
    assert last is not None
    counters.take({Side.A: last})

    assert counters.usage()["a"].busy_pct == pytest.approx(75.0)
    assert counters.usage()["b"].seconds == pytest.approx(1.0)
    assert counters.fragments(Side.A) == 9
