"""Interface between a page and the window."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QFrame, QProgressBar, QVBoxLayout, QWidget

from app.domain.errors import TunnelmarkError
from ui.common.basics import ElidedLabel, button, column, label, row
from ui.common.context import PageContext
from ui.common.notices import Notice
from ui.common.operations import Job, Operation, T
from ui.common.texts import tr
from ui.common.theme import GRID
from ui.common.tips import enable


class Page(QWidget):
    """A page of the window.

    Args:
        title: Heading.
        intro: One sentence under it.
    """

    changed = Signal()
    """The available actions have changed."""
    status_reported = Signal(str)
    """A sentence for the status line."""
    left = Signal()
    """The page is done: go to the next step."""
    next_wanted = Signal()
    """The focus belongs on Next now."""
    origin: Page | None = None
    """Target of Back; None for the usual one."""
    moves_on = False
    """Whether the focus goes to Next as soon as that does something, so that Enter throws nothing away."""

    def __init__(self, context: PageContext, title: str, intro: str = "") -> None:
        super().__init__()
        self.context = context
        self.setAccessibleName(title)
        self.body = column(margin_px=(2 * GRID, GRID + 4, 2 * GRID, GRID), spacing_px=GRID + GRID // 2)
        self.setLayout(self.body)
        self.title = label(title, "title")
        self.body.addWidget(self.title)
        self.intro = label(intro, "muted")
        if intro:
            self.body.addWidget(self.intro)
        self.notice = Notice()
        self.body.addWidget(self.notice)
        self.operation: Operation | None = None

    # --- what the window asks -----------------------------------------------------------------------------------------

    def enter(self) -> None:
        """The page is about to be shown: take what has changed in the wizard, keep what was typed."""

    def take_settings(self) -> None:
        """The user has closed the settings while this page is on show."""

    def take_guidelines(self) -> None:
        """Other guidelines apply since this page is on show."""

    def take_pairs(self) -> None:
        """Stored pairs or running labs have changed while this page is on show."""

    def take_ended(self) -> None:
        """A comparison, census or deployment has ended while this page is on show."""

    def first_focus(self) -> QWidget | None:
        """Return what gets the focus when the page is shown."""
        return None

    def begins_anew(self) -> bool:
        """Whether what is entered here is not about the comparison whose steps are done."""
        return False

    def can_go_next(self) -> bool:
        """Whether Next would do something."""
        return False

    def why_not_next(self) -> str:
        """Return why Next does nothing now."""
        return tr("Complete this page first.")

    def next_text(self) -> str:
        """Return what the button says."""
        return tr("&Next")

    def go_next(self) -> None:
        """Take what was entered; emit `left` when the next step may be shown."""
        self.left.emit()

    def has_untaken(self) -> bool:
        """Whether it holds what a later step needs to know and only `go_next` takes."""
        return False

    def cancel(self) -> bool:
        """Stop what this page is doing; returns whether there was anything."""
        if self.operation is not None and self.operation.is_running:
            self.operation.cancel()
            return True
        return False

    def keep_focus(self) -> None:
        """Move the focus back where its widget was hidden or disabled meanwhile; to Next where the page moves on."""
        if self.moves_on and self.can_go_next() and self.isVisible() and QApplication.activeModalWidget() is None:
            self.next_wanted.emit()
            return
        holder = QApplication.focusWidget()
        is_lost = holder is None or not (self.isAncestorOf(holder) or holder.isAncestorOf(self))
        wanted = self.first_focus()
        if not self.isVisible() or not is_lost or QApplication.activeModalWidget() is not None:
            return
        if wanted is not None:
            wanted.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.next_wanted.emit()

    # --- help for pages -----------------------------------------------------------------------------------------------

    def start(
        self,
        name: str,
        job: Job[T],
        on_success: Callable[[T], None],
        *,
        busy: BusyLine | None = None,
        on_failure: Callable[[TunnelmarkError], None] | None = None,
        is_awaited: bool = False,
    ) -> Operation:
        """Run a job for this page; one at a time, an earlier one is abandoned.

        Args:
            name: What it does, in words.
            on_success: Gets the result.
            busy: Shows progress and a button to cancel.
            on_failure: Gets the error; without it the page's notice shows it.
            is_awaited: As in `OperationRunner.run`.

        Returns:
            A handle.
        """
        if self.operation is not None and self.operation.is_running:
            self.operation.abandon()

        self.operation = self.context.runner.run(
            name,
            job,
            on_success=partial(self._succeed, busy, on_success),
            on_failure=partial(self._fail, busy, on_failure or self.notice.show_error),
            on_cancelled=partial(self._stopped, busy, name),
            on_progress=busy.progress if busy is not None else None,
            is_awaited=is_awaited,
        )
        if busy is not None:
            busy.begin(name, self.operation.cancel)
        self.status_reported.emit(name)
        self.changed.emit()
        return self.operation

    def _end(self, busy: BusyLine | None) -> None:
        """Clear the note that it is being done."""
        if busy is not None:
            busy.end()
        if self.isVisible():
            self.status_reported.emit("")

    def _succeed(self, busy: BusyLine | None, on_success: Callable[[T], None], result: T) -> None:
        self._end(busy)
        on_success(result)
        self.changed.emit()
        self.keep_focus()

    def _fail(
        self, busy: BusyLine | None, on_failure: Callable[[TunnelmarkError], None], error: TunnelmarkError
    ) -> None:
        self._end(busy)
        on_failure(error)
        self.changed.emit()
        self.keep_focus()

    def _stopped(self, busy: BusyLine | None, name: str) -> None:
        self._end(busy)
        self.status_reported.emit(tr("Cancelled: %1", name))
        self.changed.emit()


def busy_reason() -> str:
    """Return why nothing else can be begun on a page."""
    return tr("Wait until the operation on this page has ended, or cancel it.")


class BusyLine(QFrame):
    """Progress of a long job, with a button that cancels it; hidden while there is none."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("variant", "callout")
        self._text = ElidedLabel()
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(tr("Progress"))
        self._cancel = button(tr("Cancel"), "stop", on_click=self._on_cancel, tip=tr("Esc"))
        self._stop: Callable[[], None] | None = None
        text = QVBoxLayout()
        text.addWidget(self._text)
        text.addWidget(self._bar)
        outer = row(margin_px=(2 * GRID, GRID + 4, 2 * GRID, GRID + 4), spacing_px=2 * GRID)
        self.setLayout(outer)
        outer.addLayout(text, 1)
        outer.addWidget(self._cancel, 0, Qt.AlignmentFlag.AlignVCenter)
        self.setVisible(False)

    @property
    def text(self) -> str:
        """Return the sentence."""
        return self._text.text()

    def begin(self, name: str, stop: Callable[[], None]) -> None:
        """A job has started."""
        self._stop = stop
        enable(self._cancel, is_on=True, reason="")
        self.progress(name, None)
        self.setVisible(True)

    def progress(self, text: str, fraction: float | None) -> None:
        """Show a sentence and a fraction; None where it is unknown."""
        self._text.setText(text)
        if fraction is None:
            self._bar.setRange(0, 0)
        else:
            self._bar.setRange(0, 1000)
            self._bar.setValue(round(1000 * fraction))

    def end(self) -> None:
        """It is over."""
        self._stop = None
        self._bar.setRange(0, 1)
        self.setVisible(False)

    def _on_cancel(self) -> None:
        if self._stop is not None:
            enable(self._cancel, is_on=False, reason=tr("Cancelling…"))
            self._stop()
