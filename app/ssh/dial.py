"""Making a connection: TCP or a jump host, key exchange, host key, login."""

from __future__ import annotations

import os
import select
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import paramiko

from app.domain.cancel import CancelToken
from app.domain.credentials import PasswordProvider
from app.domain.errors import HostUnreachable
from app.domain.messages import error_text
from app.ssh import known_hosts
from app.ssh.host_keys import HostKeyPolicy
from app.ssh.login import log_in
from app.ssh.messages import (
    CONNECTION_CLOSED,
    CONNECTION_NOT_SET_UP,
    HOST_UNREACHABLE,
    JUMP_FAILED,
    NAME_OF_HOST_UNKNOWN,
    NAME_UNKNOWN,
    NO_ADDRESS,
    NO_ANSWER,
    NO_COMMON_ALGORITHM,
    NO_SSH_SERVER,
)
from app.ssh.targets import SshTarget
from app.ssh.transport import DEAD_AFTER_S, SETUP_TIMEOUT_S, WatchfulTransport

POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Connection:
    """An SSH connection and the one that it goes through.

    Attributes:
        transport: paramiko's side of it.
        jump: The connection to the jump host; None where the way is direct.
    """

    transport: WatchfulTransport
    jump: Connection | None = None

    @property
    def is_active(self) -> bool:
        """Whether it is up, as far as is known."""
        return self.transport.is_active() and self.transport.is_authenticated()

    def close(self) -> None:
        """End it and what it goes through; no thread is left. May be called twice."""
        self.transport.end()
        if self.jump is not None:
            self.jump.close()


@dataclass(frozen=True, slots=True)
class Dialler:
    """Makes connections.

    Attributes:
        policy: What decides on host keys.
        passwords: Where passwords come from.
    """

    policy: HostKeyPolicy
    passwords: PasswordProvider

    def dial(self, target: SshTarget, *, token: CancelToken) -> Connection:
        """Connect and log in, through jump hosts where there are some; every one of them is verified.

        Raises:
            HostUnreachable, HostKeyUnknown, HostKeyChanged, AuthenticationFailed, DeadlineExceeded, Cancelled:
                What their names say.
        """
        jump = self._dial_jumps(target, token)
        return self._guard(jump, partial(self._dial_last, target, jump, token))

    def _dial_jumps(self, target: SshTarget, token: CancelToken) -> Connection | None:
        connection: Connection | None = None
        for hop in target.jumps:
            connection = self._guard(connection, partial(self._dial_last, hop, connection, token))
        return connection

    @staticmethod
    def _guard(jump: Connection | None, dial: Callable[[], Connection]) -> Connection:
        """Close the jump hosts if what comes after them fails."""
        try:
            return dial()
        except BaseException:
            if jump is not None:
                jump.close()
            raise

    def _dial_last(self, target: SshTarget, jump: Connection | None, token: CancelToken) -> Connection:
        transport = self._shake_hands(target, jump, token)
        try:
            self.policy.verify(target, transport.get_remote_server_key(), self.policy.known_keys(target))
            log_in(transport, target, self.passwords, token=token)
        except BaseException:
            transport.end()
            raise
        transport.start_watching()
        return Connection(transport, jump)

    def _shake_hands(self, target: SshTarget, jump: Connection | None, token: CancelToken) -> WatchfulTransport:
        """Connect and exchange keys; the host's key is not verified yet."""
        keys = self.policy.known_keys(target)
        sock = open_socket(target, token) if jump is None else open_through(jump, target)
        transport = WatchfulTransport(sock, known_hosts.known_types(keys, target.key_name, target.key_port))
        try:
            _exchange_keys(transport, target, token)
        except BaseException:
            transport.end()
            raise
        return transport


