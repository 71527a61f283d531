"""Echo requests at a fixed pace while a VPN is restarted, and the longest time in which none was answered."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, SessionPair, Stream
from app.domain.concurrency import WorkerPool
from app.domain.errors import ProbeFailed
from app.domain.hosts import Side
from app.domain.script_files import bare_script
from app.probes.bare_link import Echo, read_echoes
from app.probes.messages import CLOCK_WAS_SET, NO_REPLY, PINGS_ENDED, PINGS_UNEVEN, PROGRAM_PRINTED

INTERVAL_S = 0.05
"""Time between two echo requests: an outage is known to twice that. Source: our choice."""

BEFORE_S = 20.0
"""The tunnel is left alone for so long before a restart: for 15 s after a handshake fastd ignores another one, which a
tunnel that is up for hours does not meet. Source: fastd 22, MIN_HANDSHAKE_INTERVAL."""

BACK_S = 5.0
"""Frames cross again once so many seconds had replies. Source: our choice."""

_BACK_SHARE = 0.5
"""Share of the requests of that time that are answered at least, on a link that loses some. Source: our choice."""

_FIRST_S, _FIRST_REPLIES = 15.0, 20
_POLL_S = 0.2
_MOST_APART = 2.0
"""Times the interval by which requests of an outage are apart in the mean; more where a host is held up. Our choice."""

_HELD_UP_S = 0.5
_CLOCK_S = 2.0
"""By so much the host's clock may have gone differently from its uptime, both in whole seconds. Source: our choice."""

_LIMIT_S = 420
_MOST_OUTPUT_BYTES = 4 << 20
_PID = re.compile(r"^@ping (\d{1,7})$", re.ASCII)
_CLOCK = re.compile(r"^@clock (?P<clock>\d{1,12}) (?P<uptime>\d{1,12})$", re.ASCII | re.MULTILINE)
_REPLIES = re.compile(r"^@replies (\d{1,6})$", re.ASCII)

_PINGS = bare_script("probes/restart.sh")


def ping_argv() -> tuple[str, ...]:
    """Return ping and its options.

    Not bound to the interface, which may be removed and made again. A request may then take the default route, and ends
    at its first router (`-t 1`): only a host on the tunnel answers. No deadline (`-w`): ping would end at the first
    error.

    Source: ping(8) of iputils 20221126; ping_common.c, main_loop: `if (deadline && nerrors) break`; pinger: a request
    that cannot be sent is counted, and the next one follows after the interval.
    """
    return ("ping", "-D", "-n", "-t", "1", "-i", f"{INTERVAL_S:g}")


