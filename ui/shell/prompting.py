"""Questions of worker threads, one at a time, each with the host it is about."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from app.domain.sides import Side
from ui.common.texts import tr
from ui.common.thread_bridge import Asked

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.domain.credentials import Secret
    from app.domain.hosts import PairSpec
    from ui.common.dialogs import Question
    from ui.common.operations import Operation

Ask = Callable[["QWidget", str], "Question | None"]


class PromptQueue:
    """Shows one dialog at a time; the next one opens when it was answered.

    Without one host, an operation has no use for the other one's key and password: once a host key was refused,
    what the same operation asks is refused as well. Other operations are not concerned.

    Args:
        pair: Returns the pair that is being worked on; None where that is not known.
    """

    def __init__(self, parent: QWidget, pair: Callable[[], PairSpec | None]) -> None:
        self._parent = parent
        self._pair = pair
        self._waiting: deque[tuple[Asked[Any], str, Ask]] = deque()
        self._shown: Asked[Any] | None = None
        self._refused: WeakSet[Operation] = WeakSet()

    def ask_host_key(self, asked: Asked[bool]) -> None:
        """Ask about an unknown host key."""
        from ui.common.dialogs import ask_host_key

        subject = str(getattr(asked.question, "host", ""))
        self._add(asked, subject, lambda parent, who: ask_host_key(parent, asked, who))

    def ask_password(self, asked: Asked[Secret | None], is_retry: bool) -> None:  # noqa: FBT001 - a signal's argument
        """Ask for a password."""
        from ui.common.dialogs import ask_password

        subject = str(getattr(asked.question, "subject", ""))
        self._add(asked, subject, lambda parent, who: ask_password(parent, asked, who, is_retry=is_retry))

    def _add(self, asked: Asked[Any], subject: str, ask: Ask) -> None:
        self._waiting.append((asked, subject, ask))
        self._show_next()

    def _is_refused(self, asked: Asked[Any]) -> bool:
        return asked.operation is not None and asked.operation in self._refused

    def _show_next(self) -> None:
        while self._waiting and self._shown is None:
            asked, subject, ask = self._waiting.popleft()
            if self._is_refused(asked):
                asked.answer(asked.fallback)
            if asked.is_answered:
                continue  # also where the window is closing
            dialog = ask(self._parent, host_name(self._pair(), subject))
            if dialog is not None:
                self._shown = asked
                dialog.finished.connect(self._on_finished)

    def _on_finished(self, code: int) -> None:
        from app.domain.credentials import HostKeyQuestion  # the first window needs none of it

        asked, self._shown = self._shown, None
        if asked is not None and isinstance(asked.question, HostKeyQuestion) and not code:
            if asked.operation is not None:
                self._refused.add(asked.operation)
            for waiting, _, _ in self._waiting:  # also those behind another operation's question
                if self._is_refused(waiting):
                    waiting.answer(waiting.fallback)
        self._show_next()


def host_name(pair: PairSpec | None, subject: str) -> str:
    """Return which host of a pair a question is about, for example `Host A (pump-1)`; empty where that is open.

    Args:
        pair: The pair; both hosts may have one address.
        subject: Address as the question has it: `root@192.0.2.10`, `[192.0.2.10]:2222`.
    """
    if pair is None:
        return ""
    address, _, port = subject.rpartition("@")[2].replace("[", "").partition("]:")
    address, port = (address, port) if port else (address.partition(":")[0], address.partition(":")[2])
    sides = [side for side in Side if pair.host(side).address == address]
    if len(sides) > 1 and port:
        sides = [side for side in sides if str(pair.host(side).port or "") == port]
    if len(sides) != 1:
        return ""
    letter = sides[0].value.upper()
    return tr("Host %1 (%2)", letter, pair.host(sides[0]).name_beside(letter))
