"""A web page: a document and 24 objects from a small web server on B, loaded by A over six connections."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from app.domain.cancel import CancelToken
from app.domain.commands import Command, Stream
from app.domain.errors import Cancelled, ProbeFailed, TunnelmarkError
from app.domain.hosts import Side
from app.domain.messages import error_text, mark
from app.domain.script_files import host_script
from app.domain.workloads import FigureKind
from app.probes.messages import EXIT_STATUS_ONLY, NOT_LISTENING, PAGE_NOT_LOADED, WEB_SERVER_FAILED
from app.probes.workloads.base import Workload, WorkloadPath

DOCUMENT_BYTES = 30_000
OBJECT_BYTES = (100_000, 60_000, 40_000, *(25_000,) * 6, *(10_000,) * 15)
"""Together 530 kB with the document: our choice, the same for each candidate."""

_CONNECTIONS = 6
"""As browsers open to one server over HTTP/1.1. Source: our choice, after their usual limit."""

_LOADS = 3
_PORT_STEP = 2
_LIMIT_S, _START_S, _LATE_S = 240.0, 10.0, 60.0


def _run(path: WorkloadPath) -> Mapping[str, float]:
    """Load the page several times; the medians count."""
    loads = []
    with _server(path):
        for _ in range(_LOADS):
            loads.append(_load(path))
            path.report("page", float(len(loads)), loads[-1][2])
    middle = [sorted(values)[len(values) // 2] for values in zip(*loads, strict=True)]
    return {"page": middle[2], "document": middle[1], "first-byte": 1_000 * middle[0]}


@contextmanager
def _server(path: WorkloadPath) -> Iterator[None]:
    """Run the web server on B; it ends with its channel, and by itself after some minutes."""
    host, token, is_up = path.session(Side.B), CancelToken(), threading.Event()
    words = (path.address_b, str(path.port + _PORT_STEP), f"{_LIMIT_S:.0f}")
    command = Command(("python3", "-c", host_script("probes/web-server.py"), *words), timeout_s=_LIMIT_S + 15.0)
    reasons: list[str] = []

    def take(_stream: Stream, line: str) -> None:
        if line == "listening":
            is_up.set()
        elif line.strip() and line != "alive":
            reasons.append(line.strip()[:200])

    def serve() -> None:
        try:
            host.run(command, token=token, on_line=take)
        except (TunnelmarkError, Cancelled) as error:
            reasons.append(error_text(error))

    thread = threading.Thread(target=serve, name="web-server")
    thread.start()
    try:
        if not is_up.wait(_START_S):
            path.token.raise_if_cancelled()
            why = reasons[-1] if reasons else NOT_LISTENING()
            raise ProbeFailed(WEB_SERVER_FAILED(host=host.spec.label, output=why))
        yield
    finally:
        token.cancel()
        thread.join()


def _load(path: WorkloadPath) -> tuple[float, float, float]:
    """Return seconds until the document's first byte, its last, and until the whole page is there."""
    host = path.session(Side.A)
    words = (
        *(
            path.address_b,
            str(path.port + _PORT_STEP),
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
    figures=(
        FigureKind("page", mark("Time until all is there"), "s", is_lower_better=True),
        FigureKind("document", mark("Time until the document is there"), "s", is_lower_better=True),
        FigureKind("first-byte", mark("Time until its first byte"), "ms", is_lower_better=True),
    ),
    run=_run,
    seconds=8.0,
    round_trips=60.0,
    needs={Side.A: ("python3",), Side.B: ("python3",)},
    source=mark(
        "HTTP/1.1: a document of 30 kB, then 24 objects of 10 to 100 kB over six connections; median of three loads"
    ),
)
