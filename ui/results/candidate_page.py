"""One candidate of a comparison: verdict, packet tests, figures, configuration and log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QTabWidget, QWidget

from app.domain.results import AttemptStatus, CampaignRecord
from app.ranking.outcome import Outcome, outcome_of
from app.wording.local_forms import minute_text
from app.wording.messages import local_text
from ui.common.attempt_story import attempt_story
from ui.common.basics import button, column, holder, label, name_tabs, row
from ui.common.candidate_details import CandidateDetails
from ui.common.candidate_rows import Key
from ui.common.code_view import CodeView
from ui.common.context import PageContext
from ui.common.deployment_preset import Wanted
from ui.common.notices import Actions
from ui.common.outcome_texts import remedy_actions
from ui.common.page import Page
from ui.common.swatch import swatch_icon
from ui.common.texts import tr
from ui.common.theme import GRID
from ui.plots.framed import framed
from ui.plots.latency import LatencyPlot
from ui.plots.limits import LimitsBox
from ui.plots.result_data import ResultData
from ui.results.candidate_figures import CandidateFigures
from ui.results.candidate_overview import CandidateOverview
from ui.results.capture_details import CaptureDetails
from ui.results.deploy_button import name_deploy
from ui.results.samples_view import SamplesView


class CandidatePage(Page):
    """Tabs on one candidate; Back leads to the results that it was opened from."""

    deploy_asked = Signal(object)
    """Carries a `Wanted`."""
    remedy_asked = Signal(object)
    """Carries the Step in which the cause of a failure can be removed."""
    again_asked = Signal(object)
    """Carries the CampaignRecord that is to be measured again."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(context, tr("Candidate"))
        theme = context.theme
        self.data: ResultData | None = None
        self.key: Key | None = None
        self.swatch = QLabel()
        self.where = label("", "muted")
        self.deploy = button(tr("Dep&loy…"), "deployment", variant="primary", on_click=self._deploy)
        self.overview = CandidateOverview()
        self.figures = CandidateFigures()
        self.plot = LatencyPlot(theme)
        self.limits = LimitsBox(theme, self.plot)
        self.samples = SamplesView(theme)
        self.details = CandidateDetails()
        self.capture = CaptureDetails(theme)
        self.code = CodeView(theme)
        self.log = CodeView(theme)
        self.tabs = QTabWidget()
        name_tabs(self.tabs, tr("Views of the candidate"))
        self.tabs.addTab(self.overview, tr("Overview"))
        self._figures_at = self.tabs.addTab(self.figures, tr("Figures"))
        self._curve_at = self.tabs.addTab(framed(self.plot, variant="plain", beside=(self.limits,)), tr("Curve"))
        self._samples_at = self.tabs.addTab(self.samples, tr("Over time"))
        self.tabs.addTab(self.details, tr("Cryptography"))
        self._capture_at = self.tabs.addTab(holder(column(self.capture, margin_px=GRID)), tr("Packet tests"))
        self.tabs.addTab(holder(column(self.code, margin_px=GRID)), tr("Configuration"))
        self._log_at = self.tabs.addTab(holder(column(self.log, margin_px=GRID)), tr("Log"))
        self._lay_out()

    def first_focus(self) -> QWidget | None:
        """The tabs."""
        return self.tabs.tabBar()

    def show_candidate(self, data: ResultData, key: Key, *, is_current: bool, may_deploy: bool) -> None:
        """Show a candidate.

        Args:
            is_current: Whether the comparison is the wizard's, whose steps can mend a failure.
            may_deploy: Whether it can be deployed.
        """
        is_other = self.data is not data or self.key != key
        self.data, self.key = data, key
        result = data.result(key)
        self.title.setText(result.title)
        self.setAccessibleName(result.title)
        self.swatch.setPixmap(swatch_icon(key[0], data.names[key][1]).pixmap(20, 20))
        started = data.record.started_at.astimezone()
        self.where.setText(
            tr("Comparison %1 of %2, %3", data.record.campaign_id, data.record.plan.pair.name, minute_text(started))
        )
        self.deploy.setVisible(may_deploy)
        name_deploy(self.deploy, result.title)
        self._show_failure(data, key, is_current=is_current)
        self.overview.show_candidate(data, key)
        self.figures.show_candidate(data, key)
        self.tabs.setTabVisible(self._figures_at, bool(result.latency or result.throughput_mbit_s))
        self.details.show_candidate(data.candidate(key), data.infos.get(key[0]))
        self._show_curve(data, key)
        self.samples.show_candidate(data, key)
        self.tabs.setTabVisible(self._samples_at, self.samples.has_samples)
        self._show_capture(data, key)
        self._show_words(data, key)
        if is_other:
            self.plot.shown.show_all()
            self.plot.zoom.reset()
            self.samples.plot.zoom.reset()
            self.tabs.setCurrentIndex(0)

    def _show_failure(self, data: ResultData, key: Key, *, is_current: bool) -> None:
        """Show first why a candidate failed, and the remedy."""
        self.notice.clear()
        result, outcome = data.result(key), outcome_of(_alone(data, key))
        if result.status is AttemptStatus.COMPLETED and not outcome.causes:
            return
        is_failed = result.status is AttemptStatus.FAILED
        title = tr("It failed in every round.") if is_failed else tr("It was not measured completely.")
        if result.status is AttemptStatus.COMPLETED:
            title = tr("%1 of its rounds failed.", outcome.attempts_failed)
        causes = [cause.message for cause in outcome.causes] or [result.message]
        actions = self._actions(data, outcome, is_current=is_current)
        self.notice.show_message(
            "error" if is_failed else "caution", title, "\n".join(filter(None, map(local_text, causes))), actions
        )

    def _actions(self, data: ResultData, outcome: Outcome, *, is_current: bool) -> Actions:
        actions: dict[str, Callable[[], object]] = {}
        if is_current:
            actions |= remedy_actions(outcome, self.remedy_asked.emit)
        actions[tr("Measure again")] = lambda: self.again_asked.emit(data.record)
        return actions

    def _show_curve(self, data: ResultData, key: Key) -> None:
        self.tabs.setTabVisible(self._curve_at, any(curve.key == key for curve in data.curves))
        self.plot.set_sizes(data.record.plan.profile.frame_bytes)
        self.plot.set_candidates(data.names)
        self.plot.draw(data.curves)
        self.plot.highlight(key, most_bands=0)
        self.limits.count_from(data.least_ms(key))

    def _show_capture(self, data: ResultData, key: Key) -> None:
        report = data.captures.get(key)
        self.tabs.setTabVisible(self._capture_at, report is not None)
        if report is not None:
            self.capture.show_report(data.result(key).title, report, data.slow.get(key))

    def _show_words(self, data: ResultData, key: Key) -> None:
        attempts = data.record.attempts_of(key)
        configured = [one.configuration for one in attempts if one.configuration]
        self.code.show_items(configured[-1] if configured else (), [attempt_story(one) for one in attempts])
        logs = [f"{tr('Round')} {one.key.round}\n{one.daemon_log.rstrip()}" for one in attempts if one.daemon_log]
        self.tabs.setTabVisible(self._log_at, bool(logs))
        self.log.show_text("\n\n".join(logs))

    def _deploy(self) -> None:
        if self.data is not None and self.key is not None:
            pair, title = self.data.record.plan.pair, self.data.result(self.key).title
            self.deploy_asked.emit(Wanted(pair, self.key, title))

    def _lay_out(self) -> None:
        self.body.setContentsMargins(2 * GRID, GRID + 4, 2 * GRID, GRID)
        self.body.setSpacing(GRID)
        self.body.removeWidget(self.title)
        self.body.insertLayout(0, row(self.swatch, (self.title, 1), self.deploy))
        self.body.insertWidget(1, self.where)
        self.body.addWidget(self.tabs, 1)


def _alone(data: ResultData, key: Key) -> CampaignRecord:
    """Return the comparison as if nothing else had been compared."""
    record = data.record
    plan = replace(
        record.plan,
        candidates=(data.candidate(key),),
        attempts=tuple(one for one in record.plan.attempts if (one.solution, one.suite) == key),
    )
    return replace(record, plan=plan, attempts=record.attempts_of(key))
