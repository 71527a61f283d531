"""iperf3 as workloads use it: one test, whose JSON is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.domain.commands import Command
from app.domain.errors import ProbeFailed
from app.domain.hosts import Side
from app.probes.iperf_server import IperfServer, check_started
from app.probes.messages import IPERF_FAILED, NO_RATE, NO_RESULT
from app.probes.throughput import (
    CONNECT_TIMEOUT_MS,
    SILENT_ROUND_TRIPS,
    SLACK_S,
    explain_iperf_failure,
    json_report,
    reported_error,
)
from app.probes.workloads.base import WorkloadPath

_MOST_OUTPUT_BYTES = 8 << 20


def server(path: WorkloadPath, seconds: float) -> IperfServer:
    """Return the server on B for two tests, of so many seconds together, as a context that is to be entered."""
    limit_s = int(seconds + 2 * _slack_s(path) + 2 * SLACK_S)
    return IperfServer(path.sessions.b, path.address_b, path.port, limit_s=limit_s, token=path.token)


def run_client(path: WorkloadPath, port: int, seconds: int, options: Sequence[str]) -> Mapping[str, Any]:
    """Run one test from A; return its report.

    Raises:
        ProbeFailed: iperf3 cannot be used, or nothing crosses.
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    limit_s = seconds + _slack_s(path)
    argv = (
        *("timeout", "-k", "5", str(limit_s), "iperf3", "-c", path.address_b, "-B", path.address_a),
        *("-p", str(port), "-t", str(seconds), "-J", "--connect-timeout", str(CONNECT_TIMEOUT_MS), *options),
    )
    host = path.sessions.on(Side.A)
    command = Command(argv, timeout_s=limit_s + 15.0, max_output_bytes=_MOST_OUTPUT_BYTES)
    done = host.run(command, token=path.token)
    check_started(host, done)
    return read_report(done.stdout, done.stderr, host.spec.label)


def read_report(text: str, errors: str, label: str) -> Mapping[str, Any]:
    """Return a report of iperf3 -J.

    Raises:
        ProbeFailed: It is none, or reports an error.
    """
    found = json_report(text, errors)
    if not isinstance(found, dict) or "error" in found or "end" not in found:
        words = reported_error(found, NO_RESULT())
        raise ProbeFailed(IPERF_FAILED(host=label, output=words), hint=explain_iperf_failure(words, ""))
    return found


def received_mbit_s(report: Mapping[str, Any], key: str = "sum_received") -> float:
    """Return the rate at the receiver in Mbit/s.

    Raises:
        ProbeFailed: The report has none.
    """
    try:
        return float(report["end"][key]["bits_per_second"]) / 1e6
    except (KeyError, TypeError) as error:
        raise ProbeFailed(NO_RATE()) from error


def _slack_s(path: WorkloadPath) -> int:
    return SLACK_S + round(SILENT_ROUND_TRIPS * path.rtt_ms / 1_000)
