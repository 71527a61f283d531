"""TCP throughput in both directions with iperf3, its server bound to the tunnel's address and gone afterwards."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, Stream
from app.domain.errors import Cancelled, ProbeFailed
from app.domain.hosts import DIRECTIONS
from app.domain.messages import Message, sentences
from app.domain.results import ThroughputSeries
from app.domain.script_files import bare_script
from app.probes.guard import GuardLine, GuardMark, parse_guard_line
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
from app.probes.iperf_server import NOT_STARTED, IperfServer, iperf_missing
from app.probes.messages import (
    CONNECTION_REFUSED,
    ENDED_WITH,
    IPERF_TOO_OLD,
    NO_RESULT,
    OUTPUT_UNREADABLE,
    PATH_DIED,
    PORT_DROPPED,
    PORT_REJECTED,
    SERVER_BUSY,
    SERVER_ENDED,
    SERVER_PRINTED,
    SILENT_FOR,
    THROUGHPUT_FAILED,
    WAYS,
)

IntervalSink = Callable[[str, float, float], None]
"""Gets direction, seconds since that direction began (end of the interval), and Mbit/s."""

INTERVAL_S = 1.0
OMIT_S = 1
"""TCP's slow start, in seconds, which does not count. Source: iperf3(1), -O."""

DIRECTION_OVERHEAD_S = 0.6
"""Usual time of a direction beyond its seconds. Source: practice labs."""

CONNECT_TIMEOUT_MS = 5_000
SLACK_S = 10
"""iperf3 has no deadline of its own for a path that died; it gets its time and so much more, in seconds."""

SILENT_ROUND_TRIPS = 40.0
"""TCP on a slow line may be silent for so many round trips.

Source: our choice, after OpenVPN over TCP, which was silent for more than 10 s under `geo`.
"""

_CLIENT_SCRIPT = bare_script("probes/throughput.sh")


@dataclass(frozen=True, slots=True)
class ThroughputRequest:
    """Request for a measurement of throughput.

    Attributes:
        client_address: A's IPv4 address for the probe.
        server_address: B's IPv4 address for the probe; the server is bound to it.
        port: TCP port of the server; the second direction uses the next one.
        seconds: Seconds of TCP per direction that count.
        cap_mbit_s: Limit in Mbit/s; None means none.
        iperf3_version: Version on the client, as it says it.
        omit_s: Seconds that each direction runs before it counts.
        silence_s: Seconds without a figure after which the path is taken for dead.
    """

    client_address: str
    server_address: str
    port: int
    seconds: int
    cap_mbit_s: float | None = None
    iperf3_version: str = ""
    omit_s: int = OMIT_S
    silence_s: int = SLACK_S

    @property
    def longest_s(self) -> int:
        """Seconds after which both directions have ended, whatever is the matter."""
        return len(DIRECTIONS) * (self.omit_s + self.seconds + self.silence_s)


@dataclass(frozen=True, slots=True)
class ThroughputOutcome:
    """Both directions, and when data flowed (monotonic seconds, for what was watched meanwhile)."""

    series: tuple[ThroughputSeries, ThroughputSeries]
    windows: tuple[tuple[float, float], ...]


def client_argv(request: ThroughputRequest) -> tuple[str, ...]:
    """Return the client's command line without port and direction.

    Source: iperf3(1) of 3.18; 3.9 knows all of it but --json-stream.
    """
    is_stream = has_json_stream(request.iperf3_version)
    return (
        "iperf3",
        *("-c", request.server_address),
        *("-B", request.client_address),
        *("-t", str(request.seconds)),
        *(("-O", str(request.omit_s)) if request.omit_s else ()),
        *("-i", "1"),
        *("--connect-timeout", str(CONNECT_TIMEOUT_MS)),
        "--forceflush",
        *(("--json-stream",) if is_stream else ("-f", "k")),
        *(("-b", str(max(1, round(request.cap_mbit_s * 1e6)))) if request.cap_mbit_s is not None else ()),
    )


