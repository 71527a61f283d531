"""Round-trip times of a candidate in the order of sending, and the requests in a row without a reply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from app.domain.results import LOST_RTT_US, Attempt, LatencySeries
from app.ranking.block_times import request_order
from app.ranking.candidates import with_figures
from app.ranking.outages import block_bounds_s, is_timed_by_blocks
from app.ranking.summaries import is_sent, lost_runs

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LEAST_DRAWN_MS = 1e-3
"""Lower end of a logarithmic axis: a host that prints whole milliseconds prints 0, too."""


@dataclass(frozen=True, slots=True)
class SampleOutage:
    """Requests in a row without a reply.

    Attributes:
        first: Number of the first one among all samples, from 0.
        last: The same of the last one.
        round: Round that they belong to.
        least_s: At least for how long nothing was answered, in s; None where no times are stored.
        most_s: The same at most.
        unsent: Requests between them that were not sent.
    """

    first: int
    last: int
    round: int
    least_s: float | None = None
    most_s: float | None = None
    unsent: int = 0

    @property
    def requests(self) -> int:
        """Number of them."""
        return self.last - self.first + 1 - self.unsent


@dataclass(frozen=True, slots=True)
class SampleHistory:
    """Samples of one frame size over all rounds.

    A time is stored for each block of requests, not for each request. Without blocks the order alone is known.

    Attributes:
        frame_bytes: Frame size in bytes.
        rtt_ms: Round-trip times in the order of sending, in ms; not a number where no reply came
            or nothing was sent, shape (samples,).
        at_s: When the block of each one began, in s since the comparison began; None where no times are stored.
        rounds: Round of each one, from 1, same shape.
        outages: In the order of time.
        sent: Whether each one's request was sent, same shape; None where all were.
    """

    frame_bytes: int
    rtt_ms: Floats
    at_s: Floats | None
    rounds: Ints
    outages: tuple[SampleOutage, ...]
    sent: npt.NDArray[np.bool_] | None = None

    @property
    def is_sent(self) -> npt.NDArray[np.bool_]:
        """Whether each one's request was sent, shape (samples,)."""
        return np.ones(self.rtt_ms.size, np.bool_) if self.sent is None else self.sent

    @property
    def x(self) -> Floats:
        """Places on an axis of time, or the number of each request from 1."""
        return np.arange(1.0, self.rtt_ms.size + 1.0) if self.at_s is None else self.at_s

    def by_round(self) -> tuple[tuple[int, slice], ...]:
        """Return each round with the places of its samples, in order."""
        ends = [0, *(np.flatnonzero(np.diff(self.rounds)) + 1).tolist(), self.rounds.size]
        return tuple((int(self.rounds[first]), slice(first, after)) for first, after in pairwise(ends))


def sample_history(attempts: Iterable[Attempt], frame_bytes: int, began_at: datetime) -> SampleHistory | None:
    """Return the samples of a frame size; None where there are none.

    Args:
        attempts: Of one candidate.
        frame_bytes: In bytes.
        began_at: When the comparison began.
    """
    found = [
        (one, series)
        for one in sorted(with_figures(tuple(attempts)), key=lambda one: one.key.round)
        for series in one.latency
        if series.frame_bytes == frame_bytes and series.rtt_us.size
    ]
    if not found:
        return None
    is_timed = all(is_timed_by_blocks(one) for one, _ in found)
    rtt_us = np.concatenate([series.rtt_us for _, series in found])
    rounds = np.concatenate([np.full(series.rtt_us.size, one.key.round) for one, series in found])
    at_s = np.concatenate([_times(one, series, began_at) for one, series in found]) if is_timed else None
    outages: list[SampleOutage] = []
    start = 0
    for one, series in found:
        outages += _outages(one, series, start, is_timed=is_timed)
        start += series.rtt_us.size
    rtt_ms = np.where(rtt_us == LOST_RTT_US, np.nan, rtt_us / 1_000.0)
    sent = np.concatenate([is_sent(one, series) for one, series in found])
    return SampleHistory(frame_bytes, rtt_ms, at_s, rounds, tuple(outages), sent)


def history_sizes(attempts: Sequence[Attempt]) -> tuple[int, ...]:
    """Return the frame sizes in bytes of which a candidate has samples, ascending."""
    return tuple(
        sorted({each.frame_bytes for one in with_figures(attempts) for each in one.latency if each.rtt_us.size})
    )


def _times(attempt: Attempt, series: LatencySeries, began_at: datetime) -> Floats:
    offset_s = (attempt.started_at - began_at).total_seconds()
    began_s = offset_s + np.array([one.at_s for one in attempt.blocks])
    return np.repeat(began_s, series.rtt_us.size // len(attempt.blocks))


def _outages(attempt: Attempt, series: LatencySeries, start: int, *, is_timed: bool) -> list[SampleOutage]:
    found = []
    runs = lost_runs(attempt, series)
    order = request_order(attempt, attempt.latency) if is_timed and runs else None
    for run in runs:
        least_s, most_s = (None, None) if order is None else block_bounds_s(attempt, order, series, run)
        unsent = run.after - run.first - run.requests
        first, last = start + run.first, start + run.after - 1
        found.append(SampleOutage(first, last, attempt.key.round, least_s, most_s, unsent))
    return found
