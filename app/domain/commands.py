"""Commands on hosts and what came of them; the port through which every part talks to a host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from app.domain.cancel import CancelToken
from app.domain.hosts import HostSpec, Privilege, Side


class Stream(StrEnum):
    """Source of a line of output."""

    STDOUT = "stdout"
    STDERR = "stderr"


LineSink = Callable[[Stream, str], None]
"""Gets each line (without its end) as it arrives, in the thread that runs the command."""

BatchLineSink = Callable[[int, Stream, str], None]
"""Like LineSink, with the command's index in its batch first."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command for a host.

    Attributes:
        argv: Program and arguments; quoted in one place, never pasted into a shell line.
        timeout_s: Deadline in seconds.
        is_root: Whether it needs root's rights (sudo or doas is put in front where the user is not root).
        stdin: What the command reads; never shown or logged.
        max_output_bytes: More output than this is cut, per stream, and the result reports it.
    """

    argv: tuple[str, ...]
    timeout_s: float = 30.0
    is_root: bool = False
    stdin: bytes | None = field(default=None, repr=False)
    max_output_bytes: int = 1_048_576


@dataclass(frozen=True, slots=True)
class CommandResult:
    """Result of a command.

    Attributes:
        argv: What was run.
        exit_status: 0 to 255; None for a command of a batch that was not reached.
        stdout: Decoded with replacement, at most `max_output_bytes`.
        stderr: The same.
        duration_s: From start to end in seconds, as seen from here.
        is_truncated: Whether output was cut.
    """

    argv: tuple[str, ...]
    exit_status: int | None
    stdout: str
    stderr: str
    duration_s: float
    is_truncated: bool = False

    @property
    def is_ok(self) -> bool:
        """Whether it ended with exit status 0."""
        return self.exit_status == 0


@dataclass(frozen=True, slots=True)
class FileToWrite:
    """A file for a host.

    Attributes:
        path: Absolute path.
        content: What goes into it; never shown or logged from here.
        mode: Permission bits.
    """

    path: str
    content: bytes = field(repr=False)
    mode: int = 0o644


class HostSession(Protocol):
    """A logged-in connection to one host. Safe to use from several threads at once."""

    @property
    def spec(self) -> HostSpec:
        """The way the host is reached."""
        ...

    @property
    def privilege(self) -> Privilege:
        """The way to root's rights on it."""
        ...

    @property
    def is_connected(self) -> bool:
        """Whether the connection is up, as far as is known."""
        ...

    def run(self, command: Command, *, token: CancelToken, on_line: LineSink | None = None) -> CommandResult:
        """Run one command.

        Args:
            command: What to run.
            token: Cancelling it closes the channel and raises.
            on_line: Gets each line as it arrives.

        Returns:
            The result, whatever its exit status is.

        Raises:
            ConnectionLost: The connection broke; it is not known whether the command ran.
            DeadlineExceeded: The command did not end in time; its channel was closed.
            PrivilegeMissing: Root's rights are needed and cannot be had.
            Cancelled: The token was cancelled.
        """
        ...

    def run_batch(
        self,
        commands: Sequence[Command],
        *,
        token: CancelToken,
        on_line: BatchLineSink | None = None,
        should_stop_at_failure: bool = False,
    ) -> tuple[CommandResult, ...]:
        """Run commands in turn in a single channel, which saves a round trip each.

        All commands run as root if one of them needs it. None may have stdin. The deadline is the sum of theirs.

        Args:
            commands: What to run, in order.
            token: Cancelling it closes the channel and raises.
            on_line: Gets each line as it arrives.
            should_stop_at_failure: Leave the rest out after a command with an exit status other than 0.

        Returns:
            One result per command, in order; `exit_status` is None where a command was not reached.

        Raises:
            ConnectionLost, DeadlineExceeded, PrivilegeMissing, Cancelled: As for `run`.
        """
        ...

    def write_files(self, files: Sequence[FileToWrite], *, token: CancelToken) -> None:
        """Write files as root, each atomically (written beside, synced, renamed), in a single channel.

        Raises:
            DiskFull: There is no space; what was there before is still there.
            CommandFailed: A file could not be written.
            ConnectionLost, DeadlineExceeded, PrivilegeMissing, Cancelled: As for `run`.
        """
        ...

    def check_new_connection(self, *, token: CancelToken) -> float:
        """Log in once more over a new connection, run `true` there and close it.

        Returns:
            How long that took, in seconds.

        Raises:
            HostUnreachable, AuthenticationFailed, HostKeyChanged, DeadlineExceeded, Cancelled: The login failed.
        """
        ...

    def reconnect(self, *, token: CancelToken) -> None:
        """Make the connection anew after it was lost.

        Raises:
            HostUnreachable, AuthenticationFailed, HostKeyChanged, Cancelled: It could not be made.
        """
        ...

    def close(self) -> None:
        """End the connection. May be called twice."""
        ...


@dataclass(frozen=True, slots=True)
class SessionPair:
    """Connections to both hosts of a pair."""

    a: HostSession
    b: HostSession

    def on(self, side: Side) -> HostSession:
        """Return the connection to the host on one side."""
        return self.a if side is Side.A else self.b
