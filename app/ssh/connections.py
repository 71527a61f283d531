"""Connections to pairs, kept open between the steps of a comparison."""

from __future__ import annotations

import threading
from collections.abc import Callable

from app.domain.cancel import CancelToken
from app.domain.commands import HostSession, SessionPair
from app.domain.concurrency import run_both
from app.domain.hosts import HostSpec, PairSpec, Side
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
        """Return connections to both hosts, made at the same time."""
        a, b = run_both(self._opener(pair, Side.A, token), self._opener(pair, Side.B, token))
        return SessionPair(a, b)

    def forget(self, pair: PairSpec) -> None:
        """Close the connections of a pair, for example because its lab is going down."""
        with self._lock:
            sessions = [self._open.pop(spec, None) for spec in (pair.a, pair.b)]
        for session in sessions:
            if session is not None:
                session.close()

    def close(self) -> None:
        """Close all of them."""
        with self._lock:
            sessions = list(self._open.values())
            self._open.clear()
        for session in sessions:
            session.close()

    def _opener(self, pair: PairSpec, side: Side, token: CancelToken) -> Callable[[], HostSession]:
        return lambda: self.host(pair.host(side), token=token)
