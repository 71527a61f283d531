"""One host as deploying sees it, and how scripts run there."""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult, HostSession, LineSink, Stream
from app.domain.errors import Cancelled, EnvironmentFault
from app.domain.hosts import Side
from app.domain.plain_text import plain_text
from app.domain.script_files import bare_script
from app.host.messages import CONFIRM_PAIR, CONFIRM_SOME_PAIR
from app.host.parallel import deadline_token
from app.host.script_events import ScriptEvent, ScriptEventSink, find, parse_script_events

MAX_LOG_CHARACTERS = 12_000
ASK_S = 10.0
"""Seconds in which a host is asked why a script of ours ended."""
_WHO_ROLLED_BACK = bare_script("tunnel/rolled-back-by.sh")
_TAKERS = {3: "timer", 4: "somebody"}


def new_id() -> str:
    """Return a new random name for a tunnel or for one inspection of a host: 64 bits, no blanks."""
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
    return plain_text(text)[-limit:].strip("\n")


@dataclass(frozen=True, slots=True)
class RemoteHost:
    """One host.

    Attributes:
        side: A or B.
        session: The connection to it.
        state_dir: Tunnelmark's folder there.
        pair: The pair's name, for hints; empty where it is not known.
    """

    side: Side
    session: HostSession
    state_dir: str
    pair: str = ""

    @property
    def label(self) -> str:
        """The host's name for people."""
        return self.session.spec.label

    @property
    def console_command(self) -> str:
        """The command that restores the host from its own console."""
        return f"sh {self.state_dir}/undo.sh"

    def how_to_confirm(self, left_s: int) -> str:
        """Return what to do about a deployment that waits for a confirmation, and for how many seconds it does."""
        left_s = max(1, left_s)
        return CONFIRM_PAIR(pair=self.pair, seconds=left_s) if self.pair else CONFIRM_SOME_PAIR(seconds=left_s)

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

    def run_with_events(
        self,
        script: str,
        arguments: Sequence[str],
        *,
        word: str,
        token: CancelToken,
        timeout_s: float,
        on_event: ScriptEventSink | None = None,
        is_armed: bool = True,
    ) -> tuple[tuple[ScriptEvent, ...], CommandResult]:
        """Run a script that says what it does in lines that begin with a word.

        Where an undo ended it, it cannot say so itself: the host is asked then, and the last mark is
        `failed taken-back` with `timer` or `somebody`.

        Args:
            script: As for `run_script`.
            arguments: As for `run_script`.
            token: As for `run_script`.
            timeout_s: As for `run_script`.
            on_event: Gets the words of each mark as it arrives.
            is_armed: Whether the host's timer runs before the script does; else the mark `armed` says that it runs.

        Returns:
            The marks, and the result they come from.
        """

        def on_line(stream: Stream, line: str) -> None:
            if on_event is not None and stream is Stream.STDOUT and line.startswith(f"{word} "):
                on_event(tuple(line.split(" ")[1:]))

        result = self.run_script(script, arguments, token=token, timeout_s=timeout_s, on_line=on_line)
        events = parse_script_events(result.stdout, word)
        if not is_armed and find(events, "armed") is None:
            return events, result
        is_explained = any(event.words[0] in ("finished", "failed", "refused") for event in events)
        if is_explained and ScriptEvent(("failed", "taken-back")) not in events:
            return events, result
        taker = self._who_rolled_back(word)
        events = tuple(event for event in events if not taker or event.words != ("failed", "taken-back"))
        return (*events, *((ScriptEvent(("failed", "taken-back", taker)),) if taker else ())), result

    def _who_rolled_back(self, tunnel: str) -> str:
        """Return `timer` or `somebody`; empty if nothing was rolled back, or the host does not answer."""
        argv = shell_step_argv(_WHO_ROLLED_BACK, self.state_dir, tunnel)
        try:
            with deadline_token(ASK_S) as token:
                status = self.session.run(Command(argv, timeout_s=ASK_S, is_root=True), token=token).exit_status
        except (EnvironmentFault, Cancelled):
            return ""
        return _TAKERS.get(status or 0, "")
