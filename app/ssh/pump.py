"""Moves bytes between one channel and its sinks until the command ends, time is up or the job is cancelled."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field

import paramiko

from app.domain.cancel import CancelToken
from app.domain.errors import CommandFailed, ConnectionLost, DeadlineExceeded, PrivilegeMissing
from app.ssh.messages import COMMAND_TOO_SLOW, CONNECTION_LOST_RUNNING, NO_REASON, ROOT_REFUSED, SHELL_DID_NOT_RUN
from app.ssh.streams import OutputSink

CHUNK_BYTES = 65_536
TICK_S = 0.1
"""Seconds at most until an exit status is noticed whose channel remains open."""

OPEN_AFTER_EXIT_S = 0.5
"""Seconds that a channel may remain open after the exit status (a daemon that kept stdout holds it)."""

MAX_PREAMBLE_BYTES = 16_384


class WrongSudoPassword(Exception):
    """sudo asked a second time."""


@dataclass(slots=True)
class CommandGate:
    """Gate before a command starts: the login shell's start-up files, sudo.

    The start mark on a stream ends this stage for that stream; what comes before it is not the command's. sudo's
    question holds 128 random bits, so nothing else can pass for it, and it is answered once; after the start mark no
    answer is ever given, and only then the command's own stdin is sent where sudo might have read it.

    Attributes:
        mark: The line that says that the command has started.
        prompt: sudo's question; empty if it cannot ask.
        answer: What to send to it, with its line end.
        received: What came on stderr before the start mark.
    """

    mark: bytes
    prompt: bytes = b""
    answer: bytes = field(default=b"", repr=False)
    received: bytes = b""
    _before_out: bytes = b""
    _is_out_open: bool = False
    _is_err_open: bool = False
    _is_answered: bool = False

    @property
    def is_open(self) -> bool:
        """Whether the command has started."""
        return self._is_err_open

    @property
    def may_send(self) -> bool:
        """Whether the command's stdin may be sent."""
        return self._is_err_open or not self.prompt

    def feed_out(self, data: bytes) -> bytes:
        """Take bytes from stdout; return what belongs to the command's own."""
        if self._is_out_open:
            return data
        self._before_out = (self._before_out + data)[-MAX_PREAMBLE_BYTES - len(data) :]
        _, found, after = self._before_out.partition(self.mark + b"\n")
        self._is_out_open = bool(found)
        return after

    def feed_err(self, data: bytes) -> tuple[bytes, bytes]:
        """Take bytes from stderr.

        Returns:
            What belongs to the command's own stderr, and what has to be sent to its stdin now.

        Raises:
            WrongSudoPassword: sudo asked again.
        """
        if self._is_err_open:
            return data, b""
        self.received = (self.received + data)[-MAX_PREAMBLE_BYTES - len(data) :]
        answer = b""
        if self.prompt and self.prompt in self.received:
            if self._is_answered:
                raise WrongSudoPassword
            self._is_answered = True
            self.received = self.received.replace(self.prompt, b"", 1)
            answer = self.answer
        before, found, after = self.received.partition(self.mark + b"\n")
        if not found:
            return b"", answer
        self._is_err_open = True
        self.received = before
        return after, answer


@dataclass(slots=True)
class Exchange:
    """One command's traffic.

    Attributes:
        out: Gets stdout.
        err: Gets stderr.
        stdin: What to send, once the gate is open; then comes the end of input.
        gate: What has to happen first.
        is_elevated: Whether sudo or doas precedes the command.
    """

    out: OutputSink
    err: OutputSink
    gate: CommandGate
    stdin: bytes = field(default=b"", repr=False)
    is_elevated: bool = False


class _Wake(threading.Event):
    """Set by paramiko when data or an end arrives; cleared by us alone, since two buffers share it."""

    def clear(self) -> None:
        """Do nothing: paramiko clears it when one buffer is empty, though the other may hold data."""

    def reset(self) -> None:
        """Forget what was set."""
        super().clear()