def _exchange_keys(transport: WatchfulTransport, target: SshTarget, token: CancelToken) -> None:
    done = threading.Event()
    unregister = token.on_cancel(transport.abort)
    try:
        transport.start_client(event=done)
        is_done = done.wait(SETUP_TIMEOUT_S * 2)
    finally:
        unregister()
    token.raise_if_cancelled()
    error = transport.get_exception()
    if is_done and transport.is_active() and error is None:
        return
    raise _no_ssh(target, error) from error


def _no_ssh(target: SshTarget, error: Exception | None) -> HostUnreachable:
    if isinstance(error, paramiko.ssh_exception.IncompatiblePeer):
        return HostUnreachable(
            NO_COMMON_ALGORITHM(host=target, reason=error),
        )
    if error is not None and "banner" in str(error):
        return HostUnreachable(
            NO_SSH_SERVER(address=target.named_address, port=target.port),
        )
    reason = (error_text(error) or CONNECTION_CLOSED()) if error else NO_ANSWER(seconds=SETUP_TIMEOUT_S)
    return HostUnreachable(CONNECTION_NOT_SET_UP(host=target, reason=reason))


def open_through(jump: Connection, target: SshTarget) -> paramiko.Channel:
    """Open a way to a host through a jump host.

    Raises:
        HostUnreachable: The jump host cannot or may not reach it.
    """
    try:
        return jump.transport.open_channel(
            "direct-tcpip", (target.address, target.port), ("127.0.0.1", 0), timeout=SETUP_TIMEOUT_S
        )
    except (paramiko.SSHException, EOFError, OSError) as error:
        raise HostUnreachable(
            JUMP_FAILED(address=target.named_address, port=target.port, reason=error),
        ) from error


def open_socket(target: SshTarget, token: CancelToken) -> socket.socket:
    """Connect to a host's SSH port, trying each of its addresses.

    Raises:
        HostUnreachable: None of them answered.
        Cancelled: The token was cancelled.
    """
    token.raise_if_cancelled()
    try:
        found = socket.getaddrinfo(target.address, target.port, type=socket.SOCK_STREAM)
    except OSError as error:
        label = target.spec.label
        reason = error.strerror
        if label == target.address:
            raise HostUnreachable(NAME_UNKNOWN(name=target.address, reason=reason)) from error
        raise HostUnreachable(NAME_OF_HOST_UNKNOWN(name=target.address, host=label, reason=reason)) from error
    deadline_s = time.monotonic() + SETUP_TIMEOUT_S
    reasons: list[str] = []
    for family, kind, protocol, _, address in found:
        sock = socket.socket(family, kind, protocol)
        try:
            _connect(sock, address, deadline_s, token)
        except OSError as error:
            sock.close()
            reasons.append(error.strerror or error_text(error))
            continue
        except BaseException:
            sock.close()
            raise
        _tune(sock)
        return sock
    why = list(dict.fromkeys(reasons)) or NO_ADDRESS()
    raise HostUnreachable(
        HOST_UNREACHABLE(host=target, why=why),
    )


def _connect(sock: socket.socket, address: object, deadline_s: float, token: CancelToken) -> None:
    """Connect without blocking, so that cancelling works at once."""
    sock.settimeout(0)
    try:
        sock.connect(address)  # type: ignore[arg-type]  # what getaddrinfo gave
    except BlockingIOError:
        pass
    while True:
        token.raise_if_cancelled()
        _, writable, failed = select.select([], [sock], [sock], POLL_S)
        if writable or failed:
            break
        if time.monotonic() >= deadline_s:
            raise TimeoutError(NO_ANSWER(seconds=SETUP_TIMEOUT_S))
    number = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if number:
        raise OSError(number, os.strerror(number))


def _tune(sock: socket.socket) -> None:
    """No Nagle delay (commands are small), and an end to waiting for a host that acknowledges nothing."""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    user_timeout = getattr(socket, "TCP_USER_TIMEOUT", None)  # Linux
    if user_timeout is not None:
        sock.setsockopt(socket.IPPROTO_TCP, user_timeout, int(DEAD_AFTER_S * 1000))
