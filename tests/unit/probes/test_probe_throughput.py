from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from fake_hosts import Answer, FakeClock, FakeHost

from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.errors import Cancelled, ConnectionLost, ProbeFailed, ProgramMissing
from app.domain.messages import MessageForm, code_of
from app.probes.messages import (
    ADDRESS_GONE,
    CONNECTION_REFUSED,
    ENDED_WITH,
    IPERF_MISSING,
    NO_RESULT,
    OUTPUT_UNREADABLE,
    PATH_DIED,
    PORT_REJECTED,
    PORT_TAKEN,
    SERVER_NOT_LISTENING,
    SILENT_FOR,
    THROUGHPUT_FAILED,
)
from app.probes.throughput import ThroughputRequest, client_argv, measure_throughput, throughput_server
from support.message_checks import has_message

REQUEST = ThroughputRequest("198.18.0.1", "198.18.0.2", 25201, seconds=3, iperf3_version="3.18")


def interval(second: int, mbit_s: float, seconds: float = 1.0, *, is_omitted: bool = False) -> str:
    total = {"start": second, "end": second + seconds, "bits_per_second": mbit_s * 1e6, "omitted": is_omitted}
    return json.dumps({"event": "interval", "data": {"sum": total}})


def end(mbit_s: float) -> str:
    return json.dumps(
        {
            "event": "end",
            "data": {"sum_received": {"bits_per_second": mbit_s * 1e6}, "sum_sent": {"retransmits": 4}},
        }
    )


class Pair:
    """Two hosts with iperf3: both servers run until the client has made its tests, or has given up."""

    def __init__(
        self, client: Callable[[Command], Answer], *, server_fault: list[str] | None = None, server_status: int = 1
    ) -> None:
        self.clock = FakeClock()
        self._client = client
        self._server_fault, self._server_status = server_fault, server_status
        self._has_ended = threading.Event()
        self.server_cancelled = False
        self.a = FakeHost("gateway-a", self._on_a, self.clock)
        self.b = FakeHost("gateway-b", self._on_b, self.clock)

    def _on_a(self, command: Command, token: CancelToken) -> Answer:
        status = yield from self._client(command)
        self._has_ended.set()
        return status

    def _on_b(self, command: Command, token: CancelToken) -> Answer:
        if "iperf3" not in command.argv:
            return 0
        yield "@start first 500"
        yield "@start second 501"
        if self._server_fault is not None:
            yield from self._server_fault
            yield f"@exit first {self._server_status}"
            return 0
        yield "-----------------------------------------------------------"
        yield f"Server listening on {command.argv[5]} (test #1)"
        yield f"Server listening on {command.argv[6]} (test #1)"
        token.on_cancel(self._cancel)
        assert self._has_ended.wait(120)
        yield "@exit first 0"
        yield "@exit second 0"
        return 0

    def _cancel(self) -> None:
        self.server_cancelled = True
        self._has_ended.set()


def one_direction(label: str, mbit_s: float) -> Answer:
    yield f"@start {label} 400"
    yield '{"event":"start","data":{}}'
    yield 1.0
    yield interval(0, 1.0, is_omitted=True)
    for second in range(3):
        yield 1.0
        yield interval(second, mbit_s)
    yield interval(3, 9999.0, seconds=0.0004)
    yield end(mbit_s - 1)
    yield f"@exit {label} 0"


def good(command: Command) -> Answer:
    yield from one_direction("a_to_b", 100.0)
    yield 0.5
    yield from one_direction("b_to_a", 50.0)
    return 0


def measure(pair: Pair, request: ThroughputRequest = REQUEST, token: CancelToken | None = None):
    seen: list[tuple[str, float, float]] = []
    token = token or CancelToken()
    with throughput_server(pair.b, request, token=token) as server:
        outcome = measure_throughput(
            pair.a, server, request, token=token, on_interval=lambda *values: seen.append(values), clock=pair.clock
        )
    return outcome, seen


