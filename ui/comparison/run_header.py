"""The line above the plots: what is running, how far it is, and the buttons that steer it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QProgressBar

from ui.common.basics import ElidedLabel, button, column, label, row
from ui.common.icons import set_icon
from ui.common.texts import duration, tr
from ui.common.theme import GRID, tabular
from ui.common.tips import enable


class RunHead(QFrame):
    """Text, progress, time left; Pause, Skip, Cancel.

    Attributes:
        is_pausing: Whether it pauses once the running candidate has ended.
    """

    pause_asked = Signal(bool)
    skip_asked = Signal()
    cancel_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("variant", "card")
        self.text = ElidedLabel(tr("Not started yet"), "heading")
        self.position = label("", is_wrapping=False)
        self.left = label("", is_wrapping=False)
        for figures in (self.position, self.left):
            figures.setFont(tabular(figures.font()))
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Progress of the comparison"))
        self.pause = button(
            tr("&Pause"),
            "pause",
            on_click=self._on_pause,
            tip=tr("Pauses after the current candidate or round"),
        )
        self.skip = button(tr("S&kip"), "skip", on_click=self.skip_asked.emit, tip=tr("Skips the current candidate"))
        self.stop = button(tr("&Cancel"), "stop", on_click=self.cancel_asked.emit, tip=tr("Esc"))
        self._is_paused = self.is_pausing = False
        line = row((self.text, 1), self.position, GRID, self.left, GRID, self.pause, self.skip, self.stop)
        self.setLayout(column(line, self.bar, margin_px=(2 * GRID, GRID, 2 * GRID, GRID), spacing_px=GRID // 2))
        self.set_running(is_running=False)

    def set_running(self, *, is_running: bool) -> None:
        """Enable what makes sense."""
        for control in (self.pause, self.skip, self.stop):
            enable(control, is_on=is_running, reason=tr("Nothing is being measured."))
        if not is_running:
            self.set_paused(is_paused=False)

    def set_paused(self, *, is_paused: bool) -> None:
        """The pause button goes on with it."""
        self.is_pausing = False
        if self.pause.isEnabled():  # while it runs; between two candidates there is none to skip
            enable(self.skip, is_on=not is_paused, reason=tr("No candidate is being measured."))
        self._show_pause(tr("&Resume") if is_paused else tr("&Pause"), is_paused=is_paused)

    def _show_pause(self, text: str, *, is_paused: bool) -> None:
        self._is_paused = is_paused
        if self.pause.text() != text:
            self.pause.setText(text)
            self.pause.setAccessibleName(text.replace("&", ""))
            set_icon(self.pause, "play" if is_paused else "pause")

    @property
    def share(self) -> float:
        """Progress at the last update, 0 to 1."""
        return max(0, self.bar.value()) / 1000

    def show_text(self, text: str) -> None:
        """Show a text; the bar does not change."""
        self.text.setText(text)
        self.position.setText("")
        self.left.setText("")

    def show_progress(self, text: str, fraction: float, left_s: float | None, position: str) -> None:
        """Show how far it is."""
        self.text.setText(text)
        self.bar.setRange(0, 1000)
        self.bar.setValue(round(1000 * fraction))
        self.position.setText(position)
        self.left.setText(tr("%1 left", duration(left_s)) if left_s is not None else "")

    def show_waiting(self, text: str) -> None:
        """Show that the progress is unknown."""
        self.show_text(text)
        self.bar.setRange(0, 0)

    def _on_pause(self) -> None:
        self.is_pausing = not self._is_paused
        self._show_pause(tr("Do not &pause") if self.is_pausing else tr("&Pause"), is_paused=self.is_pausing)
        self.pause_asked.emit(self._is_paused)
