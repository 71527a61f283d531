"""Work that goes on behind the page on show: a line that says what it is and leads there, and a mark on its area."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from app.wording.messages import local_text
from ui.common.texts import tr
from ui.shell.running_job import Job

if TYPE_CHECKING:
    from app.domain.events import CensusEvent
    from ui.shell.desktop_alerts import DesktopAlerts
    from ui.shell.navigator import Navigator
    from ui.shell.running_line import RunningLines

_TICK_MS = 250


@dataclass
class _Census:
    pair: str = ""
    total: int = 0
    tried: set[tuple[str, str]] = field(default_factory=set)
    fraction: float | None = None
    left_s: float | None = None


class Running:
    """Belongs to a window."""

    def __init__(self, window: Navigator) -> None:
        self._window = window
        self._census = _Census()
        self._areas: frozenset[str] = frozenset()
        self.lines: RunningLines | None = None
        self._timer = QTimer(window)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self.refresh)
        window.runner.changed.connect(self._on_work)
        window.page_shown.connect(self.refresh)
        window.bridge.census_event.connect(self._on_census)
        window.context.leftovers.changed.connect(self.refresh)

    @cached_property
    def alerts(self) -> DesktopAlerts:
        """Notifications of the desktop, made when something runs for the first time: the first window comes sooner."""
        from ui.shell.desktop_alerts import DesktopAlerts

        return DesktopAlerts(self._window)

    @property
    def jobs(self) -> tuple[Job, ...]:
        """Running operations, the most urgent first."""
        window = self._window
        found = (
            self._deployment() if window.is_rolling else None,
            self._leftover(),
            self._comparison() if window.is_measuring else None,
            self._options() if window.is_trying else None,
            self._study() if window.is_studying else None,
        )
        return tuple(job for job in found if job is not None)

    def refresh(self) -> None:
        """Show what runs now."""
        window, jobs = self._window, self.jobs
        if not window.runner.running:
            self._timer.stop()
        window.top.mark_running({job.area: (job.state, job.is_countdown or job.is_warning) for job in jobs})
        if jobs or "alerts" in vars(self):
            self.alerts.follow(jobs)
        window.welcome.show_running(is_any=bool(jobs), is_measuring=window.is_measuring)
        away = [job for job in jobs if not self._is_shown(job.area)]
        if self.lines is None and away:
            from ui.shell.running_line import RunningLines

            self.lines = RunningLines()
            self.lines.show_asked.connect(self.show)
            window.frame.add_lines(self.lines)
        if self.lines is not None:
            self.lines.show_jobs(away)
        former, self._areas = self._areas, frozenset(job.area for job in jobs)
        if former - self._areas and window.current is not None and not window.is_closing:
            window.current.take_ended()

    def show(self, area: str) -> None:
        """Show the page of a running operation; restore hosts that a comparison left changed."""
        window = self._window
        if area == "leftover":
            window.context.leftovers.roll_back(next(iter(window.context.leftovers.found), ""))
        elif area == "comparison":
            window.go(window.wizard.current)
        else:
            window.show_area("deploy" if area == "deployment" else area)

    def _is_shown(self, area: str) -> bool:
        window = self._window
        if area == "leftover":
            return window.current is not None and window.context.leftovers.is_in(window.current.notice)
        if area == "comparison":
            return window.current is window.run_page
        return window.current is window.area_page("deploy" if area == "deployment" else area)

    def _on_work(self) -> None:
        window = self._window
        names = [operation.name for operation in window.runner.running if not operation.is_quiet]
        window.footer.show_work(names)
        if window.runner.running:
            self._timer.start()
        self.refresh()

    def _on_census(self, event: CensusEvent) -> None:
        from app.domain.events import AttemptEnded, CampaignStarted, Progress

        match event:
            case CampaignStarted(plan=plan, done=done):
                tried = {(one.solution, one.suite) for one in done}
                self._census = _Census(plan.pair.name, len(plan.items), tried)
            case AttemptEnded(attempt=result):
                self._census.tried.add((result.solution, result.suite))
            case Progress(fraction=fraction, left_s=left_s):
                self._census.fraction, self._census.left_s = fraction, left_s
            case _:
                pass

    # --- what runs ----------------------------------------------------------------------------------------------------

    def _deployment(self) -> Job | None:
        from ui.common.texts import duration
        from ui.deployments.texts import stage_words, what_returned

        live = self._window.deploy.live
        task = live.task
        if task is None:
            return None
        pair, countdown = task.pair.name, live.countdown
        if countdown.is_open:
            text = tr("Tunnel of %1: %2 to confirm", pair, duration(countdown.left_s))
            hint = tr("Unless you confirm, both hosts roll back %1.", what_returned(task.former))
            share = countdown.bar.value() / 1000
            return Job(
                "deployment", text, tr("awaiting confirmation"), share, countdown.left_s, is_countdown=True, hint=hint
            )
        stage = f": {stage_words(live.stage)[0]}" if live.stage is not None else ""
        return Job("deployment", f"{task.name}, {pair}{stage}", tr("hosts are being changed"))

    def _leftover(self) -> Job | None:
        found = next(iter(self._window.context.leftovers.found.values()), None)
        if found is None:
            return None
        name, action = found.pair.name, tr("Restore both hosts")
        if found.is_busy:
            text = tr("Restoring both hosts of %1", name)
            return Job("leftover", text, action, action=action)
        text = tr("A host of %1 may not be fully restored.", name)
        return Job("leftover", text, action, hint=local_text(found.message), is_warning=True, action=action)

    def _comparison(self) -> Job:
        from ui.common.stage_texts import place_text

        window = self._window
        live, control = window.bridge.live, window.run_page.control
        pair = live.plan.pair if live.plan is not None else window.wizard.state.pair
        name = pair.name if pair is not None else ""
        rows, status = live.rows(), live.status()
        if control is not None and control.token.is_cancelled:
            text = tr("Cancelling the comparison of %1", name)
            return Job("comparison", text, tr("being cancelled"))
        text = tr("Comparison of %1 paused") if status.is_paused else tr("Measuring %1")
        if status.pause_reason:
            text = tr("Comparison of %1 waits for you")
        text = text.replace("%1", name)
        place = place_text(rows)
        if place:
            text += f": {place}"
        if status.is_paused and status.pause_reason:
            reason = local_text(status.pause_reason)
            return Job("comparison", text, tr("waits for you"), hint=reason, is_warning=True)
        state = tr("paused") if status.is_paused else tr("measuring")
        progress = status.progress
        if progress is None:
            return Job("comparison", text, state)
        return Job("comparison", text, state, progress.fraction, progress.left_s)

    def _options(self) -> Job:
        census = self._census
        text = tr("Cipher census of %1", census.pair) if census.pair else tr("Cipher census")
        if census.total:
            text += tr(": %1 of %2", len(census.tried), census.total)
        return Job("census", text, tr("running"), census.fraction, census.left_s)

    def _study(self) -> Job:
        progress = self._window.area_page("studies").progress  # type: ignore[attr-defined]
        if progress is None:
            return Job("studies", tr("Study"), tr("running"))
        text = tr("Study %1 on %2", progress.part, progress.pair)
        text += tr(": %1 of %2", progress.done, progress.total)
        return Job("studies", text, tr("running"), progress.fraction, progress.left_s)
