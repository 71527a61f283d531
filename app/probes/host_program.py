"""A command on a host beside others, in a thread of its own, for the length of a context."""

from __future__ import annotations

import logging
import threading
from typing import Self

from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, Stream
from app.domain.errors import Cancelled, TunnelmarkError

logger = logging.getLogger(__name__)


class HostProgram:
    """A command whose lines are read as they come, until the context ends or the caller's token is cancelled.

    Args:
        host: Where it runs.
        name: Name of its thread.
    """

    def __init__(self, host: HostSession, command: Command, name: str, *, token: CancelToken) -> None:
        self._host = host
        self._command = command
        self._outer = token
        self._inner = CancelToken()
        self._condition = threading.Condition()
        self._has_ended = False
        self._is_ok = False
        self._words: list[str] = []
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=name)

    def __enter__(self) -> Self:
        self._unregister = self._outer.on_cancel(self._cancel)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._unregister()
        self._inner.cancel()
        self._thread.join()

    def _take(self, line: str) -> None:
        """Take a line of its output, with the condition held."""

    def _cancel(self) -> None:
        self._inner.cancel()
        with self._condition:
            self._condition.notify_all()

    def _on_line(self, _stream: Stream, line: str) -> None:
        with self._condition:
            self._take(line)
            self._condition.notify_all()

    def _run(self) -> None:
        try:
            self._is_ok = self._host.run(self._command, token=self._inner, on_line=self._on_line).is_ok
        except (Cancelled, TunnelmarkError) as error:
            self._error = error
        except Exception as error:  # a fault of our own, for the thread that waits
            logger.exception("%s failed in an unforeseen way", self._thread.name)
            self._error = error
        finally:
            with self._condition:
                self._has_ended = True
                self._condition.notify_all()
