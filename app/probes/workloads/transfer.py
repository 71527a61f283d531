"""File transfer: time until a file has arrived, over a new TCP connection, its start included."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from app.domain.commands import Command
from app.domain.hosts import Side
from app.domain.messages import mark
from app.domain.workloads import TRANSFER_MB, FigureKind
from app.probes.iperf_server import IperfServer, check_started
from app.probes.messages import TRANSFER_OF
from app.probes.throughput import CONNECT_TIMEOUT_MS, SLACK_S
from app.probes.transfer import forget_paths, read_transfer
from app.probes.workloads.base import Workload, WorkloadPath

_LEAST_LIMIT_S, _LIMIT_S_PER_MB, _MOST_LIMIT_S = 180, 45, 3_600
"""Time limit of one transfer: 0.18 Mbit/s for a file of up to 80 MB. Source: our choice."""

_USUAL_S_PER_MB = 0.16
"""Assumed for each direction where the link has no known rate: 50 Mbit/s. Source: our choice."""

_USUAL_S = 6.0
_MOST_OUTPUT_BYTES = 32 << 20


def _run(size_mb: int, path: WorkloadPath) -> Mapping[str, float]:
    found = {}
    limit_s = min(_MOST_LIMIT_S, max(_LEAST_LIMIT_S, _LIMIT_S_PER_MB * size_mb))
    lives_s = 2 * (limit_s + SLACK_S)
    with IperfServer(path.sessions.b, path.address_b, path.port, limit_s=lives_s, token=path.token) as iperf:
        iperf.wait_until_listening()
        for name, port, options in (("b-to-a", iperf.ports[0], ("-R",)), ("a-to-b", iperf.ports[1], ())):
            forget_paths(path.sessions, (path.address_b, path.address_a), token=path.token)
            found[name] = _transfer(path, port, size_mb * 1_000_000, limit_s, options)
            path.report(name, found[name], found[name])
    return {**found, "mbit-s": 8 * size_mb / found["b-to-a"]}


def _transfer(path: WorkloadPath, port: int, size_bytes: int, limit_s: int, options: tuple[str, ...]) -> float:
    """Return the seconds of one transfer.

    From A the sender's own intervals count, so that the time is that of the last byte handed to its socket.

    Raises:
        ProbeFailed: It did not end in time, or iperf3 cannot be used.
    """
    argv = (
        *("timeout", "-k", "5", str(limit_s), "iperf3", "-c", path.address_b, "-B", path.address_a),
        *("-p", str(port), "-n", str(size_bytes), "-J", "-i", "0.25", "--connect-timeout", str(CONNECT_TIMEOUT_MS)),
        *options,
    )
    host = path.sessions.on(Side.A)
    command = Command(argv, timeout_s=limit_s + 15.0, max_output_bytes=_MOST_OUTPUT_BYTES)
    done = host.run(command, token=path.token)
    check_started(host, done)
    transferred = read_transfer(done.stdout, done.stderr, host.spec.label, size_bytes)
    return transferred.seconds or float(limit_s)


def sized(size_mb: int) -> Workload:
    """Return the workload with a file of so many MB (10^6 bytes)."""
    return Workload(
        name="transfer",
        title=mark("File transfer of 4 MB") if size_mb == TRANSFER_MB else TRANSFER_OF(size_mb=size_mb),
        heading=mark("File"),
        figures=(
            FigureKind("b-to-a", mark("Time from B to A"), "s", is_lower_better=True),
            FigureKind("a-to-b", mark("Time from A to B (until sent)"), "s", is_lower_better=True),
            FigureKind("mbit-s", mark("Mean rate from B to A, the start included"), "Mbit/s", is_lower_better=False),
        ),
        run=partial(_run, size_mb),
        seconds=_USUAL_S + 2 * _USUAL_S_PER_MB * (size_mb - TRANSFER_MB),
        round_trips=30.0,
        each_way_mb=float(size_mb),
        needs={Side.A: ("iperf3",), Side.B: ("iperf3",)},
        source=mark(
            "iperf3 -n; from B the time of the last byte at the receiver; what kernels remember of the path is dropped"
        ),
    )


WORKLOAD = sized(TRANSFER_MB)
