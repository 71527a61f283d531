"""Several commands in one channel.

A POSIX sh script comes on the shell's stdin, as one compound command: so nothing of it runs unless all of it arrived,
and its size is not limited by what an argument may hold. Each command gets /dev/null as its stdin and a subshell of its
own. After each one a marker line with its exit status is printed on both streams; the marker is 128 random bits, known
to the shell alone, so no command can print one. A command that is a script (`sh -c`) is run by its subshell itself:
starting one more shell costs a small gateway tens of milliseconds, and most questions to a host are scripts.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from app.domain.commands import BatchLineSink, Command, CommandResult, Stream
from app.domain.errors import Bug
from app.domain.script_files import bare_script
from app.ssh.messages import BATCH_WITH_STDIN
from app.ssh.remote_line import shell_line
from app.ssh.streams import MAX_LINE_BYTES, LineCollector

_FUNCTIONS = bare_script("ssh/batch.sh")
_STATUS = re.compile(rb"\d{1,3}")
_NO_STATUS = 255
"""Status of a command whose host printed none, as ssh(1) has it."""
_NEEDS_OWN_SHELL = re.compile(r"\$\{?([0$]|PPID)")
"""Parameters of a script that are not the same in a subshell: its name, its process and the parent of that."""


def batch_script(commands: Sequence[Command], marker: str, *, should_stop_at_failure: bool) -> bytes:
    """Write the script.

    Args:
        commands: What it runs.
        marker: New for each batch.
        should_stop_at_failure: Whether a failure ends it.

    Raises:
        Bug: A command has stdin, which a batch cannot give it.
    """
    if any(command.stdin is not None for command in commands):
        raise Bug(BATCH_WITH_STDIN())
    functions = _FUNCTIONS.replace("@MARKER@", marker)
    functions = functions.replace("@AFTER_FAILURE@", "exit 0" if should_stop_at_failure else ":")
    lines = ["{", functions]
    lines += [_batch_line(command.argv) for command in commands]
    return "\n".join([*lines, "exit 0", "}", ""]).encode()


def _batch_line(argv: Sequence[str]) -> str:
    """Return what runs one command: by the subshell itself where that makes no difference to a script."""
    if tuple(argv[:2]) == ("sh", "-c") and len(argv) > 3 and not _NEEDS_OWN_SHELL.search(argv[2]):
        return "script " + shell_line(argv[2:])
    return "run " + shell_line(argv)


@dataclass(slots=True)
class _Part:
    """One command's output on one stream."""

    collector: LineCollector
    status: int | None = None
    ended_at_s: float = 0.0


@dataclass(slots=True)
class BatchStream:
    """Cuts one stream of a batch into its commands' parts.

    Attributes:
        marker: What ends a part.
        parts: One per command.
    """

    marker: bytes
    parts: list[_Part]
    _index: int = 0
    _rest: bytearray = field(default_factory=bytearray)

    @property
    def ended(self) -> int:
        """Number of commands that have ended on this stream."""
        return self._index

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        self._rest += data
        while self._index < len(self.parts):
            before, found, after = bytes(self._rest).partition(self.marker)
            # No status is that long: a host that sends no line feed does not fill this computer's memory.
            if not found or (b"\n" not in after and len(after) <= MAX_LINE_BYTES):
                break
            status, _, following = after.partition(b"\n")
            self._end_part(before, status)
            self._rest = bytearray(following)
        self._hand_on_safe()

    def finish(self) -> None:
        """Hand on the rest, which no marker ended."""
        if self._index < len(self.parts):
            part = self.parts[self._index].collector
            part.feed(bytes(self._rest))
            part.finish()
        self._rest.clear()

    def _end_part(self, before: bytes, status: bytes) -> None:
        part = self.parts[self._index]
        part.collector.feed(before)
        part.collector.finish()
        part.status = int(status) if _STATUS.fullmatch(status) else _NO_STATUS
        part.ended_at_s = time.monotonic()
        self._index += 1

    def _hand_on_safe(self) -> None:
        """Hand on whole lines, and pieces of an endless one: what cannot be the beginning of a marker."""
        if self._index >= len(self.parts):
            self._rest.clear()
            return
        start = self._rest.find(self.marker)
        end = start if start >= 0 else self._rest.rfind(b"\n") + 1
        if start < 0 and len(self._rest) - end > MAX_LINE_BYTES:
            end = len(self._rest) - len(self.marker)
        if end > 0:
            self.parts[self._index].collector.feed(bytes(self._rest[:end]))
            del self._rest[:end]


class Batch:
    """A batch's script and what comes of it.

    Args:
        commands: What runs, in order.
        on_line: Gets each line with the index of its command.
        should_stop_at_failure: Whether a failure leaves the rest out.
    """

    def __init__(
        self, commands: Sequence[Command], on_line: BatchLineSink | None, *, should_stop_at_failure: bool
    ) -> None:
        marker = secrets.token_hex(16)
        self._commands = tuple(commands)
        self.script = batch_script(commands, marker, should_stop_at_failure=should_stop_at_failure)
        self.out = BatchStream(marker.encode() + b" ", self._parts(Stream.STDOUT, on_line))
        self.err = BatchStream(marker.encode() + b" ", self._parts(Stream.STDERR, on_line))
        self._should_stop = should_stop_at_failure
        self._started_at_s = time.monotonic()

    def _parts(self, stream: Stream, on_line: BatchLineSink | None) -> list[_Part]:
        return [
            _Part(LineCollector(command.max_output_bytes, _with_index(on_line, index, stream)))
            for index, command in enumerate(self._commands)
        ]

    @property
    def reached(self) -> int:
        """Number of commands that have ended."""
        return min(self.out.ended, self.err.ended)

    @property
    def is_complete(self) -> bool:
        """Whether every command ended that was to run."""
        reached = self.reached
        did_fail = self._should_stop and reached > 0 and self.out.parts[reached - 1].status != 0
        return reached == len(self._commands) or did_fail

    def started(self) -> None:
        """Take the time at which it begins."""
        self._started_at_s = time.monotonic()

    def results(self) -> tuple[CommandResult, ...]:
        """Return one result per command."""
        results: list[CommandResult] = []
        before_s = self._started_at_s
        for index, command in enumerate(self._commands):
            out, err = self.out.parts[index], self.err.parts[index]
            is_reached = index < self.reached
            ended_at_s = max(out.ended_at_s, err.ended_at_s) if is_reached else before_s
            results.append(
                CommandResult(
                    argv=command.argv,
                    exit_status=out.status if is_reached else None,
                    stdout=out.collector.text(),
                    stderr=err.collector.text(),
                    duration_s=max(0.0, ended_at_s - before_s),
                    is_truncated=out.collector.is_truncated or err.collector.is_truncated,
                )
            )
            before_s = ended_at_s
        return tuple(results)


def _with_index(on_line: BatchLineSink | None, index: int, stream: Stream) -> Callable[[str], None] | None:
    if on_line is None:
        return None

    def hand_on(line: str) -> None:
        on_line(index, stream, line)

    return hand_on
