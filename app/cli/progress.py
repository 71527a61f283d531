"""Progress on stderr: bars at a terminal, one plain line for each stage elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TaskProgressColumn, TextColumn

from app.cli.terminal import verbatim
from app.cli.words import word_of
from app.domain.errors import UnderlayDown
from app.domain.events import (
    AttemptEnded,
    AttemptStarted,
    CampaignStarted,
    Event,
    LogLevel,
    LogLine,
    RoundEnded,
    Stage,
    StageStarted,
    UnderlayChanged,
)
from app.domain.events import Progress as HowFar
from app.domain.interim import CandidateState, InterimResult
from app.domain.ranking import Ratio
from app.domain.results import Attempt, AttemptStatus, CampaignPlan
from app.wording.language import tr, trn
from app.wording.local_forms import decimal, rounds_text
from app.wording.messages import local_text
from app.wording.numbers import grouped
from app.wording.stages import STAGE_WORDS
from app.wording.titles import local_title


class _Bars:
    """Shows its bars for the length of a context."""

    _bars: Progress

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *outcome: object) -> None:
        self._bars.stop()


class JobProgress(_Bars):
    """One line for a job of which little is known. Safe to update from any thread.

    Args:
        console: On stderr.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bars = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TaskProgressColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task: TaskID | None = None
        self._last_text = ""

    def update(self, text: str, fraction: float | None) -> None:
        """Show what happens now, and how far it is where that is known."""
        text = local_text(text)
        if not self._console.is_terminal:
            if text != self._last_text:
                self._console.print(text)
            self._last_text = text
            return
        if self._task is None:
            self._task = self._bars.add_task(verbatim(text), total=None)
        total = None if fraction is None else 1.0
        self._bars.update(self._task, description=verbatim(text), completed=fraction or 0.0, total=total)


