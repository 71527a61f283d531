"""Progress on stderr: bars at a terminal, plain lines elsewhere."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TaskProgressColumn, TextColumn

from app.domain.errors import UnderlayDown
from app.domain.events import (
    AttemptEnded,
    AttemptStarted,
    CampaignStarted,
    Event,
    LogLevel,
    LogLine,
    StageStarted,
    UnderlayChanged,
)
from app.domain.events import Progress as HowFar
from app.domain.results import Attempt, AttemptStatus

_PLAIN_LINE_EVERY_S = 10.0


class JobProgress:
    """One line for a job of which little is known. Safe to update from any thread.

    Args:
        console: On stderr.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bars = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TaskProgressColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task: TaskID | None = None
        self._last_text = ""

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def update(self, text: str, fraction: float | None) -> None:
        """Show what happens now, and how far it is where that is known."""
        if not self._console.is_terminal:
            if text != self._last_text:
                self._console.print(text, markup=False)
            self._last_text = text
            return
        if self._task is None:
            self._task = self._bars.add_task(escape(text), total=None)
        total = None if fraction is None else 1.0
        self._bars.update(self._task, description=escape(text), completed=fraction or 0.0, total=total)


class EventDisplay:
    """What displays of events have in common: lines, and how far it is.

    Args:
        console: On stderr.
        plain_every_s: Seconds between two lines that say how far it is, where there is no terminal for a bar.
    """

    def __init__(self, console: Console, *, plain_every_s: float) -> None:
        self._console = console
        self._plain_every_s = plain_every_s
        self._lock = threading.Lock()
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[left]}"),
            console=console,
            disable=not console.is_terminal,
        )
        self._task: TaskID | None = None
        self._next_plain_s = 0.0

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def _begin(self) -> None:
        self._task = self._bars.add_task("", total=1.0, left="")

    def _describe(self, text: str) -> None:
        if self._task is not None:
            self._bars.update(self._task, description=escape(text))

    def _progress(self, event: HowFar) -> None:
        left = f"{duration(event.left_s)} left"
        if self._task is not None:
            self._bars.update(self._task, completed=event.fraction, left=left)
        if not self._console.is_terminal and time.monotonic() >= self._next_plain_s:
            self._next_plain_s = time.monotonic() + self._plain_every_s
            self._line(f"      {event.fraction:4.0%}, {left}: {event.text}")

    def _line(self, text: str) -> None:
        self._console.print(text, markup=False)


class CampaignDisplay(EventDisplay):
    """Shows a campaign's events. Called in the campaign's thread.

    Args:
        console: On stderr.
    """

    def __init__(self, console: Console) -> None:
        super().__init__(console, plain_every_s=_PLAIN_LINE_EVERY_S)
        self._total = 0
        self._not_run = ""

    def handle(self, event: Event) -> None:
        """Show one event."""
        with self._lock:
            match event:
                case CampaignStarted():
                    self._start(event)
                case AttemptStarted():
                    self._line(f"[{event.key.position + 1}/{self._total}] {event.title}, round {event.key.round}")
                case StageStarted():
                    self._describe(f"{event.stage} {event.detail}".strip())
                case HowFar():
                    self._progress(event)
                case AttemptEnded():
                    self._end(event.attempt)
                case UnderlayChanged():
                    self._line(f"      {event.text}")
                case LogLine() if event.level is not LogLevel.INFO:
                    self._line(f"      {event.text}")
                case _:
                    pass

    def _end(self, attempt: Attempt) -> None:
        """Show how an attempt ended; why a rest of the plan was not run is shown once, and of a dead link before."""
        if attempt.status is AttemptStatus.NOT_RUN:
            if attempt.message in (self._not_run, "") or attempt.reason == UnderlayDown.reason:
                return
            self._not_run = attempt.message
        self._line(f"      {describe_attempt(attempt)}")

    def _start(self, event: CampaignStarted) -> None:
        self._total = len(event.plan.attempts)
        self._begin()
        seconds = sum(event.plan.predicted_s)
        self._line(f"Comparison {event.campaign_id}: {self._total} attempts, about {duration(seconds)}.")
        if event.done:
            self._line(f"{len(event.done)} of them were done before.")


def duration(seconds: float) -> str:
    """Return seconds as m:ss."""
    whole = max(0, round(seconds))
    return f"{whole // 60}:{whole % 60:02d}"


def describe_attempt(attempt: Attempt) -> str:
    """Return how an attempt ended, in one line."""
    if attempt.status is not AttemptStatus.COMPLETED:
        return f"{attempt.status}: {attempt.message or attempt.reason}"
    speeds = ", ".join(f"{series.mbit_s:.1f}" for series in attempt.throughput)
    return (
        f"completed: {speeds} Mbit/s; built in {attempt.setup_s:.1f} s, measured {attempt.probe_s:.1f} s, "
        f"removed in {attempt.cleanup_s:.1f} s"
    )
