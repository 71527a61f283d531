"""Connections to pairs, kept open between the steps of a comparison."""

from __future__ import annotations

import threading

from app.domain.cancel import CancelToken
from app.domain.commands import HostSession, SessionPair
from app.domain.concurrency import run_both
from app.domain.errors import HostKeyChanged, TunnelmarkError
from app.domain.hosts import HostSpec, PairSpec
from app.domain.messages import sentences
from app.ssh import SshConnector


class Connections:
    """Opens connections once and reuses them while they are alive. Safe to use from any thread.

    Args:
        connector: Makes connections.
    """

    def __init__(self, connector: SshConnector) -> None:
        self._connector = connector
        self._lock = threading.Lock()
        self._open: dict[HostSpec, HostSession] = {}

    def host(self, spec: HostSpec, *, token: CancelToken) -> HostSession:
        """Return a live connection; connect or reconnect if needed."""
        with self._lock:
            session = self._open.get(spec)
        if session is not None:
            if not session.is_connected:
                session.reconnect(token=token)
            return session
        session = self._connector.open(spec, token=token)
        with self._lock:
            other = self._open.setdefault(spec, session)
        if other is not session:
            session.close()
        return other

    def pair(self, pair: PairSpec, *, token: CancelToken) -> SessionPair:
        """Return connections to both hosts, made at the same time.

        Raises:
            TunnelmarkError: A host cannot be reached or logged in to; where neither can, it says why of each, the
                gravest first.
        """
        a, b = run_both(lambda: self._tried(pair.a, token), lambda: self._tried(pair.b, token))
        if isinstance(a, TunnelmarkError):
            raise _of_both(a, b) if isinstance(b, TunnelmarkError) else a
        if isinstance(b, TunnelmarkError):
            raise b
        return SessionPair(a, b)

    def close(self) -> None:
        """Close all of them."""
        with self._lock:
            sessions = list(self._open.values())
            self._open.clear()
        for session in sessions:
            session.close()

    def _tried(self, spec: HostSpec, token: CancelToken) -> HostSession | TunnelmarkError:
        """Return a live connection, or why there is none."""
        try:
            return self.host(spec, token=token)
        except TunnelmarkError as error:
            return error


def _of_both(a: TunnelmarkError, b: TunnelmarkError) -> TunnelmarkError:
    """Return what both hosts refused as one error of the gravest one's class: a user mends both before the next try."""
    if str(a.message) == str(b.message):  # it is about this computer, for example its ssh configuration
        return a
    first, second = sorted((a, b), key=_gravity, reverse=True)
    context = dict(first.context)
    for name, text in second.context.items():
        context[name] = f"{context[name]}\n{text}" if context.get(name, text) != text else text
    both = type(first)(
        sentences((first.message, second.message)),
        hint=sentences(dict.fromkeys((first.hint, second.hint))),
        context=context,
    )
    both.__cause__ = first
    return both


def _gravity(error: TunnelmarkError) -> int:
    """Return how grave an error is: a changed host key may be an attack, and is never hidden by a silent host."""
    if isinstance(error, HostKeyChanged):
        return 2
    return 0 if error.is_retryable else 1