class EventDisplay(_Bars):
    """Base of the displays of events: lines, and a bar at a terminal.

    Args:
        console: On stderr.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = threading.Lock()
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[left]}"),
            console=console,
            disable=not console.is_terminal,
        )
        self._task: TaskID | None = None

    def _begin(self) -> None:
        self._task = self._bars.add_task("", total=1.0, left="")

    def _describe(self, text: str) -> None:
        if self._task is not None:
            self._bars.update(self._task, description=verbatim(text))

    def _progress(self, event: HowFar) -> None:
        if self._task is not None:
            self._bars.update(
                self._task, completed=event.fraction, left=tr("{time} left").format(time=duration(event.left_s))
            )

    def _line(self, text: str) -> None:
        self._console.print(text)


class CampaignDisplay(EventDisplay):
    """Shows a campaign's events. Called in the campaign's thread.

    Args:
        console: On stderr.
        is_verbose: Give each step of a stage a line, also at a terminal, and what is meant for the log alone.
    """

    def __init__(self, console: Console, *, is_verbose: bool = False) -> None:
        super().__init__(console)
        self._is_verbose = is_verbose
        self._total = 0
        self._plan: CampaignPlan | None = None
        self._round = 0
        self._not_run = ""
        self._stage: Stage | None = None
        self._stages: set[Stage] = set()

    def handle(self, event: Event) -> None:
        """Show one event."""
        with self._lock:
            match event:
                case CampaignStarted():
                    self._start(event)
                case AttemptStarted():
                    self._stage = None
                    self._begin_attempt(event)
                case RoundEnded():
                    self._end_round(event.result)
                case StageStarted():
                    self._show_stage(event)
                case HowFar():
                    self._progress(event)
                case AttemptEnded():
                    self._end(event.attempt)
                case UnderlayChanged():
                    self._line(f"      {local_text(event.text)}")
                case LogLine() if self._is_verbose or event.level is not LogLevel.INFO:
                    self._line(f"      {local_text(event.text)}")
                case _:
                    pass

    def _begin_attempt(self, event: AttemptStarted) -> None:
        """Show which attempt begins; those of a round of an adaptive comparison begin together, and have one line."""
        if self._plan is None or not self._plan.profile.is_adaptive:
            place = f"[{event.key.position + 1}/{self._total}]"
            self._line(
                f"{place} {tr('{title}, round {round}').format(title=local_title(event.title), round=event.key.round)}"
            )
        elif event.key.round != self._round:
            self._round = event.key.round
            self._stages.clear()
            self._line(tr("Round {round} (at most {most})").format(round=self._round, most=self._plan.profile.rounds))

    def _end_round(self, result: InterimResult) -> None:
        """Show the ratios to the fastest so far, who left and why, and what comes next."""
        for text in interim_lines(self._plan, result):
            self._line(f"      {text}")

    def _show_stage(self, event: StageStarted) -> None:
        word = tr(STAGE_WORDS[event.stage])
        text = f"{word}: {local_text(event.detail)}" if event.detail else word
        self._describe(text)
        if self._is_verbose:
            self._line(f"      {text}")
        elif not self._console.is_terminal and self._is_new(event.stage):
            self._line(f"      {word}")
        self._stage = event.stage
        self._stages.add(event.stage)

    def _is_new(self, stage: Stage) -> bool:
        """Whether a stage has no line yet: candidates of a round are set up side by side, each in the same stages."""
        if self._plan is not None and self._plan.profile.is_adaptive:
            return stage not in self._stages
        return stage is not self._stage

    def _end(self, attempt: Attempt) -> None:
        """Show how an attempt ended; why a rest of the plan was not run is shown once, and of a dead link before."""
        if attempt.status is AttemptStatus.NOT_RUN:
            if attempt.message in (self._not_run, "") or attempt.reason == UnderlayDown.reason:
                return
            self._not_run = attempt.message
        self._line(f"      {self._which(attempt)}{describe_attempt(attempt)}")

    def _which(self, attempt: Attempt) -> str:
        """Return whose attempt it is, where those of several candidates have one line in common."""
        if self._plan is None or not self._plan.profile.is_adaptive:
            return ""
        key = attempt.key
        titles = (
            local_title(one.title)
            for one in self._plan.candidates
            if (one.solution, one.suite) == (key.solution, key.suite)
        )
        return f"{next(titles, key.solution)}: "

    def _start(self, event: CampaignStarted[CampaignPlan, Attempt]) -> None:
        self._plan, self._total, self._round = event.plan, len(event.plan.attempts), 0
        self._begin()
        self._line(tr("Comparison {number}: {size}.").format(number=event.campaign_id, size=plan_size(event.plan)))
        if event.done:
            self._line(tr("{number} of them were done before.").format(number=len(event.done)))


def plan_size(plan: CampaignPlan) -> str:
    """Return how much a plan is: attempts, or candidates and rounds, and how long it takes."""
    seconds = sum(plan.predicted_s)
    if plan.profile.is_adaptive:
        number = len(plan.candidates)
        return tr("{candidates}, at most {rounds}, about {time} min").format(
            candidates=trn("{number} candidate", "{number} candidates", number).format(number=grouped(number)),
            rounds=rounds_text(plan.profile.rounds),
            time=duration(seconds),
        )
    number = len(plan.attempts)
    attempts = trn("{number} attempt", "{number} attempts", number).format(number=grouped(number))
    return tr("{attempts}, about {time} min").format(attempts=attempts, time=duration(seconds))


def interim_lines(plan: CampaignPlan | None, result: InterimResult) -> Iterator[str]:
    """Return what is known after a round: ratios to the fastest with intervals, who left and why, what comes next."""
    titles = {(one.solution, one.suite): local_title(one.title) for one in plan.candidates} if plan is not None else {}
    for one in result.candidates:
        title = titles.get((one.solution, one.suite), one.solution)
        words = f": {ratio_text(one.ratio)}" if one.ratio is not None else ""
        left = f" ({local_text(one.why).rstrip('.')})" if one.state is not CandidateState.OPEN and one.why else ""
        yield f"{title}{words}{left}"
    if result.sentence:
        yield local_text(result.sentence)


def ratio_text(ratio: Ratio) -> str:
    """Return a latency over that of the fastest, with its interval where it is known."""
    if ratio.value == ratio.low == ratio.high:
        return tr("the fastest")
    if ratio.interval is None:
        return tr("{ratio} times the fastest").format(ratio=decimal(ratio.value, 2))
    low, high = ratio.interval
    return tr("{ratio} times the fastest ({low} to {high})").format(
        ratio=decimal(ratio.value, 2), low=decimal(low, 2), high=decimal(high, 2)
    )


def duration(seconds: float) -> str:
    """Return seconds as m:ss."""
    whole = max(0, round(seconds))
    return f"{whole // 60}:{whole % 60:02d}"


def describe_attempt(attempt: Attempt) -> str:
    """Return how an attempt ended, in one line."""
    if attempt.status is not AttemptStatus.COMPLETED:
        return f"{word_of(attempt.status)}: {local_text(attempt.message) or attempt.reason}"
    speeds = ", ".join(decimal(series.mbit_s, 1) for series in attempt.throughput)
    return tr("completed: {carried}set up in {setup} s, measured {probe} s, removed in {cleanup} s").format(
        carried=f"{speeds} Mbit/s; " if speeds else "",
        setup=decimal(attempt.setup_s, 1),
        probe=decimal(attempt.probe_s, 1),
        cleanup=decimal(attempt.cleanup_s, 1),
    )
