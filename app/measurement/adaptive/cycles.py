"""Cycles of interleaved blocks: one block of each candidate per cycle, in random order."""

from __future__ import annotations

import math
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.cancel import CancelToken
from app.domain.errors import ProbeFailed
from app.domain.events import CycleEnded, EventSink, RttSamples
from app.domain.profiles import GOOD_CYCLES, MOST_CYCLES, Profile
from app.domain.results import LOST_RTT_US
from app.measurement.adaptive.block_time import FEWEST_CYCLES
from app.measurement.adaptive.draft import Draft, MeasuredBlock, is_lost
from app.measurement.adaptive.probes import RoundProbes
from app.measurement.messages import CYCLE_OF_ROUND, FRAMES_STOPPED
from app.probes.blocks import TargetBlock
from app.ranking.blocks import is_disturbed

_LOST_IN_A_ROW = 2
"""After so many blocks without any answer a candidate has failed."""


FailureSink = Callable[[Draft, ProbeFailed], None]


@dataclass
class Cycles:
    """Cycles of one round.

    Attributes:
        probes: Measures.
        profile: The comparison's profile.
        round: Round, from 1.
        random: Order of the candidates in each cycle.
        emit: Gets events.
        report: Gets what happens, in one line.
        number: Cycles that were made so far in this round.
        clock: Monotonic seconds.
    """

    probes: RoundProbes
    profile: Profile
    round: int
    random: random.Random
    emit: EventSink
    report: Callable[[str], None]
    number: int = 0
    clock: Callable[[], float] = time.monotonic

    def run(
        self,
        drafts: Sequence[Draft],
        on_failed: FailureSink,
        *,
        token: CancelToken,
        most_s: Callable[[float], float] = lambda _cycle_s: math.inf,
    ) -> None:
        """Measure until there are six good cycles, or five where time is short, at most twelve.

        Args:
            drafts: Candidates that are up; blocks are added to them, and disturbed cycles are marked.
            on_failed: Gets a candidate that stopped answering, before it is left out.
            most_s: Returns from the seconds of a cycle how long all may take.

        Raises:
            ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
        """
        began_s = self.clock()
        numbers: list[int] = []
        while any(draft.is_open for draft in drafts):
            self.report(
                CYCLE_OF_ROUND(
                    round=self.round, cycle=len(numbers) + 1, good=_good(drafts, numbers), wanted=GOOD_CYCLES
                )
            )
            self.one([draft for draft in drafts if draft.is_open], on_failed, token=token)
            numbers.append(self.number)
            self._mark(drafts, numbers)
            self._report(drafts)
            good, passed_s = _good(drafts, numbers), self.clock() - began_s
            cycle_s = passed_s / len(numbers)
            is_late = good >= FEWEST_CYCLES and passed_s + cycle_s > most_s(cycle_s)
            if good >= GOOD_CYCLES or len(numbers) >= MOST_CYCLES or is_late:
                break
        for draft in drafts:
            draft.probe_s += (self.clock() - began_s) / len(drafts)

    def prove(self, drafts: Sequence[Draft], on_failed: FailureSink, *, token: CancelToken) -> None:
        """Measure candidates that had one outage in this round alone, until it recurs or enough blocks had none.

        A tunnel that drops out now and then must not pass for one whose link did so once. Their latencies do not count.

        Args:
            drafts: Candidates that are up.
            on_failed: Gets a candidate that stopped answering.

        Raises:
            ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
        """
        while due := unproven(drafts):
            self.one(due, on_failed, token=token)
            for draft in due:
                draft.disturbed.add(self.number)

    def one(self, drafts: Sequence[Draft], on_failed: FailureSink, *, token: CancelToken) -> tuple[MeasuredBlock, ...]:
        """Measure one cycle; return the blocks in the order of `drafts`."""
        order = self.random.sample(range(len(drafts)), len(drafts))
        began_s = time.monotonic()
        blocks = self.probes.cycle(
            tuple(drafts[index].target for index in order),
            first_size=self.number % len(self.profile.frame_bytes),
            token=token,
        )
        self.number += 1
        made: dict[int, MeasuredBlock] = {}
        for index, block in zip(order, blocks, strict=True):
            draft = drafts[index]
            self._report_samples(draft, block)
            made[index] = draft.add(self.number, began_s - draft.began_s + block.at_s, block)
        for draft in drafts:
            if not draft.is_open:
                continue
            last = draft.blocks[-_LOST_IN_A_ROW:]
            if len(last) == _LOST_IN_A_ROW and all(is_lost(one.block) for one in last):
                on_failed(
                    draft,
                    ProbeFailed(
                        FRAMES_STOPPED(title=draft.title, blocks=_LOST_IN_A_ROW),
                    ),
                )
        return tuple(made[index] for index in range(len(drafts)))

    def _report_samples(self, draft: Draft, block: TargetBlock) -> None:
        for size, series, sent in zip(self.profile.frame_bytes, block.rtt_us, block.requests, strict=True):
            rtt_ms = np.where(series == LOST_RTT_US, np.nan, series / 1000.0)[:sent]
            self.emit(RttSamples(draft.key, size, tuple(rtt_ms.tolist())))

    def _mark(self, drafts: Sequence[Draft], numbers: Sequence[int]) -> None:
        """Mark the disturbed cycles of a group, earlier ones as well: what is slow is known by the others only.

        So is a cycle in which a candidate had no reply, unless that candidate has failed since, or an outage.
        """
        opened, wanted = [draft for draft in drafts if draft.is_open], set(numbers)
        means = cycle_means(opened, numbers)
        silent = {one.cycle for draft in opened for one in draft.blocks if one.cycle in wanted and is_lost(one.block)}
        slow = {
            number
            for number, mean in means.items()
            if is_disturbed([other for one, other in means.items() if one != number], mean)
        }
        disturbed = silent | slow | outage_cycles(opened, numbers)
        for draft in drafts:
            draft.disturbed = (draft.disturbed - wanted) | disturbed

    def _report(self, drafts: Sequence[Draft]) -> None:
        last = [(draft, draft.blocks[-1]) for draft in drafts if draft.blocks and draft.blocks[-1].cycle == self.number]
        values = tuple((draft.key, one.value_ms) for draft, one in last if one.value_ms is not None)
        is_counted = all(self.number not in draft.disturbed for draft, _ in last)
        self.emit(CycleEnded(self.round, self.number, values, is_counted))