def throughput_server(
    host: HostSession, request: ThroughputRequest, *, token: CancelToken, idle_s: float = 0.0
) -> IperfServer:
    """Return the server that `measure_throughput` needs, as a context that is to be entered.

    Args:
        host: Host B.
        request: What will be measured.
        idle_s: How long it may have to wait for the first test, in seconds.
    """
    limit_s = int(idle_s) + request.longest_s + SLACK_S
    return IperfServer(host, request.server_address, request.port, limit_s=limit_s, token=token)


def measure_throughput(
    client: HostSession,
    server: IperfServer,
    request: ThroughputRequest,
    *,
    token: CancelToken,
    on_interval: IntervalSink,
    clock: Callable[[], float] = time.monotonic,
) -> ThroughputOutcome:
    """Measure TCP throughput from A to B, then from B to A, in one channel.

    Args:
        client: Host A.
        server: The server on B, from `throughput_server`; it is used up by this.
        on_interval: Gets each second's value as it arrives.
        clock: Monotonic seconds.

    Returns:
        Both directions, in the order of DIRECTIONS.

    Raises:
        ProgramMissing: A host cannot start iperf3.
        ProbeFailed: iperf3 cannot be used, or nothing crosses.
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    server.wait_until_listening()
    return _ClientRun(client, server, request, on_interval, clock).run(token)


class _Direction:
    """Figures of one direction so far."""

    def __init__(self, request: ThroughputRequest) -> None:
        self.parse: Callable[[str], IperfLine | None] = (
            parse_json_event if has_json_stream(request.iperf3_version) else TextReader().read
        )
        self.intervals: list[float] = []
        self.total: Total | None = None
        self.failure = ""
        self.malformed = ""
        self.exit_status: int | None = None
        self.window: tuple[float, float] | None = None

    @property
    def mbit_s(self) -> float | None:
        """Received goodput, if the test ended well."""
        if self.failure or self.exit_status != 0 or self.total is None:
            return None
        return self.total.received_mbit_s


@dataclass
class _ClientRun:
    """One call of `measure_throughput`: understands the client's lines as they come."""

    _client: HostSession
    _server: IperfServer
    _request: ThroughputRequest
    _on_interval: IntervalSink
    _clock: Callable[[], float]
    _inner: CancelToken = field(default_factory=CancelToken)
    _current: str | None = None
    _is_dead: bool = False

    def __post_init__(self) -> None:
        self._directions = {name: _Direction(self._request) for name in DIRECTIONS}
        self._last_line_s = self._clock()

    def run(self, token: CancelToken) -> ThroughputOutcome:
        limit_s = self._request.longest_s
        words = (str(limit_s), *(str(port) for port in self._server.ports), *client_argv(self._request))
        command = Command(shell_step_argv(_CLIENT_SCRIPT, *words), timeout_s=limit_s + 15.0, max_output_bytes=65_536)
        unregister = token.on_cancel(self._inner.cancel)
        try:
            self._client.run(command, token=self._inner, on_line=self._on_line)
        except Cancelled:
            token.raise_if_cancelled()
            if not self._is_dead:
                raise
        finally:
            unregister()
        first, second = (self._series(name) for name in DIRECTIONS)
        windows = (direction.window for direction in self._directions.values())
        return ThroughputOutcome((first, second), tuple(window for window in windows if window is not None))

    def _series(self, name: str) -> ThroughputSeries:
        direction = self._directions[name]
        mbit_s = direction.mbit_s
        if mbit_s is None:
            raise self._error(name)
        return ThroughputSeries(
            direction=name,
            mbit_s=mbit_s,
            interval_mbit_s=tuple(direction.intervals),
            interval_s=INTERVAL_S,
            retransmits=direction.total.retransmits if direction.total else None,
            cap_mbit_s=self._request.cap_mbit_s,
        )

    # --- lines --------------------------------------------------------------------------------------------------------

    def _on_line(self, _stream: Stream, line: str) -> None:
        mark = parse_guard_line(line)
        if mark is not None:
            self._on_mark(mark)
        elif self._current is not None:
            self._last_line_s = self._clock()
            self._take(self._current, self._directions[self._current].parse(line))

    def _on_mark(self, mark: GuardLine) -> None:
        if mark.mark is GuardMark.START:
            self._current = mark.label if mark.label in self._directions else None
            self._last_line_s = self._clock()
        elif mark.mark is GuardMark.EXIT and mark.label in self._directions:
            self._directions[mark.label].exit_status = mark.number
        elif mark.mark is GuardMark.LIMIT or self._clock() - self._last_line_s > self._request.silence_s:
            self._is_dead = True
            self._inner.cancel()

    def _take(self, name: str, parsed: IperfLine | None) -> None:
        direction = self._directions[name]
        if isinstance(parsed, Interval):
            self._add_interval(name, parsed)
        elif isinstance(parsed, Total):
            direction.total = parsed
        elif isinstance(parsed, Failure):
            direction.failure = direction.failure or parsed.text
        elif isinstance(parsed, Malformed):
            direction.malformed = direction.malformed or parsed.text

    def _add_interval(self, name: str, interval: Interval) -> None:
        if interval.is_omitted:
            return
        direction, now_s = self._directions[name], self._clock()
        length_s = interval.end_s - interval.begin_s
        began_s = direction.window[0] if direction.window else now_s - length_s
        direction.window = (began_s, now_s)
        if length_s < INTERVAL_S / 2:
            return  # the rest after the last whole second says nothing
        direction.intervals.append(interval.mbit_s)
        self._on_interval(name, interval.end_s, interval.mbit_s)

    def _error(self, name: str) -> ProbeFailed:
        host, direction = self._client.spec.label, self._directions[name]
        if direction.exit_status in NOT_STARTED:
            return iperf_missing(self._client)
        what = self._what_happened(direction)
        return ProbeFailed(
            THROUGHPUT_FAILED(way=WAYS[name](), host=host, what=what),
            hint=explain_iperf_failure(what, self._server.words),
            context={"host": host, "direction": name, "server": self._server.words},
        )

    def _what_happened(self, direction: _Direction) -> str:
        if direction.failure:
            return direction.failure
        if self._is_dead:
            return SILENT_FOR(seconds=self._request.silence_s)
        if direction.malformed:
            return OUTPUT_UNREADABLE(output=direction.malformed)
        if direction.exit_status:
            return ENDED_WITH(status=direction.exit_status)
        return NO_RESULT()


