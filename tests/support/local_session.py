"""HostSession on this computer: the real batch script, fed to a real shell. For read-only commands."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from app.domain.cancel import CancelToken
from app.domain.commands import BatchLineSink, Command, CommandResult, FileToWrite, LineSink
from app.domain.hosts import HostSpec, Privilege
from app.ssh.batch import Batch


class LocalSession:
    """Implements HostSession.

    Args:
        shell: argv of a shell that reads a script on its stdin.
        privilege: What it says of its rights.
    """

    def __init__(self, shell: Sequence[str] = ("sh",), privilege: Privilege = Privilege.ROOT) -> None:
        self.spec = HostSpec("here", "127.0.0.1")
        self.privilege = privilege
        self.is_connected = True
        self._shell = tuple(shell)

    def run_batch(
        self,
        commands: Sequence[Command],
        *,
        token: CancelToken,
        on_line: BatchLineSink | None = None,
        should_stop_at_failure: bool = False,
    ) -> tuple[CommandResult, ...]:
        token.raise_if_cancelled()
        batch = Batch(commands, on_line, should_stop_at_failure=should_stop_at_failure)
        ended = subprocess.run(self._shell, input=batch.script, capture_output=True, check=False, timeout=60)
        batch.out.feed(ended.stdout)
        batch.err.feed(ended.stderr)
        batch.out.finish()
        batch.err.finish()
        assert batch.is_complete, ended.stderr.decode(errors="replace")[-2000:]
        return batch.results()

    def run(self, command: Command, *, token: CancelToken, on_line: LineSink | None = None) -> CommandResult:
        (result,) = self.run_batch((command,), token=token)
        return result

    def write_files(self, files: Sequence[FileToWrite], *, token: CancelToken) -> None:
        raise NotImplementedError

    def check_new_connection(self, *, token: CancelToken) -> float:
        raise NotImplementedError

    def reconnect(self, *, token: CancelToken) -> None:
        raise NotImplementedError

    def close(self) -> None:
        self.is_connected = False
