"""Effect of signals on a running job."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Self

from app.cli.exit_codes import ExitCode
from app.wording.language import mark, tr

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

BURST_S = 1.0
"""Signals within so many seconds of the first are the same wish.

Source: timeout(1) of coreutils 9.7 sends its signal to the command and then to the whole process group, the command
included.
"""

_LAST_WORDS = mark(
    "\nTerminated. The hosts roll back when their leases end; `tunnelmark recover PAIR` restores them now.\n"
)
_SHOW_CURSOR = "\x1b[?25h"
_STDERR = 2


class Stopping:
    """Takes note of signals while a job runs; a second one ends the process immediately.

    A handler may interrupt anything in the main thread, also a write to stderr or the holder of a lock: it neither
    prints nor cancels. The reader of `is_asked` does that.
    """

    def __init__(self) -> None:
        self._first_s: float | None = None
        self._last_words = tr(_LAST_WORDS)  # a handler must not read a catalogue

    @property
    def is_asked(self) -> bool:
        """Whether a signal has come."""
        return self._first_s is not None

    def __enter__(self) -> Self:
        self._previous = {number: signal.signal(number, self._on_signal) for number in SIGNALS}
        return self

    def __exit__(self, *outcome: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        now_s = time.monotonic()
        if self._first_s is None:
            self._first_s = now_s
        elif now_s - self._first_s >= BURST_S:
            _end_at_once(self._last_words)


@contextmanager
def interrupting() -> Iterator[None]:
    """Let the first signal interrupt a question; Ctrl-C means the question alone, the others mean the job too.

    Raises:
        KeyboardInterrupt: A signal came.
    """
    previous = {number: signal.getsignal(number) for number in SIGNALS}
    is_interrupted = False

    def on_signal(number: int, frame: FrameType | None) -> None:
        nonlocal is_interrupted
        handler = previous[signal.Signals(number)]
        if callable(handler) and number != signal.SIGINT:
            handler(number, frame)
        if not is_interrupted:
            is_interrupted = True
            raise KeyboardInterrupt

    for number in SIGNALS:
        signal.signal(number, on_signal)
    try:
        yield
    finally:
        for number, former in previous.items():
            signal.signal(number, former)


def _end_at_once(last_words: str) -> None:
    """End without any clean-up of this process: the terminal's cursor comes back, and nothing is waited for."""
    words = (_SHOW_CURSOR if sys.stderr.isatty() else "") + last_words
    try:
        if select.select([], [_STDERR], [], 0)[1]:  # the terminal may be gone
            os.write(_STDERR, words.encode())
    except (OSError, ValueError):
        pass  # stderr is closed
    os._exit(ExitCode.ENDED)
