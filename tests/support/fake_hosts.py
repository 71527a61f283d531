"""A host that answers commands with lines from a function: our own port, without a network."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

from app.domain.cancel import CancelToken
from app.domain.commands import BatchLineSink, Command, CommandResult, FileToWrite, LineSink, Stream
from app.domain.errors import Cancelled
from app.domain.hosts import HostSpec, Privilege

Answer = Iterator[str | float]
"""Lines of stdout; a number lets the host's clock pass by so many seconds. What it returns is the exit status."""


class FakeClock:
    """Monotonic seconds that pass only when moved."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


class FakeHost:
    """Implements HostSession.

    Args:
        label: Its name.
        answer: Gets each command (and its token) and yields what the host prints.
        clock: Advanced by the numbers among the lines.
    """

    def __init__(
        self,
        label: str,
        answer: Callable[[Command, CancelToken], Answer],
        clock: FakeClock | None = None,
        privilege: Privilege = Privilege.ROOT,
    ) -> None:
        self.spec = HostSpec(label, "192.0.2.1")
        self.privilege = privilege
        self.is_connected = True
        self.clock = clock or FakeClock()
        self.commands: list[Command] = []
        self.reconnects: list[BaseException | None] = []
        self.reconnected = 0
        self._answer = answer
        self._lock = threading.Lock()

    def run(self, command: Command, *, token: CancelToken, on_line: LineSink | None = None) -> CommandResult:
        token.raise_if_cancelled()
        with self._lock:
            self.commands.append(command)
        lines: list[str] = []
        answer = self._answer(command, token)
        status = 0
        while True:
            try:
                item = next(answer)
            except StopIteration as end:
                status = end.value if end.value is not None else 0
                break
            if token.is_cancelled:
                raise Cancelled
            if isinstance(item, str):
                lines.append(item)
                if on_line is not None:
                    on_line(Stream.STDOUT, item)
            else:
                self.clock.now_s += item
        token.raise_if_cancelled()
        return CommandResult(command.argv, status, "\n".join(lines), "", 0.0)

    def run_batch(
        self,
        commands: Sequence[Command],
        *,
        token: CancelToken,
        on_line: BatchLineSink | None = None,
        should_stop_at_failure: bool = False,
    ) -> tuple[CommandResult, ...]:
        raise NotImplementedError

    def write_files(self, files: Sequence[FileToWrite], *, token: CancelToken) -> None:
        raise NotImplementedError

    def check_new_connection(self, *, token: CancelToken) -> float:
        return 0.1

    def reconnect(self, *, token: CancelToken) -> None:
        token.raise_if_cancelled()
        outcome = self.reconnects.pop(0) if self.reconnects else None
        if outcome is not None:
            raise outcome
        self.reconnected += 1
        self.is_connected = True

    def close(self) -> None:
        self.is_connected = False
