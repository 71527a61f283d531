"""File transfer: time until 4 MB have arrived, over a new TCP connection, its start included."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.commands import Command
from app.domain.hosts import Side
from app.domain.messages import mark
from app.domain.workloads import FigureKind
from app.probes.iperf_server import IperfServer
from app.probes.throughput import CONNECT_TIMEOUT_MS, SLACK_S
from app.probes.transfer import forget_paths, read_transfer
from app.probes.workloads.base import Workload, WorkloadPath

SIZE_BYTES = 4_000_000
_LIMIT_S = 180
_MOST_OUTPUT_BYTES = 8 << 20


def _run(path: WorkloadPath) -> Mapping[str, float]:
    found = {}
    limit_s = 2 * (_LIMIT_S + SLACK_S)
    with IperfServer(path.sessions.b, path.address_b, path.port, limit_s=limit_s, token=path.token) as iperf:
        iperf.wait_until_listening()
        for name, port, options in (("b-to-a", iperf.ports[0], ("-R",)), ("a-to-b", iperf.ports[1], ())):
            forget_paths(path.sessions, token=path.token)
            found[name] = _transfer(path, port, options)
            path.report(name, found[name], found[name])
    return {**found, "mbit-s": 8 * SIZE_BYTES / 1e6 / found["b-to-a"]}


def _transfer(path: WorkloadPath, port: int, options: tuple[str, ...]) -> float:
    """Return the seconds of one transfer.

    From A the sender's own intervals count, so that the time is that of the last byte handed to its socket.

    Raises:
        ProbeFailed: It did not end in time, or iperf3 cannot be used.
    """
    argv = (
        *("timeout", "-k", "5", str(_LIMIT_S), "iperf3", "-c", path.address_b, "-B", path.address_a),
        *("-p", str(port), "-n", str(SIZE_BYTES), "-J", "-i", "0.25", "--connect-timeout", str(CONNECT_TIMEOUT_MS)),
        *options,
    )
    host = path.session(Side.A)
    command = Command(argv, timeout_s=_LIMIT_S + 15.0, max_output_bytes=_MOST_OUTPUT_BYTES)
    done = host.run(command, token=path.token)
    transferred = read_transfer(done.stdout, done.stderr, host.spec.label, SIZE_BYTES)
    return transferred.seconds or float(_LIMIT_S)


WORKLOAD = Workload(
    name="transfer",
    title=mark("File transfer of 4 MB"),
    heading=mark("File"),
    figures=(
        FigureKind("b-to-a", mark("Time from B to A"), "s", is_lower_better=True),
        FigureKind("a-to-b", mark("Time from A to B (until sent)"), "s", is_lower_better=True),
        FigureKind("mbit-s", mark("Mean rate from B to A, the start included"), "Mbit/s", is_lower_better=False),
    ),
    run=_run,
    seconds=6.0,
    round_trips=30.0,
    needs={Side.A: ("iperf3",), Side.B: ("iperf3",)},
    source=mark(
        "iperf3 -n; from B the time of the last byte at the receiver; what kernels remember of the path is dropped"
    ),
)
