"""Questions of worker threads, one at a time, each with the host it is about."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from app.domain.sides import Side
from ui.common.texts import tr
from ui.common.thread_bridge import Asked

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.domain.credentials import Secret
    from app.domain.hosts import PairSpec
    from ui.common.dialogs import Question

Ask = Callable[["QWidget", str], "Question | None"]


class PromptQueue:
    """Shows one dialog at a time; the next one opens when it was answered.

    Args:
        pair: Returns the pair that is being worked on; None where that is not known.
    """

    def __init__(self, parent: QWidget, pair: Callable[[], PairSpec | None]) -> None:
        self._parent = parent
        self._pair = pair
        self._waiting: deque[tuple[Asked[Any], str, Ask]] = deque()
        self._is_open = False

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

    def _show_next(self) -> None:
        while self._waiting and not self._is_open:
            asked, subject, ask = self._waiting.popleft()
            if asked.is_answered:
                continue  # the window is closing
            dialog = ask(self._parent, host_name(self._pair(), subject))
            if dialog is not None:
                self._is_open = True
                dialog.finished.connect(self._on_finished)

    def _on_finished(self, _code: int) -> None:
        self._is_open = False
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
    label = pair.host(sides[0]).label
    return tr("Host %1 (%2)").replace("%1", sides[0].value.upper()).replace("%2", label)