def cycle_means(drafts: Sequence[Draft], numbers: Sequence[int]) -> dict[int, float]:
    """Return how slow each cycle was: the mean over all candidates of a block over that candidate's typical block.

    Args:
        drafts: Candidates.
        numbers: Cycles; those of which there is no value are left out.

    Returns:
        Means by cycle, without a unit: a candidate of long latency counts as much as one of short latency.
    """
    wanted = set(numbers)
    logs: dict[int, list[float]] = {}
    for draft in drafts:
        own = {one.cycle: math.log(one.value_ms) for one in draft.blocks if one.cycle in wanted and one.value_ms}
        typical = statistics.median(own.values()) if own else 0.0
        for number, value in own.items():
            logs.setdefault(number, []).append(value - typical)
    return {number: math.exp(statistics.fmean(values)) for number, values in logs.items()}


def outage_cycles(drafts: Sequence[Draft], numbers: Sequence[int]) -> set[int]:
    """Return the cycles that are repeated because of an outage within a block of a candidate.

    An outage that a candidate has in several of these cycles is its own, or the link has them often: repeating does not
    change that. Nor does it where more cycles have one than can be repeated.

    Args:
        drafts: Candidates.
        numbers: Cycles; others are left out.
    """
    wanted, found = set(numbers), set[int]()
    for draft in drafts:
        own = wanted.intersection(one.cycle for one in draft.outages)
        if len(own) == 1:
            found |= own
    return found if len(found) <= MOST_CYCLES - GOOD_CYCLES else set()


def unproven(drafts: Sequence[Draft]) -> list[Draft]:
    """Return the candidates of a round that blocks of them alone may excuse for an outage.

    One without any reply in a block is excused only if another one has an outage in that cycle, see `counted_losses`.
    """
    in_cycle = Counter(one.cycle for draft in drafts for one in draft.outages)
    return [
        draft
        for draft in drafts
        if draft.is_open
        and draft.blocks_to_prove
        and all(in_cycle[one.cycle] > 1 or not is_lost(one.block) for one in draft.outages)
    ]


def _good(drafts: Sequence[Draft], numbers: Sequence[int]) -> int:
    disturbed = set().union(*(draft.disturbed for draft in drafts))
    return sum(number not in disturbed for number in numbers)
