"""A connection that breaks in the middle of paramiko's own work is a lost connection, wherever that notices it."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import cast

import paramiko
import pytest

from app.domain.cancel import CancelToken
from app.domain.errors import ConnectionLost
from app.ssh import executor
from app.ssh.dial import Connection
from app.ssh.executor import RemoteJob, Rights, execute
from app.ssh.messages import CONNECTION_LOST_RUNNING
from app.ssh.remote_line import remote_script_line
from app.ssh.streams import LineCollector
from support.message_checks import has_message

BREAKS = [EOFError(), paramiko.SSHException("Key-exchange timed out waiting for key negotiation")]


class Channel:
    """A channel of which one operation fails, as paramiko's do while the connection is breaking.

    Args:
        failing: Name of the operation.
        error: How it fails.
        first: What the host says first.
    """

    def __init__(self, failing: str, error: Exception, first: bytes) -> None:
        self._failing, self._error, self._first = failing, error, first
        self.in_buffer = self.in_stderr_buffer = SimpleNamespace(set_event=lambda _event: None)
        self.closed, self.eof_received, self.exit_status = False, False, -1

    def _do(self, name: str) -> None:
        if name == self._failing:
            raise self._error

    def exit_status_ready(self) -> bool:
        return self.closed

    def recv_ready(self) -> bool:
        return bool(self._first)

    def recv_stderr_ready(self) -> bool:
        return False

    def recv(self, _count: int) -> bytes:
        self._do("recv")
        data, self._first = self._first, b""
        return data

    def send_ready(self) -> bool:
        return True

    def send(self, data: bytes) -> int:
        self._do("send")
        return len(data)

    def shutdown_write(self) -> None:
        self._do("shutdown_write")
        self.closed = True

    def close(self) -> None:
        self._do("close")


@pytest.mark.parametrize("error", BREAKS, ids=["end", "re-keying"])
@pytest.mark.parametrize("failing", ["recv", "send", "shutdown_write", "close"])
@pytest.mark.parametrize("kills_leftovers", [True, False])
def test_whatever_notices_it_says_that_the_connection_is_lost(
    kills_leftovers: bool, failing: str, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = remote_script_line(None)
    channel = Channel(failing, error, f"{line.mark}\n".encode())
    monkeypatch.setattr(executor, "open_channel", lambda *_words, **_more: channel)
    monkeypatch.setattr(executor, "_request", lambda *_words: None)
    job = RemoteJob(line, Rights(), "`sh` on gateway-a", 5.0, b"echo hello\n")
    connection = SimpleNamespace(transport=SimpleNamespace(order=threading.Lock()))
    with pytest.raises(ConnectionLost, check=has_message(CONNECTION_LOST_RUNNING, what="`sh` on gateway-a")):
        execute(
            cast("Connection", connection),
            job,
            LineCollector(100),
            LineCollector(100),
            token=CancelToken(),
            kills_leftovers=kills_leftovers,
        )
