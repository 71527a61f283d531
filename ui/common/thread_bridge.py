"""Bridge from worker threads to the window: a campaign's events, and questions to the user."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import QObject, Signal

from app.wording.messages import local_text
from ui.common.operations import Operation, current_operation

if TYPE_CHECKING:
    from app.domain.credentials import HostKeyQuestion, Secret, SecretKey
    from app.domain.events import Event
    from ui.common.sample_model import LiveModel

T = TypeVar("T")

_COARSE = ("CampaignStarted", "AttemptStarted", "AttemptEnded", "UnderlayChanged", "Paused", "CampaignEnded")


@dataclass(eq=False)
class Asked(Generic[T]):
    """A question that a worker waits for. Exactly one answer counts, the first."""

    question: object
    fallback: T
    operation: Operation | None = field(default_factory=current_operation)
    """The operation that asks; None where that is not known."""
    _answer: list[T] = field(default_factory=list)
    _ready: threading.Event = field(default_factory=threading.Event)

    @property
    def is_answered(self) -> bool:
        """Whether there is an answer already."""
        return self._ready.is_set()

    def answer(self, value: T) -> None:
        """Give the answer; the worker goes on."""
        if not self._ready.is_set():
            self._answer.append(value)
            self._ready.set()

    def wait(self) -> T:
        """Block until there is an answer. For worker threads only."""
        self._ready.wait()
        return self._answer.pop()


class Bridge(QObject):
    """The one object between worker threads and widgets. Implements `Prompts` and is a campaign's event sink.

    Signals arrive in the window's thread. Samples raise no signal: they go into the live model.
    """

    campaign_event = Signal(object)
    """A campaign, attempt or pause began or ended."""
    census_event = Signal(object)
    """Something happened in a census; there are few of them."""
    deployment_event = Signal(object)
    """An event of a deployment; there are few of them."""
    host_key_asked = Signal(object)
    """Carries an Asked[bool] with a HostKeyQuestion."""
    password_asked = Signal(object, bool)
    """Carries an Asked[Secret | None] with a SecretKey, and whether the last answer was wrong."""
    reported = Signal(str)
    """A sentence for the user."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._open: set[Asked[bool] | Asked[Secret | None]] = set()
        self.is_closing = False

    @cached_property
    def live(self) -> LiveModel:
        """The live model; made on the window's thread when the run page is, because it imports numpy."""
        from ui.common.sample_model import LiveModel

        return LiveModel()

    # --- from worker threads ------------------------------------------------------------------------------------------

    def emit_event(self, event: Event) -> None:
        """Take a campaign's event, in whatever thread it happens."""
        self.live.feed(event)
        if type(event).__name__ in _COARSE:
            self.campaign_event.emit(event)

    def confirm_host_key(self, question: HostKeyQuestion) -> bool:
        """Show an unknown host key and wait for the answer."""
        asked: Asked[bool] = Asked(question, fallback=False)
        return self._ask(asked, lambda: self.host_key_asked.emit(asked))

    def ask_password(self, key: SecretKey, is_retry: bool) -> Secret | None:  # noqa: FBT001 - as Prompts has it
        """Show the password dialog and wait for the answer."""
        asked: Asked[Secret | None] = Asked(key, fallback=None)
        return self._ask(asked, lambda: self.password_asked.emit(asked, is_retry))

    def report(self, sentence: str) -> None:
        """Show a sentence."""
        self.reported.emit(local_text(sentence))

    def _ask(self, asked: Asked[T], show: Callable[[], None]) -> T:
        with self._lock:
            if self.is_closing:
                return asked.fallback
            self._open.add(asked)  # type: ignore[arg-type]
        show()
        try:
            return asked.wait()
        finally:
            with self._lock:
                self._open.discard(asked)

    # --- from the window's thread -------------------------------------------------------------------------------------

    def refuse_all(self) -> None:
        """The window is closing: answer every open and every later question with no."""
        with self._lock:
            self.is_closing = True
            waiting = tuple(self._open)
        for asked in waiting:
            asked.answer(asked.fallback)  # type: ignore[arg-type]
