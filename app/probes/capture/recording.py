"""Captures on both hosts at the same time, and their content.

Nothing but what the filters match is captured, nothing is kept: the files are in the tunnel's own folder (root only),
are read once, and removed. Cards are not put into promiscuous mode.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, SessionPair
from app.domain.concurrency import run_both
from app.domain.errors import ProbeFailed
from app.domain.hosts import Side
from app.domain.script_files import bare_script
from app.probes.capture.canary import PAYLOAD_BYTES
from app.probes.capture.messages import NO_INTERFACE_HAS
from app.probes.capture.pcap import Record, from_od, parse_pcap
from app.probes.guard import GuardMark, parse_guard_line
from app.probes.host_program import HostProgram
from app.probes.messages import NO_CAPTURE, PROGRAM_PRINTED

SNAPLEN_BYTES = 192
"""The beginning of each frame: enough for all headers and a canary."""

MAX_PACKETS = 6_000
"""Most packets of one capture. A whole run is some hundreds; this bounds what a busy link could make of it."""

LIMIT_S = 180
START_TIMEOUT_S = 15.0
COLLECT_TIMEOUT_S = 30.0
MAX_OUTPUT_BYTES = 8_388_608

UNDERLAY, OTHER, TUNNEL = "underlay", "other", "tunnel"

_CAPTURE_SCRIPT = bare_script("capture/record.sh")

_COLLECT_SCRIPT = bare_script("capture/collect.sh")

_DROPPED = re.compile(r"^(?P<count>\d{1,12}) packets? dropped by kernel")


@dataclass(frozen=True, slots=True)
class HostCapture:
    """Captures of one host.

    Attributes:
        records: By place: `underlay`, `other` (the interface of the default route), `tunnel`.
        dropped: Packets that the kernel did not hand on, as tcpdump counted them.
        other_device: The interface of the default route, where it is not the underlay's; empty otherwise.
    """

    records: Mapping[str, tuple[Record, ...]] = field(default_factory=dict)
    dropped: int = 0
    other_device: str = ""

    def of(self, place: str) -> tuple[Record, ...]:
        """Return what was captured at one place."""
        return self.records.get(place, ())


@dataclass(frozen=True, slots=True)
class CaptureRequest:
    """Request for captures on one host.

    Attributes:
        folder: Where the files are; it exists, and only root can read it.
        address: The host's underlay address.
        underlay_filter: What to capture there.
        other_filter: What to capture on the interface of the default route.
        tunnel: The tunnel's interface, which is not that of the default route; empty for none.
        tunnel_filter: What to capture there; empty for nothing.
        snaplen_bytes: How much of each frame.
    """

    folder: str
    address: str
    underlay_filter: str
    other_filter: str
    tunnel: str = ""
    tunnel_filter: str = ""
    snaplen_bytes: int = SNAPLEN_BYTES

    def argv(self) -> tuple[str, ...]:
        """Return the command that captures."""
        words = (self.folder, self.address, self.underlay_filter, self.other_filter, self.tunnel, self.tunnel_filter)
        return shell_step_argv(_CAPTURE_SCRIPT, str(LIMIT_S), *words, str(self.snaplen_bytes), str(MAX_PACKETS))


class Capturing(HostProgram):
    """Captures on one host for the length of a context.

    Args:
        host: Where.
    """

    def __init__(self, host: HostSession, request: CaptureRequest, *, token: CancelToken) -> None:
        command = Command(request.argv(), timeout_s=LIMIT_S + 30.0, is_root=True, max_output_bytes=65_536)
        super().__init__(host, command, f"capture-{host.spec.label}", token=token)
        self._request = request
        self._pids: dict[str, int] = {}
        self._devices: dict[str, str] = {}
        self._listening: set[str] = set()
        self._is_complete = False
        self._dropped = 0

    def wait_until_listening(self) -> None:
        """Wait until every capture has begun.

        Raises:
            ProbeFailed: tcpdump does not begin.
            ConnectionLost, DeadlineExceeded, PrivilegeMissing: As `HostSession.run`.
            Cancelled: The token was cancelled.
        """
        with self._condition:
            self._condition.wait_for(
                lambda: self._is_ready or self._has_ended or self._inner.is_cancelled, START_TIMEOUT_S
            )
            is_ready, error = self._is_ready and not self._has_ended, self._error
        self._outer.raise_if_cancelled()
        if isinstance(error, Exception):
            raise error
        if not is_ready:
            raise ProbeFailed(
                NO_CAPTURE(host=self._host.spec.label),
                hint=PROGRAM_PRINTED(program="tcpdump", output="; ".join(self._words[-3:])) if self._words else "",
                context={"host": self._host.spec.label},
            )

    def collect(self, end: bytes, *, underlay: str = "") -> HostCapture:
        """End the captures and return what they hold.

        Args:
            end: The canary in the last packet that is to be in it; it is waited for, though not for long.
            underlay: The peer's underlay address, where this host is to send that packet.

        Raises:
            ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
        """
        pids = [str(pid) for pid in self._pids.values()]
        words = (self._request.folder, end.decode(), end.hex(), str(PAYLOAD_BYTES), underlay)
        argv = shell_step_argv(_COLLECT_SCRIPT, *words, *pids)
        command = Command(argv, timeout_s=COLLECT_TIMEOUT_S, is_root=True, max_output_bytes=MAX_OUTPUT_BYTES)
        result = self._host.run(command, token=self._outer)
        self._thread.join(COLLECT_TIMEOUT_S)
        return HostCapture(parse_collected(result.stdout), self._dropped, self._devices.get(OTHER, ""))

    @property
    def _is_ready(self) -> bool:
        return self._is_complete and len(self._listening) >= len(self._pids) and bool(self._pids)

    def _take(self, line: str) -> None:
        if line.startswith(("#", "@")):
            self._on_own_line(line)
        else:
            self._on_words(line)

    def _on_words(self, line: str) -> None:
        dropped = _DROPPED.match(line)
        if dropped is not None:
            self._dropped += int(dropped["count"])
        elif len(self._words) < 20:
            self._words.append(line.strip()[:200])

    def _on_own_line(self, line: str) -> None:
        words = line.split()
        mark = parse_guard_line(line)
        if mark is not None and mark.mark is GuardMark.LIMIT:
            self._has_ended = True
        elif len(words) == 4 and words[0] == "#capture" and words[2].isdecimal():
            self._pids[words[1]] = int(words[2])
            self._devices[words[1]] = words[3]
        elif len(words) == 2 and words[0] == "#listening":
            self._listening.add(words[1])
        elif line == "#all":
            self._is_complete = True
        elif words[:1] == ["#none"]:
            self._words.append(NO_INTERFACE_HAS(address=self._request.address))
            self._has_ended = True


class CapturingPair:
    """Captures on both hosts.

    Args:
        requests: What to capture, by side.
    """

    def __init__(self, sessions: SessionPair, requests: Mapping[Side, CaptureRequest], *, token: CancelToken) -> None:
        self._a = Capturing(sessions.a, requests[Side.A], token=token)
        self._b = Capturing(sessions.b, requests[Side.B], token=token)

    def __enter__(self) -> Self:
        self._a.__enter__()
        self._b.__enter__()
        try:
            self._a.wait_until_listening()
            self._b.wait_until_listening()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._a.__exit__()
        self._b.__exit__()

    def collect(self, end: bytes, *, underlay: str) -> Mapping[Side, HostCapture]:
        """End the captures on both hosts, after A has sent a last packet to B, and return what they hold, by side."""
        a, b = run_both(lambda: self._a.collect(end, underlay=underlay), lambda: self._b.collect(end))
        return {Side.A: a, Side.B: b}


def parse_collected(text: str) -> Mapping[str, tuple[Record, ...]]:
    """Understand what collecting printed: a heading and hexadecimal digits per capture. Never raises."""
    found: dict[str, tuple[Record, ...]] = {}
    for part in text.split("#pcap ")[1:]:
        label, _, digits = part.partition("\n")
        if label.strip() in (UNDERLAY, OTHER, TUNNEL):
            found[label.strip()] = parse_pcap(from_od(digits))
    return found
