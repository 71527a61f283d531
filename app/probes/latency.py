"""Round-trip times: echo requests of every frame size, all in one channel."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, Stream
from app.domain.errors import Cancelled, ProbeFailed, TunnelmarkError
from app.domain.hosts import Privilege, ToolFlavour
from app.domain.link import FRAME_TO_PAYLOAD_BYTES
from app.domain.results import LatencySeries
from app.domain.script_files import bare_script
from app.probes.echoes import Echoes
from app.probes.guard import GuardLine, GuardMark, parse_guard_line
from app.probes.ping_lines import Reply, Summary, Trouble, parse_ping_line

SamplesSink = Callable[[int, int, tuple[float, ...]], None]
"""Gets frame size in bytes, index of the first sample from 0, and RTTs in ms (NaN where no reply came)."""

WARM_UP_PINGS = 10
"""Sent before the first size and not counted: ARP, the tunnel's own caches, the first wake-up of both hosts."""

WARM_UP_LIMIT_S = 5
STALL_S = 5.0
"""Without a reply for so long, it is asked whether the far end answers at all. `ping -A` sends one request a second
while nothing comes back, so five requests in a row were lost by then."""

FLUSH_S = 0.08
"""Samples are handed on at this interval, in seconds."""

WARM_UP_LABEL = "warm-up"
INTERVAL_LINE = "#interval"
FRAGMENTS_LINE = "#fragments "

_SCRIPT = bare_script("probes/latency.sh")


@dataclass(frozen=True, slots=True)
class LatencyRequest:
    """What to measure.

    Attributes:
        destination: IPv4 address to ping.
        source: IPv4 address to ping from; None leaves that to the host's routes.
        frame_bytes: Ethernet frame sizes in bytes without FCS, in the order of probing.
        pings: Echo requests per size.
        ping_flavour: Which ping the host has.
    """

    destination: str
    source: str | None
    frame_bytes: tuple[int, ...]
    pings: int
    ping_flavour: ToolFlavour = ToolFlavour.IPUTILS


@dataclass(frozen=True, slots=True)
class LatencyOutcome:
    """What came of it.

    Attributes:
        series: One per frame size, in the order of the request.
        fragments: IPv4 fragments that the pinging host made meanwhile; None where it does not count them.
        window: When it was measured, as (begin, end) in seconds of the clock.
    """

    series: tuple[LatencySeries, ...]
    fragments: int | None
    window: tuple[float, float]


def ping_argv(request: LatencyRequest) -> tuple[str, ...]:
    """Return ping and those of its options that are the same for every size and every candidate.

    `-A` sends the next request as soon as the reply is there, `-M do` forbids fragments inside the tunnel.

    Source: ping(8) of iputils 20240905; `ping --help` of BusyBox 1.35.
    """
    source = ("-I", request.source) if request.source else ()
    if request.ping_flavour is ToolFlavour.BUSYBOX:
        return ("busybox-ping", *source)
    return ("ping", "-n", "-A", "-D", "-M", "do", *source)


def longest_s(pings: int, sizes: int) -> int:
    """Return after how many seconds ping is ended on the host, whatever is the matter (1.5 s for each request)."""
    return int(60 + pings * sizes * 1.5)


