"""An SSH transport that notices when the other side is gone, and that ends without leaving a thread behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from socket import SHUT_RDWR, socket
from typing import Any, ClassVar

import paramiko
from paramiko.common import MSG_CHANNEL_CLOSE, MSG_CHANNEL_REQUEST, cMSG_CHANNEL_REQUEST, cMSG_GLOBAL_REQUEST
from paramiko.message import Message
from paramiko.packet import Packetizer

from app.ssh.logs import adopt_paramiko_logging
from app.ssh.messages import NO_ANSWER_FOR

SETUP_TIMEOUT_S = 15.0
"""For each of: TCP connection, SSH banner and key exchange, login."""

KEEPALIVE_INTERVAL_S = 5.0
KEEPALIVES_UNANSWERED = 3
"""Dead after 4 intervals: three questions without an answer, and the fourth pause."""

DEAD_AFTER_S = KEEPALIVE_INTERVAL_S * (KEEPALIVES_UNANSWERED + 1)

_ORDER_TIMEOUT_S = 5.0
"""A sender that holds the order for longer waits for a slow link, and has handed over what it sends."""

# No CBC, no SHA-1, no MD5, no 3DES; the order is paramiko's preference for what it offers first.
CIPHERS = ("aes128-gcm@openssh.com", "aes256-gcm@openssh.com", "aes128-ctr", "aes192-ctr", "aes256-ctr")
MACS = ("hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com", "hmac-sha2-256", "hmac-sha2-512")

# Source: RFC 4254, section 6.10, names; Linux signal(7), numbers.
_SIGNALS = {
    "HUP": 1,
    "INT": 2,
    "QUIT": 3,
    "ILL": 4,
    "ABRT": 6,
    "FPE": 8,
    "KILL": 9,
    "USR1": 10,
    "SEGV": 11,
    "USR2": 12,
    "PIPE": 13,
    "ALRM": 14,
    "TERM": 15,
}


class _WatchfulPacketizer(Packetizer):
    """Knows when something last came in, and says when nothing comes."""

    def __init__(self, sock: socket) -> None:
        super().__init__(sock)
        self.last_received_s = time.monotonic()
        self.on_quiet: Callable[[], None] | None = None

    def read_message(self) -> tuple[int, Message]:
        """Read one message and note the time."""
        message = super().read_message()
        self.last_received_s = time.monotonic()
        return message

    def _check_keepalive(self) -> None:
        # Called by paramiko in its thread each time 0.1 s passed without data. Its own keepalives want no answer, so
        # they cannot tell a quiet host from a dead one.
        if self.on_quiet is not None:
            self.on_quiet()


def _handle_channel_request(channel: paramiko.Channel, message: Message) -> None:
    """Do what paramiko does, and also understand `exit-signal`, which it drops.

    Source: RFC 4254, section 6.10.
    """
    start = message.packet.tell()
    if message.get_text() == "exit-signal":
        message.get_boolean()
        channel.exit_status = 128 + _SIGNALS.get(message.get_text(), 0)
        channel.status_event.set()
        return
    message.packet.seek(start)
    channel._handle_request(message)  # type: ignore[attr-defined]  # noqa: SLF001 - the handler this one replaces


def _handle_channel_close(channel: paramiko.Channel, message: Message) -> None:
    """Answer a CLOSE when no input of a channel is being sent.

    paramiko makes a message under the channel's lock and sends it afterwards. An end of input that is sent after the
    answer belongs to no channel any more, and sshd ends the whole connection for it (paramiko/paramiko#1115).

    While new keys are agreed on nothing can be sent, and the thread that runs this is the one that agrees on them: a
    CLOSE that was on its way when that began is answered afterwards. paramiko waits for itself until it gives up.
    """
    transport = channel.get_transport()
    assert isinstance(transport, WatchfulTransport)  # noqa: S101 - only its table has this handler
    if not transport.clear_to_send.is_set():
        transport.closes.append((channel, message))
        return
    is_held = transport.order.acquire(timeout=_ORDER_TIMEOUT_S)
    try:
        channel._handle_close(message)  # type: ignore[attr-defined]  # noqa: SLF001 - the handler this one replaces
    finally:
        if is_held:
            transport.order.release()


class WatchfulTransport(paramiko.Transport):
    """paramiko's transport with answered keepalives, exit signals, modern algorithms only, and an orderly end.

    Args:
        sock: A connected socket, or a channel through a jump host.
        host_key_types: Key types known for the host, wanted first.

    Attributes:
        order: Held by the thread that sends a channel's input or its end, and while a CLOSE is answered.
        closes: Channels with the CLOSE that is answered once the new keys are in use.
    """

    _channel_handler_table: ClassVar[dict[int, Any]] = {
        **paramiko.Transport._channel_handler_table,  # type: ignore[attr-defined]  # noqa: SLF001 - extended, not changed
        MSG_CHANNEL_REQUEST: _handle_channel_request,
        MSG_CHANNEL_CLOSE: _handle_channel_close,
    }

    def __init__(self, sock: socket | paramiko.Channel, host_key_types: tuple[str, ...] = ()) -> None:
        self.order = threading.Lock()
        self.closes: list[tuple[paramiko.Channel, Message]] = []
        super().__init__(sock, packetizer_class=_WatchfulPacketizer)
        self.set_log_channel(adopt_paramiko_logging())
        options = self.get_security_options()
        options.ciphers = CIPHERS
        options.digests = MACS
        options.key_types = self._ordered_key_types(host_key_types, tuple(options.key_types))
        self.banner_timeout = SETUP_TIMEOUT_S
        self.handshake_timeout = SETUP_TIMEOUT_S
        self.auth_timeout = SETUP_TIMEOUT_S
        self.channel_timeout = SETUP_TIMEOUT_S
        self._asked_at_s = 0.0
        self._unanswered = 0

    @staticmethod
    def _ordered_key_types(known: tuple[str, ...], offered: tuple[str, ...]) -> tuple[str, ...]:
        """Put known key types first, as OpenSSH does; an RSA key is used with its SHA-2 signatures."""
        wanted: list[str] = []
        for key_type in known:
            wanted += ["rsa-sha2-512", "rsa-sha2-256"] if key_type == "ssh-rsa" else [key_type]
        first = [key_type for key_type in dict.fromkeys(wanted) if key_type in offered]
        return (*first, *(key_type for key_type in offered if key_type not in first))

    def _parse_newkeys(self, message: Message) -> None:
        """Answer what had to wait for the new keys. Runs in the transport's thread."""
        super()._parse_newkeys(message)  # type: ignore[misc]  # paramiko's handler, which this one extends
        waiting, self.closes = self.closes, []
        for channel, close in waiting:
            _handle_channel_close(channel, close)

    def start_watching(self) -> None:
        """Begin to send keepalives, now that the user is logged in."""
        assert isinstance(self.packetizer, _WatchfulPacketizer)  # noqa: S101 - made so above
        self.packetizer.on_quiet = self._on_quiet

    def _on_quiet(self) -> None:
        """Ask for a sign of life, or end the connection. Runs in the transport's thread."""
        now_s = time.monotonic()
        received_s: float = self.packetizer.last_received_s  # type: ignore[attr-defined]
        if received_s > self._asked_at_s:
            self._unanswered = 0
        if now_s - max(received_s, self._asked_at_s) < KEEPALIVE_INTERVAL_S or not self.clear_to_send.is_set():
            return
        if self._unanswered >= KEEPALIVES_UNANSWERED:
            raise EOFError(NO_ANSWER_FOR(seconds=now_s - received_s))
        self._asked_at_s = now_s
        self._unanswered += 1
        question = Message()
        question.add_byte(cMSG_GLOBAL_REQUEST)
        question.add_string("keepalive@openssh.com")
        question.add_boolean(b=True)
        self._send_user_message(question)  # type: ignore[attr-defined]

    def request_exec(self, channel: paramiko.Channel, line: str) -> None:
        """Ask for a command on an open channel without waiting for the answer, which saves a round trip before stdin.

        A refusal closes the channel (RFC 4254, section 6.5).

        Args:
            line: What the user's shell is to run.
        """
        request = Message()
        request.add_byte(cMSG_CHANNEL_REQUEST)
        request.add_int(channel.remote_chanid)
        request.add_string("exec")
        request.add_boolean(b=True)
        request.add_string(line)
        self._send_user_message(request)  # type: ignore[attr-defined]

    def end(self) -> None:
        """Close the connection and wait for its thread; may be called twice, and from any thread but its own."""
        self.packetizer.complete_handshake()  # ends paramiko's timer thread
        self.close()
        self.abort()
        if self.is_alive() and self is not threading.current_thread():
            self.join(timeout=5.0)

    def abort(self) -> None:
        """Tear the connection down at once, without waiting for anything. Does not raise."""
        self.packetizer.close()
        try:
            self.sock.shutdown(SHUT_RDWR)
        except (OSError, EOFError, paramiko.SSHException):
            pass  # it was not connected, or is gone already
        self.sock.close()
