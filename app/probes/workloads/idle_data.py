"""Idle data: bytes on the underlay while the tunnel is idle, as they add up over a month."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.domain.adapters import shell_step_argv
from app.domain.commands import Command, Stream
from app.domain.errors import ProbeFailed
from app.domain.hosts import Privilege, Side
from app.domain.messages import mark
from app.domain.script_files import bare_script
from app.domain.workloads import FigureKind
from app.probes.capture.messages import NO_INTERFACE_HAS
from app.probes.messages import CAPTURE_ENDED_EARLY, NO_CAPTURE, PROGRAM_PRINTED
from app.probes.workloads.base import Workload, WorkloadPath

WINDOW_S = 121
"""Longer than the longest interval of what keeps a tunnel up: WireGuard's key exchange, due every 120 s.

Source: WireGuard's paper, section 6.1 (Rekey-After-Time).
"""

MONTH_S = 30 * 24 * 3_600

_SETTLE_S = 5
"""Router solicitations of new interfaces have mostly ended by then. Source: our choice."""

_SCRIPT = bare_script("probes/idle-data.sh")
_FRAME = re.compile(r" > .*?\blength (?P<bytes>\d{1,5})\b")
_LISTENING = re.compile(r"\blistening on\b")
_END = re.compile(r"@end (?P<took_s>\d{1,9})")
_ROUNDING_S = 1
"""The host counts whole seconds: between two counts 121 s may be 120."""


class IdleCount:
    """Frames and bytes of a capture's lines, as they come."""

    def __init__(self) -> None:
        self.frames = 0
        self.bytes = 0
        self.has_listened = False
        self.took_s: int | None = None
        self.device_missing = False
        self.others: list[str] = []

    def on_line(self, _stream: Stream, line: str) -> None:
        """Take a line that the host printed."""
        frame = _FRAME.search(line)
        if frame is not None:
            self.frames += 1
            self.bytes += int(frame["bytes"])
        elif _LISTENING.search(line):
            self.has_listened = True
        elif (end := _END.fullmatch(line)) is not None:
            self.took_s = int(end["took_s"])
        elif line.startswith("#none "):
            self.device_missing = True
        elif line.strip() and not line.startswith(("@", "#")) and len(self.others) < 5:
            self.others.append(line.strip()[:200])


def _run(path: WorkloadPath) -> Mapping[str, float]:
    """Count what A sends to and gets from B.

    Raises:
        ProbeFailed: A cannot capture, or not for the whole time.
    """
    host, count = path.sessions.on(Side.A), IdleCount()
    own = path.underlay[0]
    limit_s = _SETTLE_S + WINDOW_S + 30
    words = (str(limit_s), str(_SETTLE_S), str(WINDOW_S), own, underlay_filter(path))
    command = Command(
        shell_step_argv(_SCRIPT, *words),
        timeout_s=limit_s + 15.0,
        is_root=host.privilege is not Privilege.NONE,
        max_output_bytes=65_536,  # every line is read as it arrives; nothing has to be kept
    )
    host.run(command, token=path.token, on_line=count.on_line)
    if count.device_missing or not count.has_listened or count.took_s is None:
        words_of_host = NO_INTERFACE_HAS(address=own) if count.device_missing else "; ".join(count.others)
        raise ProbeFailed(
            NO_CAPTURE(host=host.spec.label), hint=PROGRAM_PRINTED(program="tcpdump", output=words_of_host)
        )
    if count.took_s < WINDOW_S - _ROUNDING_S:
        raise ProbeFailed(
            CAPTURE_ENDED_EARLY(host=host.spec.label, took=count.took_s, seconds=WINDOW_S),
            hint=PROGRAM_PRINTED(program="tcpdump", output="; ".join(count.others)),
        )
    return figures(count.frames, count.bytes)


def underlay_filter(path: WorkloadPath) -> str:
    """Return the filter for the packets of the tunnel; on the bare link for all between both hosts."""
    own, peer = path.underlay
    between = f"ip and host {own} and host {peer}"
    return f"{between} and ({path.outer_filter})" if path.outer_filter else between


def figures(frames: int, captured_bytes: int) -> Mapping[str, float]:
    """Return the figures of a window's frames and bytes."""
    return {
        "month": captured_bytes * MONTH_S / WINDOW_S / 1e6,
        "frames": frames * 3_600 / WINDOW_S,
        "bytes": float(captured_bytes),
    }


WORKLOAD = Workload(
    name="idle-data",
    title=mark("Data of an idle tunnel"),
    heading=mark("Idle data (wired)"),
    figures=(
        FigureKind(
            "month", mark("Idle data in 30 days with keepalive wired, both directions"), "MB", is_lower_better=True
        ),
        FigureKind("frames", mark("Frames of an idle hour with keepalive wired"), "", is_lower_better=True),
        FigureKind("bytes", mark("Captured in 121 s"), "B", is_lower_better=True),
    ),
    run=_run,
    seconds=128.0,
    needs={Side.A: ("tcpdump",)},
    source=mark(
        "tcpdump on A's underlay for 121 s with keepalive wired: the tunnel's frames, and those that only keep it up, "
        "with their Ethernet headers, without FCS; key exchanges that are due once an hour, and the supervisor's "
        "checks of a deployment, are not among them; ratios need not hold with keepalive metered"
    ),
)
