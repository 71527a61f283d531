from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from fake_hosts import Answer, FakeClock, FakeHost

from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.errors import (
    AuthenticationFailed,
    Cancelled,
    ConnectionLost,
    DeadlineExceeded,
    HostUnreachable,
    TunnelDown,
)
from app.domain.events import LogLine
from app.measurement.load_guard import REFERENCE_ANSWERS, LoadGuard
from app.measurement.messages import (
    CONNECTED_AGAIN,
    CONNECTION_LOST_AGAIN,
    HOST_LOST,
    MANAGEMENT_FAILED,
    MANAGEMENT_SLOW,
)
from app.measurement.reconnect import HostLost, reach_again
from support.message_checks import has_message


class Answering:
    """Answers `true` after so many seconds; a fault instead of a number is raised."""

    def __init__(self, *takes: float | Exception, on_last: Callable[[], None] = lambda: None) -> None:
        self._takes = list(takes)
        self._on_last = on_last

    def __call__(self, command: Command, token: CancelToken) -> Answer:
        take = self._takes.pop(0) if len(self._takes) > 1 else self._takes[0]
        if len(self._takes) == 1:
            self._on_last()
        if isinstance(take, Exception):
            raise take
        yield take


def guarded(answer: Answering, monkeypatch: pytest.MonkeyPatch) -> tuple[LoadGuard, FakeHost]:
    monkeypatch.setattr("app.measurement.load_guard.INTERVAL_S", 0.0)
    clock = FakeClock()
    a = FakeHost("gateway-a", answer, clock)
    b = FakeHost("gateway-b", Answering(0.0), FakeClock())
    return LoadGuard(SessionPair(a, b), token=CancelToken(), clock=clock), a


def test_a_slow_management_connection_stops_the_load(monkeypatch: pytest.MonkeyPatch) -> None:
    guard, _ = guarded(Answering(*[0.02] * REFERENCE_ANSWERS, 0.03, 2.0), monkeypatch)
    stopped = threading.Event()
    guard.load_token.on_cancel(stopped.set)

    with guard:
        assert stopped.wait(120)

    assert has_message(MANAGEMENT_SLOW, host="gateway-a", answer_ms=pytest.approx(2000.0))(guard.reason)


def test_one_slow_answer_is_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    calm = threading.Event()
    guard, _ = guarded(Answering(*[0.02] * REFERENCE_ANSWERS, 2.0, 0.02, on_last=calm.set), monkeypatch)

    with guard:
        assert calm.wait(120)

    assert not guard.load_token.is_cancelled
    assert guard.reason == ""


@pytest.mark.parametrize("fault", [ConnectionLost("It broke."), DeadlineExceeded("It took too long.")])
def test_a_lost_management_connection_stops_the_load(fault: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    guard, _ = guarded(Answering(*[0.02] * REFERENCE_ANSWERS, fault), monkeypatch)
    stopped = threading.Event()
    guard.load_token.on_cancel(stopped.set)

    with guard:
        assert stopped.wait(120)

    assert has_message(MANAGEMENT_FAILED, host="gateway-a")(guard.reason)


def test_cancelling_ends_load_and_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.measurement.load_guard.INTERVAL_S", 0.0)
    token = CancelToken()
    hosts = SessionPair(FakeHost("gateway-a", Answering(0.0)), FakeHost("gateway-b", Answering(0.0)))

    with LoadGuard(hosts, token=token) as guard:
        token.cancel()

    assert guard.load_token.is_cancelled
    assert guard.reason == ""


# --- reaching hosts again ---------------------------------------------------------------------------------------------


def pair() -> tuple[SessionPair, FakeHost, FakeHost]:
    a, b = FakeHost("gateway-a", Answering(0.0)), FakeHost("gateway-b", Answering(0.0))
    return SessionPair(a, b), a, b


def test_hosts_that_are_are_not_even_asked() -> None:
    sessions, a, b = pair()

    assert not reach_again(sessions, None, token=CancelToken(), emit=lambda _: None)
    assert not reach_again(sessions, TunnelDown("no"), token=CancelToken(), emit=lambda _: None)
    assert a.commands == b.commands == []


def test_after_a_lost_connection_both_are_asked() -> None:
    sessions, a, b = pair()

    assert not reach_again(sessions, ConnectionLost("x"), token=CancelToken(), emit=lambda _: None)
    assert [command.argv for command in (*a.commands, *b.commands)] == [("true",), ("true",)]


def test_a_lost_host_is_connected_again_and_that_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.measurement.reconnect.PAUSE_S", 0.0)
    sessions, a, b = pair()
    b.is_connected = False
    b.reconnects = [HostUnreachable("no"), HostUnreachable("no"), None]
    reported: list[LogLine] = []

    assert reach_again(sessions, None, token=CancelToken(), emit=reported.append)  # type: ignore[arg-type]
    assert (a.reconnected, b.reconnected) == (0, 1)
    assert [line.text for line in reported] == [
        CONNECTION_LOST_AGAIN(host="gateway-b"),
        CONNECTED_AGAIN(host="gateway-b"),
    ]


def test_a_host_that_does_not_answer_is_connected_again() -> None:
    a = FakeHost("gateway-a", Answering(DeadlineExceeded("no answer")))
    b = FakeHost("gateway-b", Answering(0.0))

    assert reach_again(SessionPair(a, b), ConnectionLost("x"), token=CancelToken(), emit=lambda _: None)
    assert (a.reconnected, b.reconnected) == (1, 0)


def test_a_host_that_is_lost_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.measurement.reconnect.PAUSE_S", 0.0)
    sessions, _, b = pair()
    b.is_connected = False
    b.reconnects = [HostUnreachable("Connection refused.")] * 100
    times = iter(range(1000))

    with pytest.raises(HostLost, check=has_message(HOST_LOST, host="gateway-b", why="Connection refused.")):
        reach_again(sessions, None, token=CancelToken(), emit=lambda _: None, clock=lambda: float(next(times)))

    assert 30 < 100 - len(b.reconnects) < 70


def test_what_cannot_get_better_is_not_tried_again() -> None:
    sessions, _, b = pair()
    b.is_connected = False
    b.reconnects = [AuthenticationFailed("The key is not accepted any more."), None]

    with pytest.raises(HostLost, check=has_message(HOST_LOST, why="The key is not accepted any more.")):
        reach_again(sessions, None, token=CancelToken(), emit=lambda _: None)

    assert b.reconnected == 0


def test_cancelling_ends_the_waiting() -> None:
    sessions, _, b = pair()
    b.is_connected = False
    b.reconnects = [HostUnreachable("no")] * 3
    token = CancelToken()
    token.cancel()

    with pytest.raises(Cancelled):
        reach_again(sessions, None, token=token, emit=lambda _: None)
