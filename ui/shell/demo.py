"""`tunnelmark demo` in the window: the practice lab, a real quick comparison, its results and a report."""

from __future__ import annotations

import sys
from pathlib import Path

from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.errors import InvalidPlan, TunnelmarkError
from app.domain.hosts import PairSpec
from app.domain.profiles import DEMO_PROFILE
from app.domain.progress import ProgressSink
from app.domain.results import CampaignPlan, CampaignRecord, CampaignStatus
from app.measurement.options import RunOptions
from app.measurement.wizard import Step
from app.wording.messages import local_sentence
from ui.common.candidate_rows import Key
from ui.common.texts import tr
from ui.shell.window import MainWindow

_FAILED, _CANCELLED = 1, 130

DEMO_SOLUTIONS = ("baseline", "wireguard", "openvpn-udp", "openvpn-tcp")


class Demo:
    """Drives the window from its opening to the report.

    Args:
        window: The window; its services must be open when `start` is called.
        is_seen: Whether it remains open afterwards; otherwise it closes by itself.

    Attributes:
        exit_code: As on the command line: 0 when the report is written, 1 when something failed, 130 before.
        report: The report, once it is written.
    """

    def __init__(self, window: MainWindow, *, is_seen: bool = True) -> None:
        self._window = window
        self._is_seen = is_seen
        self.exit_code = _CANCELLED
        self.report: Path | None = None

    def start(self) -> None:
        """Show the run page at once; everything happens on it."""
        window = self._window
        run = window.run_page
        window.wizard.current = Step.RUN
        window.show_page(run)
        run.finished.connect(self._on_finished)
        run.failed.connect(self._fail)
        self._prepare()

    def _prepare(self) -> None:
        window = self._window
        run, services = window.run_page, window.context.services
        run.notice.clear()
        run.prepare(tr("Starting the practice lab"))

        def prepare(token: CancelToken, report: ProgressSink) -> tuple[Discovery, CampaignPlan, RunOptions]:
            pair: PairSpec = services.start_lab(token=token, on_progress=report)
            found = services.discover(pair, token=token, on_progress=report)
            options = RunOptions(DEMO_PROFILE)
            report(tr("Planning"), None)
            return found, services.plan(found, demo_candidates(found), options), options

        run.operation = window.runner.run(
            tr("Preparing the demonstration"),
            prepare,
            on_success=self._measure,
            on_failure=self._on_fault,
            on_cancelled=self._on_cancelled,
            on_progress=run.show_preparing,
        )

    def _measure(self, prepared: tuple[Discovery, CampaignPlan, RunOptions]) -> None:
        found, plan, options = prepared
        window = self._window
        wizard = window.wizard
        wizard.set_discovery(found)
        wizard.confirm_link(found.link, found.pair)
        wizard.choose([(candidate.solution, candidate.suite) for candidate in plan.candidates])
        wizard.set_options(options)
        wizard.set_plan(plan)
        wizard.enter(Step.RUN)
        window.run_page.begin(found, plan)

    def _on_cancelled(self) -> None:
        self._window.run_page.prepare_ended(tr("Cancelled before anything was measured."))
        self._rest()

    def _rest(self) -> None:
        if not self._is_seen:
            self._window.close_now()

    def _on_fault(self, error: TunnelmarkError) -> None:
        run = self._window.run_page
        run.prepare_ended(tr("The demonstration could not start"))
        run.notice.show_error(error, {tr("Try again"): self._prepare})
        self._fail(error)

    def _fail(self, error: TunnelmarkError) -> None:
        self.exit_code = _FAILED
        sys.stderr.write(f"tunnelmark: {local_sentence(error)}\n")
        self._rest()

    def _on_finished(self, record: CampaignRecord) -> None:
        window = self._window
        if record.status is not CampaignStatus.COMPLETED:
            self._rest()
            return
        window.run_page.finished.disconnect(self._on_finished)
        services = window.context.services
        path = services.default_report_path(record.campaign_id)

        def write(_token: CancelToken, _report: ProgressSink) -> tuple[Path, str]:
            written = services.write_report(record.campaign_id, path)
            return written, services.results(record.campaign_id)[1].recommendation.sentence

        window.go(Step.RESULTS)
        window.runner.run(tr("Writing the report"), write, on_success=self._on_written, on_failure=self._on_no_report)

    def _on_written(self, written: tuple[Path, str]) -> None:
        self.report, sentence = written
        self.exit_code = 0
        self._window.results.show_written(self.report)
        words = tr("Report: %1", self.report)
        sys.stdout.write(f"{sentence}\n{words}\n")
        sys.stdout.flush()
        self._rest()

    def _on_no_report(self, error: TunnelmarkError) -> None:
        self._window.results.notice.show_error(error)
        self._fail(error)


def demo_candidates(found: Discovery) -> list[Key]:
    """Return one candidate per solution of the demonstration: its default, else its first.

    Raises:
        InvalidPlan: The lab offers none of them.
    """
    keys: list[Key] = []
    for solution in DEMO_SOLUTIONS:
        offered = [(c.solution, c.suite) for c in found.candidates if c.solution == solution]
        preferred = [key for key in offered if key in found.defaults]
        keys += (preferred or offered)[:1]
    if not keys:
        raise InvalidPlan(
            tr("The practice lab offers none of the candidates of the demonstration."),
            hint=tr("Make its image anew: tunnelmark lab down, then delete the cached image."),
        )
    return keys
