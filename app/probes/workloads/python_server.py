"""A server of python3 on one host, for as long as a workload needs it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from app.domain.cancel import CancelToken
from app.domain.commands import Command, Stream
from app.domain.errors import Cancelled, ProbeFailed, TunnelmarkError
from app.domain.hosts import Side
from app.domain.messages import error_text
from app.domain.script_files import host_script
from app.probes.messages import NOT_LISTENING, SERVER_FAILED
from app.probes.workloads.base import WorkloadPath

_START_S = 10.0


@contextmanager
def python_server(path: WorkloadPath, side: Side, script: str, *words: str, limit_s: float) -> Iterator[None]:
    """Run a script until the `with` block ends; it ends with its channel, and by itself after some minutes.

    Args:
        path: Between the hosts.
        side: The host it runs on.
        script: Name of its file; it prints `listening` once it listens, and `alive` each second.
        words: Its arguments.
        limit_s: Seconds after which it ends by itself.

    Raises:
        ProbeFailed: It does not listen within 10 s.
    """
    host, token, is_up = path.sessions.on(side), CancelToken(), threading.Event()
    command = Command(("python3", "-c", host_script(script), *words), timeout_s=limit_s + 15.0)
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

    thread = threading.Thread(target=serve, name="workload-server")
    thread.start()
    try:
        if not is_up.wait(_START_S):
            path.token.raise_if_cancelled()
            why = reasons[-1] if reasons else NOT_LISTENING()
            raise ProbeFailed(SERVER_FAILED(host=host.spec.label, output=why))
        yield
    finally:
        token.cancel()
        thread.join()
