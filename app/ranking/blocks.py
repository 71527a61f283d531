"""Values of interleaved blocks, and the value of a round made of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from app.domain.results import LOST_RTT_US, Attempt, LatencySeries
from app.ranking.summaries import US_PER_MS, median_us, medians_ms, runs_of
from app.ranking.weighted import weighted_latency_ms

TRIMMED_SHARE = 0.2
"""Share of a round's blocks that is left out at each end: the middle 60 % decide.

Source: our choice; in simulations of loaded hosts trimmed block medians of interleaved blocks order candidates best.
"""

DISTURBED_RATIO = 1.35
"""A cycle slower than the lower quartile of the round's cycles by more than this factor is repeated.

Source: our choice; undisturbed cycles of a practice lab vary by less than 10 %.
"""

OUTAGE_REQUESTS = 3
"""So many requests of a block in a row without a reply are an outage, fewer are single losses.

Source: our choice; where 1 % of all requests are lost at random, one of 5 000 blocks of 200 has three in a row.
"""

FEWEST_WITHOUT_OUTAGE = 30
"""Blocks without an outage that a candidate must have beside the one with its only outage, for that to be the link's.

Source: our choice; a tunnel that drops out in each tenth block does so in none of 30 in 4 of 100 cases.
"""


def block_value_ms(rtt_us: Sequence[np.ndarray], frame_bytes: Sequence[int]) -> float | None:
    """Return the weighted latency of medians of one block in ms; None if a frame size has no reply in it.

    Args:
        rtt_us: Round-trip times in µs per frame size, LOST_RTT_US where no reply came.
        frame_bytes: The frame sizes in bytes, in the same order.
    """
    medians = {}
    for size, times in zip(frame_bytes, rtt_us, strict=True):
        answered = times[times != LOST_RTT_US]
        if answered.size:
            medians[size] = median_us(answered) / US_PER_MS
    return _value_ms(medians)


def lost_in_a_row(rtt_us: Sequence[np.ndarray], sent: Sequence[int], *, first: int) -> int:
    """Return how many requests of a block in a row had no reply at most, in the order of sending.

    Args:
        rtt_us: Round-trip times in µs per frame size, LOST_RTT_US where no reply came.
        sent: Requests that were sent, the first ones of each size, in the same order; empty where all were.
        first: Position of the size that the block began with.
    """
    parts = [times[:count] for times, count in zip(rtt_us, sent, strict=True)] if sent else list(rtt_us)
    is_lost = np.concatenate([*parts[first:], *parts[:first]]) == LOST_RTT_US
    return max((end - begin for begin, end in runs_of(is_lost)), default=0)


def block_values_ms(attempt: Attempt) -> tuple[float | None, ...]:
    """Return the value of each block of an attempt in ms, in the order of `Attempt.blocks`."""
    count = len(attempt.blocks)
    medians = {series.frame_bytes: _block_medians_ms(series, count) for series in attempt.latency}
    return tuple(
        _value_ms({size: median for size, found in medians.items() if (median := found[index]) is not None})
        for index in range(count)
    )


def round_value_ms(attempt: Attempt) -> float | None:
    """Return the value of an attempt that decides, in ms; None where a frame size did not cross.

    With blocks it is the mean of the middle 60 % of the logarithms of those that count, else the weighted latency of
    the medians of all samples.
    """
    if not attempt.blocks:
        return weighted_latency_ms(medians_ms(attempt.latency))
    logs = counted_logs(attempt)
    return math.exp(middle_mean(logs)) if logs else None


def counted_logs(attempt: Attempt) -> list[float]:
    """Return the logarithms of the values, in ms, of an attempt's blocks that count and were answered, in order."""
    if not attempt.blocks:
        return []
    pairs = zip(attempt.blocks, block_values_ms(attempt), strict=True)
    return [math.log(value) for block, value in pairs if block.is_counted and value is not None]


def middle_mean(values: Sequence[float]) -> float:
    """Return the mean of the middle 60 % of one or more values."""
    cut = int(TRIMMED_SHARE * len(values))
    middle = sorted(values)[cut : len(values) - cut]
    return math.fsum(middle) / len(middle)


def is_disturbed(cycle_ms: Sequence[float], last_ms: float) -> bool:
    """Return whether a cycle is to be repeated because everything in it was slow.

    Args:
        cycle_ms: Values of the round's earlier cycles: the geometric mean of each one's block values, in ms.
        last_ms: The same of the cycle in question.
    """
    if not cycle_ms:
        return False
    # One of the values: between a good cycle and a slow one, half of the slowness would be taken for usual.
    ordered = sorted((*cycle_ms, last_ms))
    return last_ms > DISTURBED_RATIO * ordered[(len(ordered) - 1) // 4]


def _value_ms(medians_ms: Mapping[int, float]) -> float | None:
    value = weighted_latency_ms(medians_ms)
    return value if value is not None and value > 0 else None


def _block_medians_ms(series: LatencySeries, blocks: int) -> list[float | None]:
    """Return the median of each block in ms, None where no reply came: all at once, since there are many."""
    parts = series.rtt_us.reshape(blocks, -1)
    if not (parts == LOST_RTT_US).any():
        return [float(median) / US_PER_MS for median in np.median(parts, axis=1)]
    answered = [part[part != LOST_RTT_US] for part in parts]
    return [median_us(part) / US_PER_MS if part.size else None for part in answered]