def pump(
    channel: paramiko.Channel,
    exchange: Exchange,
    *,
    order: threading.Lock,
    token: CancelToken,
    deadline_s: float,
    what: str,
) -> int:
    """Serve a channel until its command has ended.

    Args:
        channel: An open channel whose command was requested.
        exchange: Where its bytes go to and come from.
        order: Held while input is sent, so that nothing of it follows the answer to a CLOSE.
        deadline_s: On the monotonic clock, in seconds.
        what: The command and its host in words, for errors.

    Returns:
        The exit status.

    Raises:
        ConnectionLost: The channel ended without an exit status.
        DeadlineExceeded: Time is up.
        PrivilegeMissing: sudo or doas ended without starting the command.
        CommandFailed: The login shell did not start it.
        WrongSudoPassword: sudo asked again.
        Cancelled: The token was cancelled.
    """
    wake = _Wake()
    wake.set()
    channel.in_buffer.set_event(wake)
    channel.in_stderr_buffer.set_event(wake)
    unregister = token.on_cancel(wake.set)
    try:
        sender = _Sender(channel, exchange.stdin, order)
        return _serve(channel, exchange, sender, wake, token=token, deadline_s=deadline_s, what=what)
    except (EOFError, paramiko.SSHException) as error:
        raise _lost(what) from error
    finally:
        unregister()


def _serve(
    channel: paramiko.Channel,
    exchange: Exchange,
    sender: _Sender,
    wake: _Wake,
    *,
    token: CancelToken,
    deadline_s: float,
    what: str,
) -> int:
    exited_at_s: float | None = None
    while True:
        wake.wait(min(sender.pause_s(), max(0.0, deadline_s - time.monotonic())))
        wake.reset()
        token.raise_if_cancelled()
        # Asked before draining: what came in before these became true is certainly seen by the draining.
        is_over = channel.closed or (channel.eof_received and channel.exit_status_ready())
        did_exit = channel.exit_status_ready()
        did_move = _drain(channel, exchange, sender)
        sender.go_on(is_allowed=exchange.gate.may_send)
        if is_over:
            break
        if did_exit and not did_move:
            exited_at_s = exited_at_s or time.monotonic()
            if time.monotonic() - exited_at_s > OPEN_AFTER_EXIT_S:
                break
        if time.monotonic() >= deadline_s:
            raise DeadlineExceeded(COMMAND_TOO_SLOW(what=what))
    exchange.out.finish()
    exchange.err.finish()
    return _status(channel, exchange, what)


def _drain(channel: paramiko.Channel, exchange: Exchange, sender: _Sender) -> bool:
    """Hand on everything that has arrived; return whether there was anything."""
    did_move = False
    while channel.recv_ready():
        data = channel.recv(CHUNK_BYTES)
        if not data:
            break
        own = exchange.gate.feed_out(data)
        if own:
            exchange.out.feed(own)
        did_move = True
    while channel.recv_stderr_ready():
        data = channel.recv_stderr(CHUNK_BYTES)
        if not data:
            break
        own, answer = exchange.gate.feed_err(data)
        if answer:
            sender.send_first(answer)
        if own:
            exchange.err.feed(own)
        did_move = True
    return did_move


def _status(channel: paramiko.Channel, exchange: Exchange, what: str) -> int:
    status: int = channel.exit_status
    if status < 0:
        raise _lost(what)
    if not exchange.gate.is_open:
        raise _not_started(exchange, what)
    return status


def _lost(what: str) -> ConnectionLost:
    return ConnectionLost(CONNECTION_LOST_RUNNING(what=what))


def _not_started(exchange: Exchange, what: str) -> PrivilegeMissing | CommandFailed:
    received = exchange.gate.received.decode("utf-8", errors="replace").strip().splitlines()
    reason = received[-1][:300] if received else NO_REASON()
    if exchange.is_elevated:
        return PrivilegeMissing(
            ROOT_REFUSED(what=what, reason=reason),
        )
    return CommandFailed(
        SHELL_DID_NOT_RUN(what=what, reason=reason),
    )


class _Sender:
    """Sends a command's stdin in pieces that the window has room for, then the end of input."""

    def __init__(self, channel: paramiko.Channel, stdin: bytes, order: threading.Lock) -> None:
        self._channel = channel
        self._order = order
        self._rest = memoryview(stdin)
        self._is_done = False

    def pause_s(self) -> float:
        """Return how long may be waited before the next check: room in the window wakes no thread."""
        return TICK_S if self._is_done or not self._rest else TICK_S / 10

    def send_first(self, data: bytes) -> None:
        """Send the answer to a question ahead of everything else."""
        with suppress(OSError), self._order:  # as in `go_on`; a new channel's window has room for it
            self._channel.sendall(data)

    def go_on(self, *, is_allowed: bool) -> None:
        """Send what there is room for."""
        if self._is_done or not is_allowed:
            return
        try:
            while self._rest and self._channel.send_ready():
                with self._order:
                    sent = self._channel.send(bytes(self._rest[:CHUNK_BYTES]))
                self._rest = self._rest[sent:]
            if not self._rest:
                with self._order:
                    self._channel.shutdown_write()
                self._is_done = True
        except OSError:
            self._is_done = True  # the command closed its stdin or ended; its status says what that means
