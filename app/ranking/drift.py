"""Drift of the bare link during a comparison."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import median

from app.domain.ranking import Drift
from app.domain.results import Attempt
from app.ranking.blocks import round_value_ms
from app.ranking.rounds import attempt_both_mbit_s
from app.wording.language import tr
from app.wording.local_forms import listed_names
from app.wording.numbers import signed_pct

DOUBTFUL_DRIFT_PCT = 10.0
"""A change of the baseline beyond this makes the comparison doubtful.

Source: our choice; benches that state their drift report 1 to 2 % on quiet machines.
"""


def drift_of(baseline: Sequence[Attempt], *, is_interleaved: bool = False) -> Drift:
    """Compare all times at which the baseline was measured.

    Args:
        baseline: Completed attempts of the baseline, in the order in which they were measured.
        is_interleaved: Whether the latencies of all candidates were measured in turn with it, block by block, so that a
            change of the link met all of them alike.

    Returns:
        The largest changes in percent: of two times from the first to the last, of more from their median, so that a
        first one that was disturbed makes not all others seem changed. Of latencies medians decide, which single late
        replies move less than the mean.
    """
    if len(baseline) < 2:
        sentence = tr("Whether the link itself drifted is unknown: the baseline was not measured.")
        if baseline:
            sentence = tr("Whether the link itself drifted is unknown: the baseline was measured only once.")
        return Drift(None, None, sentence)
    latency_pct = _change_pct(baseline, round_value_ms)
    throughput_pct = _change_pct(baseline, attempt_both_mbit_s)
    changes = [(tr("latency"), latency_pct), (tr("throughput"), throughput_pct)]
    known = [
        tr("{what} by {change}").format(what=name, change=signed_pct(change))
        for name, change in changes
        if change is not None
    ]
    if not known:
        return Drift(
            None, None, tr("Whether the link itself drifted is unknown: the baseline gave no figures to compare.")
        )
    sentence = tr("While the comparison ran, the baseline moved: {changes}.").format(changes=listed_names(known))
    if is_doubtful(Drift(None if is_interleaved else latency_pct, throughput_pct, "")):
        sentence += tr(" That is more than {limit:.0f} %: differences of that size prove little.").format(
            limit=DOUBTFUL_DRIFT_PCT
        )
    return Drift(latency_pct, throughput_pct, sentence)


def hides(drift: Drift, lead: float) -> bool:
    """Return whether the bare link changed by more than half of a lead, so that the lead proves little.

    Args:
        drift: Of the bare link.
        lead: Latency of the next best divided by that of the best, at least 1.

    Source: our choice; candidates are measured at different times between the first and the last bare link.
    """
    if drift.latency_pct is None or abs(drift.latency_pct) <= DOUBTFUL_DRIFT_PCT or drift.latency_pct <= -100.0:
        return False
    return 2 * abs(math.log1p(drift.latency_pct / 100.0)) >= math.log(max(lead, 1.0))


def is_doubtful(drift: Drift) -> bool:
    """Return whether the drift makes the comparison doubtful."""
    changes = (drift.latency_pct, drift.throughput_pct)
    return any(change is not None and abs(change) > DOUBTFUL_DRIFT_PCT for change in changes)


def _change_pct(attempts: Sequence[Attempt], value_of: Callable[[Attempt], float | None]) -> float | None:
    values = [value for one in attempts if (value := value_of(one)) is not None]
    if len(values) < 2:
        return None
    first, usual = values[0], median(values)
    if not first or not usual:
        return None
    changes = [100.0 * (values[-1] - first) / first]
    if len(values) > 2:
        changes += [100.0 * (value - usual) / usual for value in values]
    return max(changes, key=abs)