_HINTS = (
    ("connection refused", CONNECTION_REFUSED),
    ("no route to host", PORT_REJECTED),
    ("timed out", PORT_DROPPED),
    ("server is busy", SERVER_BUSY),
    ("control socket has closed", SERVER_ENDED),
    ("unable to receive", SERVER_ENDED),
    ("path died", PATH_DIED),
    ("unrecognized option", IPERF_TOO_OLD),
)


def explain_iperf_failure(client_words: str, server_words: str) -> str:
    """Return what to do next after iperf3 failed with these words; empty where nothing is known."""
    text = client_words.lower()
    hint = next((form() for needle, form in _HINTS if needle in text), "")
    return sentences([hint, SERVER_PRINTED(output=server_words) if server_words else ""])


def reported_error(report: object, otherwise: Message) -> str:
    """Return the error that a JSON report of iperf3 names, or another text where it names none."""
    words = report.get("error") if isinstance(report, dict) else None
    if words is None:
        return otherwise
    return words if isinstance(words, Message) else str(words)


def json_report(text: str, errors: str) -> Any:
    """Return a report of iperf3 -J; one that names an error where it printed none.

    Args:
        text: Its stdout.
        errors: Its stderr.
    """
    try:
        return json.loads(text)
    except ValueError:
        return {"error": errors.strip() or NO_RESULT()}
