"""The one place where the window has work done outside its own thread."""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from app.domain.cancel import CancelToken
from app.domain.errors import Bug, Cancelled, TunnelmarkError
from app.wording.messages import local_text
from ui.messages import OPERATION_FAULT

T = TypeVar("T")

Job = Callable[[CancelToken, Callable[[str, float | None], None]], T]
"""Work: gets a token and a sink for progress (a sentence, and a fraction or None), returns a result."""

_LOG = logging.getLogger(__name__)


class Operation:
    """A job that was handed over. Belongs to the window's thread.

    Attributes:
        name: What it does, in words.
        token: Cancels it.
        is_quiet: Whether it is too small to be shown.
        is_awaited: Whether a window that closes lets it end, in place of cancelling it.
        is_running: Whether it has not ended yet.
        is_abandoned: Whether the outcome is no longer needed.
    """

    def __init__(self, name: str, *, is_quiet: bool = False, is_awaited: bool = False) -> None:
        self.name = name
        self.is_quiet = is_quiet
        self.is_awaited = is_awaited
        self.token = CancelToken()
        self.is_running = True
        self.is_abandoned = False

    def cancel(self) -> None:
        """Ask it to stop; its failure or cancellation is still reported."""
        self.token.cancel()

    def abandon(self) -> None:
        """Ask it to stop and report nothing more of it."""
        self.is_abandoned = True
        self.token.cancel()


_CURRENT: ContextVar[Operation | None] = ContextVar("operation", default=None)


def current_operation() -> Operation | None:
    """Return the operation that this thread works for; None where that is not known."""
    return _CURRENT.get()


class OperationRunner(QObject):
    """Runs jobs in threads and reports what came of them in the window's thread."""

    changed = Signal()
    """An operation began or ended."""

    _progressed = Signal(object, str, object)
    _ended = Signal(object, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._running: dict[Operation, _Reports] = {}
        self._threads: dict[Operation, threading.Thread] = {}
        queued = Qt.ConnectionType.QueuedConnection
        self._progressed.connect(self._on_progressed, queued)
        self._ended.connect(self._on_ended, queued)

    def run(
        self,
        name: str,
        job: Job[T],
        *,
        on_success: Callable[[T], object],
        on_failure: Callable[[TunnelmarkError], None],
        on_cancelled: Callable[[], None] | None = None,
        on_progress: Callable[[str, float | None], None] | None = None,
        is_quiet: bool = False,
        is_awaited: bool = False,
    ) -> Operation:
        """Start a job in a thread of its own.

        Args:
            name: In words, for the status line.
            job: The work. It must check its token and use nothing of the window.
            on_success: Gets the result, in the window's thread.
            on_failure: Gets the error, in the window's thread; an unexpected one arrives as a Bug.
            on_cancelled: Called in the window's thread when the job stopped because of its token.
            on_progress: Gets sentences and fractions, in the window's thread.
            is_quiet: Whether it is too small to be shown.
            is_awaited: Whether a window that closes lets it end: a rollback of hosts.

        Returns:
            A handle.
        """
        operation = Operation(name, is_quiet=is_quiet, is_awaited=is_awaited)
        self._running[operation] = _Reports(on_success, on_failure, on_cancelled, on_progress)
        thread = threading.Thread(target=self._work, args=(operation, job), name=f"operation: {name}", daemon=True)
        self._threads[operation] = thread
        thread.start()
        self.changed.emit()
        return operation

    @property
    def running(self) -> tuple[Operation, ...]:
        """Return the operations that have not ended yet."""
        return tuple(self._running)

    def _work(self, operation: Operation, job: Job[Any]) -> None:
        _CURRENT.set(operation)
        result: object = None
        error: BaseException | None = None
        try:
            result = job(operation.token, lambda text, share: self._progressed.emit(operation, local_text(text), share))
        except (Cancelled, TunnelmarkError) as fault:
            error = fault
        except Exception as fault:  # noqa: BLE001 - the job's edge: nothing may be lost in a thread
            error = _as_bug(operation.name, fault)
        self._ended.emit(operation, result, error)

    def _on_progressed(self, operation: Operation, text: str, fraction: float | None) -> None:
        reports = self._running.get(operation)
        if reports is not None and reports.on_progress is not None and not operation.is_abandoned:
            reports.on_progress(text, fraction)

    def _on_ended(self, operation: Operation, result: object, error: BaseException | None) -> None:
        reports = self._running.pop(operation)
        self._threads.pop(operation).join()  # it has nothing left to do but to return
        operation.is_running = False
        try:
            if not operation.is_abandoned:
                reports.hand_over(result, error)
        finally:
            self.changed.emit()


@dataclass(frozen=True, slots=True)
class _Reports:
    on_success: Callable[[Any], object]
    on_failure: Callable[[TunnelmarkError], None]
    on_cancelled: Callable[[], None] | None
    on_progress: Callable[[str, float | None], None] | None

    def hand_over(self, result: object, error: BaseException | None) -> None:
        if error is None:
            self.on_success(result)
        elif isinstance(error, TunnelmarkError):
            self.on_failure(error)
        elif self.on_cancelled is not None:
            self.on_cancelled()


def _as_bug(name: str, fault: Exception) -> Bug:
    _LOG.error("%s ended with an unexpected error", name, exc_info=fault)
    return Bug(
        OPERATION_FAULT(operation=name, kind=type(fault).__name__),
        context={"traceback": "".join(traceback.format_exception(fault))},
    )
