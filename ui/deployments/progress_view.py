"""A running deployment: stages on both hosts, the countdown, notes, and the result."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QListWidgetItem, QWidget

from app.deployment.events import (
    Decision,
    DeploymentApplied,
    DeploymentCountdown,
    DeploymentEvent,
    DeploymentNote,
    DeploymentStage,
    DeploymentStageStarted,
)
from app.domain.deployment import Deployment, DeploymentState
from app.domain.errors import TunnelmarkError
from app.domain.hosts import Side
from app.wording.messages import local_text
from app.wording.titles import local_title
from ui.common.basics import ElidedLabel, button, column, row
from ui.common.notices import Actions, Notice
from ui.common.text_list import text_list
from ui.common.texts import tr
from ui.common.theme import GRID, Theme
from ui.common.tips import enable
from ui.deployments.confirm_countdown import Countdown
from ui.deployments.stage_table import StageTable
from ui.deployments.task import DeploymentTask
from ui.deployments.texts import ended_words, lapsed_words, removed_alone_words, report_words, stage_words

_TICK_MS = 500
_NOTES_HEIGHT_PX = 112
PAST_STOPPING = (DeploymentStage.CONFIRM, DeploymentStage.ENABLE, DeploymentStage.ROLLBACK)
"""Stages that cannot be cancelled: a host that has confirmed cannot roll back half way."""


class DeploymentProgress(QWidget):
    """One piece of work on a pair.

    Attributes:
        task: What is done, or was done last.
        outcome: How it ended, for the status line; empty while it runs.
    """

    stop_asked = Signal()
    """The user wants to stop it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.task: DeploymentTask | None = None
        self.outcome = ""
        self._asked_for_s: float | None = None
        self._has_answer = False
        self.what = ElidedLabel(variant="heading")
        self.stop = button(tr("&Stop and roll back"), "stop", on_click=self.stop_asked.emit, tip=tr("Esc"))
        self.countdown = Countdown()
        self.countdown.decided.connect(self._decided)
        self.result = Notice()
        self.stages = StageTable(theme)
        self.notes = text_list(tr("Notes"), is_wrapping=True)
        self.notes.setMaximumHeight(_NOTES_HEIGHT_PX)
        self.notes.setIconSize(QSize(16, 16))
        self._noted: list[tuple[str, bool]] = []
        theme.changed.connect(self._show_notes)
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self.stages.redraw)
        head = row((self.what, 1), self.stop)
        parts = (head, self.countdown, self.result, (self.stages, 1), self.notes)
        self.setLayout(column(*parts, spacing_px=GRID + 4))

    @property
    def stage(self) -> DeploymentStage | None:
        """The stage that is being worked on."""
        return next((one for one in DeploymentStage if self.stages.state_of(one) == "running"), None)

    def begin(self, task: DeploymentTask) -> None:
        """Show a task that begins."""
        self.task, self.outcome = task, ""
        self._asked_for_s, self._has_answer = None, False
        self.what.setText(f"{task.name}: {local_title(task.title)}, {task.pair.name}")
        self.stop.setVisible(task.can_be_stopped)
        enable(self.stop, is_on=True, reason="")
        self.result.clear()
        self.countdown.clear()
        self._noted.clear()
        self._show_notes()
        self.stages.begin(task.pair, task.stages, task.only)
        self._timer.start()

    def feed(self, event: DeploymentEvent) -> None:
        """Show an event of the task."""
        match event:
            case DeploymentStageStarted(stage=stage, detail=detail):
                self.countdown.clear()
                enable(self.stop, is_on=stage not in PAST_STOPPING, reason=tr("This stage cannot be cancelled."))
                self.stages.enter(stage, local_text(detail))
            case DeploymentCountdown(left_s=left_s, total_s=total_s):
                self._asked_for_s = total_s
                self.countdown.show_left(left_s, total_s, self.task.former if self.task is not None else "")
                enable(self.stop, is_on=False, reason=tr("“Roll back now” rolls back."))
            case DeploymentNote(text=text, is_warning=is_warning, sides=sides, stage=doubted):
                self._note(local_text(text), is_warning=is_warning)
                if is_warning:
                    self.stages.warn(sides, doubted)
            case DeploymentApplied(deployment=deployment, report=report):
                link, has_own = deployment.link, not (deployment.a.lan_port and deployment.b.lan_port)
                self.countdown.set_addresses(*((link.inner_a, link.inner_b) if has_own else ("", "")))
                self.stages.rest()
                agreed = " · ".join(line.strip() for line in deployment.negotiated.splitlines() if line.strip())
                for sentence, is_warning in report_words(report):
                    if (sentence, is_warning) not in self._noted:  # a note of the deployment may have warned of it
                        # already
                        self._note(sentence, is_warning=is_warning)
                        self.stages.warn(tuple(Side) if is_warning else (), DeploymentStage.VERIFY)
                if agreed:
                    self._note(f"{tr('Negotiated')}: {agreed}", is_warning=False)
            case _:
                pass

    def stopping(self) -> None:
        """Show that it is being stopped; both hosts are rolling back."""
        enable(self.stop, is_on=False, reason=tr("Stopping…"))

    def show_ended(self, deployment: Deployment, actions: Actions) -> None:
        """It has ended, in whatever state."""
        only = self.task.only if self.task is not None else None
        self._conclude(self._how_it_ended(deployment.state))
        if only is not None and deployment.state is DeploymentState.HALF_CONFIRMED:
            self._rest(is_good=True)
            self._noted = [one for one in self._noted if one[0] != local_text(deployment.message)]  # the result says it
            self._show_notes()
            kind, title, hint = removed_alone_words(deployment, only)
        else:
            self._rest(is_good=deployment.state in (DeploymentState.CONFIRMED, DeploymentState.REMOVED))
            if deployment.state is DeploymentState.REMOVED and self._asked_for_s is not None and not self._has_answer:
                kind, title, hint = lapsed_words(deployment, self._asked_for_s)
            else:
                kind, title, hint = ended_words(deployment)
        self.result.show_message(kind, title, hint, actions)

    def _decided(self, decision: Decision) -> None:
        self._has_answer = self._has_answer or decision is not Decision.EXTEND

    def show_error(self, error: TunnelmarkError, actions: Actions) -> None:
        """It did not work."""
        self._conclude(tr("%1: failed"))
        self._rest(is_good=False)
        self.result.show_error(error, actions, self._where_it_failed())

    def _where_it_failed(self) -> str:
        """Name the stage, and say that nothing was changed where that is certain."""
        failed = self.stages.failed
        if failed is None:
            return ""
        name = stage_words(failed)[0]
        if failed is DeploymentStage.PREPARE and not self.stages.state_of(DeploymentStage.ROLLBACK):
            return tr("“%1” failed: nothing was changed on either host.", name)
        return tr("“%1” failed.", name)

    def show_cancelled(self, actions: Actions) -> None:
        """The user stopped it."""
        self._conclude(tr("%1: stopped, both hosts rolled back"))
        self._rest(is_good=False)
        self.result.show_message(
            "info", tr("Stopped."), tr("Both hosts were restored to their previous state."), actions
        )

    def _how_it_ended(self, state: DeploymentState) -> str:
        is_removal = self.task is not None and self.task.is_removal
        if state is DeploymentState.FAILED:
            return tr("%1: failed")
        if state is DeploymentState.REMOVED and not is_removal:
            return tr("%1: not confirmed, both hosts rolled back")
        return tr("%1: finished")

    def _conclude(self, words: str) -> None:
        self.outcome = words.replace("%1", self.task.name if self.task is not None else "")

    def _rest(self, *, is_good: bool) -> None:
        self._timer.stop()
        if self.task is not None:
            self.what.setText(f"{local_title(self.task.title)}, {self.task.pair.name}")
        self.countdown.clear()
        self.stop.setVisible(False)
        self.stages.end(is_good=is_good)

    def _note(self, text: str, *, is_warning: bool) -> None:
        self._noted.append((text, is_warning))
        self._show_notes()

    def _show_notes(self) -> None:
        self.notes.clear()
        for text, is_warning in sorted(self._noted, key=lambda one: not one[1]):  # few lines are in sight
            icon = self._theme.icon("warning", "legacy") if is_warning else self._theme.icon("info", "accent")
            item = QListWidgetItem(icon, text)
            if is_warning:
                item.setData(Qt.ItemDataRole.AccessibleTextRole, tr("Warning: %1", text))
            self.notes.addItem(item)
        self.notes.setVisible(bool(self._noted))
