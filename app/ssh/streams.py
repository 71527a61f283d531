"""Output of a command: bounded text, and lines as they arrive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

MAX_LINE_BYTES = 65_536
"""A line longer than this is handed on in pieces, so that a host cannot fill the memory with one endless line."""


class OutputSink(Protocol):
    """Gets the bytes of one stream, in order."""

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        ...

    def finish(self) -> None:
        """Take note that there are no more."""
        ...


class LineCollector:
    """Keeps the first bytes of a stream and hands its lines on.

    Args:
        max_bytes: How much to keep, in bytes. Lines are handed on beyond that.
        on_line: Gets each line, decoded, without its end; None if they are not wanted.
    """

    def __init__(self, max_bytes: int, on_line: Callable[[str], None] | None = None) -> None:
        self._max_bytes = max_bytes
        self._on_line = on_line
        self._kept = bytearray()
        self._partial = bytearray()
        self.is_truncated = False

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        room = self._max_bytes - len(self._kept)
        if len(data) > room:
            self.is_truncated = True
        self._kept += data[: max(0, room)]
        if self._on_line is not None:
            self._split(data)

    def finish(self) -> None:
        """Hand on what is left of a last line without an end."""
        if self._partial and self._on_line is not None:
            self._hand_on(bytes(self._partial))
        self._partial.clear()

    def text(self) -> str:
        """Return what was kept, decoded with replacement."""
        return self._kept.decode("utf-8", errors="replace")

    def _split(self, data: bytes) -> None:
        *complete, rest = data.split(b"\n")
        for line in complete:
            self._hand_on(bytes(self._partial) + line)
            self._partial.clear()
        self._partial += rest
        while len(self._partial) > MAX_LINE_BYTES:
            self._hand_on(bytes(self._partial[:MAX_LINE_BYTES]))
            del self._partial[:MAX_LINE_BYTES]

    def _hand_on(self, line: bytes) -> None:
        if self._on_line is not None:
            for start in range(0, max(1, len(line)), MAX_LINE_BYTES):
                self._on_line(line[start : start + MAX_LINE_BYTES].decode("utf-8", errors="replace"))
