"""Requests of an attempt in the order of sending, and the times of its blocks, which bound an outage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.domain.results import LOST_RTT_US, Attempt, LatencySeries
from app.ranking.summaries import is_sent

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RequestOrder:
    """Requests in the order of sending.

    Attributes:
        answered: Numbers of those with a reply, ascending.
        blocks: Block of each request, from 0.
        numbers: Number of each request of a series, by frame size in bytes; -1 where it was not sent.
    """

    answered: Places
    blocks: Places
    numbers: Mapping[int, Places]

    def neighbours(self, first: int, last: int) -> tuple[int, int]:
        """Return the last request with a reply before some requests and the first one after them.

        They are -1 and the number of all requests where there is none.
        """
        below, above = np.searchsorted(self.answered, first), np.searchsorted(self.answered, last, side="right")
        before = int(self.answered[below - 1]) if below else -1
        return before, int(self.answered[above]) if above < self.answered.size else self.blocks.size

    def begins_block(self, number: int) -> bool:
        """Return whether a request is the first one of its block; the number after the last request is, too."""
        return number in (0, self.blocks.size) or bool(self.blocks[number - 1] != self.blocks[number])


def request_order(attempt: Attempt, series: Sequence[LatencySeries]) -> RequestOrder:
    """Return the requests of some series of an attempt that is timed by blocks.

    Each block begins with the frame size after the one that the block of the cycle before began with.
    """
    count, sizes = len(attempt.blocks), len(attempt.latency)
    wanted = {one.frame_bytes for one in series}
    replies = [(one.rtt_us != LOST_RTT_US).reshape(count, -1) for one in attempt.latency]
    was_sent = [is_sent(attempt, one).reshape(count, -1) for one in attempt.latency]
    numbers = [np.full(one.shape, -1, np.int64) for one in replies]
    answered, blocks = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    total = 0
    for block, one in enumerate(attempt.blocks):
        for position in range(sizes):
            nth = (one.cycle - 1 + position) % sizes
            if attempt.latency[nth].frame_bytes in wanted:
                sent = was_sent[nth][block]
                mine = np.arange(total, total + int(sent.sum()), dtype=np.int64)
                numbers[nth][block][sent] = mine
                answered.append(mine[replies[nth][block][sent]])
                blocks.append(np.full(mine.size, block, np.int64))
                total += mine.size
    by_size = {one.frame_bytes: found.reshape(-1) for one, found in zip(attempt.latency, numbers, strict=True)}
    return RequestOrder(np.concatenate(answered), np.concatenate(blocks), by_size)


def outage_span_s(attempt: Attempt, order: RequestOrder, first: int, last: int) -> tuple[float, float]:
    """Return since when and until when requests without a reply allow an outage, in s since the attempt began.

    It began after the last request with a reply before them, and ended before the first one after them. A request was
    sent after its block began and before it ended; the last one was sent at its end, and the first one when it began.
    Where its end was not kept, the candidate's next block is the limit.

    Args:
        attempt: Timed by blocks.
        order: Its requests.
        first: Number of the first request without a reply.
        last: The same of the last one.
    """
    began_s = [one.at_s for one in attempt.blocks] + [(attempt.ended_at - attempt.started_at).total_seconds()]
    lasted_s = [one.lasted_s for one in attempt.blocks]
    before, after = order.neighbours(first, last)
    since_s, until_s = 0.0, began_s[-1]
    if before >= 0:
        block = int(order.blocks[before])
        since_s = began_s[block]
        if order.begins_block(before + 1):
            since_s = min(began_s[block + 1], since_s + (lasted_s[block] or 0.0))
    if after < order.blocks.size:
        block = int(order.blocks[after])
        until_s, lasted = began_s[block], lasted_s[block]
        if not order.begins_block(after):
            until_s = began_s[block + 1] if lasted is None else min(began_s[block + 1], until_s + lasted)
    return since_s, max(since_s, until_s)


def silent_ends_s(attempt: Attempt) -> list[float]:
    """Return how long an outage may have lasted at the end of each block that ended early without a reply, in s.

    Requests that would have shown the outage were not sent. Sizes that never cross show nothing.

    Args:
        attempt: Timed by blocks.
    """
    if not any(one.sent for one in attempt.blocks):
        return []
    order = request_order(attempt, [one for one in attempt.latency if (one.rtt_us != LOST_RTT_US).any()])
    found = []
    for nth, block in enumerate(attempt.blocks):
        last = int(np.searchsorted(order.blocks, nth, side="right")) - 1
        is_any = last >= 0 and order.blocks[last] == nth
        if block.sent and is_any and last not in order.answered:
            since_s, until_s = outage_span_s(attempt, order, last, last)
            found.append(until_s - since_s)
    return found
