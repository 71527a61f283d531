"""Lost echo requests that count for eligibility: an outage that a candidate had once may be the link's.

Candidates are measured in turn, so that a short outage of the link is in the block of one of them alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.results import LOST_RTT_US, Attempt
from app.domain.solutions import BASELINE
from app.ranking.blocks import FEWEST_WITHOUT_OUTAGE, OUTAGE_REQUESTS, lost_in_a_row
from app.ranking.candidates import Contender, with_figures
from app.ranking.outages import is_timed_by_blocks
from app.wording.language import tr
from app.wording.numbers import grouped


@dataclass(frozen=True, slots=True)
class CountedLoss:
    """Requests of a candidate that count for its eligibility.

    Attributes:
        sent: Those that were sent.
        lost: Those of them without a reply.
        left_out: Lost ones that do not count.
        note: Which these are, and why, as a sentence; empty where all count.
    """

    sent: int
    lost: int
    left_out: int = 0
    note: str = ""

    @property
    def share_pct(self) -> float | None:
        """Share that was lost in percent; None where none was sent."""
        return 100.0 * self.lost / self.sent if self.sent else None


@dataclass(frozen=True, slots=True)
class _Outage:
    """An outage within a block.

    Attributes:
        round: Round, from 1.
        cycle: Cycle of the round, from 1.
        in_a_row: Requests in a row without a reply.
        sent: Requests of the block that were sent.
        lost: Those of them without a reply.
        has_figures: Whether the candidate's figures are of this attempt.
        is_repeated: Whether its cycle was repeated.
    """

    round: int
    cycle: int
    in_a_row: int
    sent: int
    lost: int
    has_figures: bool
    is_repeated: bool


def counted_losses(everyone: Sequence[Contender]) -> tuple[CountedLoss, ...]:
    """Return the requests of each candidate that count for its eligibility, in the same order.

    All count but those of a block with an outage whose cycle was repeated, if it is the candidate's only one. If it is
    as long as the block, another candidate must have one in the same cycle: one of the link seldom begins and ends with
    a block. An outage in any attempt counts as a further one, also in those that failed. Of the bare link its only
    outage is left out in any case, since what it lost raises the limit of the others.
    """
    outages = [[found for attempt in one.attempts for found in _outages(one, attempt)] for one in everyone]
    in_cycle = Counter((each.round, each.cycle) for found in outages for each in found)
    return tuple(_counted(one, found, in_cycle) for one, found in zip(everyone, outages, strict=True))


def _counted(one: Contender, outages: Sequence[_Outage], in_cycle: Counter[tuple[int, int]]) -> CountedLoss:
    sent = sum(each.sent for each in one.result.latency)
    lost = sum(each.sent - each.received for each in one.result.latency)
    others = sum(len(attempt.blocks) for attempt in with_figures(one.attempts)) - 1
    if len(outages) != 1 or not outages[0].has_figures:
        return CountedLoss(sent, lost)
    only = outages[0]
    is_from_edge_to_edge = only.lost == only.sent and in_cycle[only.round, only.cycle] < 2
    is_proven = only.is_repeated and others >= FEWEST_WITHOUT_OUTAGE and not is_from_edge_to_edge
    if not is_proven and one.candidate.solution != BASELINE:
        return CountedLoss(sent, lost)
    note = tr(
        "In cycle {cycle} of round {round}, {number} echo requests in a row were lost. The losses of that block do not "
        "count for the recommendation: {others} other blocks had no such outage, so the link may be the cause."
    ).format(cycle=only.cycle, round=only.round, number=grouped(only.in_a_row), others=grouped(others))
    return CountedLoss(sent - only.sent, lost - only.lost, only.lost, note)


def _outages(one: Contender, attempt: Attempt) -> Iterator[_Outage]:
    """Yield the outages within the blocks of an attempt."""
    if not is_timed_by_blocks(attempt) or all(each.received == each.sent for each in attempt.latency):
        return
    has_figures = any(each is attempt for each in with_figures(one.attempts))
    parts = [each.rtt_us.reshape(len(attempt.blocks), -1) for each in attempt.latency]
    has_lost = np.logical_or.reduce([(part == LOST_RTT_US).any(axis=1) for part in parts])
    for nth in np.flatnonzero(has_lost).tolist():
        block, rtt_us = attempt.blocks[nth], [part[nth] for part in parts]
        in_a_row = lost_in_a_row(rtt_us, block.sent, first=(block.cycle - 1) % len(parts))
        if in_a_row >= OUTAGE_REQUESTS:
            sent = sum(block.sent) if block.sent else sum(part.size for part in rtt_us)
            lost = sent - sum(int((part != LOST_RTT_US).sum()) for part in rtt_us)
            yield _Outage(
                attempt.key.round, block.cycle, in_a_row, sent, lost, has_figures, is_repeated=not block.is_counted
            )
