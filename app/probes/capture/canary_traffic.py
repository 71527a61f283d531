"""Canary frames through a tunnel: what is sent, and what was answered."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, LineSink, Stream
from app.domain.link import FRAME_TO_PAYLOAD_BYTES
from app.domain.script_files import bare_script
from app.probes.capture.canary import PAYLOAD_BYTES, CanaryFrames
from app.probes.guard import GuardMark, parse_guard_line
from app.probes.ping_lines import Summary, Trouble, parse_ping_line

CONTROLS = 3
LEAK_ECHOES = 10
SIZE_ECHOES = 4
LIMIT_S = 90
BROKEN_S = 40.0
"""Time limit for sending after a breakage on a busy host, in seconds; the breakage has its own."""

VLAN_ID = 3_077
"""Any that is unused on an interface that was made a moment ago."""

GROUP = "239.255.77.77"
"""A multicast group. Source: RFC 2365 section 6.1, the local scope."""

_VLAN_NETWORK = ("198.18.254.1/30", "198.18.254.2")
"""The second is unused: tagged frames are captured where they arrive, and need no answer. They go to the hardware
address of B, since a tunnel may carry frames only to those that it knows."""

_SEND_SCRIPT = bare_script("capture/canaries.sh")

_BROKEN_SCRIPT = bare_script("capture/broken.sh")


BrokenSink = Callable[[int, str], None]
_BROKEN = re.compile(r"#broken (?P<status>[0-9]{1,3}) (?P<words>.*)")


@dataclass(frozen=True, slots=True)
class Sending:
    """Frames to send from A.

    Attributes:
        underlay: B's underlay address.
        destination: Where probes go.
        source: Where they come from.
        tunnel: A's interface of the tunnel; empty for the bare underlay.
        vlan: Name of the VLAN interface that is made and removed.
        frame_bytes: Frame sizes, in this order.
        is_stream: Whether the carrier acknowledges: then there is a pause before each separator.
    """

    underlay: str
    destination: str
    source: str
    tunnel: str
    vlan: str
    frame_bytes: tuple[int, ...]
    is_stream: bool = False


@dataclass(frozen=True, slots=True)
class Answered:
    """Numbers of echo requests that were sent and answered."""

    sent: int = 0
    received: int = 0


@dataclass(frozen=True, slots=True)
class Sent:
    """Outcome of the sending.

    Attributes:
        echoes: Per label: `control`, `leak`, `size-PAYLOAD`, `non-ip`, and `` for those without one.
        neighbour: What the kernel knows of the peer's hardware address after it had to ask again.
        vlan: `sent`, or why no tagged frame could be sent; empty where it was not tried.
        refusal: The kernel's words where it sent nothing at all.
        linger_s: How long an answer that does not come is waited for at least, as A's ping takes it, in seconds.
    """

    echoes: Mapping[str, Answered] = field(default_factory=dict)
    neighbour: str = ""
    vlan: str = ""
    refusal: str = ""
    linger_s: str = "1"

    def of(self, label: str) -> Answered:
        """Return the counts of one label."""
        return self.echoes.get(label, Answered())


def send(host: HostSession, sending: Sending, canaries: CanaryFrames, *, token: CancelToken) -> Sent:
    """Send everything from A in sequence, in one channel.

    Raises:
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    words = (
        *(sending.underlay, sending.destination, sending.source, sending.tunnel, sending.vlan),
        *(canaries.control.hex(), canaries.inside.hex(), canaries.bare_family.encode().hex()),
        "0.06" if sending.is_stream else "0",
        *(str(number) for number in (CONTROLS, LEAK_ECHOES, SIZE_ECHOES, PAYLOAD_BYTES, VLAN_ID)),
        *(*_VLAN_NETWORK, GROUP),
        *(str(size - FRAME_TO_PAYLOAD_BYTES) for size in sending.frame_bytes),
    )
    return _sent(host, shell_step_argv(_SEND_SCRIPT, str(LIMIT_S), *words), token, timeout_s=LIMIT_S + 30.0)


@dataclass(frozen=True, slots=True)
class BrokenSending:
    """Frames to send from one host by what remains after a breakage.

    Attributes:
        underlay: The peer's underlay address.
        destination: The peer's address inside.
        tunnel: The tunnel's interface there.
        linger_s: How long an answer that does not come is waited for at least, in seconds; see `Sent`.
        breakage: What breaks the protection first, on the host where it is to break; None on the other one.
    """

    underlay: str
    destination: str
    tunnel: str
    linger_s: str
    breakage: Command | None = None


def send_broken(
    host: HostSession,
    sending: BrokenSending,
    canaries: CanaryFrames,
    index: int,
    *,
    token: CancelToken,
    on_broken: BrokenSink = lambda _status, _words: None,
) -> Sent:
    """Send canary frames by what remains after a breakage, which is made before where it is to be.

    Args:
        host: Where from.
        canaries: The canaries of this run.
        index: Which breakage, from 0.
        on_broken: Gets the breakage's exit status and last words as soon as it has ended; with 0, frames are sent.

    Raises:
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    words = (
        *(sending.underlay, sending.destination, sending.tunnel),
        *(canaries.broken_control(index).hex(), canaries.broken(index).hex(), str(PAYLOAD_BYTES)),
        sending.linger_s,
        *(sending.breakage.argv if sending.breakage is not None else ()),
    )
    timeout_s = BROKEN_S + (sending.breakage.timeout_s if sending.breakage is not None else 0.0)

    def on_line(_stream: Stream, line: str) -> None:
        broken = _BROKEN.match(line)
        if broken is not None:
            on_broken(int(broken["status"]), printable(broken["words"]))

    return _sent(host, shell_step_argv(_BROKEN_SCRIPT, str(LIMIT_S), *words), token, timeout_s=timeout_s, sink=on_line)


def _sent(
    host: HostSession, argv: tuple[str, ...], token: CancelToken, *, timeout_s: float, sink: LineSink | None = None
) -> Sent:
    command = Command(argv, timeout_s=timeout_s, is_root=True, max_output_bytes=65_536)
    return parse_sent(host.run(command, token=token, on_line=sink).stdout)


def parse_sent(text: str) -> Sent:
    """Understand what sending printed. Never raises."""
    echoes: dict[str, Answered] = {}
    label = neighbour = vlan = refusal = ""
    linger_s = "1"
    for line in text.splitlines():
        mark = parse_guard_line(line)
        parsed = parse_ping_line(line)
        if mark is not None and mark.mark is GuardMark.START:
            label = mark.label
        elif isinstance(parsed, Summary):
            before = echoes.get(label, Answered())
            echoes[label] = Answered(before.sent + parsed.sent, before.received + parsed.received)
        elif isinstance(parsed, Trouble):
            refusal = refusal or re.sub(r"^(ping: )+", "", parsed.text)
        elif line.startswith("#neighbour "):
            neighbour = printable(line.partition(" ")[2])
        elif line.startswith("#vlan "):
            vlan = printable(line.partition(" ")[2])
        elif line == "#linger 0.3":
            linger_s = "0.3"
    return Sent(echoes, neighbour, vlan, refusal, linger_s)


def printable(text: str) -> str:
    """Return what a host printed as one short line of printable ASCII."""
    return re.sub(r"[^\x20-\x7e]", "?", text.strip())[:200]
