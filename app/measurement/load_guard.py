"""Watches the management connections of a loaded live link, and stops the load before the connections are lost."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Self

from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, SessionPair
from app.domain.errors import Cancelled, ProbeFailed, TunnelmarkError
from app.measurement.messages import MANAGEMENT_FAILED, MANAGEMENT_SLOW, NO_THROUGHPUT

INTERVAL_S = 0.5
REFERENCE_ANSWERS = 3
ANSWER_TIMEOUT_S = 5.0
SLOWER_FACTOR = 5.0
SLOWER_MS = 500.0
SLOW_IN_A_ROW = 2
"""An answer is slow if it takes 5 times as long as without load and half a second more; two in a row stop the load."""


class LoadGuard:
    """Runs `true` on both hosts again and again, and cancels the load when that becomes slow or fails.

    Args:
        clock: Monotonic seconds.

    Attributes:
        load_token: For the load: cancelled with `token`, or when the management connections suffer.
    """

    def __init__(
        self, sessions: SessionPair, *, token: CancelToken, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.load_token = CancelToken()
        self._token = token
        self._clock = clock
        self._stop = CancelToken()
        self._lock = threading.Lock()
        self._reason = ""
        self._references_ms: dict[str, float] = {}
        self._hosts = (sessions.a, sessions.b)
        self._threads = [
            threading.Thread(target=self._watch, args=(host,), name=f"load-guard-{host.spec.label}")
            for host in self._hosts
        ]

    @property
    def reason(self) -> str:
        """Why the load was stopped, as a sentence; empty if it was not."""
        with self._lock:
            return self._reason

    def __enter__(self) -> Self:
        for host in self._hosts:
            answers_ms = [self._answer_ms(host, self._token) for _ in range(REFERENCE_ANSWERS)]
            self._references_ms[host.spec.label] = statistics.median(answers_ms)
        self._unregister = self._token.on_cancel(self._cancel)
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *outcome: object) -> None:
        self._unregister()
        self._stop.cancel()
        for thread in self._threads:
            thread.join()

    def _cancel(self) -> None:
        self._stop.cancel()
        self.load_token.cancel()

    def _answer_ms(self, host: HostSession, token: CancelToken) -> float:
        began_s = self._clock()
        host.run(Command(("true",), timeout_s=ANSWER_TIMEOUT_S), token=token)
        return (self._clock() - began_s) * 1000.0

    def _watch(self, host: HostSession) -> None:
        reference_ms = self._references_ms[host.spec.label]
        limit_ms = max(reference_ms * SLOWER_FACTOR, reference_ms + SLOWER_MS)
        slow, answer_ms = 0, 0.0
        try:
            while slow < SLOW_IN_A_ROW:
                self._stop.sleep(INTERVAL_S)
                answer_ms = self._answer_ms(host, self._stop)
                slow = slow + 1 if answer_ms > limit_ms else 0
        except Cancelled:
            return
        except TunnelmarkError as error:
            self._trip(MANAGEMENT_FAILED(host=host.spec.label, why=error.message))
        else:
            self._trip(
                MANAGEMENT_SLOW(host=host.spec.label, answer_ms=answer_ms, reference_ms=reference_ms),
            )

    def _trip(self, reason: str) -> None:
        with self._lock:
            self._reason = self._reason or reason
        self.load_token.cancel()


@contextmanager
def guarded_load(sessions: SessionPair, *, is_lab: bool, token: CancelToken) -> Iterator[CancelToken]:
    """Yield the token of TCP, which ends it where the management connections suffer; a lab needs no guard.

    Raises:
        ProbeFailed: The load was stopped.
    """
    with nullcontext(None) if is_lab else LoadGuard(sessions, token=token) as guard:
        try:
            yield guard.load_token if guard is not None else token
        except Cancelled:
            token.raise_if_cancelled()
            raise ProbeFailed(guard.reason if guard is not None else NO_THROUGHPUT()) from None
