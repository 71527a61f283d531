"""File transactions: files of 1 MB over one connection, each answered, one way at a time, and the CPU of both hosts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.domain.commands import Command
from app.domain.errors import ProbeFailed
from app.domain.hosts import Side
from app.domain.link import WORKLOAD_PORT_STEP
from app.domain.messages import mark
from app.domain.script_files import host_script
from app.domain.workloads import FigureKind
from app.probes.cpu_counters import CpuCounters
from app.probes.messages import (
    EXIT_STATUS_ONLY,
    FILES_NOT_SENT,
    LONGEST_OF_WAY,
    RATE_OF_WAY,
    RECEIVER_CPU_OF_WAY,
    RESPONSE_OF_WAY,
    SENDER_CPU_OF_WAY,
    WAYS,
)
from app.probes.workloads.base import Workload, WorkloadPath
from app.probes.workloads.python_server import python_server

FILE_BYTES = 1_000_000
"""Source: Kotuliak, Rybár, Trúchly 2011, section IV: files of 1 000 000 bytes."""

_SCRIPT = "probes/transactions.py"
_SECONDS = 6
_LATE_S = 60.0


def _run(path: WorkloadPath) -> Mapping[str, float]:
    found: dict[str, float] = {}
    for name, sender in (("a-to-b", Side.A), ("b-to-a", Side.B)):
        found |= {f"{kind}-{name}": value for kind, value in _one_way(path, sender).items()}
        path.report(f"response-{name}", float(_SECONDS), found[f"response-{name}"])
    return {"response": (found["response-a-to-b"] + found["response-b-to-a"]) / 2, **found}


def _one_way(path: WorkloadPath, sender: Side) -> Mapping[str, float]:
    """Send files from one host for some seconds.

    Raises:
        ProbeFailed: They do not arrive, or python3 is missing.
    """
    seconds, host = path.seconds(_SECONDS), path.sessions.on(sender)
    limit_s = seconds + 4 * _LATE_S
    own, receiver, port = path.address(sender), path.address(sender.other), str(path.own_port)
    size = str(FILE_BYTES)
    words = ("send", own, port, size, receiver, str(seconds), str(_LATE_S))
    command = Command(("python3", "-c", host_script(_SCRIPT), *words), timeout_s=limit_s)
    serving = ("receive", receiver, port, size, f"{limit_s:.0f}")
    cpu = CpuCounters(path.sessions)
    with python_server(path, sender.other, _SCRIPT, *serving, limit_s=limit_s):
        cpu.read(path.token)
        done = host.run(command, token=path.token)
        cpu.read(path.token)
    times_s = [float(line) for line in done.stdout.split()]
    if not done.is_ok or not times_s:
        lines = done.stderr.strip().splitlines()
        why = lines[-1][:200] if lines else EXIT_STATUS_ONLY(status=done.exit_status)
        raise ProbeFailed(FILES_NOT_SENT(host=host.spec.label, output=why))
    busy = {side: usage.busy_pct for side, usage in cpu.usage().items()}
    return figures(times_s) | {
        name: busy[side.value]
        for name, side in (("sender-cpu", sender), ("receiver-cpu", sender.other))
        if side.value in busy
    }


def figures(times_s: Sequence[float]) -> dict[str, float]:
    """Return response times in ms and the rate in Mbit/s of files that took so long."""
    mean_s = sum(times_s) / len(times_s)
    return {"response": 1e3 * mean_s, "longest": 1e3 * max(times_s), "rate": 8 * FILE_BYTES / 1e6 / mean_s}


def _of_way(way: str, name: str) -> tuple[FigureKind, ...]:
    return (
        FigureKind(f"response-{way}", RESPONSE_OF_WAY(way=name), "ms", is_lower_better=True),
        FigureKind(f"longest-{way}", LONGEST_OF_WAY(way=name), "ms", is_lower_better=True),
        FigureKind(f"rate-{way}", RATE_OF_WAY(way=name), "Mbit/s", is_lower_better=False),
        FigureKind(f"sender-cpu-{way}", SENDER_CPU_OF_WAY(way=name), "%", is_lower_better=True),
        FigureKind(f"receiver-cpu-{way}", RECEIVER_CPU_OF_WAY(way=name), "%", is_lower_better=True),
    )


WORKLOAD = Workload(
    name="transactions",
    title=mark("Files of 1 MB, each answered"),
    heading=mark("Files"),
    figures=(
        FigureKind("response", mark("Time of a file, mean of both directions"), "ms", is_lower_better=True),
        *_of_way("a-to-b", WAYS["a_to_b"]()),
        *_of_way("b-to-a", WAYS["b_to_a"]()),
    ),
    run=_run,
    seconds=16.0,
    round_trips=40.0,
    needs={Side.A: ("python3",), Side.B: ("python3",)},
    listens=dict.fromkeys(Side, (("tcp", WORKLOAD_PORT_STEP),)),
    source=mark(
        "One TCP connection for 6 s each way, from a file's first byte to its receiver's answer; CPU of each host from "
        "its kernel's counters before and after, the start of python3 included"
    ),
)
