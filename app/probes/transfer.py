"""One TCP transfer of a number of bytes from B to A, with a congestion control of the sender's."""

from __future__ import annotations

import json
from dataclasses import dataclass

from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, SessionPair
from app.domain.concurrency import run_both
from app.domain.errors import ProbeFailed
from app.domain.hosts import Side
from app.probes.throughput import CONNECT_TIMEOUT_MS, explain_iperf_failure

_FORGET_S = 10.0
_END_S = 15


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
    """

    client_address: str
    server_address: str
    port: int
    size_bytes: int
    congestion: str
    limit_s: int


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


def forget_paths(sessions: SessionPair, *, token: CancelToken) -> None:
    """Drop what both kernels remember of earlier connections: thresholds of one transfer would shape the next."""
    command = Command(("ip", "tcp_metrics", "flush", "all"), timeout_s=_FORGET_S, is_root=True)
    run_both(lambda: sessions.a.run(command, token=token), lambda: sessions.b.run(command, token=token))


def load_congestion(host: HostSession, name: str, *, token: CancelToken) -> bool:
    """Load a congestion control; return whether it was not there before.

    Raises:
        ProbeFailed: The host's kernel does not have it.
    """
    listed = host.run(
        Command(("cat", "/proc/sys/net/ipv4/tcp_available_congestion_control"), timeout_s=_FORGET_S), token=token
    )
    if name in listed.stdout.split():
        return False
    done = host.run(Command(("modprobe", f"tcp_{name}"), timeout_s=_FORGET_S, is_root=True), token=token)
    if not done.is_ok:
        raise ProbeFailed(f"{host.spec.label} has no congestion control {name}: {done.stderr.strip()}")
    return True


def unload_congestion(host: HostSession, name: str, *, token: CancelToken) -> None:
    """Unload a congestion control that was loaded for a transfer; one that is still used remains."""
    host.run(Command(("modprobe", "-r", f"tcp_{name}"), timeout_s=_FORGET_S, is_root=True), token=token)


def transfer(client: HostSession, request: TransferRequest, *, token: CancelToken) -> Transferred:
    """Receive bytes from a server that listens already, on host B.

    Raises:
        ProbeFailed: iperf3 cannot be used, or nothing crosses.
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    argv = (
        *("timeout", "-k", "5", str(request.limit_s), "iperf3", "-c", request.server_address),
        *("-B", request.client_address, "-p", str(request.port), "-R", "-n", str(request.size_bytes)),
        *("-C", request.congestion, "-J", "-i", "0", "--connect-timeout", str(CONNECT_TIMEOUT_MS)),
    )
    command = Command(argv, timeout_s=request.limit_s + _END_S, max_output_bytes=262_144, is_root=True)
    done = client.run(command, token=token)
    if done.exit_status in (124, 137):
        return Transferred(None, 0, None, request.congestion)
    return _read(done.stdout, done.stderr, client.spec.label)


def _read(text: str, errors: str, label: str) -> Transferred:
    try:
        found = json.loads(text)
    except ValueError:
        found = {"error": errors.strip() or "no result"}
    if not isinstance(found, dict) or found.get("error") or "sum_received" not in found.get("end", {}):
        words = str(found.get("error", "no result")) if isinstance(found, dict) else "no result"
        raise ProbeFailed(
            f"The transfer to {label} failed: iperf3 said: {words}.", hint=explain_iperf_failure(words, "")
        )
    end = found["end"]
    received, sent = end["sum_received"], end.get("sum_sent", {})
    retransmits = sent.get("retransmits")
    return Transferred(
        seconds=float(received["seconds"]),
        received_bytes=int(received["bytes"]),
        retransmits=int(retransmits) if retransmits is not None else None,
        congestion=str(end.get("sender_tcp_congestion", "")),
    )


SENDER = Side.B
"""Side that sends."""
