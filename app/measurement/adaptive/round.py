"""One round: tunnels up side by side, interleaved blocks, sequential TCP, packet tests, rollback."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from app.domain.errors import (
    Cancelled,
    CleanupFailed,
    ConnectionLost,
    DeadlineExceeded,
    HostUnreachable,
    TunnelmarkError,
)
from app.domain.events import LogLevel, LogLine, Stage, StageStarted
from app.domain.messages import sentences
from app.measurement.adaptive.block_time import GroupShare
from app.measurement.adaptive.cycles import Cycles
from app.measurement.adaptive.draft import Draft
from app.measurement.adaptive.group_measurement import GroupMeasurement, RoundOrder
from app.measurement.adaptive.probes import RoundProbes
from app.measurement.adaptive.round_times import Part, RoundTimes, TimedGroup
from app.measurement.adaptive.side_by_side import ONE_AT_A_TIME, NotSideBySide, SideBySideCheck
from app.measurement.adaptive.steps import skippable
from app.measurement.interfaces import TunnelGroup
from app.measurement.messages import NOT_SET_UP_TOGETHER, OF_CANDIDATE, ONE_AT_A_TIME_NOW, ROUND_STEP
from app.measurement.work import ComparisonContext
from app.probes.blocks import BlockTarget
from app.tunnel.temporary_group import FirstTunnels
from app.wording.stages import STAGE_WORDS

LOST_HOST = (ConnectionLost, HostUnreachable, DeadlineExceeded)
"""Errors of a host, not of a candidate: the whole round is made again."""


@dataclass
class Round:
    """One round.

    Attributes:
        context: What it needs.
        probes: Measures.
        order: What is measured in it.
        drafts: Candidates; their outcomes are in them afterwards.
        groups: Positions in `drafts` that may be up together.
        cycles: Makes cycles of blocks.
        error: The error that counts afterwards: that a host could not be restored, or the last one of a candidate.
        times: Seconds by part.
    """

    context: ComparisonContext
    probes: RoundProbes
    order: RoundOrder
    drafts: Sequence[Draft]
    groups: Sequence[Sequence[int]]
    cycles: Cycles
    error: TunnelmarkError | None = None
    times: RoundTimes = field(default_factory=RoundTimes)
    _cleanup_error: CleanupFailed | None = field(default=None, init=False)
    _begun: int = field(default=0, init=False)
    _left: int = field(default=0, init=False)

    def run(self) -> None:
        """Measure all groups. Both hosts have been restored when this returns, or `error` says so.

        Raises:
            ConnectionLost, HostUnreachable, DeadlineExceeded: A host was lost: the round does not count.
            Cancelled: The comparison was cancelled.
        """
        self._in_turn([[self.drafts[index] for index in group] for group in self.groups])
        ended = [draft.error for draft in self.drafts if draft.error is not None]
        self.error = self._cleanup_error or (ended[-1] if ended else None)

    def _in_turn(self, groups: Sequence[Sequence[Draft]]) -> None:
        self._left += sum(map(self._has_blocks, groups))
        for group in groups:
            self._group(group)
            self._left -= self._has_blocks(group)

    def _has_blocks(self, drafts: Sequence[Draft]) -> bool:
        """Whether a group takes a share of the round: the bare link alone is measured beside the others only."""
        return not self.order.has_others or any(not draft.is_bare for draft in drafts)

    def _apart(self, drafts: Sequence[Draft]) -> None:
        """Measure the candidates of a group, which is no longer one, one at a time."""
        self._left -= 1
        self._in_turn([[draft] for draft in drafts])
        self._left += 1

    def _group(self, drafts: Sequence[Draft]) -> None:
        """Measure candidates side by side; what keeps them from being up together is met by one at a time."""
        while wanted := [draft for draft in drafts if draft.is_open]:
            try:
                if self._open_and_measure(wanted):
                    return
            except (*LOST_HOST, Cancelled):
                raise
            except TunnelmarkError as error:
                if isinstance(error, CleanupFailed):
                    self._cleanup_error = error
                if isinstance(error, NotSideBySide):
                    self._one_at_a_time(wanted, error)
                    return
                if len(wanted) == 1 or isinstance(error, CleanupFailed):
                    for draft in wanted:
                        draft.fail(error)
                    return
                self._warn(NOT_SET_UP_TOGETHER(why=error.message))
                self._apart(wanted)
                return

    def _one_at_a_time(self, drafts: Sequence[Draft], why: NotSideBySide) -> None:
        """Measure one tunnel after another, and say so: in later rounds as well, which know it by the doubt."""
        self._warn(sentences((why.message, ONE_AT_A_TIME_NOW())))
        self.times.belongs_to(Part.CHECK)
        self._begun = 0  # as are the seconds of groups that were measured before
        for draft in self.drafts:
            draft.doubts.append(sentences((ONE_AT_A_TIME, why.message)))
        self._apart(drafts)

    def _open_and_measure(self, drafts: Sequence[Draft]) -> bool:
        """Return whether the group was measured; False where a candidate was skipped while it was set up.

        Raises:
            NotSideBySide: Idle tunnels change latencies.
        """
        check = self._check(drafts)
        with ExitStack() as stack:
            group = self._open(stack, drafts, check)
            if group is None:
                return False
            self._begun += self._has_blocks(drafts)
            up = [draft for index, draft in enumerate(drafts) if self._is_up(draft, group, index)]
            measurement = GroupMeasurement(
                self.context,
                self.probes,
                self.cycles,
                self.order,
                [*self._bare(drafts), *up],
                group,
                self.times,
                GroupShare(max(self._begun, 1), self._left),
            )
            try:
                measurement.warm_up()
                if check is not None and check.has_begun:
                    with self.times.part(Part.CHECK):
                        self._doubt(check.prove(measurement.open, token=self.context.control.token), up)
                measurement.run()
            except (*LOST_HOST, Cancelled, NotSideBySide):
                raise
            except TunnelmarkError as error:
                measurement.fail_open(error)
            if group.lost:
                raise DeadlineExceeded(sentences(group.lost.values()))
        for sentence in dict.fromkeys(one for draft in up if draft.tunnel for one in draft.tunnel.differences):
            self._warn(sentence)
        return True

    def _check(self, drafts: Sequence[Draft]) -> SideBySideCheck | None:
        """Return the check of a group; None where it is not due, or where one tunnel alone is to be up."""
        if not self.order.is_check_due or sum(not draft.is_bare for draft in drafts) < 2:
            return None
        pair = self.context.plan.pair
        return SideBySideCheck(self.probes, self.cycles.profile, BlockTarget(pair.underlay_b, pair.underlay_a))

    def _doubt(self, sentence: str, drafts: Sequence[Draft]) -> None:
        """Report a doubt about all candidates of a group; nothing where it is empty."""
        if sentence:
            self._warn(sentence)
            for draft in drafts:
                draft.doubts.append(sentence)

    def _first(self, drafts: Sequence[Draft], check: SideBySideCheck) -> FirstTunnels:
        """Return one candidate, and the bare link if it is one: they are measured before the others are up."""
        vpn = next(index for index, draft in enumerate(drafts) if not draft.is_bare)
        positions = (*(index for index, draft in enumerate(drafts) if draft.is_bare), vpn)

        def on_up(group: TunnelGroup) -> None:
            if not group.tunnels.keys() >= set(positions):
                return  # what keeps it from being up is a result of the round itself
            with self.times.part(Part.CHECK):
                few = [drafts[index].copy() for index in positions]
                for index, draft in zip(positions, few, strict=True):
                    draft.tunnel = group.tunnels[index]
                check.measure_before(few, token=self.context.control.token)

        return FirstTunnels(positions, on_up)

    def _open(self, stack: ExitStack, drafts: Sequence[Draft], check: SideBySideCheck | None) -> TunnelGroup | None:
        latest = drafts[0]
        opened: list[TunnelGroup] = []

        def on_stage(index: int, stage: Stage, text: str) -> None:
            nonlocal latest
            latest = drafts[index]
            if stage is not Stage.CLEANUP:  # it follows whatever happened
                latest.stage = stage
            self.context.emit(StageStarted(latest.key, stage, text))
            self.context.meter.report(
                ROUND_STEP(round=self.order.number, title=latest.title, what=text or STAGE_WORDS[stage])
            )

        choices = [(draft.adapter, draft.suite) for draft in drafts]
        with skippable(self.context.control, lambda: latest.skip()) as token:  # noqa: PLW0108 - `latest` changes
            first = None if check is None else self._first(drafts, check)
            group = self.context.tunnels.open_group(choices, token=token, on_stage=on_stage, first=first)
            opened.append(stack.enter_context(TimedGroup(group, self.times)))
        return opened[0] if opened else None

    def _bare(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Return the bare link where it is measured already and belongs to another group: it has blocks in each."""
        return [one for one in self.drafts if one.is_bare and one.is_open and one.tunnel and one not in drafts]

    def _is_up(self, draft: Draft, group: TunnelGroup, index: int) -> bool:
        if index in group.tunnels:
            draft.tunnel = group.tunnels[index]
            return True
        error = group.failures.get(index)
        if error is not None:
            draft.fail(error)
            self.context.emit(LogLine(LogLevel.ERROR, OF_CANDIDATE(title=draft.title, what=error.sentence())))
        return False

    def _warn(self, sentence: str) -> None:
        self.context.emit(LogLine(LogLevel.WARNING, sentence))