class RestartPings:
    """Echo requests from one host to the other's address in the tunnel, sent from a thread of its own.

    Args:
        host: Their sender.
        peer: The other host's address.
        pool: Gives the thread.
        token: Ends them without a result.
    """

    def __init__(self, host: HostSession, peer: str, pool: WorkerPool, token: CancelToken) -> None:
        self._host = host
        self._peer = peer
        self._pid = ""
        self._replies = 0
        self._before = 0
        argv = shell_step_argv(_PINGS, str(_LIMIT_S), peer, *ping_argv())
        command = Command(argv, timeout_s=_LIMIT_S + 15.0, is_root=True, max_output_bytes=_MOST_OUTPUT_BYTES)
        self._future = pool.submit(host.run, command, token=token, on_line=self._take)

    def _take(self, _stream: Stream, line: str) -> None:
        if pid := _PID.match(line):
            self._pid = pid[1]
        elif replies := _REPLIES.match(line):
            self._replies = int(replies[1])

    def wait_until_answered(self, token: CancelToken) -> None:
        """Wait for the first second of replies, and for `BEFORE_S`; those before its end count no more.

        Raises:
            ProbeFailed: They do not come.
        """
        until_s = time.monotonic() + _FIRST_S
        while self._replies < _FIRST_REPLIES:
            self._check_runs()
            if time.monotonic() >= until_s:
                raise ProbeFailed(NO_REPLY(peer=self._peer, host=self._host.spec.label))
            token.sleep(_POLL_S)
        token.sleep(BEFORE_S)
        self._check_runs()
        self._before = max(0, self._replies - _FIRST_REPLIES)

    def are_back(self, limit_s: float, token: CancelToken) -> bool:
        """Wait until replies have come again for `BACK_S`; return whether they did within a time limit in s."""
        until_s = time.monotonic() + limit_s + BACK_S
        least = _BACK_SHARE * BACK_S / INTERVAL_S
        seen: deque[tuple[float, int]] = deque()
        while (now_s := time.monotonic()) < until_s:
            self._check_runs()
            seen.append((now_s, self._replies))
            while len(seen) > 1 and seen[1][0] <= now_s - BACK_S:
                seen.popleft()
            if seen[0][0] <= now_s - BACK_S and self._replies - seen[0][1] >= least:
                return True
            token.sleep(_POLL_S)
        return False

    def end(self, token: CancelToken) -> tuple[Echo, ...]:
        """End ping, and return the requests that were answered since the last second of `wait_until_answered`.

        Raises:
            ProbeFailed: ping had ended before.
        """
        self._check_runs()
        self._host.run(Command(("kill", "-INT", self._pid), timeout_s=10.0, is_root=True), token=token)
        text = self._future.result().stdout
        drift_s = clock_drift_s(text)
        if drift_s is None or abs(drift_s) > _CLOCK_S:
            raise ProbeFailed(CLOCK_WAS_SET())
        return read_echoes(text)[self._before :]

    def _check_runs(self) -> None:
        if not self._future.done():
            return
        lines = [line for line in self._future.result().stdout.splitlines() if line and not line.startswith("@")]
        hint = PROGRAM_PRINTED(program="ping", output=lines[-1][:200]) if lines else ""
        raise ProbeFailed(PINGS_ENDED(host=self._host.spec.label), hint=hint)


@contextmanager
def restart_pings(sessions: SessionPair, addresses: tuple[str, str]) -> Iterator[RestartPings]:
    """Send echo requests from A to B for the time of a `with` block; nothing of them remains on a host afterwards.

    B sends some as well, like devices in a LAN: a VPN that has learned on which connection B's hardware address is does
    not learn another one before B sends. Neither host waits for an answer to a question for a hardware address.

    Args:
        addresses: Those of A and B in the tunnel.

    Yields:
        Those of A.
    """
    token = CancelToken()
    with WorkerPool(max_workers=2, thread_name_prefix="restart") as pool:
        try:
            RestartPings(sessions.on(Side.B), addresses[0], pool, token)
            yield RestartPings(sessions.on(Side.A), addresses[1], pool, token)
        finally:
            token.cancel()


def clock_drift_s(text: str) -> float | None:
    """Return by how many seconds a host's clock gained on its uptime; None where it did not tell both twice."""
    gained = [int(found["clock"]) - int(found["uptime"]) for found in _CLOCK.finditer(text)]
    return float(gained[-1] - gained[0]) if len(gained) == 2 else None


def longest_silence_s(found: Sequence[Echo], host: str) -> float:
    """Return the longest time between the sending of two successive answered requests, in s.

    Raises:
        ProbeFailed: Between two of them hardly any request was sent.
    """
    by_number = {one.seq: one for one in reversed(found)}
    ordered = [by_number[number] for number in sorted(by_number)]
    longest_s = 0.0
    for before, after in pairwise(ordered):
        apart_s, due_s = after.sent_s - before.sent_s, (after.seq - before.seq) * INTERVAL_S
        if apart_s > _MOST_APART * due_s + _HELD_UP_S:
            raise ProbeFailed(PINGS_UNEVEN(host=host))
        longest_s = max(longest_s, apart_s)
    return longest_s
