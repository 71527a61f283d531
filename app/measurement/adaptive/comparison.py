"""Adaptive comparison: round after round, until the order is known or the budget is used up."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Generator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import ClassVar

from app.domain.cancel import CancelToken
from app.domain.errors import Cancelled, TunnelmarkError, UnderlayDown
from app.domain.events import LogLevel, LogLine, Progress, RoundEnded
from app.domain.interim import CandidateState, InterimResult
from app.domain.messages import sentences
from app.domain.results import Attempt, AttemptKey, AttemptStatus, CampaignPlan, CampaignRecord, CampaignStatus
from app.domain.side_by_side import side_by_side
from app.measurement.adaptive.cycles import Cycles
from app.measurement.adaptive.draft import Draft
from app.measurement.adaptive.group_measurement import RoundOrder
from app.measurement.adaptive.host_probes import HostProbes
from app.measurement.adaptive.past_rounds import Candidate, PastRounds, stored_round, stored_times, took_s
from app.measurement.adaptive.probes import RoundProbes
from app.measurement.adaptive.round import Round
from app.measurement.adaptive.round_times import Part, RoundTimes
from app.measurement.comparison.attempt import find_choice, not_run, title_of
from app.measurement.comparison.comparison import Comparison
from app.measurement.comparison.conditions import hold_as_found
from app.measurement.engine import CAUSED_BY_LINK
from app.measurement.messages import NOT_MEASURED_ANY_MORE, ROUND_COMPLETE, ROUNDS_COMPLETE
from app.measurement.progress import BudgetMeter, Meter
from app.measurement.work import ComparisonContext, Done, Task
from app.probes import doubts_before, inspect_surroundings
from app.ranking.gates import MOST_REPEATS
from app.ranking.interim import interim

logger = logging.getLogger(__name__)


class AdaptiveComparison(Comparison):
    """Implements `Work`: a task is a whole round, and an interim result after each decides what is measured next.

    Attributes:
        probes: Makes what measures.
        clock: Monotonic seconds, for the times of rounds.
    """

    probes: ClassVar[Callable[[ComparisonContext], RoundProbes]] = HostProbes
    clock: ClassVar[Callable[[], float]] = staticmethod(time.monotonic)

    @classmethod
    def meter(cls, plan: CampaignPlan, kept: frozenset[int], emit: Callable[[Progress], None]) -> Meter:
        """Return what reports progress."""
        left_s = sum(seconds for key, seconds in cls.predicted(plan) if key.position not in kept)
        return BudgetMeter(left_s, emit)

    def __init__(self, context: ComparisonContext, record: CampaignRecord) -> None:
        super().__init__(context, record)
        self._not_run = {one.key.position for one in record.attempts if one.status is AttemptStatus.NOT_RUN}
        self._past = PastRounds(context.plan)
        self._took_s, self._times = 0.0, RoundTimes()
        self._due: Sequence[AttemptKey] = ()
        self._is_held = False

    def tasks(self) -> Generator[Task[Attempt], Done[Attempt], CampaignStatus]:
        """Yield the rounds that are left; from the first one on the link of a lab is held as found."""
        try:
            return (yield from self._rounds())
        finally:
            if self._is_held and self.context.conditioned is not None:
                self.context.conditioned.release()

    def _rounds(self) -> Generator[Task[Attempt], Done[Attempt], CampaignStatus]:
        stored = {attempt.key.position: attempt for attempt in self.done}
        wanted: frozenset[Candidate] | None = None
        while keys := self._past.keys(wanted):
            self._due = keys
            attempts = stored_round(keys, stored)
            if attempts is not None:
                self._past.add(attempts, took_s(attempts), stored_times(attempts))
            else:
                titles = tuple(title_of(self.context.plan, key) for key in keys)
                try:
                    done = yield Task(partial(self._measure, keys), keys, titles)
                except TunnelmarkError as error:
                    self.context.emit(LogLine(LogLevel.ERROR, error.sentence()))
                    self.leave(keys, error.reason, error.sentence())
                    return CampaignStatus.INTERRUPTED
                self._past.add(done.attempts, self._took_s, self._times)
            result = self._interim()
            if result.stop is not None:
                break
            wanted = frozenset(
                (one.solution, one.suite) for one in result.candidates if one.state is CandidateState.OPEN
            )
        return CampaignStatus.COMPLETED

    def leave(self, left: Sequence[AttemptKey], reason: str, message: str) -> str:
        """Store which candidates have no figure at all; return the message with the rounds that are complete.

        Of a round that a dead link ended, all its candidates are stored: nothing is recommended until it is measured,
        or a resumed comparison ends for another reason, which is stored in its place.
        """
        number = self._past.next_number
        measured = {(one.key.solution, one.key.suite) for one in self._past.attempts}
        due = self._due if reason == UnderlayDown.reason else ()
        for key in left:
            is_stored = key in due or key.position in self._not_run
            if key.round == number and (is_stored or (key.solution, key.suite) not in measured):
                self.context.keep(not_run(key, reason, message))
        rounds = len(self._past.rounds)
        return sentences((message, ROUND_COMPLETE() if rounds == 1 else ROUNDS_COMPLETE(number=rounds)))

    # --- after a round ------------------------------------------------------------------------------------------------

    def _interim(self) -> InterimResult:
        past, context = self._past, self.context
        result = interim(context.plan, past.attempts, elapsed_s=past.elapsed_s, round_s=past.next_round_s)
        context.emit(RoundEnded(result))
        for one in result.candidates:
            if one.state is not CandidateState.OPEN and one.why and self._left_now(one.solution, one.suite):
                title = title_of(context.plan, AttemptKey(0, one.solution, one.suite, "", 0))
                context.emit(LogLine(LogLevel.INFO, NOT_MEASURED_ANY_MORE(title=title, why=one.why)))
        if isinstance(context.meter, BudgetMeter):
            context.meter.expect(result.left_s if result.stop is None else 0.0)
        return result

    def _left_now(self, solution: str, suite: str) -> bool:
        """Return whether a candidate was measured in the last round, so that it leaves now."""
        last = self._past.rounds[len(self._past.rounds)]
        return any((one.key.solution, one.key.suite) == (solution, suite) for one in last)

    # --- a round ------------------------------------------------------------------------------------------------------

    def _measure(self, keys: Sequence[AttemptKey], _token: CancelToken, doubts: Sequence[str]) -> Done[Attempt]:
        """Measure a round. Its steps have tokens of their own, so that one candidate can be skipped."""
        if not self._is_held:
            self._is_held = True
            hold_as_found(self.context)
        began_s = type(self).clock()
        drafts = [self._draft(key, doubts) for key in keys]
        measured = [draft for draft in drafts if draft.is_open]
        made = self._round(measured)
        try:
            with made.times.part(Part.INSPECTION):
                self._inspect(measured)
            made.run()
        except Cancelled:
            for draft in drafts:
                draft.cancel()
        self._times = made.times
        self._took_s = max(0.0, type(self).clock() - began_s - made.times.seconds[Part.PACKETS])
        logger.info(made.times.sentence(self._past.next_number))
        attempts = tuple(draft.finish() for draft in drafts)
        is_good = all(one.status is AttemptStatus.COMPLETED for one in attempts)
        # A tunnel whose link has died seems fail-closed, so results of captures are doubted as failures are.
        has_captures = any(one.capture is not None for one in attempts)
        is_doubtful = not self.context.control.token.is_cancelled and (
            has_captures or any(isinstance(draft.error, CAUSED_BY_LINK) for draft in drafts)
        )
        return Done(attempts, made.error, is_good=is_good, is_doubtful=is_doubtful)

    def _draft(self, key: AttemptKey, doubts: Sequence[str]) -> Draft:
        context, plan = self.context, self.context.plan
        adapter, suite = find_choice(context, key)
        return Draft(
            key=key,
            title=title_of(plan, key),
            adapter=adapter,
            suite=suite,
            frame_bytes=plan.profile.frame_bytes,
            underlay_mtu_bytes=context.link.underlay_mtu_bytes,
            started_at=datetime.now(UTC),
            began_s=time.monotonic(),
            doubts=[*doubts, *self._past.kept_doubts],
        )

    def _round(self, drafts: Sequence[Draft]) -> Round:
        context, past = self.context, self._past
        number, profile = past.next_number, context.plan.profile
        probes = type(self).probes(context)
        groups = self._groups(drafts)
        order = RoundOrder(
            number=number,
            has_tcp=past.has_tcp_next,
            has_rate=past.has_rate_next,
            repeats_left=max(0, MOST_REPEATS - past.repeats),
            budget_end_s=time.monotonic() + past.left_s([draft.key for draft in drafts]),
            rate_mbit_s=past.rate_mbit_s,
            has_others=any(not draft.is_bare for draft in drafts),
            is_single_group=len(groups) == 1,
            rated=past.rated,
            tested=past.tested,
            checked=past.checked,
        )
        cycles = Cycles(
            probes=probes,
            profile=profile,
            round=number,
            random=random.Random(f"{context.plan.seed}/{number}"),  # noqa: S311 - an order, not a secret
            emit=context.emit,
            report=context.meter.report,
        )
        return Round(context, probes, order, drafts, groups, cycles, times=RoundTimes(type(self).clock))

    def _groups(self, drafts: Sequence[Draft]) -> Sequence[Sequence[int]]:
        """Return which candidates are up together, by position; the bare link is in the first group."""
        if self._past.is_one_at_a_time:
            return [[position] for position in range(len(drafts))]
        return side_by_side([draft.adapter.info.name for draft in drafts])

    def _inspect(self, drafts: Sequence[Draft]) -> None:
        """Add doubts that follow from what the hosts do before the round."""
        context, pair = self.context, self.context.plan.pair
        found = inspect_surroundings(context.sessions, pair.underlay_a, pair.underlay_b, token=context.control.token)
        for draft in drafts:
            draft.doubts += doubts_before(context.labels, found)


def comparison_kind(plan: CampaignPlan) -> type[Comparison]:
    """Return the work that a plan asks for: rounds until the order is known, or all of a fixed profile."""
    return AdaptiveComparison if plan.profile.is_adaptive else Comparison
