"""A logged-in connection to one host: the port through which every part talks to it."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Sequence
from functools import partial

from app.domain.cancel import CancelToken
from app.domain.commands import BatchLineSink, Command, CommandResult, FileToWrite, LineSink, Stream
from app.domain.errors import CommandFailed, ConnectionLost, HostUnreachable, PrivilegeMissing
from app.domain.hosts import HostSpec, Privilege
from app.ssh.batch import Batch
from app.ssh.dial import Connection, Dialler
from app.ssh.executor import RemoteJob, Rights, execute
from app.ssh.logs import logger
from app.ssh.messages import (
    BATCH_OF,
    NO_CONNECTION_ANY_MORE,
    RUNS_NOTHING,
    RUNS_NOTHING_STATUS,
    SHELL_ENDED,
    SUDO_PASSWORD_CHANGED,
    TRUE_ON,
    WRITING_OF,
)
from app.ssh.privileges import Privileges
from app.ssh.pump import WrongSudoPassword
from app.ssh.remote_line import remote_line, remote_script_line
from app.ssh.streams import LineCollector, OutputSink
from app.ssh.targets import SshTarget
from app.ssh.upload import upload_error, upload_script

UPLOAD_TIMEOUT_S = 30.0
UPLOAD_BYTES_PER_S = 100_000
"""A slow mobile link; an upload's deadline grows with its size accordingly."""

CHECK_TIMEOUT_S = 15.0


class SshSession:
    """HostSession over SSH. Safe to use from several threads at once.

    Args:
        dialler: Makes its connections.
        privileges: How root's rights are got there.
        connection: A connection that is up.
    """

    def __init__(self, target: SshTarget, dialler: Dialler, privileges: Privileges, connection: Connection) -> None:
        self._target = target
        self._dialler = dialler
        self._privileges = privileges
        self._connection = connection
        self._lock = threading.Lock()
        self._is_closed = False

    def __repr__(self) -> str:
        return f"<SshSession {self._target}>"

    @property
    def spec(self) -> HostSpec:
        """The way the host is reached."""
        return self._target.spec

    @property
    def privilege(self) -> Privilege:
        """The way to root's rights on it; asks the host the first time."""
        return self._privileges.known or self._privileges.detect(self._connected(), token=CancelToken())

    @property
    def is_connected(self) -> bool:
        """Whether the connection is up, as far as is known."""
        return not self._is_closed and self._connection.is_active

    def run(self, command: Command, *, token: CancelToken, on_line: LineSink | None = None) -> CommandResult:
        """Run one command; see HostSession."""
        connection = self._connected()
        rights = self._rights(connection, token, is_root=command.is_root)
        out, err = (
            LineCollector(command.max_output_bytes, partial(on_line, stream) if on_line else None) for stream in Stream
        )
        line = remote_line(command.argv, rights.privilege)
        what = f"`{command.argv[0]}` on {self.spec.label}"
        job = RemoteJob(line, rights, what, command.timeout_s, command.stdin or b"")
        started_s = time.monotonic()
        status = self._execute(connection, job, out, err, token)
        duration_s = time.monotonic() - started_s
        logger.debug("%s: exit status %d after %.3f s", what, status, duration_s)
        is_truncated = out.is_truncated or err.is_truncated
        return CommandResult(command.argv, status, out.text(), err.text(), duration_s, is_truncated)

    def run_batch(
        self,
        commands: Sequence[Command],
        *,
        token: CancelToken,
        on_line: BatchLineSink | None = None,
        should_stop_at_failure: bool = False,
    ) -> tuple[CommandResult, ...]:
        """Run commands in turn in a single channel; see HostSession."""
        if not commands:
            return ()
        connection = self._connected()
        rights = self._rights(connection, token, is_root=any(command.is_root for command in commands))
        batch = Batch(commands, on_line, should_stop_at_failure=should_stop_at_failure)
        line = remote_script_line(rights.privilege)
        what = BATCH_OF(count=len(commands), host=self.spec.label)
        job = RemoteJob(line, rights, what, sum(command.timeout_s for command in commands), batch.script)
        batch.started()
        status = self._execute(connection, job, batch.out, batch.err, token)
        if not batch.is_complete:
            raise self._batch_broke(batch, commands, status)
        return batch.results()

    def write_files(self, files: Sequence[FileToWrite], *, token: CancelToken) -> None:
        """Write files as root, atomically, in a single channel; see HostSession."""
        if not files:
            return
        connection = self._connected()
        rights = self._rights(connection, token, is_root=True)
        report = secrets.token_hex(16)
        script = upload_script(files, report)
        timeout_s = UPLOAD_TIMEOUT_S + len(script) / UPLOAD_BYTES_PER_S
        what = WRITING_OF(count=len(files), host=self.spec.label)
        err = LineCollector(65_536)
        job = RemoteJob(remote_script_line(rights.privilege), rights, what, timeout_s, script)
        if self._execute(connection, job, LineCollector(0), err, token) != 0:
            raise upload_error(files, err.text(), report, str(self._target))

    def check_new_connection(self, *, token: CancelToken) -> float:
        """Log in once more over a new connection, run `true` there and close it; see HostSession."""
        started_s = time.monotonic()
        connection = self._dialler.dial(self._target, token=token)
        try:
            line = remote_line(("true",), None)
            job = RemoteJob(line, Rights(), TRUE_ON(host=self.spec.label), CHECK_TIMEOUT_S)
            status = execute(connection, job, LineCollector(0), LineCollector(0), token=token)
        except (ConnectionLost, CommandFailed) as error:
            raise HostUnreachable(RUNS_NOTHING(host=self._target, reason=error.message)) from error
        finally:
            connection.close()
        if status != 0:
            raise HostUnreachable(RUNS_NOTHING_STATUS(host=self._target, status=status))
        return time.monotonic() - started_s

    def reconnect(self, *, token: CancelToken) -> None:
        """Make the connection anew; see HostSession."""
        connection = self._dialler.dial(self._target, token=token)
        with self._lock:
            old, self._connection, self._is_closed = self._connection, connection, False
        old.close()

    def close(self) -> None:
        """End the connection. May be called twice."""
        with self._lock:
            self._is_closed = True
        self._connection.close()

    def _connected(self) -> Connection:
        with self._lock:
            if not self._is_closed and self._connection.is_active:
                return self._connection
        raise ConnectionLost(NO_CONNECTION_ANY_MORE(host=self._target))

    def _rights(self, connection: Connection, token: CancelToken, *, is_root: bool) -> Rights:
        return self._privileges.rights(connection, token=token) if is_root else Rights()

    def _execute(
        self, connection: Connection, job: RemoteJob, out: OutputSink, err: OutputSink, token: CancelToken
    ) -> int:
        try:
            return execute(connection, job, out, err, token=token)
        except WrongSudoPassword:
            self._privileges.forget_sudo_secret()
            raise PrivilegeMissing(
                SUDO_PASSWORD_CHANGED(host=self._target),
            ) from None

    def _batch_broke(self, batch: Batch, commands: Sequence[Command], status: int) -> CommandFailed:
        reached = batch.reached
        command = commands[min(reached, len(commands) - 1)]
        return CommandFailed(
            SHELL_ENDED(
                host=self.spec.label, status=status, command=command.argv[0], number=reached + 1, count=len(commands)
            ),
            context={"host": self.spec.label, "reached": str(reached)},
        )
