"""Summary of the samples of one frame size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.domain.ranking import LatencySummary
from app.domain.results import LOST_RTT_US, Attempt, LatencySeries

_P5_MEDIAN = np.array((0.05, 0.50))
_QUANTILES = np.array((0.05, 0.50, 0.95, 0.99, 0.999))
US_PER_MS = 1_000.0


@dataclass(frozen=True, slots=True)
class LostRun:
    """Requests in a row without a reply.

    Attributes:
        first: Place of the first one in its series.
        after: Place after the last one.
        requests: Number of them; those between them that were not sent do not count.
    """

    first: int
    after: int
    requests: int


def answered_us(series: Sequence[LatencySeries]) -> npt.NDArray[np.uint32]:
    """Return the round-trip times of all requests that were answered, in µs, sorted, shape (answered,)."""
    if not series:
        return np.empty(0, np.uint32)
    samples = np.concatenate([one.rtt_us for one in series])
    return np.sort(samples[samples != LOST_RTT_US])


def means_ms(series: Sequence[LatencySeries]) -> list[float | None]:
    """Return the mean round-trip time of each series in ms, all in one pass; None where nothing was answered."""
    found: list[float | None] = [None] * len(series)
    filled = [index for index, one in enumerate(series) if one.rtt_us.size]
    if not filled:
        return found
    samples = np.concatenate([series[index].rtt_us for index in filled])
    starts = np.cumsum([0, *(series[index].rtt_us.size for index in filled[:-1])])
    is_answered = samples != LOST_RTT_US
    counts = np.add.reduceat(is_answered, starts, dtype=np.int64)
    sums = np.add.reduceat(np.where(is_answered, samples, 0), starts, dtype=np.uint64)
    for index, count, total in zip(filled, counts.tolist(), sums.tolist(), strict=True):
        if count:
            found[index] = total / count / US_PER_MS
    return found


def median_us(samples: npt.NDArray[np.uint32]) -> float:
    """Return the median of some samples, of which there is at least one.

    A block has few: numpy's own function takes ten times as long for them.
    """
    ordered = np.sort(samples)
    middle = ordered.size // 2
    above = float(ordered[middle])
    return above if ordered.size % 2 else (float(ordered[middle - 1]) + above) / 2


def medians_ms(series: Sequence[LatencySeries]) -> dict[int, float]:
    """Return the median round-trip time in ms by frame size; sizes that did not cross are left out."""
    answered = {one.frame_bytes: one.rtt_us[one.rtt_us != LOST_RTT_US] for one in series}
    return {size: median_us(found) / US_PER_MS for size, found in answered.items() if found.size}


def summarise(series: Sequence[LatencySeries], deadline_ms: float | None) -> LatencySummary:
    """Sum up one frame size over rounds.

    The mean is the mean of the rounds' means, so that every round counts the same and the weighted latency follows
    from these means; all else is over all samples together. Percentiles are interpolated linearly between samples.
    Lost requests are in none of these times, but count as late.

    Args:
        series: One series per round, at least one, all of the same frame size.
        deadline_ms: RTT in ms above which a reply is late; None without a deadline.

    Returns:
        The summary; without times if nothing was received.

    Raises:
        ValueError: No series, or of different frame sizes.

    Source: Hyndman, Fan, Sample quantiles in statistical packages, 1996, definition 7 (numpy's default).
    """
    if len({one.frame_bytes for one in series}) != 1:
        raise ValueError("a summary is over one or more series of one frame size")
    means = [mean for mean in means_ms(series) if mean is not None]
    return summarise_around(series, sum(means) / len(means) if means else None, deadline_ms)


def summarise_around(
    series: Sequence[LatencySeries], mean_ms: float | None, deadline_ms: float | None
) -> LatencySummary:
    """Sum up one frame size as `summarise` does, with a mean that is known already.

    Args:
        series: At least one series, all of the same frame size.
        mean_ms: Mean over rounds in ms; None if nothing was received.
        deadline_ms: RTT in ms above which a reply is late; None without a deadline.

    Returns:
        The summary.
    """
    samples = answered_us(series)
    sent = sum(one.sent for one in series)
    p5, p50, p95, p99, p999 = _quantiles_ms(samples) if samples.size else [None] * _QUANTILES.size
    return LatencySummary(
        frame_bytes=series[0].frame_bytes,
        sent=sent,
        received=sum(one.received for one in series),
        duplicates=sum(one.duplicates for one in series),
        mean_ms=mean_ms,
        p5_ms=p5,
        p50_ms=p50,
        p95_ms=p95,
        p99_ms=p99,
        p999_ms=p999,
        max_ms=float(samples[-1]) / US_PER_MS if samples.size else None,
        stdev_ms=float(samples.std(dtype=np.float64, ddof=1)) / US_PER_MS if samples.size > 1 else None,
        over_deadline_pct=_late_pct(samples, sent, deadline_ms),
        note=" ".join(dict.fromkeys(one.note for one in series if one.note)),
        jitter_ms=jitter_ms(series),
    )


def jitter_ms(series: Sequence[LatencySeries]) -> float | None:
    """Return by how much the round-trip times of successive requests differ on average, in ms.

    Differences count without their sign, over all series together; those to a request without a reply are left out.
    One-way delays, which RFC 3550 (section 6.4.1) takes, would need clocks that agree. None without two successive
    replies.
    """
    total, count = 0, 0
    for one in series:
        samples = one.rtt_us.astype(np.int64)
        is_answered = one.rtt_us != LOST_RTT_US
        is_pair = is_answered[1:] & is_answered[:-1]
        total += int(np.abs(np.diff(samples))[is_pair].sum())
        count += int(is_pair.sum())
    return total / count / US_PER_MS if count else None


def is_sent(attempt: Attempt, series: LatencySeries) -> npt.NDArray[np.bool_]:
    """Return whether each request of a series of an attempt was sent: a block ends where nothing is answered."""
    found = np.ones(series.rtt_us.size, np.bool_)
    if any(block.sent for block in attempt.blocks):
        ordinal = next(nth for nth, one in enumerate(attempt.latency) if one is series)
        for part, block in zip(found.reshape(len(attempt.blocks), -1), attempt.blocks, strict=True):
            if block.sent:
                part[block.sent[ordinal] :] = False
    return found


def lost_runs(attempt: Attempt, series: LatencySeries) -> list[LostRun]:
    """Return the runs of requests without a reply; those that were not sent interrupt none."""
    places = np.flatnonzero(is_sent(attempt, series))
    runs = runs_of(series.rtt_us[places] == LOST_RTT_US)
    return [LostRun(int(places[begin]), int(places[end - 1]) + 1, end - begin) for begin, end in runs]


def runs_of(flags: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return where each run of flags that are set begins, and the place after its end."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0])))).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


def _late_pct(samples: npt.NDArray[np.uint32], sent: int, deadline_ms: float | None) -> float | None:
    if deadline_ms is None or not sent:
        return None
    in_time = int(np.searchsorted(samples, deadline_ms * US_PER_MS, side="right"))
    return 100.0 * (sent - in_time) / sent


def median_over_p5(samples: npt.NDArray[np.uint32]) -> float | None:
    """Return the median over the 5 % quantile of samples in any order; None where there are none, or that is 0."""
    if not samples.size:
        return None
    p5, median = _quantiles(np.sort(samples), _P5_MEDIAN).tolist()
    return median / p5 if p5 > 0 else None


def _quantiles_ms(samples: npt.NDArray[np.uint32]) -> list[float]:
    """Return the quantiles of sorted samples, of which there is at least one, in ms."""
    found: list[float] = (_quantiles(samples, _QUANTILES) / US_PER_MS).tolist()
    return found


def _quantiles(samples: npt.NDArray[np.uint32], shares: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return quantiles of sorted samples, interpolated linearly: numpy's own function takes several times as long."""
    places = shares * (samples.size - 1)
    below = np.floor(places).astype(np.intp)
    above = np.minimum(below + 1, samples.size - 1)
    low, high = samples[below].astype(np.float64), samples[above].astype(np.float64)
    made: npt.NDArray[np.float64] = low + (places - below) * (high - low)
    return made
