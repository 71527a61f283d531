"""Step 5: the measurement, live."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QTabWidget, QWidget

from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.errors import TunnelmarkError
from app.domain.events import (
    AttemptEnded,
    AttemptStarted,
    CampaignEnded,
    CampaignStarted,
    Event,
    LogLevel,
    LogLine,
    Paused,
    UnderlayChanged,
)
from app.domain.hosts import PairSpec
from app.domain.progress import ProgressSink
from app.domain.results import CampaignPlan, CampaignRecord, CampaignStatus
from app.measurement.control import CampaignControl
from app.ranking.outcome import Outcome, outcome_of
from app.wording.messages import local_text
from app.wording.titles import local_title
from ui.common.basics import ScrollPage, name_tabs
from ui.common.code_view import CodeView
from ui.common.context import PageContext
from ui.common.dialogs import Question
from ui.common.live_values import Status
from ui.common.outcome_texts import outcome_lines, remedy_actions
from ui.common.page import Page
from ui.common.splits import split
from ui.common.stage_texts import place_text
from ui.common.texts import tr
from ui.common.theme import GRID
from ui.common.tips import enable
from ui.comparison.log_view import LogView
from ui.comparison.run_ends import number_to_resume, show_cancelled, show_interrupted
from ui.comparison.run_header import RunHead
from ui.comparison.run_table import RunTable
from ui.comparison.run_words import measuring_text, pause_text, pausing_text, running_text, skip_text, stopping_words
from ui.plots.run_board import PlotBoard

if TYPE_CHECKING:
    from app.tunnel.recovery import RecoveryReport

_TABLE_MS = 250
_LEAST_TABLE_PX = 136
"""Some three lines; where plots and table have less room together, they are scrolled."""


class RunPage(Page):
    """Head, plots, table and log of a running comparison."""

    finished = Signal(object)
    """Carries the CampaignRecord of a comparison that ended."""
    failed = Signal(object)
    """Carries the TunnelmarkError of a comparison that could not be run."""
    running_changed = Signal()
    remedy_asked = Signal(object)
    """Carries the Step in which the cause of failures can be removed."""
    moves_on = True

    def __init__(self, context: PageContext) -> None:
        super().__init__(context, tr("Run"))
        self.title.setVisible(False)
        self.head = RunHead()
        self.head.pause_asked.connect(self._on_pause)
        self.head.skip_asked.connect(self._on_skip)
        self.head.cancel_asked.connect(self.cancel)
        self.board = PlotBoard(context.theme, context.bridge.live)
        self.table = RunTable(context.theme)
        self.table.itemSelectionChanged.connect(self._on_row)
        self.log = LogView()
        self.daemon = CodeView(context.theme)
        self.tabs = QTabWidget()
        self.tabs.addTab(self.table, tr("Candidates"))
        self.tabs.addTab(self.log, tr("Log"))
        self.tabs.addTab(self.daemon, tr("Daemon log"))
        self.tabs.setTabVisible(2, False)  # noqa: FBT003 - Qt has it so
        name_tabs(self.tabs, tr("Candidates, log"))
        splitter = split(self.board, self.tabs, sizes_px=(480, 240), stretches=(3, 2), handle_px=GRID, is_vertical=True)
        self.body.addWidget(self.head)
        self.tabs.setMinimumHeight(_LEAST_TABLE_PX)
        self.body.addWidget(ScrollPage(splitter, max_width_px=None), 1)
        self.control: CampaignControl | None = None
        self._plan: CampaignPlan | None = None
        self._begun_id: int | None = None  # number of the comparison that runs, or ran last
        self._log_position = 0
        self._is_cancelling = self._is_resumed = self._is_lab_gone = False
        self._timer = QTimer(self)
        self._timer.setInterval(_TABLE_MS)
        self._timer.timeout.connect(self._refresh)
        context.bridge.campaign_event.connect(self._on_event)
        context.leftovers.changed.connect(lambda name: context.leftovers.follow(self.notice, name))

    # --- the page's life ----------------------------------------------------------------------------------------------

    def enter(self) -> None:
        """Start measuring where the plan has not run yet."""
        state = self.context.wizard.state
        if not self.is_running and state.plan is not None and state.discovery and state.campaign_id is None:
            if state.plan is self._plan:
                return  # it failed or was cancelled before anything was stored: the notice says what to do
            self.begin(state.discovery, state.plan)

    def first_focus(self) -> QWidget | None:
        """The pause button."""
        return self.head.pause if self.is_running else self.table

    def can_go_next(self) -> bool:
        """When a comparison has ended."""
        return not self.is_running and self.context.wizard.state.campaign_id is not None

    def why_not_next(self) -> str:
        """Return what is waited for."""
        return tr("Results come when the comparison has ended.")

    @property
    def _is_adaptive(self) -> bool:
        """Whether all candidates are measured in turn, in rounds."""
        return self._plan is not None and self._plan.profile.is_adaptive

    @property
    def is_running(self) -> bool:
        """Whether a comparison is being measured or cleaned up."""
        return self.control is not None

    def cancel(self) -> bool:
        """Esc asks first."""
        if self.is_running:
            self.ask_cancel()
            return True
        return super().cancel()

    # --- measuring ----------------------------------------------------------------------------------------------------

    def prepare(self, text: str) -> None:
        """Something has to happen before measuring can start: show it instead of an empty page."""
        self.show_preparing(text, None)
        enable(self.head.stop, is_on=True, reason="")

    def show_preparing(self, text: str, fraction: float | None) -> None:
        """Show what happens before measuring starts, and how far it is."""
        if fraction is None:
            self.head.show_waiting(text)
        else:
            self.head.show_progress(text, fraction, None, "")
        self.log.append_lines([LogLine(LogLevel.INFO, text)])

    def prepare_ended(self, text: str) -> None:
        """Measuring will not start."""
        self.head.set_running(is_running=False)
        self.head.show_progress(text, 0.0, None, "")
        self.changed.emit()

    def begin(self, found: Discovery, plan: CampaignPlan, resume_id: int | None = None) -> None:
        """Measure.

        Args:
            resume_id: Number of the comparison that is resumed.
        """
        self.notice.clear()
        self.context.bridge.live.reset()
        self.log.clear()
        self._log_position = 0
        self._is_cancelling = False
        self._is_resumed = resume_id is not None
        self._plan, self._begun_id = plan, resume_id
        self.tabs.setTabVisible(2, False)  # noqa: FBT003 - Qt has it so
        control = self.control = CampaignControl(is_attended=True)
        services, emit = self.context.services, self.context.bridge.emit_event
        self.head.set_running(is_running=True)
        self.head.show_waiting(tr("Connecting to both hosts"))
        self._timer.start()

        def measure(_token: CancelToken, _report: ProgressSink) -> CampaignRecord:
            record = services.run(found, plan, control=control, emit=emit, resume_id=resume_id)
            is_interrupted = record.status is CampaignStatus.INTERRUPTED
            self._is_lab_gone = is_interrupted and plan.pair.is_lab and services.is_lab_gone(record)
            return record

        self.start(
            tr("Measuring"),
            measure,
            self._on_done,
            on_failure=self._on_fault,
        )
        self.running_changed.emit()

    def ask_cancel(self) -> None:
        """Ask whether to end the comparison."""
        if not self.is_running or self._is_cancelling:
            return
        text, continue_text = stopping_words(is_paused=self.context.bridge.live.status().is_paused)
        Question(self.window(), tr("Stop this comparison?"), text, tr("Stop"), continue_text, "warning").ask(
            self.cancel_now
        )

    def cancel_now(self) -> None:
        """End the comparison; cleaning up is shown."""
        if self.control is None:
            return
        self._is_cancelling = True
        is_paused = self.context.bridge.live.status().is_paused
        self.control.cancel()
        self.control.resume()
        self.head.set_running(is_running=False)
        if is_paused:
            self.head.show_text(tr("Stopping: checking both hosts"))
            self.status_reported.emit(tr("Stopping the comparison. This takes a few seconds."))
        else:
            self.head.show_text(tr("Stopping: restoring both hosts"))
            self.status_reported.emit(tr("Restoring both hosts. This takes a few seconds."))

    def _on_pause(self, is_paused: bool) -> None:  # noqa: FBT001 - a signal's argument
        if self.control is None:
            return
        if is_paused:
            self.control.pause()
            self._refresh()
            self.status_reported.emit(pause_text(is_adaptive=self._is_adaptive))
        else:
            self.control.resume()
            self._refresh()
            self.status_reported.emit(tr("Resumed."))

    def _on_skip(self) -> None:
        if self.control is not None:
            self.control.skip()
            self.status_reported.emit(skip_text(self.context.bridge.live))

    def _on_done(self, record: CampaignRecord) -> None:
        self._rest()
        self.context.wizard.set_campaign(
            record.campaign_id,
            has_failures=bool(outcome_of(record).headline),
            is_complete=record.status is CampaignStatus.COMPLETED,
        )
        share = self.head.share
        pair = record.plan.pair
        leftovers = self.context.leftovers
        if self._is_resumed and record.status is CampaignStatus.COMPLETED:
            leftovers.forget_gateways(pair.name)  # resuming begins with a rollback on both hosts
        status = self.context.bridge.live.status()
        leftovers.take(record, status.left)
        if record.status is CampaignStatus.INTERRUPTED:
            self.head.show_progress(tr("Interrupted"), share, None, "")
            self._show_interrupted(pair, status)
        elif leftovers.show_in(self.notice, pair.name):
            self.head.show_progress(tr("Finished with errors: check the hosts"), share, None, "")
        elif record.status is CampaignStatus.CANCELLED:
            self.head.show_progress(tr("Cancelled"), share, None, "")
            show_cancelled(self.notice, record, self._again)
        else:
            self._show_outcome(outcome_of(record))
        self.finished.emit(record)

    def _show_interrupted(self, pair: PairSpec, status: Status) -> None:
        if self._is_lab_gone:
            self.context.leftovers.forget(pair.name)  # its hosts are gone
        restore, is_lab_gone = partial(self._recover, pair), self._is_lab_gone
        show_interrupted(self.notice, status, self._again, restore, is_lab_gone=is_lab_gone)

    def _show_outcome(self, outcome: Outcome) -> None:
        """Show how many candidates failed, and why; only where none did, that all were measured."""
        if not outcome.headline:
            self.head.show_progress(tr("Finished: both hosts are restored"), 1.0, None, "")
            self.status_reported.emit(tr("All candidates were measured. Next shows the results."))
            return
        self.head.show_progress(tr("Finished: %1", outcome.headline), 1.0, None, "")
        text = "\n".join((*outcome_lines(outcome), tr("Both hosts are restored.")))
        actions = remedy_actions(outcome, self.remedy_asked.emit)
        kind = "error" if not outcome.measured else "caution"
        self.notice.show_message(kind, tr("%1.", outcome.headline), text, actions)
        self.status_reported.emit(tr("%1. Next shows the results.", outcome.measured_words))

    def _recover(self, pair: PairSpec) -> None:
        services = self.context.services
        self.start(
            tr("Restoring both hosts"),
            lambda token, _report: services.recover(pair, token=token),
            partial(self._show_recovery, pair),
            is_awaited=True,
        )

    def _show_recovery(self, pair: PairSpec, report: RecoveryReport) -> None:
        leftovers = self.context.leftovers
        leftovers.take_recovery(pair, report)
        if not leftovers.show_in(self.notice, pair.name):
            text = " ".join(map(local_text, report.sentences()))
            self.notice.show_message("info", tr("Both hosts were inspected."), text)

    def _on_fault(self, error: TunnelmarkError) -> None:
        self._rest()
        if self._plan is not None:
            self.context.leftovers.take_left(self._plan.pair, self.context.bridge.live.status().left)
        self.head.show_progress(tr("Stopped"), self.head.share, None, "")
        self.notice.show_error(error, {tr("Try again"): self._again})
        self.failed.emit(error)

    def _again(self) -> None:
        state = self.context.wizard.state
        found, plan = state.discovery, state.plan
        if found is None or plan is None:
            return
        services = self.context.services

        def find(_token: CancelToken, _report: ProgressSink) -> tuple[int | None, CampaignPlan]:
            resume_id = number_to_resume(services, plan.pair.name, self._begun_id)
            return resume_id, plan if resume_id is None else services.record(resume_id).plan

        self.start(
            tr("Reading earlier results"),
            find,
            lambda found_plan: self.begin(found, found_plan[1], found_plan[0]),
        )

    def _rest(self) -> None:
        self.control = None
        self._timer.stop()
        self.board.end()
        self._refresh()
        self.head.set_running(is_running=False)
        self.running_changed.emit()
        self.changed.emit()

    # --- showing ------------------------------------------------------------------------------------------------------

    def _on_event(self, event: Event) -> None:
        match event:
            case CampaignStarted():
                self._begun_id = event.campaign_id
                self.board.begin(event.plan)
                self._refresh()
            case AttemptStarted():
                self.status_reported.emit(measuring_text(local_title(event.title), is_adaptive=self._is_adaptive))
            case AttemptEnded():
                self._refresh()
            case UnderlayChanged():
                self._show_link(event)
            case Paused():
                self._show_pause(event)
            case CampaignEnded():
                self.status_reported.emit(local_text(event.message) or tr("The comparison has ended."))
            case _:
                pass

    def _show_link(self, event: UnderlayChanged) -> None:
        self._refresh()
        if event.is_up:
            self.notice.clear()
            self.status_reported.emit(local_text(event.text))
        else:
            self.notice.show_message("caution", local_text(event.text), tr("Cancel ends the comparison now."))

    def _show_pause(self, event: Paused) -> None:
        if self._is_cancelling:
            self.notice.clear()
            return
        self.head.set_paused(is_paused=event.is_paused)
        text = tr("Paused; both hosts are restored.") if event.is_paused else tr("Resumed.")
        self.status_reported.emit(text)
        if not event.is_paused:
            self.notice.clear()
        elif event.reason:
            hint = tr("Results so far are saved. Resume continues where it stopped.")
            resume = {tr("Resume"): lambda: self._on_pause(False)}  # noqa: FBT003
            self.notice.show_message("error", local_text(event.reason), hint, resume)

    def _refresh(self) -> None:
        live = self.context.bridge.live
        rows = live.rows()
        self.table.show_candidates(rows)
        lines, self._log_position = live.log_since(self._log_position)
        self.log.append_lines(lines)
        status = live.status()
        if status.progress is None or self._is_cancelling or not self.is_running:
            return
        text = running_text(live, rows)
        if self.head.is_pausing and not status.is_paused:
            text = pausing_text(text, is_adaptive=self._is_adaptive)
        position = "" if any(row.is_open_ended for row in rows) else place_text(rows)
        self.head.show_progress(text, status.progress.fraction, status.progress.left_s, position)

    def _on_row(self) -> None:
        row = self.table.selected_row()
        has_log = row is not None and bool(row.daemon_log)
        self.tabs.setTabVisible(2, has_log)
        if row is not None and has_log:
            self.daemon.show_text(row.daemon_log)
            self.tabs.setTabText(2, tr("Log of %1", row.title))