def test_both_directions_in_turn() -> None:
    outcome, seen = measure(Pair(good))

    a_to_b, b_to_a = outcome.series
    assert (a_to_b.direction, a_to_b.mbit_s, a_to_b.retransmits) == ("a_to_b", pytest.approx(99.0), 4)
    assert (b_to_a.direction, b_to_a.mbit_s) == ("b_to_a", pytest.approx(49.0))
    assert a_to_b.interval_mbit_s == (100.0,) * 3
    assert seen == [(d, s, m) for d, m in (("a_to_b", 100.0), ("b_to_a", 50.0)) for s in (1.0, 2.0, 3.0)]
    assert [end_s - begin_s for begin_s, end_s in outcome.windows] == [pytest.approx(3.0)] * 2


def test_the_servers_are_bound_to_the_tunnels_address_and_take_one_test_each() -> None:
    pair = Pair(good)
    measure(pair)

    (server,) = pair.b.commands
    assert server.argv[5:7] == ("25201", "25202")
    assert server.argv[7:] == ("iperf3", "-s", "-1", "-B", "198.18.0.2", "-i", "0", "--forceflush")
    (client,) = pair.a.commands
    assert client.argv[5:7] == ("25201", "25202")


@pytest.mark.parametrize(
    ("version", "cap", "has", "has_not"),
    [
        ("3.18", None, ["--json-stream"], ["-R", "-b", "-f"]),
        ("3.9", None, ["-f", "k"], ["--json-stream"]),
        ("3.18", 2.5, ["-b", "2500000"], []),
        ("3.9", None, ["-O", "1"], []),
    ],
)
def test_the_clients_command_line(version: str, cap: float | None, has: list[str], has_not: list[str]) -> None:
    argv = client_argv(ThroughputRequest("198.18.0.1", "198.18.0.2", 25201, 3, cap, version))

    assert argv[:5] == ("iperf3", "-c", "198.18.0.2", "-B", "198.18.0.1")
    assert set(has) <= set(argv)
    assert not set(has_not) & set(argv)


def test_a_direction_may_count_from_its_start() -> None:
    assert "-O" not in client_argv(replace(REQUEST, omit_s=0))


def failing(*lines: str, status: int = 1) -> Callable[[Command], Answer]:
    def client(command: Command) -> Answer:
        yield "@start a_to_b 400"
        yield from lines
        yield f"@exit a_to_b {status}"
        return 0

    return client


@pytest.mark.parametrize(
    ("lines", "status", "what", "hint"),
    [
        (
            ['{"event":"error","data":"unable to connect to server: Connection refused"}'],
            1,
            "unable to connect to server: Connection refused",
            CONNECTION_REFUSED,
        ),
        (
            ["iperf3: error - unable to connect to server: No route to host"],
            1,
            "unable to connect to server: No route to host",
            PORT_REJECTED,
        ),
        ([interval(0, 5.0), '{"event":"end", trouble'], 0, OUTPUT_UNREADABLE, None),
        ([interval(0, 5.0)], 0, NO_RESULT, None),
        (['{"event":"end","data":{}}'], 0, NO_RESULT, None),
        ([interval(0, 5.0)], 143, ENDED_WITH, None),
    ],
)
def test_faults_of_the_client_become_messages(
    lines: list[str], status: int, what: str | MessageForm, hint: MessageForm | None
) -> None:
    pair = Pair(failing(*lines, status=status))

    with pytest.raises(ProbeFailed, check=has_message(THROUGHPUT_FAILED, host="gateway-a")) as caught:
        measure(pair)

    if isinstance(what, MessageForm):
        assert has_message(what)(caught.value)
    else:
        assert has_message(THROUGHPUT_FAILED, what=what)(caught.value)
    assert code_of(caught.value.hint) == (hint.code if hint is not None else "")


