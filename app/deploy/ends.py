"""One host as deploying sees it, and how scripts run there."""

from __future__ import annotations

import math
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from app.deploy.marks import Mark, MarkSink, parse_marks
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult, HostSession, LineSink, Stream
from app.domain.hosts import Side

MAX_LOG_CHARACTERS = 12_000
_CONTROL = re.compile(r"[^\n\t\x20-\x7e\u00a0-\ud7ff\ue000-\uffff]")


def new_id() -> str:
    """Return a new random name for a tunnel or for one look at a host: 64 bits, no blanks."""
    return secrets.token_hex(8)


def whole_seconds(seconds: float) -> str:
    """Return seconds for a host's `timeout` and shell arithmetic: whole, at least 1."""
    return str(max(1, math.ceil(seconds)))


def printable(text: str, *, limit: int = MAX_LOG_CHARACTERS) -> str:
    """Return the end of what a host printed without control characters, for a log or an error.

    Args:
        text: Untrusted.
        limit: Characters that are kept, from the end.
    """
    cleaned = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return cleaned[-limit:].strip("\n")


@dataclass(frozen=True, slots=True)
class HostEnd:
    """One host.

    Attributes:
        side: Which end of the pair it is.
        session: The connection to it.
        state_dir: Tunnelmark's folder there.
    """

    side: Side
    session: HostSession
    state_dir: str

    @property
    def label(self) -> str:
        """The host's name for people."""
        return self.session.spec.label

    @property
    def console_command(self) -> str:
        """What an engineer runs on the host's console to put it back."""
        return f"sh {self.state_dir}/undo.sh"

    def run_script(
        self,
        script: str,
        arguments: Sequence[str],
        *,
        token: CancelToken,
        timeout_s: float,
        on_line: LineSink | None = None,
        max_output_bytes: int = 1_048_576,
    ) -> CommandResult:
        """Run a script of ours as root; it goes through stdin, so its length does not matter.

        Args:
            script: POSIX sh; defines functions and calls one in its last line.
            arguments: $1, $2 …, of which the first is the state folder.
            token: Cancelling it closes the channel and raises.
            timeout_s: Deadline in seconds.
            on_line: Gets each line as it arrives.
            max_output_bytes: More output is cut.
        """
        command = Command(
            ("sh", "-s", "--", *arguments),
            timeout_s=timeout_s,
            is_root=True,
            stdin=script.encode(),
            max_output_bytes=max_output_bytes,
        )
        return self.session.run(command, token=token, on_line=on_line)

    def run_marked(
        self,
        script: str,
        arguments: Sequence[str],
        *,
        word: str,
        token: CancelToken,
        timeout_s: float,
        on_mark: MarkSink | None = None,
    ) -> tuple[tuple[Mark, ...], CommandResult]:
        """Run a script that says what it does in lines that begin with a word.

        Args:
            script: As for `run_script`.
            arguments: As for `run_script`.
            word: A random word.
            token: As for `run_script`.
            timeout_s: As for `run_script`.
            on_mark: Gets the words of each mark as it arrives.

        Returns:
            The marks, and the result they come from.
        """

        def on_line(stream: Stream, line: str) -> None:
            if on_mark is not None and stream is Stream.STDOUT and line.startswith(f"{word} "):
                on_mark(tuple(line.split(" ")[1:]))

        result = self.run_script(script, arguments, token=token, timeout_s=timeout_s, on_line=on_line)
        return parse_marks(result.stdout, word), result
