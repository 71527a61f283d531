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
        """Return whether the group was measured; False where it is to be set up again without a candidate that ended.

        That is one which was skipped while it was set up, or one that the check needed.

        Raises:
            NotSideBySide: Idle tunnels change latencies.
        """
        check, begun, seconds = self._check(drafts), self._begun, dict(self.times.seconds)
        is_checked = True
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
                is_checked = check is None or self._is_checked(check, measurement, up)
                if is_checked:
                    measurement.run()
            except (*LOST_HOST, Cancelled, NotSideBySide):
                raise
            except TunnelmarkError as error:
                measurement.fail_open(error)
            if group.lost:
                raise DeadlineExceeded(sentences(group.lost.values()))
        if not is_checked:
            self._begun = begun
            self.times.belongs_to(Part.CHECK, seconds)
            return False
        for sentence in dict.fromkeys(one for draft in up if draft.tunnel for one in draft.tunnel.differences):
            self._warn(sentence)
        return True

    def _check(self, drafts: Sequence[Draft]) -> SideBySideCheck | None:
        """Return the check of a group; None where it was made in an earlier round, or for one tunnel alone."""
        vpns = [(draft.key.solution, draft.key.suite) for draft in drafts if not draft.is_bare]
        if len(vpns) < 2 or self.order.checked.intersection(vpns):
            return None
        pair = self.context.plan.pair
        return SideBySideCheck(self.probes, self.cycles.profile, BlockTarget(pair.underlay_b, pair.underlay_a))

    def _is_checked(self, check: SideBySideCheck, measurement: GroupMeasurement, drafts: Sequence[Draft]) -> bool:
        """Return whether a check has ended; a doubt that it leaves is reported, and is one about each candidate."""
        with self.times.part(Part.CHECK):
            doubt = check.prove(measurement.open, measurement.fail, token=self.context.control.token)
        if doubt:
            self._warn(doubt)
            for draft in drafts:
                draft.doubts.append(doubt)
        return doubt is not None

    def _first(self, drafts: Sequence[Draft], check: SideBySideCheck) -> FirstTunnels:
        """Return the bare link if it is a candidate, and the VPNs: with one, it is measured before the others are up.

        A check that there were too few replies for is made with another VPN in the next round.
        """
        bare = tuple(index for index, draft in enumerate(drafts) if draft.is_bare)
        vpns = [index for index, draft in enumerate(drafts) if not draft.is_bare]
        leading = (self.order.number - 1) % len(vpns)

        def on_up(group: TunnelGroup) -> None:
            if group.tunnels.keys().isdisjoint(vpns):
                return  # what keeps them from being up is a result of the round itself
            with self.times.part(Part.CHECK):
                few = {index: drafts[index].copy() for index in sorted(group.tunnels)}
                for index, draft in few.items():
                    draft.tunnel = group.tunnels[index]
                check.measure_before(list(few.values()), token=self.context.control.token)

        return FirstTunnels(bare, on_up, one_of=(*vpns[leading:], *vpns[:leading]))

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
