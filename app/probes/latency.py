"""Round-trip times: echo requests of every frame size, all in one channel.

What ping prints is kept on the host while requests run, and comes between two windows of requests: lines that cross SSH
while a small host pings are part of what is measured (docs/architecture.md, "Probes that do not disturb").
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, Stream
from app.domain.errors import Cancelled, ProbeFailed, TunnelmarkError
from app.domain.hosts import Privilege, ToolFlavour
from app.domain.link import FRAME_TO_PAYLOAD_BYTES
from app.domain.messages import Message
from app.domain.results import LatencySeries
from app.domain.script_files import bare_script
from app.probes.echoes import Echoes
from app.probes.guard import GuardLine, GuardMark, parse_guard_line
from app.probes.messages import (
    FRAME_TOO_LONG,
    HOST_PRINTED,
    LARGER_FRAMES_STOPPED,
    NO_REPLY_CAME,
    NO_REPLY_WITHIN,
    PING_ENDED_BEFORE,
    PING_ENDED_EARLY,
    PING_FAILED,
    PING_TOO_SLOW,
    PING_WITHOUT_WAITING,
    PROGRAM_PRINTED,
    REPLIES_STOPPED,
    RTT_UNSTEADY,
)
from app.probes.ping_lines import Reply, Summary, Trouble, is_too_long, number_after, parse_ping_line, ratio_of

SamplesSink = Callable[[int, int, tuple[float, ...]], None]
"""Gets frame size in bytes, index of the first sample from 0, and RTTs in ms (NaN where no reply came)."""

WARM_UP_PINGS = 50
"""Requests of one run of the warm-up, which is repeated until its second half is not faster than its first. They do not
count: ARP, the tunnel's own caches, the first wake-up of both hosts. Source: our choice."""

WARM_UP_LIMIT_S = 5
"""A run of the warm-up ends after so many seconds, however many replies came."""

WARM_UP_S = 2
"""No further run of the warm-up begins after so many seconds. Source: our choice, as `app.probes.blocks`."""

UNSTEADY = RTT_UNSTEADY()
STALL_S = 5.0
"""Longest window of requests, in seconds, without a check whether the far end answers at all."""

INTERVAL_LINE, UNSTEADY_LINE = "#interval", "#unsteady"
WARM_UP_LINE, WARM_UP_REQUESTS_LINE = "#warm-up ", "#requests "
PAUSE_LINE = "@pause"
FRAGMENTS_LINE = "#fragments "
_WINDOW_LINE = re.compile(r"^@(?P<word>window|size) (?P<label>\d{1,5}) (?P<first>\d{1,9})(?: (?P<number>\d{1,9}))?$")

_SCRIPT = bare_script("probes/latency.sh")


@dataclass(frozen=True, slots=True)
class LatencyRequest:
    """Request for a measurement of latency.

    Attributes:
        destination: IPv4 address to ping.
        source: IPv4 address to ping from; None leaves that to the host's routes.
        frame_bytes: Ethernet frame sizes in bytes without FCS, in the order of probing.
        pings: Echo requests per size.
        ping_flavour: Which ping the host has.
        interval_s: Time between two requests in s; None where each waits for the reply to the one before.
    """

    destination: str
    source: str | None
    frame_bytes: tuple[int, ...]
    pings: int
    ping_flavour: ToolFlavour = ToolFlavour.IPUTILS
    interval_s: float | None = None


@dataclass(frozen=True, slots=True)
class LatencyOutcome:
    """Measured latency.

    Attributes:
        series: One per frame size, in the order of the request.
        fragments: IPv4 fragments that the pinging host made meanwhile; None where it does not count them.
        seconds: How long it took, the warm-up included.
        is_steady: Whether round-trip times were steady at the end of the warm-up.
        warm_up_ratio: Median of the first half of its last run over that of the second; None if not known.
        warm_up_requests: Echo requests of the warm-up, which are in no series.
    """

    series: tuple[LatencySeries, ...]
    fragments: int | None
    seconds: float
    is_steady: bool = True
    warm_up_ratio: float | None = None
    warm_up_requests: int = 0


