"""Counters before and after a window of measuring."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.hosts import Nic, Side
from app.probes.counter_window import CounterWindow, underlay_devices
from support.fake_hosts import Answer, FakeHost
from support.sample_records import facts, pair


class Load:
    """Load of this computer that is known between start and end alone."""

    def __init__(self, seen: list[str]) -> None:
        self.seen = seen

    def start(self) -> None:
        self.seen.append("load starts")

    def cores(self) -> float:
        self.seen.append("load ends")
        return 0.3


def window_of(seen: list[str], *printed: tuple[str, ...]) -> CounterWindow:
    """Return a window on two hosts that print these lines, one tuple for each reading."""

    def host(label: str) -> FakeHost:
        left = iter(printed)

        def answer(command: Command, token: CancelToken) -> Answer:
            if label == "gateway-a":
                seen.append(" ".join(command.argv[-3:]))
            yield from next(left)

        return FakeHost(label, answer)

    sessions = SessionPair(host("gateway-a"), host("gateway-b"))
    on_a = {Side.A: ["tmk0", "tmk1"]}
    return CounterWindow(sessions, {Side.A: [12, 13]}, on_a, {Side.A: "eth1"}, Load(seen))  # type: ignore[arg-type]


FIRST = ("1.0 - cpu 0 0 0 50 0 0 0 0", "waits 12 1000000", "waits 13 0", "device tmk0 rx_dropped 1")
LAST = ("2.0 - cpu 50 0 0 100 0 0 0 0", "waits 12 4000000", "waits 13 2000000", "device tmk0 rx_dropped 5")


def test_the_load_of_this_computer_is_counted_between_the_readings() -> None:
    seen: list[str] = []
    window = window_of(seen, FIRST, LAST)
    assert window.begin(CancelToken())[Side.A].idle == 50
    assert window.own_load_cores is None
    assert window.end(CancelToken())[Side.B].user == 50
    words = "tmk0 tmk1 12 13 eth1"
    assert seen == [words, "load starts", "load ends", words]
    assert window.own_load_cores == 0.3


def test_readings_are_of_all_daemons_or_of_some() -> None:
    window = window_of([], FIRST, LAST)
    window.begin(CancelToken())
    window.end(CancelToken())
    assert window.readings()["a"].wait_ms == pytest.approx(5.0)
    assert window.readings()["a"].drops == 4
    some = window.readings({Side.A: [13], Side.B: []}, {Side.A: ["tmk1"], Side.B: []})
    assert some["a"].wait_ms == pytest.approx(2.0)
    assert (some["a"].drops, some["b"].wait_ms) == (None, None)


def test_a_host_without_cpu_time_has_no_ticks() -> None:
    window = window_of([], ("wall x",), ("wall x",))
    assert window.begin(CancelToken()) == window.end(CancelToken()) == {}
    assert window.readings()["b"].steal_pct is None


def test_interfaces_of_the_underlay_are_found_by_its_addresses() -> None:
    found = replace(facts(), nics=(Nic("eth7", "", 1500, None, is_up=True, addresses=("198.51.100.2/30",)),))
    assert underlay_devices(pair(), {"a": facts(), "b": found}) == {Side.A: "eth1", Side.B: "eth7"}
