"""Runs one shell line on a connection: opens the channel, answers sudo, moves the bytes, kills what is left over."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field

import paramiko

from app.domain.cancel import CancelToken
from app.domain.credentials import Secret
from app.domain.errors import CommandFailed, ConnectionLost, DeadlineExceeded, PrivilegeMissing
from app.domain.hosts import Privilege
from app.domain.script_files import bare_script
from app.ssh.dial import Connection
from app.ssh.logs import logger
from app.ssh.messages import CHANNEL_REFUSED, CHANNEL_TOO_LATE, CLEAN_UP_AFTER, CONNECTION_LOST_AT_START
from app.ssh.pump import CommandGate, Exchange, WrongSudoPassword, pump
from app.ssh.remote_line import RemoteLine, remote_script_line
from app.ssh.streams import LineCollector, OutputSink
from app.ssh.transport import SETUP_TIMEOUT_S

KILL_TIMEOUT_S = 8.0
"""Seconds that the clean-up of a cancelled command may take."""

FULL_PAUSE_S = 0.1
"""Pause before asking again for a channel that the host refused because too many are open, in seconds."""

# Source: RFC 4254, section 5.1: SSH_OPEN_CONNECT_FAILED (what sshd says past MaxSessions), SSH_OPEN_RESOURCE_SHORTAGE.
_FULL = {2, 4}

KILL_SCRIPT = bare_script("ssh/kill.sh")


@dataclass(frozen=True, slots=True)
class Rights:
    """Rights of one run, and their source.

    Attributes:
        privilege: How root's rights are got; None to run as the user that logged in.
        sudo_secret: The password for sudo, known to be right.
    """

    privilege: Privilege | None = None
    sudo_secret: Secret | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class RemoteJob:
    """One shell line with its surroundings.

    Attributes:
        line: What runs.
        rights: With which rights.
        what: The command and its host in words, for errors.
        timeout_s: Deadline in seconds.
        stdin: What it reads.
    """

    line: RemoteLine
    rights: Rights
    what: str
    timeout_s: float
    stdin: bytes = field(default=b"", repr=False)


def execute(
    connection: Connection,
    job: RemoteJob,
    out: OutputSink,
    err: OutputSink,
    *,
    token: CancelToken,
    kills_leftovers: bool = True,
) -> int:
    """Run a job until it ends; kill what it started if it does not end well, unless it is the killing itself.

    Returns:
        The exit status.

    Raises:
        ConnectionLost, DeadlineExceeded, PrivilegeMissing, WrongSudoPassword, Cancelled: As `pump` says.
    """
    token.raise_if_cancelled()
    deadline_s = time.monotonic() + job.timeout_s
    channel = open_channel(connection, job.what, deadline_s=deadline_s, token=token)
    is_done = False
    try:
        _request(connection, channel, job)
        order = connection.transport.order
        exchange = _exchange(job, out, err)
        status = pump(channel, exchange, order=order, token=token, deadline_s=deadline_s, what=job.what)
        is_done = True
    except (CommandFailed, ConnectionLost, PrivilegeMissing, WrongSudoPassword):
        is_done = True  # it is out of reach, or was never started
        raise
    finally:
        _close(channel)
        if kills_leftovers and not is_done:
            kill_leftovers(connection, job)
    return status


def _exchange(job: RemoteJob, out: OutputSink, err: OutputSink) -> Exchange:
    secret = job.rights.sudo_secret
    gate = CommandGate(
        mark=job.line.mark.encode(),
        prompt=job.line.prompt.encode() if job.line.prompt else b"",
        answer=secret.value.encode() + b"\n" if secret else b"\n",
    )
    return Exchange(out, err, gate, stdin=job.line.prelude + job.stdin, is_elevated=job.rights.privilege is not None)


def open_channel(connection: Connection, what: str, *, deadline_s: float, token: CancelToken) -> paramiko.Channel:
    """Open a session channel, waiting for a free one if the host allows no more at a time.

    Raises:
        ConnectionLost: The connection is gone.
        CommandFailed: The host opens none on principle.
        DeadlineExceeded: The host opened none in time.
        Cancelled: The token was cancelled.
    """
    while True:
        remaining_s = max(0.1, deadline_s - time.monotonic())
        try:
            return connection.transport.open_session(timeout=min(SETUP_TIMEOUT_S, remaining_s))
        except (paramiko.SSHException, EOFError, OSError) as error:
            token.raise_if_cancelled()
            if not connection.is_active:
                raise _lost(what) from error
            # paramiko keeps one exception per connection: of several refused at once, only one gets the reason.
            if isinstance(error, paramiko.ChannelException) and error.code not in _FULL:
                raise CommandFailed(CHANNEL_REFUSED(what=what, reason=error)) from error
            if time.monotonic() >= deadline_s:
                raise DeadlineExceeded(CHANNEL_TOO_LATE(what=what)) from error
        token.sleep(FULL_PAUSE_S)


def _close(channel: paramiko.Channel) -> None:
    # The host is informed, unless the connection is breaking just then.
    with suppress(EOFError, OSError, paramiko.SSHException):
        channel.close()


def _request(connection: Connection, channel: paramiko.Channel, job: RemoteJob) -> None:
    try:
        connection.transport.request_exec(channel, job.line.text)
    except (paramiko.SSHException, EOFError, OSError) as error:
        raise _lost(job.what) from error


def _lost(what: str) -> ConnectionLost:
    return ConnectionLost(CONNECTION_LOST_AT_START(what=what))


def kill_leftovers(connection: Connection, job: RemoteJob) -> None:
    """Kill what a run left behind on the host. Closing a channel without a terminal kills nothing by itself.

    Failing here raises nothing: the error or the cancelling that led here is what counts; it is logged.

    Args:
        connection: Where the job ran.
    """
    if not connection.is_active:
        return
    line = remote_script_line(job.rights.privilege)
    script = KILL_SCRIPT.replace("@MARK@", job.line.mark)
    work = RemoteJob(line, job.rights, CLEAN_UP_AFTER(what=job.what), KILL_TIMEOUT_S, script.encode())
    err = LineCollector(4096)
    try:
        status = execute(connection, work, LineCollector(0), err, token=CancelToken(), kills_leftovers=False)
    except (CommandFailed, ConnectionLost, DeadlineExceeded, PrivilegeMissing, WrongSudoPassword) as error:
        logger.warning("What %s left running could not be killed: %s", job.what, error)
        return
    if status != 0:
        logger.warning("Something that %s started is still running: %s", job.what, err.text().strip()[:300])
