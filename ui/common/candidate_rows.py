"""The table of candidates of a running comparison."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import fmean

from app.domain.events import AttemptStarted, Stage, StageStarted, ThroughputSample
from app.domain.interim import CandidateState, InterimResult
from app.domain.results import Attempt, AttemptKey, AttemptStatus, CampaignPlan
from app.domain.verdicts import Verdict
from app.ranking.weighted import weighted_latency_ms
from app.wording.messages import local_text
from app.wording.numbers import grouped
from app.wording.titles import local_title

Key = tuple[str, str]
"""Solution and suite."""


class RowState(StrEnum):
    """State of a candidate."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"
    NOT_RUN = "not-run"
    ENDED_EARLY = "ended-early"


@dataclass(frozen=True, slots=True)
class Row:
    """One candidate.

    Attributes:
        key: Solution and suite.
        title: For people.
        verdict: Of its suite.
        nth_suite: Position among the suites of its solution, from 0; chooses the line's dashes.
        state: Its state.
        stage: The current stage while it runs.
        detail: More about the stage, or why it failed.
        attempts_done: Attempts that ended.
        attempts: Attempts in all: the baseline has one more than rounds, after all others.
        rounds_done: Rounds in which an attempt ended.
        rounds: Rounds that are planned.
        latency_ms: Weighted latency so far; None until every size has replies.
        mbit_s: Mean throughput so far over both directions; None before the first second.
        cpu_pct: Mean CPU of both hosts during throughput; None until an attempt ended.
        daemon_log: The daemons' output where it failed.
        is_open_ended: Whether the rounds are the most that can be needed, as in an adaptive comparison.
    """

    key: Key
    title: str
    verdict: Verdict
    nth_suite: int
    state: RowState = RowState.WAITING
    stage: Stage | None = None
    detail: str = ""
    attempts_done: int = 0
    attempts: int = 1
    rounds_done: int = 0
    rounds: int = 1
    latency_ms: float | None = None
    mbit_s: float | None = None
    cpu_pct: float | None = None
    daemon_log: str = ""
    is_open_ended: bool = False


_STATES = {
    AttemptStatus.COMPLETED: RowState.DONE,
    AttemptStatus.FAILED: RowState.FAILED,
    AttemptStatus.SKIPPED: RowState.SKIPPED,
    AttemptStatus.CANCELLED: RowState.CANCELLED,
    AttemptStatus.NOT_RUN: RowState.NOT_RUN,
}


