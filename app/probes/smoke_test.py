"""Quick test of a running tunnel: answers to echo requests, a packet capture, and a rough speed.

All in one script on A, with one iperf3 server on B: made for hundreds of tunnels in sequence. Figures of a
handful of echo requests and one second of TCP are good for an order, not for a ranking.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, SessionPair, Stream
from app.domain.errors import ProbeFailed
from app.domain.link import FRAME_TO_PAYLOAD_BYTES, Link
from app.domain.profiles import FRAME_BYTES
from app.domain.results import LOST_RTT_US, LatencySeries
from app.domain.script_files import bare_script
from app.probes.capture.canary import PAYLOAD_BYTES, CanaryFrames, underlay_filter
from app.probes.capture.pcap import from_od, parse_pcap
from app.probes.echoes import Echoes
from app.probes.guard import GuardMark, parse_guard_line
from app.probes.iperf_output import Failure, TextReader, Total
from app.probes.messages import HOST_PRINTED, PINGS_INCOMPLETE
from app.probes.ping_lines import Reply, Summary, Trouble, parse_ping_line
from app.probes.smoke_test_server import QuickServer

LIMIT_S = 60
MAX_PACKETS = 400
SNAPLEN_BYTES = 192
MAX_OUTPUT_BYTES = 524_288

ECHO, CONTROL, TCP, SIZE_PREFIX = "echo", "control", "tcp", "size-"

_SCRIPT = bare_script("probes/smoke-test.sh")


@dataclass(frozen=True, slots=True)
class SmokeTestRequest:
    """Inputs of the test.

    Attributes:
        link: Addresses, and the tunnel's own folder, which exists on both hosts.
        source: A's address inside the tunnel.
        destination: B's address inside the tunnel.
        outer_filter: pcap filter that matches the tunnel's packets on the underlay.
        port: TCP port of the iperf3 server.
        pings: Echo requests that have to be answered.
        echo_limit_s: How long that may take, in seconds; each frame size may take half of it.
        size_pings: Echo requests per frame size for the latency.
        seconds: Seconds of TCP from A to B; 0 leaves it out.
        cap_mbit_s: Limit for TCP in Mbit/s; None means none.
        canaries: The marks of this test.
    """

    link: Link
    source: str
    destination: str
    outer_filter: str
    port: int
    pings: int = 20
    echo_limit_s: float = 4.0
    size_pings: int = 4
    seconds: int = 1
    cap_mbit_s: float | None = None
    canaries: CanaryFrames = field(default_factory=CanaryFrames.new)

    def argv(self) -> tuple[str, ...]:
        """Return the command for A."""
        link, canaries = self.link, self.canaries
        limit, size_limit = str(math.ceil(self.echo_limit_s)), str(math.ceil(self.echo_limit_s / 2))
        cap = () if self.cap_mbit_s is None else ("-b", str(max(1, round(self.cap_mbit_s * 1e6))))
        words = (
            *(link.run_dir, link.underlay_a, underlay_filter(link, self.outer_filter, canaries), link.underlay_b),
            *(self.destination, self.source, canaries.control.hex(), canaries.inside.hex(), str(PAYLOAD_BYTES)),
            *(str(self.pings), limit, str(self.size_pings), size_limit),
            " ".join(str(size - FRAME_TO_PAYLOAD_BYTES) for size in FRAME_BYTES),
            *(str(SNAPLEN_BYTES), str(MAX_PACKETS), str(self.port), str(self.seconds), canaries.control.decode()),
        )
        return shell_step_argv(_SCRIPT, str(LIMIT_S), *words, *cap)


@dataclass(frozen=True, slots=True)
class SmokeTestOutcome:
    """Outcome of the test.

    Attributes:
        sent: Echo requests sent.
        received: How many of them were answered.
        captured: Packets of the tunnel on A's underlay while they crossed.
        clear_marks: Packets there with their mark in them.
        control_marks: Packets with the mark that was sent over the bare underlay on purpose.
        mean_ms_by_frame: Mean RTT in ms per frame size in bytes; sizes that did not cross are left out.
        throughput_mbit_s: TCP goodput from A to B in Mbit/s; None where it was not measured, also because nothing
            arrived in the short time.
        notes: What went wrong on the way, in the programs' words.
    """

    sent: int
    received: int
    captured: int
    clear_marks: int
    control_marks: int
    mean_ms_by_frame: Mapping[int, float]
    throughput_mbit_s: float | None
    notes: tuple[str, ...] = ()


def run_smoke_test(sessions: SessionPair, request: SmokeTestRequest, *, token: CancelToken) -> SmokeTestOutcome:
    """Test a running tunnel.

    Returns:
        What was seen; a tunnel that answers nothing is a result too.

    Raises:
        ProbeFailed: The test itself could not be run.
        ConnectionLost, DeadlineExceeded, PrivilegeMissing, Cancelled: As `HostSession.run`.
    """
    server = QuickServer(sessions.b, request.link.run_dir, request.destination, request.port, token=token)
    reader = _SmokeTestReader(request)
    if request.seconds == 0:
        reader.run(sessions.a, token)
    else:
        with server:
            reader.run(sessions.a, token)
    return reader.outcome()


class _SmokeTestReader:
    """Understands the script's lines as they come."""

    def __init__(self, request: SmokeTestRequest) -> None:
        self._request = request
        self._echoes = {ECHO: Echoes(0, request.pings, 1)} | {
            f"{SIZE_PREFIX}{size - FRAME_TO_PAYLOAD_BYTES}": Echoes(size, request.size_pings, 1) for size in FRAME_BYTES
        }
        self._current = ""
        self._digits: list[str] | None = None
        self._all_digits = ""
        self._iperf = TextReader()
        self._total: Total | None = None
        self._notes: list[str] = []
        self._ended: set[str] = set()

    def run(self, host: HostSession, token: CancelToken) -> None:
        command = Command(
            self._request.argv(), timeout_s=LIMIT_S + 15.0, is_root=True, max_output_bytes=MAX_OUTPUT_BYTES
        )
        host.run(command, token=token, on_line=self._on_line)
        if ECHO not in self._ended:
            raise ProbeFailed(
                PINGS_INCOMPLETE(host=host.spec.label),
                hint=HOST_PRINTED(output="; ".join(self._notes[-3:])) if self._notes else "",
                context={"host": host.spec.label},
            )

    def outcome(self) -> SmokeTestOutcome:
        canaries = self._request.canaries
        records = parse_pcap(from_od(self._all_digits))
        control = sum(canaries.control in record.data for record in records)
        series = {label: echoes.series() for label, echoes in self._echoes.items()}
        means = {one.frame_bytes: _mean_ms(one) for one in series.values() if one.frame_bytes and one.received}
        return SmokeTestOutcome(
            sent=series[ECHO].sent,
            received=series[ECHO].received,
            captured=len(records) - control,
            clear_marks=sum(canaries.inside in record.data for record in records),
            control_marks=control,
            mean_ms_by_frame=means,
            throughput_mbit_s=self._throughput_mbit_s(),
            notes=tuple(self._notes[:10]),
        )

    def _throughput_mbit_s(self) -> float | None:
        """Return the goodput; a zero says that the time was too short, not how fast the tunnel is."""
        return (self._total.received_mbit_s or None) if self._total is not None else None

    def _on_line(self, _stream: Stream, line: str) -> None:
        mark = parse_guard_line(line)
        if mark is not None:
            if mark.mark is GuardMark.START:
                self._current = mark.label
            elif mark.mark is GuardMark.EXIT:
                self._ended.add(mark.label)
                self._current = ""
        elif line == "#pcap":
            self._digits = []
        elif line == "#end" and self._digits is not None:
            self._all_digits, self._digits = "\n".join(self._digits), None
        elif self._digits is not None:
            self._digits.append(line)
        else:
            self._on_program(line)

    def _on_program(self, line: str) -> None:
        if self._current == TCP:
            parsed = self._iperf.read(line)
            if isinstance(parsed, Total):
                self._total = parsed
            elif isinstance(parsed, Failure):
                self._note(f"iperf3: {parsed.text}")
        elif self._current in self._echoes:
            self._on_ping(self._echoes[self._current], line)
        elif line.strip() and self._current != CONTROL:
            self._note(re.sub(r"\s+", " ", line.strip())[:200])

    def _on_ping(self, echoes: Echoes, line: str) -> None:
        parsed = parse_ping_line(line)
        if isinstance(parsed, Reply):
            echoes.add_reply(parsed)
        elif isinstance(parsed, Summary):
            echoes.add_summary(parsed)
        elif isinstance(parsed, Trouble):
            echoes.add_trouble(parsed)
            where = f"{echoes.frame_bytes} B: " if echoes.frame_bytes else ""
            self._note(f"{where}{parsed.text}")

    def _note(self, text: str) -> None:
        if text not in self._notes:
            self._notes.append(text)


def _mean_ms(series: LatencySeries) -> float:
    received = series.rtt_us[series.rtt_us != LOST_RTT_US]
    return float(received.mean()) / 1000.0
