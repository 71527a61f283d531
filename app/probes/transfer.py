"""One TCP transfer of a number of bytes from B to A, with a congestion control of the sender's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, SessionPair
from app.domain.concurrency import run_both
from app.domain.errors import ProbeFailed
from app.probes.iperf_server import check_started
from app.probes.messages import ENDED_BEFORE_ALL, TRANSFER_FAILED
from app.probes.throughput import CONNECT_TIMEOUT_MS, explain_iperf_failure, json_report, reported_error

_FORGET_S = 10.0
_END_S = 15
_INTERVAL_S = 0.25
_SILENCE_MS = 20_000
"""Silence after which the client ends. Source: our choice; a lossy satellite link was silent for up to 6 s."""

_MOST_OUTPUT_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class TransferRequest:
    """Transfer to be made.

    Attributes:
        client_address: A's IPv4 address on the path.
        server_address: B's IPv4 address on the path; the server is bound to it.
        port: TCP port of the server.
        size_bytes: Bytes to be received.
        congestion: The sender's congestion control, as its kernel names it.
        limit_s: Seconds after which the transfer is given up.
        can_end_early: Whether the client may end after `_SILENCE_MS`, which iperf3 knows from 3.10 on; else it waits
            for 120 s, its own time limit.
    """

    client_address: str
    server_address: str
    port: int
    size_bytes: int
    congestion: str
    limit_s: int
    can_end_early: bool = True


@dataclass(frozen=True, slots=True)
class Transferred:
    """Outcome of a transfer.

    Attributes:
        seconds: From the first to the last byte, at the receiver; None where it did not end in time.
        received_bytes: Bytes that arrived.
        retransmits: Segments sent again; None where the sender did not report them.
        congestion: Algorithm that the sender reported.
    """

    seconds: float | None
    received_bytes: int
    retransmits: int | None
    congestion: str


def can_end_early(iperf3_version: str) -> bool:
    """Whether this version of iperf3 knows a time-out for silence. Source: iperf3's release notes, 3.10."""
    numbers = [int(part) for part in re.findall(r"\d+", iperf3_version)[:2]]
    return numbers >= [3, 10]


def forget_paths(sessions: SessionPair, peers: tuple[str, str] = ("all", "all"), *, token: CancelToken) -> None:
    """Drop what both kernels remember of earlier connections: thresholds of one transfer would shape the next.

    Args:
        peers: Address of B, for A, and of A, for B: what is remembered of other destinations remains. `all` is for
            studies, where proxies make connections of their own.
    """
    a, b = (Command(("ip", "tcp_metrics", "flush", one), timeout_s=_FORGET_S, is_root=True) for one in peers)
    run_both(lambda: sessions.a.run(a, token=token), lambda: sessions.b.run(b, token=token))


def transfer(client: HostSession, request: TransferRequest, *, token: CancelToken) -> Transferred:
    """Receive bytes from a server that listens already, on host B.

    Raises:
        ProbeFailed: iperf3 cannot be used, or nothing crosses.
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    argv = (
        *("timeout", "-k", "5", str(request.limit_s), "iperf3", "-c", request.server_address),
        *("-B", request.client_address, "-p", str(request.port), "-R", "-n", str(request.size_bytes)),
        *("-C", request.congestion, "-J", "-i", str(_INTERVAL_S), "--connect-timeout", str(CONNECT_TIMEOUT_MS)),
        *(("--rcv-timeout", str(_SILENCE_MS)) if request.can_end_early else ()),
    )
    command = Command(argv, timeout_s=request.limit_s + _END_S, max_output_bytes=_MOST_OUTPUT_BYTES, is_root=True)
    done = client.run(command, token=token)
    check_started(client, done)
    if done.exit_status in (124, 137):
        return Transferred(None, 0, None, request.congestion)
    return read_transfer(done.stdout, done.stderr, client.spec.label, request.size_bytes)


def read_transfer(text: str, errors: str, label: str, size_bytes: int) -> Transferred:
    """Read what the client printed.

    The sender of iperf3 ends silently after its bytes, and the client goes on until it hears nothing for a while: so
    the time is that of the interval in which the last byte arrived, not that of the whole test.
    """
    found = json_report(text, errors)
    intervals = _intervals(found) if isinstance(found, dict) else []
    seconds, received = _arrival(intervals, size_bytes)
    if seconds is None:
        words = reported_error(found, ENDED_BEFORE_ALL()) if isinstance(found, dict) else errors
        raise ProbeFailed(TRANSFER_FAILED(host=label, output=words), hint=explain_iperf_failure(words, ""))
    end = found.get("end", {})
    retransmits = end.get("sum_sent", {}).get("retransmits")
    return Transferred(
        seconds=seconds,
        received_bytes=received,
        retransmits=int(retransmits) if retransmits is not None else None,
        congestion=str(end.get("sender_tcp_congestion", "")),
    )


def _intervals(found: Mapping[str, Any]) -> list[tuple[float, float, int]]:
    """Return begin and end in s and bytes of each interval; the last one is not listed and follows from the total."""
    parts = [interval["sum"] for interval in found.get("intervals", [])]
    known = [(float(part["start"]), float(part["end"]), int(part["bytes"])) for part in parts]
    total = found.get("end", {}).get("sum_received", {})
    rest = int(total.get("bytes", 0)) - sum(count for _, _, count in known)
    if known and rest > 0:
        last_s = known[-1][1]
        known.append((last_s, max(last_s, min(float(total["seconds"]), last_s + _INTERVAL_S)), rest))
    return known


def _arrival(intervals: Sequence[tuple[float, float, int]], size_bytes: int) -> tuple[float | None, int]:
    """Return when the last byte arrived, in seconds, None where it did not; and how many arrived."""
    received, seconds = 0, None
    for begin_s, end_s, count in intervals:
        if seconds is None and count and received + count >= size_bytes:
            seconds = begin_s + (end_s - begin_s) * (size_bytes - received) / count
        received += count
    return seconds, received
