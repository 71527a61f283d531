"""A web page: a document and 24 objects from a small web server on B, loaded by A over six connections."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.commands import Command
from app.domain.errors import ProbeFailed
from app.domain.hosts import Side
from app.domain.link import WORKLOAD_PORT_STEP
from app.domain.messages import mark
from app.domain.script_files import host_script
from app.domain.workloads import FigureKind
from app.probes.messages import EXIT_STATUS_ONLY, PAGE_NOT_LOADED
from app.probes.workloads.base import Workload, WorkloadPath
from app.probes.workloads.python_server import python_server

DOCUMENT_BYTES = 30_000
OBJECT_BYTES = (100_000, 60_000, 40_000, *(25_000,) * 6, *(10_000,) * 15)
"""Together 530 kB with the document: our choice, the same for each candidate."""

_CONNECTIONS = 6
"""As browsers open to one server over HTTP/1.1. Source: our choice, after their usual limit."""

_LOADS = 3
_LIMIT_S, _LATE_S = 240.0, 60.0


def _run(path: WorkloadPath) -> Mapping[str, float]:
    """Load the page several times; the medians count."""
    loads = []
    words = (path.address_b, str(path.own_port), f"{_LIMIT_S:.0f}")
    with python_server(path, Side.B, "probes/web-server.py", *words, limit_s=_LIMIT_S):
        for _ in range(_LOADS):
            loads.append(_load(path))
            path.report("page", float(len(loads)), loads[-1][2])
    middle = [sorted(values)[len(values) // 2] for values in zip(*loads, strict=True)]
    return {"page": middle[2], "document": middle[1], "first-byte": 1_000 * middle[0]}


def _load(path: WorkloadPath) -> tuple[float, float, float]:
    """Return seconds until the document's first byte, its last, and until the whole page is there."""
    host = path.sessions.on(Side.A)
    words = (
        *(
            path.address_b,
            str(path.own_port),
            path.address_a,
            str(_CONNECTIONS),
            str(_LATE_S),
            str(DOCUMENT_BYTES),
        ),
        *map(str, OBJECT_BYTES),
    )
    command = Command(("python3", "-c", host_script("probes/web-client.py"), *words), timeout_s=2 * _LATE_S)
    done = host.run(command, token=path.token)
    found = done.stdout.split()
    if not done.is_ok or len(found) != 3:
        lines = done.stderr.strip().splitlines()
        why = lines[-1][:200] if lines else EXIT_STATUS_ONLY(status=done.exit_status)
        raise ProbeFailed(PAGE_NOT_LOADED(host=host.spec.label, output=why))
    return float(found[0]), float(found[1]), float(found[2])


WORKLOAD = Workload(
    name="web-page",
    title=mark("Web page of 530 kB"),
    heading=mark("Page"),
    figures=(
        FigureKind("page", mark("Time until all is there"), "s", is_lower_better=True),
        FigureKind("document", mark("Time until the document is there"), "s", is_lower_better=True),
        FigureKind("first-byte", mark("Time until its first byte"), "ms", is_lower_better=True),
    ),
    run=_run,
    seconds=8.0,
    round_trips=60.0,
    needs={Side.A: ("python3",), Side.B: ("python3",)},
    listens={Side.B: (("tcp", WORKLOAD_PORT_STEP),)},
    source=mark(
        "HTTP/1.1: a document of 30 kB, then 24 objects of 10 to 100 kB over six connections; median of three loads"
    ),
)
