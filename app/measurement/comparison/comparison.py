"""Comparison: every attempt of its plan in turn, each with a tunnel of its own."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from app.domain.cancel import CancelToken
from app.domain.conditions import Condition
from app.domain.events import LogLevel, LogLine
from app.domain.gates import Gate
from app.domain.history import EntryKind
from app.domain.hosts import HostFacts, Side
from app.domain.messages import sentences
from app.domain.results import Attempt, AttemptKey, AttemptStatus, CampaignPlan, CampaignRecord, CampaignStatus
from app.domain.workloads import Listening
from app.measurement.comparison.attempt import not_run, run_attempt, title_of
from app.measurement.comparison.conditions import judged_under_condition, under_condition
from app.measurement.comparison.repeats import Repeats
from app.measurement.comparison.workload_needs import refuse_lacking
from app.measurement.engine import CAUSED_BY_LINK
from app.measurement.interfaces import CampaignStore
from app.measurement.messages import (
    ATTEMPT_AGAIN,
    ATTEMPTS_NOT_RUN,
    LOAD_HINT_COMPARISON,
    SKIPPED_IN_STAGE,
    SKIPPED_WHILE_RUNNING,
)
from app.measurement.work import ComparisonContext, Done, Task, Work
from app.probes.workloads import listening_of
from app.ranking.gates import MOST_REPEATS
from app.wording.stages import stage_word

FINAL = (AttemptStatus.COMPLETED, AttemptStatus.FAILED, AttemptStatus.SKIPPED)
"""Attempts that are not repeated when a comparison is resumed."""


class Comparison(Work[CampaignPlan, Attempt, CampaignRecord]):
    """Implements `Work`. Whatever happens to a candidate is its result."""

    kind = EntryKind.COMPARISON
    needed: ClassVar[Mapping[Side, tuple[str, ...]]] = {Side.A: ("ping", "iperf3"), Side.B: ("iperf3",)}
    load_hint = LOAD_HINT_COMPARISON()
    minds_firewalls = True
    is_proven_clean = True
    is_ended_by_lost_host = True

    def __init__(self, context: ComparisonContext, record: CampaignRecord) -> None:
        super().__init__(context, record)
        self._repeats = Repeats(self.done)

    @classmethod
    def check(cls, plan: CampaignPlan, facts: Mapping[str, HostFacts]) -> None:
        """Refuse a plan that cannot be run on these hosts, also for what its workloads need; raises as `Work.check`."""
        super().check(plan, facts)
        refuse_lacking(plan.pair, facts, plan.workloads)

    @staticmethod
    def load(store: CampaignStore, number: int) -> CampaignRecord:
        """Return a comparison as it is stored."""
        return store.load_campaign(number)

    @staticmethod
    def final_attempts(record: CampaignRecord) -> tuple[Attempt, ...]:
        """Return the attempts that completed, failed or were skipped."""
        return tuple(attempt for attempt in record.attempts if attempt.status in FINAL)

    @staticmethod
    def predicted(plan: CampaignPlan) -> tuple[tuple[AttemptKey, float], ...]:
        """Return all attempts in order, with seconds that each will take."""
        return tuple(zip(plan.attempts, plan.predicted_s, strict=True))

    @staticmethod
    def is_crossed(attempt: Attempt) -> bool:
        """Return whether an attempt shows that frames cross the link."""
        return attempt.status is AttemptStatus.COMPLETED

    @staticmethod
    def shaping(plan: CampaignPlan) -> Condition | None:
        """Return the plan's condition on hosts of the user's own; a practice lab emulates it between its gateways."""
        return None if plan.pair.is_lab else plan.condition

    @staticmethod
    def listening(plan: CampaignPlan) -> Mapping[Side, Listening]:
        """Return the ports that the plan's workloads listen on, by side."""
        return listening_of(plan.workloads)

    def tasks(self) -> Generator[Task[Attempt], Done[Attempt], CampaignStatus]:
        """Yield the attempts that are left, in the order of the plan, under its condition."""
        finished = {attempt.key.position for attempt in self.done}
        left = [key for key in self.context.plan.attempts if key.position not in finished]
        if not left:  # a condition is not set for nothing
            return CampaignStatus.COMPLETED
        return (yield from under_condition(self, self._attempts(left)))

    def _attempts(self, left: Sequence[AttemptKey]) -> Generator[Task[Attempt], Done[Attempt], CampaignStatus]:
        for key in left:
            yield Task(partial(self._run, key), (key,), (title_of(self.context.plan, key),))
        return CampaignStatus.COMPLETED

    def leave(self, left: Sequence[AttemptKey], reason: str, message: str) -> str:
        """Store that the rest was not run; of an attempt that was to be repeated, its disturbed figures."""
        not_made = [key for key in left if self._repeats.earlier(key) is None]
        for key in left:
            self.context.keep(self._repeats.left(key, message) or not_run(key, reason, message))
        number = len(self.context.plan.attempts)
        return sentences((message, ATTEMPTS_NOT_RUN(left=len(not_made), number=number) if not_made else ""))

    def _run(self, key: AttemptKey, token: CancelToken, doubts: Sequence[str]) -> Done[Attempt]:
        """Make an attempt; one that was disturbed is made again, as a whole and at its place in the plan's order."""
        earlier = self._repeats.earlier(key)
        attempt, error = run_attempt(self.context, key, token=token, doubts=doubts, earlier=earlier)
        attempt = judged_under_condition(self.context, attempt)
        if attempt.status is AttemptStatus.CANCELLED and self.context.control.is_skipped:
            attempt = _as_skipped(attempt)
        is_good = attempt.status is AttemptStatus.COMPLETED
        # A tunnel whose link has died appears fail-closed, so the captures' verdicts are as doubtful as failures.
        is_doubtful = isinstance(error, CAUSED_BY_LINK) or (is_good and attempt.capture is not None)
        gate = self._repeats.due(attempt)
        if gate is not None:
            return Done(is_doubtful=is_doubtful, again=partial(self._begin_repeat, attempt, gate))
        attempt = self._repeats.kept(attempt, error)
        return Done((attempt,), error, is_good=is_good, is_doubtful=is_doubtful, is_typical=is_good)

    def _begin_repeat(self, attempt: Attempt, gate: Gate) -> None:
        self.context.keep_for_now(self._repeats.begin(attempt))
        again = ATTEMPT_AGAIN(
            round=attempt.key.round,
            title=title_of(self.context.plan, attempt.key),
            reason=gate.words,
            number=self._repeats.number,
            most=MOST_REPEATS,
        )
        self.context.emit(LogLine(LogLevel.WARNING, again))


def _as_skipped(attempt: Attempt) -> Attempt:
    message = SKIPPED_IN_STAGE(stage=stage_word(attempt.stage)) if attempt.stage else SKIPPED_WHILE_RUNNING()
    return replace(attempt, status=AttemptStatus.SKIPPED, reason="skipped", message=message)