def measure_latency(
    client: HostSession,
    request: LatencyRequest,
    *,
    token: CancelToken,
    on_samples: SamplesSink,
    clock: Callable[[], float] = time.monotonic,
) -> LatencyOutcome:
    """Measure round-trip times of every frame size.

    All sizes run in one channel, after a warm-up that is not counted. A size that does not cross says so in its note,
    and the others go on.

    Args:
        client: The host that pings.
        request: What to measure.
        token: Cancelling it ends ping on the host.
        on_samples: Gets the samples while they arrive, a few at a time.
        clock: Monotonic seconds.

    Returns:
        One series per frame size, and what goes with them.

    Raises:
        ProbeFailed: Nothing comes back at all, or ping cannot be used.
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    return _LatencyRun(client, request, token, on_samples, clock).run()


class _LatencyRun:
    """One call of `measure_latency`: understands the lines as they come."""

    def __init__(
        self,
        client: HostSession,
        request: LatencyRequest,
        token: CancelToken,
        on_samples: SamplesSink,
        clock: Callable[[], float],
    ) -> None:
        self._client = client
        self._request = request
        self._outer = token
        self._inner = CancelToken()
        self._on_samples = on_samples
        self._clock = clock
        self._is_root = client.privilege is not Privilege.NONE
        first_seq = 0 if request.ping_flavour is ToolFlavour.BUSYBOX else 1
        self._echoes = {
            str(frame - FRAME_TO_PAYLOAD_BYTES): Echoes(frame, request.pings, first_seq)
            for frame in request.frame_bytes
        }
        self._warm_up = Echoes(0, WARM_UP_PINGS, first_seq)
        self._ended: set[str] = set()
        self._current: Echoes | None = None
        self._pid = 0
        self._last_reply_s = 0.0
        self._last_flush_s = 0.0
        self._is_interval = False
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
            raise self._problem("ping ended too early.")
        note = "This ping cannot wait for each reply; it sent one request every 10 ms." if self._is_interval else ""
        series = tuple(echoes.series(note) for echoes in self._echoes.values())
        return LatencyOutcome(series, self._fragments_made(), (began_s, self._clock()))

    def _fragments_made(self) -> int | None:
        if len(self._fragments) < 2 or self._fragments[-1] < self._fragments[0]:
            return None
        return self._fragments[-1] - self._fragments[0]

    def _command(self) -> Command:
        request = self._request
        limit_s = longest_s(request.pings, len(request.frame_bytes))
        words = (
            str(limit_s),
            " ".join(self._echoes),
            request.destination,
            str(WARM_UP_PINGS),
            str(WARM_UP_LIMIT_S),
            str(request.pings),
            *ping_argv(request),
        )
        return Command(
            shell_step_argv(_SCRIPT, *words),
            timeout_s=limit_s + 30.0,
            is_root=self._is_root,
            max_output_bytes=65_536,  # every line is looked at as it arrives; nothing has to be kept
        )

    # --- lines --------------------------------------------------------------------------------------------------------

    def _on_line(self, _stream: Stream, line: str) -> None:
        if self._inner.is_cancelled:
            return
        if line.startswith("@"):
            mark = parse_guard_line(line)
            if mark is not None:
                self._on_mark(mark)
            return
        parsed = parse_ping_line(line)
        echoes = self._current
        if isinstance(parsed, Reply) and echoes is not None:
            self._last_reply_s = self._clock()
            echoes.add_reply(parsed)
            self._flush_if_due()
        elif isinstance(parsed, Summary) and echoes is not None:
            echoes.add_summary(parsed)
        elif isinstance(parsed, Trouble) and echoes is not None:
            echoes.add_trouble(parsed)
            if parsed.is_too_long and not echoes.received and echoes is not self._warm_up:
                self._skip_size(f"A frame of {echoes.frame_bytes} bytes does not cross: {parsed.text}.")
        elif line.startswith("#"):
            self._on_note(line)
        elif parsed is None and line.strip() and len(self._host_words) < 20:
            self._host_words.append(line.strip()[:200])

    def _on_note(self, line: str) -> None:
        if line == INTERVAL_LINE:
            self._is_interval = True
        number = line.removeprefix(FRAGMENTS_LINE)
        if number != line and number.isdecimal() and len(number) < 20:
            self._fragments.append(int(number))

    def _on_mark(self, mark: GuardLine) -> None:
        if mark.mark is GuardMark.START:
            self._current = self._warm_up if mark.label == WARM_UP_LABEL else self._echoes.get(mark.label)
            self._pid = mark.number
            self._last_reply_s = self._clock()
        elif mark.mark is GuardMark.EXIT:
            self._on_exit(mark)
        elif mark.mark is GuardMark.LIMIT:
            self._fail(self._problem(f"ping was not done after {mark.number} s."))
        else:
            self._flush()
            self._check_stall()

    def _on_exit(self, mark: GuardLine) -> None:
        echoes, self._current, self._pid = self._current, None, 0
        if echoes is None:
            return
        if echoes is self._warm_up:
            if not echoes.received:
                self._fail(self._no_reply(echoes))
            return
        self._ended.add(mark.label)
        self._flush(echoes)
        # Source: ping(8): 1 means that replies are missing, 2 every other error; 126 and 127 are the shell's.
        if mark.number not in (0, 1) and not echoes.stop_reason and not echoes.is_complete:
            self._fail(self._problem(f"ping ended with exit status {mark.number}."))

    def _flush_if_due(self) -> None:
        if self._last_reply_s - self._last_flush_s >= FLUSH_S:
            self._flush()

    def _flush(self, echoes: Echoes | None = None) -> None:
        echoes = echoes or self._current
        self._last_flush_s = self._clock()
        if echoes is None or echoes is self._warm_up:
            return
        first, rtt_ms = echoes.take_new()
        if rtt_ms:
            self._on_samples(echoes.frame_bytes, first, rtt_ms)

    # --- what does not cross ------------------------------------------------------------------------------------------

    def _check_stall(self) -> None:
        echoes = self._current
        if echoes is None or echoes is self._warm_up or self._clock() - self._last_reply_s < STALL_S:
            return
        if not self._is_answering():
            self._fail(
                ProbeFailed(
                    f"{self._request.destination} stopped answering while frames of {echoes.frame_bytes} bytes were "
                    f"sent from {self._client.spec.label}.",
                    hint="Its tunnel went down, or the host did; the log has the daemons' last words.",
                )
            )
        elif echoes.received:
            self._skip_size(f"Replies stopped for {STALL_S:g} s, while smaller frames still crossed.")
        else:
            self._skip_size(f"A frame of {echoes.frame_bytes} bytes does not cross: no reply within {STALL_S:g} s.")

    def _is_answering(self) -> bool:
        """Ask over a channel of its own whether the far end answers the smallest frame."""
        source = ("-I", self._request.source) if self._request.source else ()
        argv = ("ping", "-n", *source, "-c", "1", "-w", "2", "-s", "18", self._request.destination)
        if self._request.ping_flavour is ToolFlavour.BUSYBOX:
            argv = tuple(word for word in argv if word != "-n")
        return self._client.run(Command(argv, timeout_s=10.0, is_root=self._is_root), token=self._inner).is_ok

    def _skip_size(self, reason: str) -> None:
        """End the running ping, so that the next size begins."""
        if self._current is None or self._current.stop_reason:
            return
        self._current.stop_reason = reason
        kill = Command(("kill", "-INT", str(self._pid)), timeout_s=10.0, is_root=self._is_root)
        self._client.run(kill, token=self._inner)
        self._last_reply_s = self._clock()

    def _fail(self, failure: TunnelmarkError) -> None:
        if self._failure is None:
            self._failure = failure
            self._inner.cancel()

    def _no_reply(self, echoes: Echoes) -> ProbeFailed:
        words = "; ".join(list(echoes.troubles)[:2] or self._host_words[-2:])
        return ProbeFailed(
            f"No echo reply from {self._request.destination} to {self._client.spec.label} within {WARM_UP_LIMIT_S} s.",
            hint=f"ping said: {words}" if words else "",
            context={"host": self._client.spec.label, "destination": self._request.destination},
        )

    def _problem(self, sentence: str) -> ProbeFailed:
        words = "; ".join(self._host_words[-3:])
        return ProbeFailed(
            f"Measuring latency on {self._client.spec.label} failed: {sentence}",
            hint=f"The host said: {words}" if words else "",
            context={"host": self._client.spec.label},
        )
