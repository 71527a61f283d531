"""Frame around the pages: the bar above, the steps on the left, the bar below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QPushButton, QStackedWidget, QWidget

from ui.common.basics import column, row
from ui.common.page import Page
from ui.common.texts import tr
from ui.common.tips import enable
from ui.shell.bars import Footer, TopBar

if TYPE_CHECKING:
    from app.measurement.wizard import ComparisonWizard
    from ui.results.history_page import PastResultsPage
    from ui.shell.running_line import RunningLines
    from ui.shell.step_list import StepList

_ROOMY_PX = 1100
"""In a narrower window the steps show their numbers only."""


@dataclass(frozen=True, slots=True)
class Place:
    """Position in the window.

    Attributes:
        area: The area in the top bar; `comparison` for the steps.
        wizard: The comparison one step of which is shown; None for other pages.
        is_first: Whether it is the first page, which has no Back.
        is_measuring: Whether a comparison is running, whose steps cannot be left then.
        past: Results from the history, where they are shown: the steps are shown, but disabled.
    """

    area: str
    wizard: ComparisonWizard | None
    is_first: bool
    is_measuring: bool
    past: PastResultsPage | None = None


class Frame(QWidget):
    """Bars and steps around the page on show.

    Attributes:
        top: The bar above.
        stack: The pages.
        footer: The bar below them.
    """

    step_chosen = Signal(object)
    """Carries the step that was selected."""

    def __init__(self) -> None:
        super().__init__()
        self.top = TopBar()
        self.stack = QStackedWidget()
        self.footer = Footer()
        self._steps: StepList | None = None
        self._key_is_for: QWidget | None = None
        self._middle = row((column((self.stack, 1), self.footer, spacing_px=0), 1), spacing_px=0)
        self._outer = column(self.top, (self._middle, 1), spacing_px=0)
        self.setLayout(self._outer)

    @property
    def steps(self) -> StepList:
        """The steps on the left, made with the first of their pages."""
        if self._steps is None:
            from ui.shell.step_list import StepList

            self._steps = StepList()
            self._steps.chosen.connect(self.step_chosen)
            self._middle.insertWidget(0, self._steps)
            self._narrow_steps()
            QWidget.setTabOrder(self.top.history, next(iter(self._steps.buttons.values())))
        return self._steps

    def add_lines(self, lines: RunningLines) -> None:
        """Take the lines that say what runs on other pages: below the bar, and after it in the order of Tab."""
        self._outer.insertWidget(1, lines)
        former: QWidget = self.top.menu
        for line in lines.lines.values():
            QWidget.setTabOrder(former, line.show_button)
            former = line.show_button

    def event(self, event: QEvent) -> bool:
        """Note which widget a key is meant for: Qt asks about shortcuts first."""
        if event.type() == QEvent.Type.ShortcutOverride:
            self._key_is_for = self.focusWidget()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter does what the button with the focus does; by itself, Qt has it so in dialogs alone."""
        focused = self.focusWidget()
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        # A list passes Enter on once it has opened a line, when the focus may be on another page's button.
        is_meant = focused is self._key_is_for
        if is_enter and is_meant and not event.isAutoRepeat() and isinstance(focused, QPushButton):
            focused.click()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the page more width where the window is narrow."""
        super().resizeEvent(event)
        self._narrow_steps()

    def _narrow_steps(self) -> None:
        if self._steps is not None:
            self._steps.set_narrow(is_narrow=self.width() < _ROOMY_PX)

    def show_place(self, page: Page, place: Place, *, can_deploy: bool) -> None:
        """Show the position in the window and its actions.

        Args:
            can_deploy: Whether there is a deployment area.
        """
        wizard = place.wizard
        if wizard is not None:
            self.steps.show_state(wizard, wizard.current, is_locked=place.is_measuring, is_new=page.begins_anew())
        elif place.past is not None:
            self.steps.show_past(place.past.data.record if place.past.data is not None else None)
        if self._steps is not None:
            self._steps.setVisible(wizard is not None or place.past is not None)
        self.top.show_area(place.area)
        self.top.deployment.setVisible(can_deploy)
        self.footer.back.setVisible(not place.is_first)
        is_free = not (wizard is not None and place.is_measuring)
        enable(
            self.footer.back,
            is_on=is_free,
            reason=tr("A comparison is running: cancel it before you return to an earlier step."),
        )
        self.footer.next.setVisible(wizard is not None and wizard.current.value != "results")
        self.footer.next.setText(page.next_text())
        self.footer.next.setAccessibleName(page.next_text().replace("&", ""))
        enable(self.footer.next, is_on=page.can_go_next(), reason=page.why_not_next())

    def lock(self) -> None:
        """Nothing but waiting is left."""
        for bar in (self._steps, self.top):
            if bar is not None:
                bar.setEnabled(False)
        for control in (self.footer.next, self.footer.back):
            enable(control, is_on=False, reason=tr("The window is closing."))
