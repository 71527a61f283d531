"""The steps on the left."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QLabel, QPushButton

from app.domain.results import CampaignRecord, CampaignStatus
from app.measurement.wizard import ComparisonWizard, Step
from app.ranking.outcome import outcome_of
from ui.common.accessible import Role, set_role
from ui.common.basics import button, column
from ui.common.icons import set_icon
from ui.common.texts import tr
from ui.common.theme import GRID
from ui.common.tips import enable, set_tip, shown_keys

_WIDE_PX, _NARROW_PX = 168, 76
"""Least widths with names beside and below the numbers."""
_AROUND_NAME_PX = 26
"""Border and padding of a step, see the style sheet."""
_TICK_PX = 16


def step_names() -> dict[Step, str]:
    """Return what the steps are called."""
    return {
        Step.HOSTS: tr("Hosts"),
        Step.LINK: tr("Link"),
        Step.CHOOSE: tr("Choice"),
        Step.PLAN: tr("Plan"),
        Step.RUN: tr("Run"),
        Step.RESULTS: tr("Results"),
    }


class StepList(QFrame):
    """One button per step, with a tick where it is done."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("variant", "steps")
        self.setFixedWidth(_WIDE_PX)
        set_role(self, Role.List)
        self.setAccessibleName(tr("Steps"))
        self.buttons: dict[Step, QPushButton] = {}
        self._ticks: dict[Step, QLabel] = {}
        self._inner: dict[Step, QHBoxLayout] = {}
        self._group = QButtonGroup(self)
        self._is_past = self._is_narrow = False
        layout = column(margin_px=(0, 2 * GRID, 0, 2 * GRID), spacing_px=2)
        self.setLayout(layout)
        for step, name in step_names().items():
            entry = button(f"{step.number}   {name}", variant="step", shortcut=f"Alt+{step.number}", role=Role.ListItem)
            entry.setCheckable(True)
            entry.clicked.connect(lambda _checked, wanted=step: self._choose(wanted))
            tick = QLabel()
            tick.setFixedSize(_TICK_PX, _TICK_PX)
            tick.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            inner = QHBoxLayout(entry)
            inner.setContentsMargins(0, 0, GRID + 4, 0)
            inner.addStretch(1)
            inner.addWidget(tick)
            self.buttons[step] = entry
            self._ticks[step] = tick
            self._inner[step] = inner
            self._group.addButton(entry)
            layout.addWidget(entry)
        layout.addStretch(1)

    def _choose(self, step: Step) -> None:
        if not self._is_past:
            self.chosen.emit(step)

    def set_narrow(self, *, is_narrow: bool) -> None:
        """Show the names below the numbers, where the window is narrow."""
        self._is_narrow = is_narrow
        for step, entry in self.buttons.items():
            entry.setText(f"{step.number}{chr(10) if is_narrow else '   '}{step_names()[step]}")
            place = Qt.AlignmentFlag.AlignTop if is_narrow else Qt.AlignmentFlag.AlignVCenter
            inner = self._inner[step]
            inner.setAlignment(self._ticks[step], place)
            inner.setContentsMargins(0, GRID if is_narrow else 0, GRID + 4, 0)
            set_tip(entry, f"{step_names()[step]} ({shown_keys(f'Alt+{step.number}')})")
            entry.setShortcut(f"Alt+{step.number}")  # Qt takes it away with the text
        self._fit_width()

    def changeEvent(self, event: QEvent) -> None:
        """Fit the list to larger texts."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit_width()

    def _fit_width(self) -> None:
        """Be as wide as the longest name needs, in the bold letters of the step on show."""
        if not self._inner:
            return
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        metrics = QFontMetrics(bold)
        lines = [line for entry in self.buttons.values() for line in entry.text().splitlines()]
        needed = max(metrics.horizontalAdvance(line) for line in lines) + _AROUND_NAME_PX
        if self._is_narrow:
            self.setFixedWidth(max(_NARROW_PX, needed))
        else:
            self.setFixedWidth(max(_WIDE_PX, needed + _TICK_PX + GRID))

    def show_past(self, record: CampaignRecord | None) -> None:
        """Show the steps of a comparison from the history, none of which can be entered.

        Args:
            record: The comparison; None while it is read.
        """
        self._is_past = True
        reason = tr("This comparison is from the history: “Measure again” leads to its steps.")
        for step, entry in self.buttons.items():
            enable(entry, is_on=step is Step.RESULTS, reason=f"{step_names()[step]}: {reason}")
            entry.setChecked(step is Step.RESULTS)
            is_complete = record is None or step is not Step.RUN or record.status is CampaignStatus.COMPLETED
            has_failures = record is not None and step is Step.RUN and bool(outcome_of(record).headline)
            self._tick(step, is_complete=is_complete, has_failures=has_failures)

    def show_state(
        self, wizard: ComparisonWizard, current: Step | None, *, is_locked: bool, is_new: bool = False
    ) -> None:
        """Tick what is done and enable what can be entered.

        Args:
            current: Step on show.
            is_locked: Whether a run forbids everything but its own page.
            is_new: Whether a new pair is being entered, so that the steps of the last one are not those of this one.
        """
        self._is_past = False
        for step, entry in self.buttons.items():
            is_done = wizard.is_done(step) and not is_new
            is_open = step is Step.HOSTS if is_new else wizard.can_enter(step)
            can_enter = is_open and (not is_locked or step is Step.RUN)
            reason = tr("A comparison is running.") if is_locked else tr("Complete the steps before it first.")
            enable(entry, is_on=can_enter, reason=f"{step_names()[step]}: {reason}")
            entry.setChecked(step is current)
            if is_done:
                is_complete = step is not Step.RUN or wizard.state.is_complete
                self._tick(step, is_complete=is_complete, has_failures=step is Step.RUN and wizard.state.has_failures)
            else:
                self._ticks[step].setProperty("icon_name", "")
                self._ticks[step].clear()
                self._name(step, tr("open") if can_enter else tr("not yet"))

    def _tick(self, step: Step, *, is_complete: bool, has_failures: bool) -> None:
        """Tick a step that was done, with a warning sign where it was not completed or attempts failed in it."""
        is_bad = has_failures or not is_complete
        set_icon(self._ticks[step], "warning" if is_bad else "check", "legacy" if is_bad else "good")
        bad = tr("done, with failures") if is_complete else tr("not completed")
        self._name(step, bad if is_bad else tr("done"))

    def _name(self, step: Step, state: str) -> None:
        self.buttons[step].setAccessibleName(f"{tr('Step')} {step.number}, {step_names()[step]}, {state}")
