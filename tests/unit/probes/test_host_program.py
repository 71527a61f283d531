"""Commands on a host beside others: how a wait for them ends, and that their threads do."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import NoReturn

import pytest
from fake_hosts import Answer, FakeHost

from app.domain.cancel import CancelToken
from app.domain.errors import Cancelled, ConnectionLost, ProbeFailed
from app.probes.capture.recording import CaptureRequest, Capturing
from app.probes.host_program import HostProgram
from app.probes.injection.holding import Hold
from app.probes.iperf_server import IperfServer
from app.probes.smoke_test_server import QuickServer
from support.waiting import wait_until

Script = Callable[[CancelToken], Answer]
FOLDER = "/run/tunnelmark/x"
REQUEST = CaptureRequest(FOLDER, "192.0.2.1", "udp", "udp")
LISTENING = ("#capture underlay 12 eth1", "#listening underlay", "#all")
RELEASED = "counter packets 3 bytes 300"
SOON_S = 9.0
"""Shorter than any time limit of a wait."""


def host_of(*scripts: Script) -> FakeHost:
    """Return a host that answers one command after the other."""
    left = iter(scripts)
    return FakeHost("gw-a", lambda _command, token: next(left)(token))


def prints(*lines: str) -> Script:
    """Print lines and end."""
    return lambda _token: iter(lines)


def remains(*lines: str) -> Script:
    """Print lines and run on until the channel is closed."""

    def answer(token: CancelToken) -> Answer:
        yield from lines
        token.sleep(60.0)

    return answer


def fails(error: Exception) -> Script:
    def answer(_token: CancelToken) -> NoReturn:
        raise error

    return answer


class Waiting:
    """Makes each kind of program, and waits for it."""

    @staticmethod
    def capture(host: FakeHost, token: CancelToken) -> None:
        with Capturing(host, REQUEST, token=token) as program:
            program.wait_until_listening()

    @staticmethod
    def servers(host: FakeHost, token: CancelToken) -> None:
        with IperfServer(host, "192.0.2.1", 5201, limit_s=30, token=token) as program:
            program.wait_until_listening()

    @staticmethod
    def hold(host: FakeHost, token: CancelToken) -> None:
        with Hold(host, FOLDER, "192.0.2.2", "udp", 51820, token=token):
            pass


Wait = Callable[[FakeHost, CancelToken], None]
WAITS = pytest.mark.parametrize("wait", [Waiting.capture, Waiting.servers, Waiting.hold])


def threads() -> set[str]:
    """Return the threads of programs; the rule for every test gives them more time."""
    return {one.name for one in threading.enumerate() if one.name.startswith(("capture-", "iperf-", "hold-", "quick-"))}


@WAITS
def test_what_was_cancelled_before_is_not_started(wait: Wait) -> None:
    host, token = host_of(prints(RELEASED)), CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        wait(host, token)
    assert len(host.commands) == (wait is Waiting.hold), "what may be held back is released, and nothing else is run"
    assert not threads()


@WAITS
def test_a_wait_ends_where_it_is_cancelled(wait: Wait) -> None:
    token = CancelToken()
    timer = threading.Timer(0.1, token.cancel)
    timer.start()
    began_s = time.monotonic()
    with pytest.raises(Cancelled):
        wait(host_of(remains("#capture"), prints(RELEASED)), token)
    assert time.monotonic() - began_s < SOON_S
    timer.join()
    assert not threads()


def test_a_wait_is_cancelled_though_the_host_does_not_react_yet() -> None:
    token, is_deaf = CancelToken(), threading.Event()

    def deaf(_token: CancelToken) -> Answer:
        is_deaf.wait(SOON_S * 2)
        yield "late"

    timer = threading.Timer(0.1, token.cancel)
    timer.start()
    began_s = time.monotonic()
    with Capturing(host_of(deaf), REQUEST, token=token) as program:
        with pytest.raises(Cancelled):
            program.wait_until_listening()
        assert time.monotonic() - began_s < SOON_S
        is_deaf.set()
    timer.join()
    assert not threads()


@pytest.mark.parametrize("wait", [Waiting.capture, Waiting.servers])
def test_a_lost_connection_is_what_the_wait_raises(wait: Wait) -> None:
    with pytest.raises(ConnectionLost, match="went away"):
        wait(host_of(fails(ConnectionLost("gw-a went away."))), CancelToken())
    assert not threads()


def test_packets_that_are_not_held_back_name_the_lost_connection() -> None:
    with pytest.raises(ProbeFailed) as caught:
        Waiting.hold(host_of(fails(ConnectionLost("gw-a went away.")), prints(RELEASED)), CancelToken())
    assert "gw-a went away." in caught.value.hint
    assert not threads()


@WAITS
@pytest.mark.allow_logs("app.probes.host_program")
def test_a_fault_while_a_line_is_read_ends_the_wait_and_is_raised_there(
    wait: Wait, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_program: HostProgram, line: str) -> None:
        raise ValueError(f"cannot read {line}")

    for kind in (Capturing, IperfServer, Hold):
        monkeypatch.setattr(kind, "_take", broken)
    began_s = time.monotonic()
    with pytest.raises(ValueError, match="cannot read #capture"):
        wait(host_of(remains("#capture"), prints(RELEASED)), CancelToken())
    assert time.monotonic() - began_s < SOON_S
    assert "failed in an unforeseen way" in caplog.text
    assert not threads()


def test_a_capture_that_has_begun_ends_with_its_context() -> None:
    with Capturing(host_of(remains(*LISTENING)), REQUEST, token=CancelToken()) as program:
        program.wait_until_listening()
        assert threads() == {"capture-gw-a"}
    assert not threads()


def test_packets_are_held_back_for_the_length_of_a_context_and_counted() -> None:
    def held(token: CancelToken) -> Answer:
        yield "#held"
        while not released.is_set():
            token.sleep(0.01)

    def release(_token: CancelToken) -> Answer:
        released.set()
        yield RELEASED

    released = threading.Event()
    with Hold(host_of(held, release), FOLDER, "192.0.2.2", "udp", 51820, token=CancelToken()) as hold:
        assert threads() == {"hold-gw-a"}
        assert hold.packets == 0
    assert hold.packets == 3
    assert not threads()


@pytest.mark.parametrize(
    ("script", "commands"),
    [(prints("done"), 1), (remains(), 2), (fails(ConnectionLost("gw-a went away.")), 2)],
    ids=["ended by itself", "still runs", "connection lost"],
)
def test_a_server_that_did_not_end_by_itself_is_ended(script: Script, commands: int) -> None:
    host = host_of(script, prints())
    with QuickServer(host, FOLDER, "192.0.2.1", 5201, token=CancelToken()) as server:
        wait_until(lambda: len(host.commands) == 1, "the server's command")
        if commands == 1:
            server._thread.join(120)
    assert len(host.commands) == commands
    assert not threads()
