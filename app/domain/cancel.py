"""A token that tells running work to stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from app.domain.errors import Cancelled, DeadlineExceeded
from app.domain.messages.inputs import WAITED_IN_VAIN


class CancelToken:
    """Shared by the one who cancels and the work that is to stop; safe to use from any thread."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: dict[int, Callable[[], None]] = {}
        self._next_id = 0

    @property
    def is_cancelled(self) -> bool:
        """Whether the job was cancelled."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Cancel, and call every registered callback once, in this thread."""
        with self._lock:
            if self._event.is_set():
                return
            self._event.set()
            callbacks = list(self._callbacks.values())
            self._callbacks.clear()
        for callback in callbacks:
            callback()

    def raise_if_cancelled(self) -> None:
        """Check between two steps of work.

        Raises:
            Cancelled: The job was cancelled.
        """
        if self._event.is_set():
            raise Cancelled

    def sleep(self, seconds: float) -> None:
        """Wait, but not longer than until the job is cancelled.

        Args:
            seconds: How long to wait, in seconds.

        Raises:
            Cancelled: The job was cancelled.
        """
        if self._event.wait(max(0.0, seconds)):
            raise Cancelled

    def wait_for(self, condition: Callable[[], bool], *, timeout_s: float, what: str, interval_s: float = 0.05) -> None:
        """Poll until a condition holds.

        Args:
            condition: Asked again and again; true ends the wait.
            what: What is awaited, for the error's sentence.
            interval_s: Pause between two questions, in seconds.

        Raises:
            Cancelled: The job was cancelled.
            DeadlineExceeded: The condition did not hold within the deadline.
        """
        deadline = time.monotonic() + timeout_s
        while not condition():
            if time.monotonic() >= deadline:
                raise DeadlineExceeded(WAITED_IN_VAIN(seconds=timeout_s, what=what))
            self.sleep(interval_s)

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Have a function called when the job is cancelled (at once, if that has happened already).

        Args:
            callback: Must be quick and must not raise; closing a channel is the typical use.

        Returns:
            A function that removes the callback.
        """
        with self._lock:
            if not self._event.is_set():
                key = self._next_id
                self._next_id += 1
                self._callbacks[key] = callback

                def unregister() -> None:
                    with self._lock:
                        self._callbacks.pop(key, None)

                return unregister
        callback()
        return lambda: None