def ping_argv(request: LatencyRequest) -> tuple[str, ...]:
    """Return ping and those of its options that are the same for every size and every candidate.

    `-A` sends the next request as soon as the reply is there, `-i` some of them while replies are on their way; `-M do`
    forbids fragments inside the tunnel.

    Source: ping(8) of iputils 20240905; `ping --help` of BusyBox 1.35.
    """
    source = ("-I", request.source) if request.source else ()
    if request.ping_flavour is ToolFlavour.BUSYBOX:
        return ("busybox-ping", *source)
    pace = ("-A",) if request.interval_s is None else ("-i", f"{request.interval_s:g}")
    return ("ping", "-n", *pace, "-M", "do", *source)


def longest_s(pings: int, sizes: int) -> int:
    """Return after how many seconds ping is ended on the host, whatever is the matter (1.5 s for each request)."""
    return int(60 + pings * sizes * 1.5)


def measure_latency(
    client: HostSession,
    request: LatencyRequest,
    *,
    token: CancelToken,
    on_samples: SamplesSink,
    on_pause: Callable[[], None] = lambda: None,
    clock: Callable[[], float] = time.monotonic,
) -> LatencyOutcome:
    """Measure round-trip times of every frame size.

    All sizes run in one channel, after a warm-up that is not counted. A size that does not cross says so in its note,
    and the others go on.

    Args:
        on_samples: Gets the samples between two windows of requests, every 1.5 s or so.
        on_pause: Called about every 6 s, while the host pauses for a tenth of a second between two windows.
        clock: Monotonic seconds.

    Returns:
        One series per frame size, and what goes with them.

    Raises:
        ProbeFailed: Nothing comes back at all, or ping cannot be used.
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    return _LatencyRun(client, request, token, on_samples, on_pause, clock).run()


@dataclass(slots=True)
class _Window:
    """One run of ping: index of its first request among those of its size, their number, and how many were answered."""

    first: int
    number: int
    received: int = 0


@dataclass
class _LatencyRun:
    """One call of `measure_latency`: understands the lines as they come."""

    _client: HostSession
    _request: LatencyRequest
    _outer: CancelToken
    _on_samples: SamplesSink
    _on_pause: Callable[[], None]
    _clock: Callable[[], float]

    def __post_init__(self) -> None:
        request = self._request
        self._inner = CancelToken()
        self._is_root = self._client.privilege is not Privilege.NONE
        first_seq = 0 if request.ping_flavour is ToolFlavour.BUSYBOX else 1
        self._echoes = {
            str(frame - FRAME_TO_PAYLOAD_BYTES): Echoes(frame, request.pings, first_seq)
            for frame in request.frame_bytes
        }
        self._warm_up = Echoes(0, WARM_UP_PINGS, first_seq)
        self._ended: set[str] = set()
        self._current: Echoes | None = None
        self._window = _Window(0, WARM_UP_PINGS)
        self._silent_windows = 0
        self._last_window_s = self._clock()
        self._is_interval = False
        self._is_steady = True
        self._warm_up_ratio: float | None = None
        self._warm_up_requests = 0
        self._failure: TunnelmarkError | None = None
        self._fragments: list[int] = []
        self._host_words: list[str] = []

    def run(self) -> LatencyOutcome:
        began_s = self._clock()
        unregister = self._outer.on_cancel(self._inner.cancel)
        try:
            self._client.run(self._command(), token=self._inner, on_line=self._on_line)
        except Cancelled:
            self._outer.raise_if_cancelled()
            if self._failure is None:
                raise
        finally:
            unregister()
        if self._failure is not None:
            raise self._failure
        missing = [label for label in self._echoes if label not in self._ended]
        if missing:
            # What is cancelled while its last lines arrive ends without being ended.
            self._outer.raise_if_cancelled()
            raise self._problem(PING_ENDED_EARLY(host=self._client.spec.label))
        note = PING_WITHOUT_WAITING() if self._is_interval else ""
        series = tuple(echoes.series(note) for echoes in self._echoes.values())
        made, seconds = self._fragments_made(), self._clock() - began_s
        return LatencyOutcome(series, made, seconds, self._is_steady, self._warm_up_ratio, self._warm_up_requests)

    def _fragments_made(self) -> int | None:
        made = self._fragments[-1] - self._fragments[0] if len(self._fragments) > 1 else -1
        return made if made >= 0 else None

    def _command(self) -> Command:
        request = self._request
        limit_s = longest_s(request.pings, len(request.frame_bytes))
        words = (
            str(limit_s),
            " ".join(self._echoes),
            request.destination,
            str(WARM_UP_PINGS),
            str(WARM_UP_LIMIT_S),
            str(WARM_UP_S),
            str(request.pings),
            str(round(1e6 * (request.interval_s or 0.0))),
            *ping_argv(request),
        )
        return Command(
            shell_step_argv(_SCRIPT, *words),
            timeout_s=limit_s + 30.0,
            is_root=self._is_root,
            max_output_bytes=65_536,  # every line is read as it arrives; nothing has to be kept
        )

    # --- lines --------------------------------------------------------------------------------------------------------

    def _on_line(self, _stream: Stream, line: str) -> None:
        if self._inner.is_cancelled:
            return
        if line == PAUSE_LINE:
            self._on_pause()
            return
        if line.startswith("@"):
            self._on_mark_line(line)
            return
        parsed = parse_ping_line(line)
        echoes = self._current
        if isinstance(parsed, Reply) and echoes is not None:
            self._add_reply(echoes, parsed)
        elif isinstance(parsed, Summary) and echoes is not None:
            self._add_summary(echoes, parsed)
        elif isinstance(parsed, Trouble) and echoes is not None:
            echoes.add_trouble(parsed)
        elif line.startswith("#"):
            self._on_note(line)
        elif parsed is None and line.strip() and len(self._host_words) < 20:
            self._host_words.append(line.strip()[:200])

    def _add_reply(self, echoes: Echoes, reply: Reply) -> None:
        """Take a reply of the window; requests that ping sent beyond it, for lost ones, do not count."""
        index = (reply.seq - echoes.first_seq) & 0xFFFF
        if index < self._window.number:
            self._window.received += echoes.add_reply(replace(reply, seq=(reply.seq + self._window.first) & 0xFFFF))

    def _add_summary(self, echoes: Echoes, summary: Summary) -> None:
        window = self._window
        sent = min(summary.sent, window.number)
        echoes.add_summary(Summary(window.first + sent, window.first + window.received))

    def _on_mark_line(self, line: str) -> None:
        match = _WINDOW_LINE.match(line)
        mark = parse_guard_line(line) if match is None else None
        if mark is not None:
            self._on_mark(mark)
        elif match is not None and match["word"] == "size":
            self._on_size_end(match["label"])
        elif match is not None:
            self._current = self._echoes.get(match["label"])
            self._window = _Window(int(match["first"]), int(match["number"] or 0))
            if not self._window.first:
                self._silent_windows = 0

    def _on_note(self, line: str) -> None:
        if line == INTERVAL_LINE:
            self._is_interval = True
        elif line == UNSTEADY_LINE:
            self._is_steady = False
        elif line.startswith(WARM_UP_LINE):
            self._warm_up_ratio = ratio_of(line.removeprefix(WARM_UP_LINE))
        if (number := number_after(FRAGMENTS_LINE, line)) is not None:
            self._fragments.append(number)
        elif (number := number_after(WARM_UP_REQUESTS_LINE, line)) is not None:
            self._warm_up_requests = number

    def _on_mark(self, mark: GuardLine) -> None:
        if mark.mark is GuardMark.START:
            self._current = self._warm_up
        elif mark.mark is GuardMark.EXIT:
            self._on_exit(mark)
        elif mark.mark is GuardMark.LIMIT:
            self._fail(self._problem(PING_TOO_SLOW(host=self._client.spec.label, seconds=mark.number)))
        elif self._clock() - self._last_window_s >= STALL_S:
            self._last_window_s = self._clock()
            self._check_far_end()

    def _on_exit(self, mark: GuardLine) -> None:
        """Take the end of a window, or of the warm-up."""
        echoes, self._current = self._current, None
        self._last_window_s = self._clock()
        if echoes is None:
            return
        if echoes is self._warm_up:
            if not echoes.received:
                self._fail(self._no_reply(echoes))
            return
        self._hand_on(echoes)
        # Source: ping(8): 1 means that replies are missing, 2 every other error; 126 and 127 are the shell's.
        if mark.number not in (0, 1) and not any(is_too_long(text) for text in echoes.troubles):
            self._fail(self._problem(PING_FAILED(host=self._client.spec.label, status=mark.number)))
        elif self._window.received:
            self._silent_windows = 0
        else:
            self._silent_windows += 1
            self._check_far_end()

    def _on_size_end(self, label: str) -> None:
        echoes = self._echoes.get(label)
        if echoes is None:
            return
        self._ended.add(label)
        if echoes.sent < echoes.expected or self._silent_windows:
            echoes.stop_reason = self._stop_reason(echoes)

    def _stop_reason(self, echoes: Echoes) -> str:
        if echoes.received and not self._silent_windows:
            return PING_ENDED_BEFORE()
        if echoes.received:
            return LARGER_FRAMES_STOPPED()
        words = next((text for text in echoes.troubles if is_too_long(text)), NO_REPLY_CAME())
        return FRAME_TOO_LONG(frame_bytes=echoes.frame_bytes, words=words)

    def _hand_on(self, echoes: Echoes) -> None:
        first, rtt_ms = echoes.take_new()
        if rtt_ms:
            self._on_samples(echoes.frame_bytes, first, rtt_ms)

    # --- what does not cross ------------------------------------------------------------------------------------------

    def _check_far_end(self) -> None:
        """End the probe where the far end does not answer the smallest frame either."""
        if not self._is_answering():
            self._fail(ProbeFailed(REPLIES_STOPPED(peer=self._request.destination, host=self._client.spec.label)))

    def _is_answering(self) -> bool:
        """Ask over a channel of its own whether the far end answers the smallest frame."""
        source = ("-I", self._request.source) if self._request.source else ()
        argv = ("ping", "-n", *source, "-c", "1", "-w", "2", "-s", "18", self._request.destination)
        if self._request.ping_flavour is ToolFlavour.BUSYBOX:
            argv = tuple(word for word in argv if word != "-n")
        return self._client.run(Command(argv, timeout_s=10.0, is_root=self._is_root), token=self._inner).is_ok

    def _fail(self, failure: TunnelmarkError) -> None:
        if self._failure is None:
            self._failure = failure
            self._inner.cancel()

    def _no_reply(self, echoes: Echoes) -> ProbeFailed:
        words = "; ".join(list(echoes.troubles)[:2] or self._host_words[-2:])
        host, peer = self._client.spec.label, self._request.destination
        return ProbeFailed(
            NO_REPLY_WITHIN(peer=peer, host=host, seconds=WARM_UP_LIMIT_S),
            hint=PROGRAM_PRINTED(program="ping", output=words) if words else "",
            context={"host": host, "destination": peer},
        )

    def _problem(self, message: Message) -> ProbeFailed:
        words = "; ".join(self._host_words[-3:])
        hint = HOST_PRINTED(output=words) if words else ""
        return ProbeFailed(message, hint=hint, context={"host": self._client.spec.label})
