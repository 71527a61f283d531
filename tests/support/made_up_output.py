"""Output of processes of a made-up host, through a connection that may break."""

from __future__ import annotations

import subprocess
import threading
from typing import IO, TYPE_CHECKING

from app.domain.commands import LineSink, Stream
from support.waiting import PATIENCE_S

if TYPE_CHECKING:
    from support.made_up_host import LocalHost


class Output:
    """Output of a process on a host, line by line, until it ends or the connection breaks.

    Attributes:
        out: Lines of its standard output.
        err: Lines of its standard error.
        is_lost: Whether the connection broke.
        closed: Set when it has ended, or has no reader any more.
    """

    def __init__(self, host: LocalHost, process: subprocess.Popen[bytes], on_line: LineSink | None) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        self.out: list[str] = []
        self.err: list[str] = []
        self.is_lost = False
        self.closed = threading.Event()
        self._host = host
        self._process = process
        self._on_line = on_line
        self._readers = [
            threading.Thread(target=self._read, args=(Stream.STDOUT, process.stdout, self.out), daemon=True),
            threading.Thread(target=self._read, args=(Stream.STDERR, process.stderr, self.err), daemon=True),
        ]
        self._waiter = threading.Thread(target=self._wait, daemon=True)

    def start_reading(self) -> None:
        for reader in self._readers:
            reader.start()

    def start_waiting(self) -> None:
        self._waiter.start()

    def join(self) -> None:
        for thread in (*self._readers, self._waiter):
            thread.join(timeout=PATIENCE_S)

    def _wait(self) -> None:
        self._process.wait()
        self.closed.set()

    def _read(self, stream: Stream, source: IO[bytes], lines: list[str]) -> None:
        with source:
            for raw in source:
                line = raw.decode(errors="replace").removesuffix("\n")
                lines.append(line)
                if stream is Stream.STDOUT and self._host.on_line is not None:
                    self._host.on_line(line)
                if self._on_line is not None:
                    self._on_line(stream, line)
                if self._host.is_cut and not self.is_lost:
                    self.is_lost = True
                    self.closed.set()
                    return
