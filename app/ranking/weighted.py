"""The weighted latency: one figure for seven frame sizes."""

from __future__ import annotations

import math
from collections.abc import Mapping

from app.domain.profiles import FRAME_BYTES, FRAME_WEIGHTS


def weighted_latency_ms(mean_ms_by_frame: Mapping[int, float]) -> float | None:
    """Return the weighted mean of the mean RTTs per frame size.

    Args:
        mean_ms_by_frame: Mean RTT in ms by frame size in bytes. Sizes that the study does not have are ignored.

    Returns:
        The weighted latency in ms; None if one of the study's sizes is missing or has no finite mean: nothing is
        renormalised, since a candidate that drops large frames must not seem faster for it.

    Source: Lackorzynski, Köpsell, Strufe 2019, section on the methodology and Table I.
    """
    means = [mean_ms_by_frame.get(frame_bytes, math.nan) for frame_bytes in FRAME_BYTES]
    if not all(math.isfinite(mean) for mean in means):
        return None
    return math.fsum(weight * mean for weight, mean in zip(FRAME_WEIGHTS, means, strict=True))
