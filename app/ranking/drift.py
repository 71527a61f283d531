"""Drift of the bare link during a comparison."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from app.domain.ranking import Drift
from app.domain.results import Attempt, AttemptStatus, CampaignRecord
from app.domain.solutions import BASELINE
from app.ranking.blocks import counted_logs, middle_mean, round_value_ms
from app.ranking.rounds import attempt_both_mbit_s
from app.wording.language import tr
from app.wording.local_forms import listed_names
from app.wording.numbers import signed_pct

DOUBTFUL_DRIFT_PCT = 10.0
"""A change of the baseline beyond this makes the comparison doubtful.

Source: our choice; benches that state their drift report 1 to 2 % on quiet machines.
"""

_LEAST_BLOCKS = 2
"""Fewer blocks in each half of a round say nothing of its drift. Source: our choice."""


def is_interleaved(record: CampaignRecord) -> bool:
    """Return whether all candidates of each round were measured in turn, block by block.

    Drift meets all of them alike then. Candidates of an adaptive comparison that cannot be up together, or that were
    measured one at a time, share no cycle.
    """
    if not record.plan.profile.is_adaptive:
        return False
    cycles: dict[int, list[set[int]]] = defaultdict(list)
    for one in record.attempts:
        if one.status is AttemptStatus.COMPLETED and one.key.solution != BASELINE and one.blocks:
            cycles[one.key.round].append({block.cycle for block in one.blocks})
    return all(set.intersection(*found) for found in cycles.values())


def drift_of(baseline: Sequence[Attempt], *, is_interleaved: bool = False) -> Drift:
    """Compare all times at which the baseline was measured.

    Args:
        baseline: Completed attempts of the baseline, in the order in which they were measured.
        is_interleaved: Whether the latencies of all candidates were measured in turn with it, block by block, so that a
            change of the link met all of them alike.

    Returns:
        The largest changes in percent: of two times from the first to the last, of more from their median, so that a
        first one that was disturbed makes not all others seem changed. Of latencies medians decide, which single late
        replies move less than the mean. The times are rounds, each with all its blocks; of a single round the two
        halves of its blocks.
    """
    latency_pct = _change_pct(_latencies_ms(baseline))
    throughput_pct = _change_pct([rate for one in baseline if (rate := attempt_both_mbit_s(one)) is not None])
    changes = [(tr("latency"), latency_pct), (tr("throughput"), throughput_pct)]
    known = [
        tr("{what} by {change}").format(what=name, change=signed_pct(change))
        for name, change in changes
        if change is not None
    ]
    if known:
        sentence = tr("While the comparison ran, the baseline moved: {changes}.").format(changes=listed_names(known))
        sentence += _spoilt(latency_pct, throughput_pct, is_interleaved=is_interleaved)
    elif len(baseline) > 1:
        sentence = tr("Whether the link itself drifted is unknown: the baseline gave no figures to compare.")
    elif baseline:
        sentence = tr("Whether the link itself drifted is unknown: the baseline was measured only once.")
    else:
        sentence = tr("Whether the link itself drifted is unknown: the baseline was not measured.")
    return Drift(latency_pct, throughput_pct, sentence, is_interleaved)


def _spoilt(latency_pct: float | None, throughput_pct: float | None, *, is_interleaved: bool) -> str:
    """Return which figures a large change spoils, as sentences; empty where it is none."""
    if not is_interleaved:
        if not is_doubtful(Drift(latency_pct, throughput_pct, "")):
            return ""
        return tr(" That is more than {limit:.0f} %: differences of that size prove little.").format(
            limit=DOUBTFUL_DRIFT_PCT
        )
    words = ""
    if is_doubtful(Drift(latency_pct, None, "")):
        words += tr(
            " The mean latencies that are shown hold that change; ratios, ranks and the choice do not, because all "
            "candidates were measured in turn with it."
        )
    if is_doubtful(Drift(None, throughput_pct, "")):
        words += tr(" Throughput moved by more than {limit:.0f} %: differences of that size prove little.").format(
            limit=DOUBTFUL_DRIFT_PCT
        )
    return words


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


def _latencies_ms(baseline: Sequence[Attempt]) -> list[float]:
    """Return the latency of each time that the baseline was measured, in ms."""
    values = [value for one in baseline if (value := round_value_ms(one)) is not None]
    return values if len(values) > 1 else [value for one in baseline for value in _halves_ms(one)] or values


def _halves_ms(attempt: Attempt) -> list[float]:
    """Return the latency of the first and of the second half of an attempt's blocks in ms; empty with too few."""
    logs = counted_logs(attempt)
    half = len(logs) // 2
    return [math.exp(middle_mean(part)) for part in (logs[:half], logs[half:])] if half >= _LEAST_BLOCKS else []


def _change_pct(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    first, usual = values[0], median(values)
    if not first or not usual:
        return None
    changes = [100.0 * (values[-1] - first) / first]
    if len(values) > 2:
        changes += [100.0 * (value - usual) / usual for value in values]
    return max(changes, key=abs)
