"""Countdown to the confirmation of a new tunnel, with its default outcome."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QFrame, QProgressBar, QPushButton

from app.deployment.events import EXTENSION_S, Decision
from ui.common.accessible import Role, notify_shown, set_role
from ui.common.basics import button, column, label, row
from ui.common.texts import duration, tr
from ui.common.theme import GRID, tabular
from ui.common.tips import enable, set_tip, shown_keys
from ui.deployments.texts import unless_confirmed

_BUTTON_HEIGHT_PX = 6 * GRID
SPOKEN_AT_S = (60, 30, 10)
"""Screen readers read the countdown again when so many seconds are left."""


class Countdown(QFrame):
    """Hidden while there is nothing to decide.

    Attributes:
        left_s: Seconds left to decide.
    """

    decided = Signal(object)
    """Carries a Decision."""

    def __init__(self) -> None:
        super().__init__()
        set_role(self, Role.Notification)
        self.setProperty("variant", "callout")
        self.setFocusPolicy(
            Qt.FocusPolicy.StrongFocus
        )  # so that a key that was meant for something else decides nothing
        self.setAccessibleName(tr("Confirmation of the new tunnel"))
        self.left = label("", "countdown", is_wrapping=False)
        self.left.setFont(tabular(self.left.font()))
        self.left.setMinimumWidth(20 * GRID)
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Time left to confirm"))
        # Screen readers read the plain labels of a notification.
        self.title = label(
            tr("The tunnel is up on both hosts and waits for confirmation."), "heading", role=Role.NoRole
        )
        self.text = label("")
        self.left_s = 0.0
        self._addresses = ("", "")
        self.confirm: QPushButton = button(
            tr("Con&firm"), "check", variant="primary", on_click=lambda: self._decide(Decision.CONFIRM)
        )
        self.roll_back: QPushButton = button(
            tr("&Roll back now"), "undo", on_click=lambda: self._decide(Decision.ROLLBACK)
        )
        for answer in (self.confirm, self.roll_back):
            set_tip(answer, shown_keys(QKeySequence.mnemonic(answer.text())))
        minutes = round(EXTENSION_S / 60)
        self.more: QPushButton = button(
            tr("+%1 min", minutes),
            "clock",
            on_click=lambda: self.decided.emit(Decision.EXTEND),
            tip=tr("Both hosts wait %1 minutes longer", minutes),
        )
        for one in (self.confirm, self.roll_back):
            one.setMinimumSize(20 * GRID, _BUTTON_HEIGHT_PX)
        self._lay_out()
        self.setVisible(False)

    def _lay_out(self) -> None:
        texts = column(self.title, self.text, spacing_px=GRID // 2)
        time, buttons = column(self.left, self.more), column(self.confirm, self.roll_back)
        line = row(time, (texts, 1), buttons, spacing_px=2 * GRID)
        self.setLayout(column(line, self.bar, margin_px=2 * GRID, spacing_px=GRID + 4))

    @property
    def is_open(self) -> bool:
        """Whether an answer is waited for."""
        return not self.isHidden() and self.confirm.isEnabled()

    def set_addresses(self, inner_a: str, inner_b: str) -> None:
        """Set the addresses of both hosts in the tunnel, so that it can be tried; empty where LANs alone are joined."""
        self._addresses = (inner_a.partition("/")[0], inner_b.partition("/")[0])

    def _what_to_test(self) -> str:
        if not all(self._addresses):
            return tr("Test your applications over the tunnel now.")
        return tr("Test your applications over the tunnel now: host A is %1 in it, host B is %2.", *self._addresses)

    def show_left(self, left_s: float, total_s: float, former: str) -> None:
        """Show the time that is left.

        Args:
            left_s: Seconds left.
            total_s: Length of the countdown in seconds.
            former: Title of the replaced deployment; empty for none.
        """
        before_s, self.left_s = self.left_s, left_s
        self.left.setText(duration(left_s))
        self.left.setAccessibleName(tr("Time left: %1", duration(left_s)))
        self.bar.setValue(round(1000 * left_s / max(1.0, total_s)))
        self.text.setText(f"{self._what_to_test()} {unless_confirmed(former)}")
        self.setAccessibleDescription(f"{self.left.text()}. {self.text.text()}")
        if self.isHidden():
            self._open()
        elif any(left_s <= second < before_s for second in SPOKEN_AT_S):
            notify_shown(self)

    def _open(self) -> None:
        self.title.setText(tr("The tunnel is up on both hosts and waits for confirmation."))
        for one in (self.confirm, self.roll_back, self.more):
            enable(one, is_on=True, reason="")
        self.setVisible(True)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def clear(self) -> None:
        """There is nothing to decide."""
        self.setVisible(False)

    def _decide(self, decision: Decision) -> None:
        if not self.confirm.isEnabled():
            return
        for one in (self.confirm, self.roll_back, self.more):
            enable(one, is_on=False, reason=tr("The answer is being sent to both hosts."))
        is_kept = decision is Decision.CONFIRM
        self.title.setText(tr("Confirming on both hosts") if is_kept else tr("Rolling back both hosts"))
        notify_shown(self)
        self.decided.emit(decision)
