"""What the samples of one frame size say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from app.domain.ranking import LatencySummary
from app.domain.results import LOST_RTT_US, LatencySeries

_QUANTILES = (0.05, 0.50, 0.95, 0.99, 0.999)
_US_PER_MS = 1_000.0


def answered_us(series: LatencySeries) -> npt.NDArray[np.uint32]:
    """Return the round-trip times of the requests that were answered, in µs, shape (received,)."""
    rtt_us = series.rtt_us
    lost = rtt_us == LOST_RTT_US
    return rtt_us[~lost] if lost.any() else rtt_us


def mean_ms(series: LatencySeries) -> float | None:
    """Return the mean round-trip time of the answered requests in ms; None if there is none."""
    answered = answered_us(series)
    return float(answered.mean(dtype=np.float64)) / _US_PER_MS if answered.size else None


def summarise(series: Sequence[LatencySeries], deadline_ms: float | None) -> LatencySummary:
    """Sum up one frame size over rounds.

    The mean is the mean of the rounds' means, so that every round counts the same and the weighted latency follows
    from these means; all else is over all samples together. Percentiles are interpolated linearly between samples.
    Lost requests are in none of these times, but count as late.

    Args:
        series: One series per round, at least one, all of the same frame size.
        deadline_ms: RTT in ms above which a reply is late; None if nobody asked.

    Returns:
        The summary; without times if nothing was received.

    Raises:
        ValueError: No series, or of different frame sizes.

    Source: Hyndman, Fan, Sample quantiles in statistical packages, 1996, definition 7 (numpy's default).
    """
    if len({one.frame_bytes for one in series}) != 1:
        raise ValueError("a summary is over one or more series of one frame size")
    parts = [answered_us(one) for one in series]
    means = [float(part.mean(dtype=np.float64)) for part in parts if part.size]
    samples = np.concatenate(parts) if len(parts) > 1 else parts[0]
    return _summary(series, samples, means, deadline_ms)


def _summary(
    series: Sequence[LatencySeries], samples: npt.NDArray[np.uint32], means: list[float], deadline_ms: float | None
) -> LatencySummary:
    sent = sum(one.sent for one in series)
    late_pct = None
    if deadline_ms is not None and sent:
        in_time = int(np.count_nonzero(samples <= deadline_ms * _US_PER_MS))
        late_pct = 100.0 * (sent - in_time) / sent
    quantiles: list[float | None] = [None] * len(_QUANTILES)
    if samples.size:
        quantiles = [float(value) / _US_PER_MS for value in np.quantile(samples, _QUANTILES)]
    p5, p50, p95, p99, p999 = quantiles
    return LatencySummary(
        frame_bytes=series[0].frame_bytes,
        sent=sent,
        received=sum(one.received for one in series),
        duplicates=sum(one.duplicates for one in series),
        mean_ms=sum(means) / len(means) / _US_PER_MS if means else None,
        p5_ms=p5,
        p50_ms=p50,
        p95_ms=p95,
        p99_ms=p99,
        p999_ms=p999,
        max_ms=float(samples.max()) / _US_PER_MS if samples.size else None,
        stdev_ms=float(samples.std(dtype=np.float64, ddof=1)) / _US_PER_MS if samples.size > 1 else None,
        over_deadline_pct=late_pct,
        note=" ".join(dict.fromkeys(one.note for one in series if one.note)),
    )