def test_a_path_that_dies_is_reported() -> None:
    def client(command: Command) -> Answer:
        yield "@start a_to_b 400"
        yield interval(0, 5.0)
        for second in range(2, 60, 2):
            yield 2.0
            yield f"@alive {second}"
        return 143

    pair = Pair(client)
    with pytest.raises(ProbeFailed, check=has_message(SILENT_FOR)) as caught:
        measure(pair)

    assert code_of(caught.value.hint) == PATH_DIED.code
    assert pair.clock.now_s < 1000 + 15


def test_the_limit_on_the_host_is_reported() -> None:
    def client(command: Command) -> Answer:
        yield "@start a_to_b 400"
        yield interval(0, 5.0)
        yield "@limit 26"
        yield ""
        return 143

    with pytest.raises(ProbeFailed, check=has_message(SILENT_FOR)):
        measure(Pair(client))


def test_the_second_direction_alone_can_fail() -> None:
    def client(command: Command) -> Answer:
        yield from one_direction("a_to_b", 100.0)
        yield "@start b_to_a 401"
        yield '{"event":"error","data":"unable to connect to server: Connection refused"}'
        yield "@exit b_to_a 1"
        return 0

    with pytest.raises(ProbeFailed, check=has_message(THROUGHPUT_FAILED, way="from B to A")):
        measure(Pair(client))


def test_after_a_failure_the_server_is_ended_and_attended() -> None:
    pair = Pair(failing("iperf3: error - control socket has closed unexpectedly"))

    with pytest.raises(ProbeFailed):
        measure(pair)

    assert pair.server_cancelled
    assert pair.b.commands[1].argv[4:] == ("500", "501")  # the process ids they had


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("iperf3: error - unable to start listener for connections: Address already in use", PORT_TAKEN),
        ("iperf3: error - unable to start listener for connections: Cannot assign requested address", ADDRESS_GONE),
    ],
)
def test_a_server_that_does_not_come_up(words: str, hint: MessageForm) -> None:
    pair = Pair(good, server_fault=[words])

    not_listening = has_message(SERVER_NOT_LISTENING, host="gateway-b", address="198.18.0.2", port="25201")
    with pytest.raises(ProbeFailed, check=not_listening) as caught:
        measure(pair)

    assert code_of(caught.value.hint) == hint.code
    assert pair.a.commands == []


@pytest.mark.parametrize("status", [126, 127])
@pytest.mark.parametrize("lacking", ["gateway-a", "gateway-b"])
def test_a_host_that_cannot_start_iperf3_is_named(lacking: str, status: int) -> None:
    lines = ["sh: 1: iperf3: not found"]
    if lacking == "gateway-a":
        pair = Pair(failing(*lines, status=status))
    else:
        pair = Pair(good, server_fault=lines, server_status=status)
    with pytest.raises(ProgramMissing, check=has_message(IPERF_MISSING, host=lacking)) as caught:
        measure(pair)
    assert (caught.value.reason, caught.value.hint) == ("package-missing", IPERF_MISSING.hint)


def test_cancelling_ends_client_and_server_and_attends_to_it() -> None:
    token = CancelToken()

    def client(command: Command) -> Answer:
        yield "@start a_to_b 400"
        yield interval(0, 5.0)
        token.cancel()
        yield interval(1, 5.0)
        return 0

    pair = Pair(client)
    with pytest.raises(Cancelled):
        measure(pair, token=token)

    assert pair.server_cancelled
    assert pair.b.commands[-1].argv[4:] == ("500", "501")


def test_a_lost_connection_to_the_server_is_passed_on() -> None:
    def lost(command: Command, token: CancelToken) -> Answer:
        raise ConnectionLost("gateway-b is gone.")
        yield ""

    pair = Pair(good)
    pair.b = FakeHost("gateway-b", lost)

    with pytest.raises(ConnectionLost):
        measure(pair)
