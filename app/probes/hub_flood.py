"""A flood of key exchanges from many clients against one hub, counted by both."""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair, Stream
from app.domain.errors import ProbeFailed
from app.domain.hub_study import HubWindow
from app.domain.hubs import FloodRequest, Hub
from app.domain.link import Link
from app.domain.plain_text import plain_text
from app.probes.messages import FLOOD_UNREAD, HUB_UNREAD

MAX_OUTPUT_BYTES = 8_388_608
"""A line for each attempt: enough for some 500 000."""

_ATTEMPT = re.compile(r"^= (\d{1,6}\.\d{2}) (-?\d{1,6}\.\d{2}) (-|\d{1,6}\.\d{2})$", re.MULTILINE)
"""Line of a client: when an attempt was due, how late it began, how long it took, in seconds; `-` for never."""
_LIMIT = re.compile(r"^@limit \d+$", re.MULTILINE)
_SEEN = re.compile(r"^(clock|seen|fresh) (\d{1,12})$", re.MULTILINE)
_LIMITER = re.compile(r"^limiter (\d{1,9}) (.{1,300})$", re.MULTILINE)
_LIMITERS = 5


@dataclass(frozen=True, slots=True)
class HubSight:
    """Counters of the hub.

    Attributes:
        clock_s: Its clock, in seconds since 1970.
        seen: Completed key exchanges since some time in the past.
        fresh: Clients whose last one is recent; None where it does not keep that.
        limiters: How often each limiter acted, by the program's words.
    """

    clock_s: int
    seen: int
    fresh: int | None
    limiters: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Flooded:
    """Outcome of a flood.

    Attributes:
        window: Its figures, without CPU.
        span: When the first attempt was due and when the last one had ended, in monotonic seconds.
    """

    window: HubWindow
    span: tuple[float, float]


def parse_sight(text: str) -> HubSight:
    """Understand what a hub printed of its counters.

    Raises:
        ProbeFailed: The clock or the count is missing.
    """
    found = {name: int(number) for name, number in _SEEN.findall(text)}
    if not {"clock", "seen"} <= found.keys():
        raise ProbeFailed(HUB_UNREAD(output=plain_text(text)[:200]))
    limiters = {plain_text(words): int(count) for count, words in _LIMITER.findall(text)[:_LIMITERS]}
    return HubSight(found["clock"], found["seen"], found.get("fresh"), limiters)


def parse_flood(text: str, request: FloodRequest) -> HubWindow:
    """Understand what the clients printed; the hub's count is 0.

    Attempts that have no line count as failed.
    """
    lines = sorted((float(due), float(lag), duration) for due, lag, duration in _ATTEMPT.findall(text))
    done = [float(duration) for _, _, duration in lines if duration != "-"]
    last = [lag for _, lag, _ in lines[-max(1, len(lines) // 4) :]]
    return HubWindow(
        rate_s=request.rate_s,
        seconds=request.seconds,
        attempts=max(number_of_attempts(request), len(lines)),
        by_clients=len(done),
        by_hub=0,
        lag_s=max(0.0, statistics.median(last)) if last else 0.0,
        duration_s=statistics.fmean(done) if done else None,
    )


def number_of_attempts(request: FloodRequest) -> int:
    """Return how many attempts are due in a flood: at 0, 1 / rate, 2 / rate … before its end."""
    count = request.rate_s * request.seconds
    return int(count) if count == int(count) else int(count) + 1


def flood(
    sessions: SessionPair, hub: Hub, link: Link, clients: int, request: FloodRequest, *, token: CancelToken
) -> Flooded:
    """Make attempts from the clients on B against the hub on A, and return what both saw of them.

    Raises:
        ProbeFailed: The hub's counters cannot be read, no attempt was made at all, or the clients' program failed.
        ConnectionLost, DeadlineExceeded, Cancelled: The hosts were lost, or the token was cancelled.
    """
    before = _sight(sessions, hub, link, 0, token)
    began: list[float] = []

    def on_line(stream: Stream, line: str) -> None:
        if stream is Stream.STDOUT and line == "@begin":
            began.append(time.monotonic())

    command = replace(hub.flood(link, clients, request), max_output_bytes=MAX_OUTPUT_BYTES)
    result = sessions.b.run(command, token=token, on_line=on_line)
    end_s = time.monotonic()
    has_run = result.is_ok or _LIMIT.search(result.stdout) is not None  # it may not end in time at a rate too high
    if not began or not has_run or result.is_truncated:
        raise ProbeFailed(FLOOD_UNREAD(output=plain_text(result.stderr or result.stdout)[-300:]))
    after = _sight(sessions, hub, link, before.clock_s, token)
    window = replace(
        parse_flood(result.stdout, request),
        by_hub=max(0, after.seen - before.seen),
        fresh=after.fresh,
        limiters=tuple(one for one, count in after.limiters.items() if count > before.limiters.get(one, 0)),
    )
    return Flooded(window, (began[0], end_s))


def _sight(sessions: SessionPair, hub: Hub, link: Link, since_s: int, token: CancelToken) -> HubSight:
    result = sessions.a.run(hub.seen(link, since_s), token=token)
    if not result.is_ok:
        raise ProbeFailed(HUB_UNREAD(output=plain_text(result.stderr or result.stdout)[:200]))
    return parse_sight(result.stdout)
