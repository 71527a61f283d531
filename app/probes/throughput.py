"""TCP throughput in both directions with iperf3, its server bound to the tunnel's address and gone afterwards."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, Stream
from app.domain.errors import ProbeFailed
from app.domain.results import ThroughputSeries
from app.probes.guard import GUARD_HEAD, GUARD_TAIL, GuardMark, parse_guard_line
from app.probes.iperf_output import (
    Failure,
    Interval,
    IperfLine,
    Malformed,
    TextReader,
    Total,
    has_json_stream,
    parse_json_event,
)
from app.probes.iperf_server import IperfServer

DIRECTIONS = ("a_to_b", "b_to_a")

IntervalSink = Callable[[str, float, float], None]
"""Gets direction, seconds since that direction began (end of the interval), and Mbit/s."""

INTERVAL_S = 1.0
CONNECT_TIMEOUT_MS = 5_000
SLACK_S = 10
"""iperf3 has no deadline of its own for a path that died; it gets its time and so much more, in seconds."""

_CLIENT_SCRIPT = GUARD_HEAD + '\nrun client "$@"\n' + GUARD_TAIL


@dataclass(frozen=True, slots=True)
class ThroughputRequest:
    """What to measure.

    Attributes:
        client_address: A's IPv4 address for the probe.
        server_address: B's IPv4 address for the probe; the server is bound to it.
        port: TCP port of the server.
        seconds: Seconds of TCP per direction.
        cap_mbit_s: Limit in Mbit/s; None means none.
        iperf3_version: Version on the client, as it says it.
    """

    client_address: str
    server_address: str
    port: int
    seconds: int
    cap_mbit_s: float | None = None
    iperf3_version: str = ""


@dataclass(frozen=True, slots=True)
class ThroughputOutcome:
    """Both directions, and when data flowed (monotonic seconds, for what was watched meanwhile)."""

    series: tuple[ThroughputSeries, ThroughputSeries]
    windows: tuple[tuple[float, float], ...]


def client_argv(request: ThroughputRequest, direction: str) -> tuple[str, ...]:
    """Return the client's command line.

    Source: iperf3(1) of 3.18; 3.9 knows all of it but --json-stream.
    """
    is_stream = has_json_stream(request.iperf3_version)
    return (
        "iperf3",
        *("-c", request.server_address),
        *("-B", request.client_address),
        *("-p", str(request.port)),
        *("-t", str(request.seconds)),
        *("-i", "1"),
        *("--connect-timeout", str(CONNECT_TIMEOUT_MS)),
        "--forceflush",
        *(("--json-stream",) if is_stream else ("-f", "k")),
        *(("-R",) if direction == "b_to_a" else ()),
        *(("-b", str(max(1, round(request.cap_mbit_s * 1e6)))) if request.cap_mbit_s is not None else ()),
    )


def measure_throughput(
    client: HostSession,
    server: HostSession,
    request: ThroughputRequest,
    *,
    token: CancelToken,
    on_interval: IntervalSink,
    clock: Callable[[], float] = time.monotonic,
) -> ThroughputOutcome:
    """Measure TCP throughput from A to B, then from B to A.

    Args:
        client: Host A.
        server: Host B, which runs the server.
        request: What to measure.
        token: Cancelling it ends both programs.
        on_interval: Gets each second's value as it arrives.
        clock: Monotonic seconds.

    Returns:
        Both directions, in the order of DIRECTIONS.

    Raises:
        ProbeFailed: iperf3 cannot be used, or nothing crosses.
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    limit_s = (request.seconds + SLACK_S + CONNECT_TIMEOUT_MS // 1000) * len(DIRECTIONS) + SLACK_S
    series: list[ThroughputSeries] = []
    windows: list[tuple[float, float]] = []
    with IperfServer(
        server, request.server_address, request.port, tests=len(DIRECTIONS), limit_s=limit_s, token=token
    ) as iperf_server:
        for index, direction in enumerate(DIRECTIONS):
            iperf_server.wait_until_listening(index)
            run = _ClientRun(client, request, direction, on_interval, clock)
            series.append(run.run(token, iperf_server))
            windows.append(run.window)
    return ThroughputOutcome((series[0], series[1]), tuple(windows))


class _ClientRun:
    """One direction: understands the client's lines as they come."""

    def __init__(
        self,
        client: HostSession,
        request: ThroughputRequest,
        direction: str,
        on_interval: IntervalSink,
        clock: Callable[[], float],
    ) -> None:
        self._client = client
        self._request = request
        self._direction = direction
        self._on_interval = on_interval
        self._clock = clock
        self._parse: Callable[[str], IperfLine | None] = (
            parse_json_event if has_json_stream(request.iperf3_version) else TextReader().read
        )
        self._intervals: list[float] = []
        self._total: Total | None = None
        self._failure = ""
        self._malformed = ""
        self._is_out_of_time = False
        self._exit_status: int | None = None
        self._window: list[float] = []
        self._lock = threading.Lock()

    @property
    def window(self) -> tuple[float, float]:
        """When data flowed, in seconds of the clock."""
        if not self._window:
            return (0.0, 0.0)
        return (self._window[0], self._window[-1])

    def run(self, token: CancelToken, server: IperfServer) -> ThroughputSeries:
        limit_s = self._request.seconds + SLACK_S
        command = Command(
            ("sh", "-c", _CLIENT_SCRIPT, "tunnelmark", str(limit_s), *client_argv(self._request, self._direction)),
            timeout_s=limit_s + 15.0,
            max_output_bytes=65_536,
        )
        self._client.run(command, token=token, on_line=self._on_line)
        total = self._total
        if self._failure or self._exit_status != 0 or total is None or total.received_mbit_s is None:
            raise self._error(server)
        return ThroughputSeries(
            direction=self._direction,
            mbit_s=total.received_mbit_s,
            interval_mbit_s=tuple(self._intervals),
            interval_s=INTERVAL_S,
            retransmits=total.retransmits,
            cap_mbit_s=self._request.cap_mbit_s,
        )

    def _on_line(self, _stream: Stream, line: str) -> None:
        mark = parse_guard_line(line)
        if mark is not None:
            if mark.mark is GuardMark.EXIT:
                self._exit_status = mark.number
            self._is_out_of_time = self._is_out_of_time or mark.mark is GuardMark.LIMIT
            return
        parsed = self._parse(line)
        if isinstance(parsed, Interval):
            self._add_interval(parsed)
        elif isinstance(parsed, Total):
            self._total = parsed
        elif isinstance(parsed, Failure):
            self._failure = self._failure or parsed.text
        elif isinstance(parsed, Malformed):
            self._malformed = self._malformed or parsed.text

    def _add_interval(self, interval: Interval) -> None:
        now_s = self._clock()
        if not self._window:
            self._window.append(now_s - (interval.end_s - interval.begin_s))
        self._window.append(now_s)
        if interval.end_s - interval.begin_s < INTERVAL_S / 2:
            return  # the rest after the last whole second says nothing
        self._intervals.append(interval.mbit_s)
        self._on_interval(self._direction, interval.end_s, interval.mbit_s)

    def _error(self, server: IperfServer) -> ProbeFailed:
        host = self._client.spec.label
        if self._is_out_of_time:
            what = f"it was not done {SLACK_S} s after its time; the path died under it"
        elif self._failure:
            what = self._failure
        elif self._exit_status in (126, 127):
            what = "the program could not be started"
        elif self._malformed:
            what = f"its output could not be understood: {self._malformed}"
        elif self._exit_status:
            what = f"it ended with exit status {self._exit_status}"
        else:
            what = "it printed no result"
        return ProbeFailed(
            f"Measuring throughput ({self._direction.replace('_', ' ')}) failed: iperf3 on {host} said: {what}.",
            hint=explain_iperf_failure(what, server.words),
            context={"host": host, "direction": self._direction, "server": server.words},
        )


_HINTS = (
    ("connection refused", "Something rejects the connection, or the server ended; look at the hosts' firewalls."),
    ("no route to host", "A firewall rejects the probe's port, or the tunnel is down."),
    ("timed out", "A firewall drops the probe's port, or the tunnel is down."),
    ("server is busy", "Another test was using the server."),
    ("could not be started", "Install the package iperf3."),
    ("control socket has closed", "The server ended, or the tunnel went down."),
    ("unable to receive", "The server ended, or the tunnel went down."),
    ("path died", "The tunnel went down, or a host did."),
    ("unrecognized option", "This iperf3 is too old."),
)


def explain_iperf_failure(client_words: str, server_words: str) -> str:
    """Return what to do next after iperf3 failed with these words; empty where nothing is known."""
    text = client_words.lower()
    hint = next((hint for needle, hint in _HINTS if needle in text), "")
    if server_words:
        hint = f"{hint} The server said: {server_words}.".strip()
    return hint
