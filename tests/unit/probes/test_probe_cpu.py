from __future__ import annotations

import threading

import pytest
from fake_hosts import Answer, FakeClock, FakeHost
from hypothesis import given
from hypothesis import strategies as st

from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.errors import ConnectionLost
from app.domain.hosts import Side
from app.domain.results import CpuUsage
from app.probes.cpu import CpuMonitor, CpuReading
from app.probes.cpu_ticks import CpuTicks, mean_usage, parse_cpu_line, usage_between


def test_a_line_of_the_kernel() -> None:
    line = "51.93 800 cpu  300 20 150 9000 40 3 70 5 0 0"

    assert parse_cpu_line(line) == CpuTicks(51.93, 800, 320, 150, 73, 5, 9000, 40)


def test_old_kernels_print_fewer_fields() -> None:
    assert parse_cpu_line("1.5 - cpu 1 2 3 4") == CpuTicks(1.5, None, 3, 3, 0, 0, 4, 0)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "cpu 1 2 3 4",
        "1.0 - cpu0 1 2 3 4",
        "x - cpu 1 2 3 4",
        "1 - cpu a b c d",
        "1 - cpu 1 2 3 -4",
        "1 cpu 1 2 3 4",
    ],
)
def test_other_lines_are_none(line: str) -> None:
    assert parse_cpu_line(line) is None


@given(st.text(max_size=100))
def test_no_line_makes_the_parser_fail(line: str) -> None:
    parse_cpu_line(line)


def test_shares_of_all_cores() -> None:
    first = CpuTicks(10.0, None, user=100, system=100, softirq=100, steal=100, idle=1000, iowait=0)
    last = CpuTicks(11.0, None, user=120, system=130, softirq=110, steal=104, idle=1126, iowait=10)

    assert usage_between(first, last) == CpuUsage(
        busy_pct=pytest.approx(32.0),
        user_pct=pytest.approx(10.0),
        system_pct=pytest.approx(15.0),
        softirq_pct=pytest.approx(5.0),
        steal_pct=pytest.approx(2.0),
        seconds=pytest.approx(1.0),
    )


def test_no_time_no_shares() -> None:
    ticks = CpuTicks(10.0, None, 1, 1, 1, 1, 1, 1)

    assert usage_between(ticks, ticks) is None
    assert usage_between(CpuTicks(10.0, None, 100, 1, 1, 1, 1, 1), CpuTicks(3.0, None, 1, 1, 1, 1, 1, 1)) is None


@given(st.lists(st.integers(0, 10**6), min_size=6, max_size=6), st.lists(st.integers(0, 1000), min_size=6, max_size=6))
def test_shares_add_up(begins: list[int], more: list[int]) -> None:
    first = CpuTicks(1.0, None, *begins)
    last = CpuTicks(2.0, None, *(begin + plus for begin, plus in zip(begins, more, strict=True)))

    usage = usage_between(first, last)

    if usage is not None:
        parts = usage.user_pct + usage.system_pct + usage.softirq_pct + usage.steal_pct
        assert parts == pytest.approx(usage.busy_pct, abs=1e-6)
        assert 0 <= usage.busy_pct <= 100


def test_a_mean_counts_longer_intervals_more() -> None:
    mean = mean_usage([CpuUsage(10, 10, 0, 0, 0, 1.0), CpuUsage(40, 40, 0, 0, 0, 2.0)])

    assert mean is not None
    assert mean.busy_pct == pytest.approx(30.0)
    assert mean.seconds == pytest.approx(3.0)
    assert mean_usage([]) is None


class Watched:
    """A host whose CPU gets busier: idle for 2 s, then half busy for 2 s, then it waits for the end."""

    def __init__(self, fragments: int = 10) -> None:
        self.fragments = fragments
        self.has_printed = threading.Event()
        self.has_ended = threading.Event()
        self.killed = ""

    def __call__(self, command: Command, token: CancelToken) -> Answer:
        if command.argv[0] == "kill":
            self.killed = command.argv[1]
            self.has_ended.set()
            yield from ()
            return 0
        yield "@pid 4242"
        user, idle = 0, 0
        for half_second in range(9):
            yield f"{half_second / 2} {self.fragments * half_second} cpu {user} 0 0 {idle} 0 0 0 0"
            yield 0.5
            busy = half_second >= 4
            user, idle = user + (25 if busy else 0), idle + (25 if busy else 50)
        self.has_printed.set()
        token.on_cancel(self.has_ended.set)
        assert self.has_ended.wait(120)
        return 143


def watch() -> tuple[CpuMonitor, list[CpuReading], FakeClock]:
    # Each host has a clock of its own here, and they agree; the monitor reads A's.
    hosts = Watched(), Watched()
    clock = FakeClock()
    readings: list[CpuReading] = []
    pair = SessionPair(FakeHost("gateway-a", hosts[0], clock), FakeHost("gateway-b", hosts[1], FakeClock()))
    with CpuMonitor(pair, on_reading=readings.append, clock=clock) as monitor:
        assert all(host.has_printed.wait(120) for host in hosts)
    return monitor, readings, clock


def test_watching_both_hosts_at_once() -> None:
    monitor, readings, _ = watch()

    usage = monitor.usage()

    assert set(usage) == {"a", "b"}
    assert usage["a"].busy_pct == pytest.approx(25.0)
    assert usage["a"].seconds == pytest.approx(4.0)
    of_b = [reading.usage.user_pct for reading in readings if reading.side is Side.B]
    assert of_b == [pytest.approx(value) for value in [0.0] * 4 + [50.0] * 4]
    assert monitor._errors == {}


def test_the_first_reading_is_kept() -> None:
    monitor, _, _ = watch()

    assert {side: (one.uptime_s, one.idle) for side, one in monitor.first.items()} == {
        Side.A: (0.0, 0),
        Side.B: (0.0, 0),
    }


def test_the_loops_are_ended_by_their_process_ids() -> None:
    hosts = Watched(), Watched()
    with CpuMonitor(SessionPair(FakeHost("gateway-a", hosts[0]), FakeHost("gateway-b", hosts[1]))):
        assert all(host.has_printed.wait(120) for host in hosts)

    assert [host.killed for host in hosts] == ["4242", "4242"]


def test_only_windows_count() -> None:
    monitor, _, _ = watch()

    assert monitor.usage((1002.0, 1004.0))["a"].busy_pct == pytest.approx(50.0)
    assert monitor.usage((1000.0, 1002.0))["a"].busy_pct == pytest.approx(0.0)
    assert monitor.usage((1000.0, 1001.0), (1003.0, 1004.0))["a"].busy_pct == pytest.approx(25.0)
    assert "a" not in monitor.usage((0.0, 1.0))


def test_a_host_that_is_lost_does_not_stop_the_other() -> None:
    def lost(command: Command, token: CancelToken) -> Answer:
        raise ConnectionLost("gateway-b is gone.")
        yield ""

    watched = Watched()
    pair = SessionPair(FakeHost("gateway-a", watched), FakeHost("gateway-b", lost))
    with CpuMonitor(pair) as monitor:
        assert watched.has_printed.wait(120)

    assert isinstance(monitor._errors[Side.B], ConnectionLost)
    assert set(monitor.usage()) <= {"a"}