class RowBook:
    """Keeps the rows up to date."""

    def __init__(self) -> None:
        self._rows: dict[Key, Row] = {}
        self._means_ms: dict[Key, dict[int, float]] = {}
        self._seconds_mbit_s: dict[Key, list[float]] = {}
        self._mbit_s: dict[Key, list[float]] = {}
        self._cpu_pct: dict[Key, list[float]] = {}
        self._rounds_done: dict[Key, set[int]] = {}

    def start(self, plan: CampaignPlan) -> None:
        """Take the candidates of a plan."""
        suites: dict[str, int] = {}
        for candidate in plan.candidates:
            key = (candidate.solution, candidate.suite)
            nth = suites.get(candidate.solution, 0)
            suites[candidate.solution] = nth + 1
            own = [attempt.round for attempt in plan.attempts if (attempt.solution, attempt.suite) == key]
            row = Row(
                key, local_title(candidate.title), candidate.verdict, nth, attempts=len(own), rounds=len(set(own))
            )
            row = replace(row, is_open_ended=plan.profile.is_adaptive)
            self._rows[key], self._rounds_done[key] = row, set()
            self._means_ms[key], self._seconds_mbit_s[key] = {}, []
            self._mbit_s[key], self._cpu_pct[key] = [], []

    def rows(self) -> tuple[Row, ...]:
        """Return all rows in the plan's order."""
        return tuple(self._rows.values())

    def title(self, key: Key) -> str:
        """Return a candidate's title; the solution where it is not in the plan."""
        return self._rows[key].title if key in self._rows else key[0]

    def attempt_started(self, event: AttemptStarted) -> None:
        """Start an attempt of a candidate."""
        self._seconds_mbit_s.get((event.key.solution, event.key.suite), []).clear()
        self._change((event.key.solution, event.key.suite), state=RowState.RUNNING, stage=None, detail="")

    def stage(self, event: StageStarted) -> None:
        """Show the stage that begins."""
        self._change((event.key.solution, event.key.suite), stage=event.stage, detail=local_text(event.detail))

    def rtts(self, key: Key, frame_bytes: int, mean_ms: float | None) -> None:
        """A size has a new mean over all rounds so far; None where nothing of it is left."""
        if key not in self._rows:
            return
        if mean_ms is None:
            self._means_ms[key].pop(frame_bytes, None)
        else:
            self._means_ms[key][frame_bytes] = mean_ms
        self._change(key, latency_ms=weighted_latency_ms(self._means_ms[key]))

    def probing(self, key: Key, frame_bytes: int) -> None:
        """Show which frame size is being probed."""
        detail = f"{grouped(frame_bytes)} B"
        row = self._rows.get(key)
        if row is not None and row.stage is Stage.LATENCY and row.detail != detail:
            self._change(key, detail=detail)

    def throughput(self, event: ThroughputSample) -> None:
        """A second of throughput is over."""
        key = (event.key.solution, event.key.suite)
        if key in self._rows:
            self._seconds_mbit_s[key].append(event.mbit_s)
            self._change(key, mbit_s=fmean([*self._mbit_s[key], fmean(self._seconds_mbit_s[key])]))

    def attempt_dropped(self, attempt: AttemptKey) -> None:
        """Discard an attempt of a candidate; it is repeated."""
        key = (attempt.solution, attempt.suite)
        if key in self._rows:
            mbit_s = fmean(self._mbit_s[key]) if self._mbit_s[key] else None
            self._change(key, state=RowState.WAITING, stage=None, detail="", mbit_s=mbit_s)

    def attempt_ended(self, attempt: Attempt) -> None:
        """End an attempt of a candidate."""
        key = (attempt.key.solution, attempt.key.suite)
        row = self._rows.get(key)
        if row is None:
            return
        if attempt.status is AttemptStatus.NOT_RUN:
            self._not_run(row, local_text(attempt.message))
            return
        busy = [usage.busy_pct for usage in attempt.cpu_throughput.values()]
        if busy and attempt.throughput:  # without it there is no such load
            self._cpu_pct[key].append(fmean(busy))
        if attempt.throughput:
            self._mbit_s[key].append(fmean([series.mbit_s for series in attempt.throughput]))
        attempts_done = row.attempts_done + 1
        self._rounds_done[key].add(attempt.key.round)
        state = _STATES[attempt.status]
        if state is RowState.DONE and attempts_done < row.attempts:
            state = RowState.WAITING
        self._rows[key] = replace(
            row,
            state=state,
            stage=None,
            detail=local_text(attempt.message),
            attempts_done=attempts_done,
            rounds_done=len(self._rounds_done[key]),
            mbit_s=fmean(self._mbit_s[key]) if self._mbit_s[key] else None,
            cpu_pct=fmean(self._cpu_pct[key]) if self._cpu_pct[key] else None,
            daemon_log=attempt.daemon_log or row.daemon_log,
        )

    def _not_run(self, row: Row, why: str) -> None:
        """Keep what earlier rounds of a candidate brought, and say why the others were not run."""
        if row.state in (RowState.FAILED, RowState.CANCELLED, RowState.SKIPPED):
            return
        state = RowState.ENDED_EARLY if row.rounds_done else RowState.NOT_RUN
        self._change(row.key, state=state, stage=None, detail=why)

    def round_ended(self, result: InterimResult) -> None:
        """Take an interim result: candidates that were decided are not measured any more."""
        for one in result.candidates:
            row = self._rows.get((one.solution, one.suite))
            if row is not None and row.state is RowState.WAITING and one.state is CandidateState.DECIDED:
                self._change(row.key, state=RowState.DONE, detail=local_text(one.why))

    def end(self, *, is_complete: bool = False) -> None:
        """Nothing more is measured: what still waits will not be.

        Args:
            is_complete: Whether everything was measured that was needed.
        """
        for key, row in self._rows.items():
            if row.state in (RowState.WAITING, RowState.RUNNING):
                state = RowState.ENDED_EARLY if row.rounds_done else RowState.NOT_RUN
                if is_complete and row.is_open_ended and row.rounds_done:
                    state = RowState.DONE
                self._change(key, state=state, stage=None, detail="")

    def _change(self, key: Key, **changes: object) -> None:
        row = self._rows.get(key)
        if row is not None:
            self._rows[key] = replace(row, **changes)  # type: ignore[arg-type]
