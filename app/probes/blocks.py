"""Interleaved blocks of echo requests: a few of each frame size through one tunnel, then through the next."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, Stream
from app.domain.errors import ProbeFailed
from app.domain.hosts import Privilege, ToolFlavour
from app.domain.link import FRAME_TO_PAYLOAD_BYTES
from app.domain.messages import sentences
from app.domain.results import LOST_RTT_US
from app.domain.script_files import bare_script
from app.probes.echoes import Echoes
from app.probes.latency import WARM_UP_PINGS
from app.probes.messages import (
    CHECK_TEMPORARY_FILES,
    CYCLE_ENDED_EARLY,
    HOST_PRINTED,
    NO_REPLY,
    PROGRAM_PRINTED,
    TUNNEL_CARRIES_NOTHING,
)
from app.probes.pacing import BLOCK_INTERVAL_S
from app.probes.ping_lines import Reply, Summary, Trouble, parse_ping_line

WARM_UP_S = 2.0
"""Longest warm-up in seconds. Source: our choice."""

STEADY_RATIO = 1.05
"""A window whose median is not lower than that of the one before by more than this factor is steady: noise that makes
it higher is no cold start. Source: our choice, as `probes/latency.sh`."""

_SMALL_PAYLOAD_BYTES = 18
_SLACK_S = 30
_SCRIPT = bare_script("probes/blocks.sh")


@dataclass(frozen=True, slots=True)
class BlockTarget:
    """Far end of a tunnel.

    Attributes:
        destination: IPv4 address to ping.
        source: IPv4 address to ping from; None leaves that to the host's routes.
    """

    destination: str
    source: str | None = None


@dataclass(frozen=True, slots=True)
class CycleRequest:
    """One cycle.

    Attributes:
        targets: In the order in which they are measured.
        frame_bytes: Ethernet frame sizes in bytes without FCS.
        block_pings: Echo requests of a block per frame size.
        first_size: Index of the frame size that each block begins with; the others follow in turn.
        ping_flavour: Which ping the host has.
        interval_s: Time between two requests in s; None where each waits for the reply to the one before.
    """

    targets: tuple[BlockTarget, ...]
    frame_bytes: tuple[int, ...]
    block_pings: tuple[int, ...]
    first_size: int = 0
    ping_flavour: ToolFlavour = ToolFlavour.IPUTILS
    interval_s: float | None = None


@dataclass(frozen=True, slots=True)
class TargetBlock:
    """Block of one target.

    Attributes:
        at_s: When it began, in seconds since the cycle began.
        rtt_us: Round-trip times in µs per frame size, in the order of `CycleRequest.frame_bytes` and of sending;
            LOST_RTT_US where no reply came, and where nothing was sent any more.
        duplicates: Replies beyond the first.
        note: What ping reported, and what else makes the block doubtful; empty if there is nothing.
        lasted_s: For how long it was measured, in s; None if not known.
        interval_s: Time between two requests in s; None where each waits for the reply to the one before.
        sent: Requests that were sent, per frame size, the first ones of each; empty where that is all of them.
    """

    at_s: float
    rtt_us: tuple[npt.NDArray[np.uint32], ...]
    duplicates: int = 0
    note: str = ""
    lasted_s: float | None = None
    interval_s: float | None = None
    sent: tuple[int, ...] = ()

    @property
    def requests(self) -> tuple[int, ...]:
        """Requests that were sent, per frame size."""
        return self.sent or tuple(rtt_us.size for rtt_us in self.rtt_us)


@dataclass(frozen=True, slots=True)
class WarmUp:
    """Outcome of a warm-up.

    Attributes:
        is_steady: Whether the latency no longer falls.
        interval_s: Time between two echo requests in s that suits this latency; None where each waits for a reply.
        ratio: Median of the last but one window over that of the last one; None if not known.
    """

    is_steady: bool
    interval_s: float | None = None
    ratio: float | None = None


def measure_cycle(client: HostSession, request: CycleRequest, *, token: CancelToken) -> tuple[TargetBlock, ...]:
    """Measure one block of each target, in one command.

    Returns:
        One block per target, in the order of the request. A target that does not answer has a block of lost requests.

    Raises:
        ProbeFailed: ping cannot be used, or the host has no place for what it prints.
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    reader = _CycleReader(request)
    limit_s = _SLACK_S + len(request.targets) * sum(count // 10 + 3 for count in request.block_pings)
    command = Command(
        shell_step_argv(_SCRIPT, str(limit_s), _sizes(request), _targets(request), *_ping_argv(request)),
        timeout_s=limit_s + 15.0,
        is_root=client.privilege is not Privilege.NONE,
        max_output_bytes=65_536,  # every line is read as it arrives; nothing has to be kept
    )
    client.run(command, token=token, on_line=reader.on_line)
    if not reader.has_ended:
        words = "; ".join(reader.host_words[-3:])
        raise ProbeFailed(
            CYCLE_ENDED_EARLY(host=client.spec.label),
            hint=HOST_PRINTED(output=words) if words else CHECK_TEMPORARY_FILES(),
            context={"host": client.spec.label},
        )
    return reader.blocks()


def warm_up(
    client: HostSession,
    target: BlockTarget,
    *,
    token: CancelToken,
    ping_flavour: ToolFlavour = ToolFlavour.IPUTILS,
    clock: Callable[[], float] = time.monotonic,
) -> WarmUp:
    """Send echo requests until a window of 50 is not more than 5 % faster than the one before.

    No window begins after 2 seconds, but for the second one.

    Args:
        target: Where to.
        ping_flavour: Which ping the host has.
        clock: Monotonic seconds.

    Returns:
        Whether the latency is steady, and how far apart requests are to be.

    Raises:
        ProbeFailed: No reply came at all.
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    request = CycleRequest(
        (target,), (_SMALL_PAYLOAD_BYTES + FRAME_TO_PAYLOAD_BYTES,), (WARM_UP_PINGS,), ping_flavour=ping_flavour
    )
    ends_s = clock() + WARM_UP_S
    last_us: float | None = None
    while True:
        (block,) = measure_cycle(client, request, token=token)
        answered = block.rtt_us[0][block.rtt_us[0] != LOST_RTT_US]
        if not answered.size:
            raise ProbeFailed(
                NO_REPLY(peer=target.destination, host=client.spec.label),
                hint=PROGRAM_PRINTED(program="ping", output=block.note) if block.note else TUNNEL_CARRIES_NOTHING(),
                context={"host": client.spec.label, "destination": target.destination},
            )
        median_us = float(np.median(answered))
        request = replace(request, interval_s=_interval_s(client, ping_flavour, median_us / 1e6))
        is_steady, is_over = last_us is not None and last_us <= STEADY_RATIO * median_us, clock() >= ends_s
        if last_us is not None and (is_steady or is_over):
            return WarmUp(is_steady, request.interval_s, last_us / median_us if median_us else None)
        last_us = median_us


def _sizes(request: CycleRequest) -> str:
    """Return payload sizes and counts in the order in which they are measured."""
    pairs = [
        f"{size - FRAME_TO_PAYLOAD_BYTES}:{count}"
        for size, count in zip(request.frame_bytes, request.block_pings, strict=True)
    ]
    first = request.first_size % len(pairs)
    return " ".join(pairs[first:] + pairs[:first])


def _targets(request: CycleRequest) -> str:
    return " ".join(
        target.destination if target.source is None else f"{target.destination}@{target.source}"
        for target in request.targets
    )


def _interval_s(client: HostSession, flavour: ToolFlavour, rtt_s: float) -> float | None:
    """Return the time between two echo requests in s; None where each waits for the reply to the one before.

    Not every BusyBox takes fractions of a second; without root's rights older versions of iputils take 0.2 s at least.
    """
    can_pace = flavour is ToolFlavour.IPUTILS and client.privilege is not Privilege.NONE
    return BLOCK_INTERVAL_S if can_pace and rtt_s >= BLOCK_INTERVAL_S else None


def _ping_argv(request: CycleRequest) -> tuple[str, ...]:
    """Return ping with the options that are the same for each target; see `app.probes.latency.ping_argv`."""
    if request.ping_flavour is ToolFlavour.BUSYBOX:
        return ("busybox-ping",)
    pace = ("-A",) if request.interval_s is None else ("-i", f"{request.interval_s:g}")
    return ("ping", "-n", *pace, "-M", "do")


@dataclass(slots=True)
class _Target:
    """Replies of one target so far."""

    uptime_s: float
    echoes: dict[str, Echoes]
    troubles: list[str] = field(default_factory=list)
    sent: dict[str, int] = field(default_factory=dict)
    """By payload, of the sizes that were begun."""


class _CycleReader:
    """Lines of a cycle, as they come after its end."""

    def __init__(self, request: CycleRequest) -> None:
        self._request = request
        self._first_seq = 0 if request.ping_flavour is ToolFlavour.BUSYBOX else 1
        self._targets: list[_Target] = []
        self._current: Echoes | None = None
        self._payload = ""
        self.has_ended = False
        self._ended_s = 0.0
        self.host_words: list[str] = []

    def on_line(self, _stream: Stream, line: str) -> None:
        if line.startswith("@"):
            self._on_mark(line)
            return
        parsed = parse_ping_line(line)
        if isinstance(parsed, Reply) and self._current is not None:
            self._current.add_reply(parsed)
        elif isinstance(parsed, Summary) and self._current is not None:
            self._current.add_summary(parsed)
            self._targets[-1].sent[self._payload] = self._current.sent
        elif isinstance(parsed, Trouble) and self._targets and len(self._targets[-1].troubles) < 8:
            self._targets[-1].troubles.append(parsed.text)
        elif parsed is None and line.strip() and len(self.host_words) < 20:
            self.host_words.append(line.strip()[:200])

    def _on_mark(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "@block" and len(self._targets) < len(self._request.targets):
            self._current = None
            self._targets.append(_Target(_seconds(rest), self._new_echoes()))
        elif word == "@size" and self._targets:
            self._current, self._payload = self._targets[-1].echoes.get(rest), rest
            if self._current is not None:
                self._targets[-1].sent[rest] = self._current.expected  # until ping reports fewer
        elif word == "@exit":
            self._current = None
        elif word == "@end":
            self._ended_s = _seconds(rest)
            self.has_ended = len(self._targets) == len(self._request.targets)

    def _new_echoes(self) -> dict[str, Echoes]:
        return {
            str(size - FRAME_TO_PAYLOAD_BYTES): Echoes(size, count, self._first_seq)
            for size, count in zip(self._request.frame_bytes, self._request.block_pings, strict=True)
        }

    def blocks(self) -> tuple[TargetBlock, ...]:
        times_s = [*(target.uptime_s for target in self._targets), self._ended_s]
        return tuple(
            replace(_block(target, times_s[0], after_s), interval_s=self._request.interval_s)
            for target, after_s in zip(self._targets, times_s[1:], strict=True)
        )


def _block(target: _Target, began_s: float, ended_s: float) -> TargetBlock:
    notes = list(dict.fromkeys(target.troubles))[:2]
    sent = tuple(target.sent.get(payload, 0) for payload in target.echoes)
    is_whole = all(count == one.expected for count, one in zip(sent, target.echoes.values(), strict=True))
    return TargetBlock(
        max(0.0, target.uptime_s - began_s),
        tuple(echoes.rtt_us for echoes in target.echoes.values()),
        sum(echoes.duplicates for echoes in target.echoes.values()),
        sentences(notes),
        # The host's clock has hundredths of a second.
        lasted_s=round(ended_s - target.uptime_s + 0.01, 2) if ended_s >= target.uptime_s else None,
        sent=() if is_whole else sent,
    )


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
