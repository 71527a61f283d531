"""Criteria of the choice, in turn and without a score; and which candidates no other one outdoes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from app.ranking.candidates import Contender
from app.ranking.differences import Differences
from app.wording.language import mark, tr
from app.wording.local_forms import local_figure

LATENCY_MARGIN = 0.10
"""Latencies above the best by no more than this share are as good. Source: our choice."""

LATENCY_MARGIN_MS = 0.05
"""Margin for short latencies, in ms. Source: our choice; replies of ping vary by as much on a quiet gateway."""

THROUGHPUT_MARGIN = 0.20
"""Throughputs below the best by no more than this share are as good. Source: our choice."""

CPU_MARGIN = 0.20
"""CPU times at the same rate above the least by no more than this share are as good. Source: our choice."""

NOTHING_SEPARATES = mark("nothing else decides between those that are judged alike, so that the lowest latency does")
"""Reason of a choice among candidates between which no other difference was found."""

_SAME_RATE = 0.01
"""Rates that differ by no more than this share are the same. Source: our choice; iperf3 paces in whole packets."""


def is_close(value_ms: float, lowest_ms: float) -> bool:
    """Whether a latency is as good as the lowest one."""
    return value_ms <= (1 + LATENCY_MARGIN) * lowest_ms or value_ms - lowest_ms <= LATENCY_MARGIN_MS


def best_of(who: Sequence[Contender], typical_ms: Sequence[float], eligible: Sequence[int]) -> tuple[int, str]:
    """Return the best candidate, and what decided among those that are fast enough.

    Args:
        who: All that were measured completely.
        typical_ms: Latency of each in ms, as in `Differences`.
        eligible: Positions of those that may be recommended, at least one.

    Returns:
        Its position; and the reason after its title and "and", empty where latency alone decided.
    """
    lowest_ms = min(typical_ms[i] for i in eligible)
    left = [i for i in eligible if is_close(typical_ms[i], lowest_ms)]
    for narrow in (_by_verdict, _by_throughput, _by_cpu):
        if len(left) == 1:
            return left[0], ""
        left, because = narrow(who, left)
        if len(left) == 1:
            return left[0], because
    return min(left, key=lambda i: typical_ms[i]), tr(NOTHING_SEPARATES)


def _by_verdict(who: Sequence[Contender], left: Sequence[int]) -> tuple[list[int], str]:
    least = min(who[i].risk for i in left)  # the same measure as in `_outdoes`: findings are not counted
    return [i for i in left if who[i].risk == least], tr("its cryptography is judged better")


def _by_throughput(who: Sequence[Contender], left: Sequence[int]) -> tuple[list[int], str]:
    rates = {i: rate for i in left if (rate := who[i].worse_mbit_s) is not None}
    if len(rates) < len(left):
        return list(left), ""
    most = max(rates.values())
    kept = [i for i in left if rates[i] >= (1 - THROUGHPUT_MARGIN) * most]
    return kept, tr("it carries more ({rate} Mbit/s in the slower direction)").format(rate=local_figure(most))


def _by_cpu(who: Sequence[Contender], left: Sequence[int]) -> tuple[list[int], str]:
    cpus = cpu_at_same_rate([who[i] for i in left])
    if cpus is None:
        return list(left), ""
    by_position = dict(zip(left, cpus, strict=True))
    least, rate = min(cpus), who[left[0]].result.rate_mbit_s or 0.0
    kept = [i for i in left if by_position[i] <= (1 + CPU_MARGIN) * least]
    return kept, tr("it takes less CPU ({share} % of both hosts together at {rate} Mbit/s)").format(
        share=local_figure(least, 2), rate=local_figure(rate)
    )


def cpu_at_same_rate(who: Sequence[Contender]) -> list[float] | None:
    """Return the CPU percent of both hosts at a fixed rate; None where it is unknown or the rates are not the same."""
    cpus = [one.result.cpu_at_rate_pct for one in who]
    rates = [one.result.rate_mbit_s for one in who if one.result.rate_mbit_s is not None]
    if any(one is None for one in cpus) or len(rates) < len(who) or max(rates) > (1 + _SAME_RATE) * min(rates):
        return None
    return [one.mean for one in cpus if one is not None]


def dominated(who: Sequence[Contender], found: Differences, eligible: Sequence[int]) -> frozenset[int]:
    """Return the positions of candidates that another one outdoes.

    One outdoes another if it is better in something, beyond the margin and beyond chance where that is known, and
    worse in nothing beyond the margin: latency, verdict, throughput of the slower direction, CPU at the same rate. One
    that is not fast enough to be chosen is worse in latency than one that is.
    """
    lowest_ms = min((found.typical_ms[i] for i in eligible), default=0.0)
    fast = frozenset(i for i in eligible if is_close(found.typical_ms[i], lowest_ms))
    return frozenset(
        i
        for i in eligible
        if any(_outdoes(who, found, other, i) for other in eligible if other != i and (other in fast or i not in fast))
    )


def _outdoes(who: Sequence[Contender], found: Differences, one: int, other: int) -> bool:
    signs = [_latency_sign(found, one, other), _risk_sign(who[one], who[other])]
    signs.append(_sign(who[one].worse_mbit_s, who[other].worse_mbit_s, 1 / (1 - THROUGHPUT_MARGIN)))
    cpus = cpu_at_same_rate([who[one], who[other]])
    if cpus is not None:
        signs.append(-_sign(cpus[0], cpus[1], 1 + CPU_MARGIN))
    return min(signs) >= 0 and max(signs) > 0


def _latency_sign(found: Differences, one: int, other: int) -> int:
    """Return 1 if the first latency is lower beyond margin and chance, -1 if it is higher beyond the margin."""
    mine, theirs = found.typical_ms[one], found.typical_ms[other]
    if not is_close(mine, theirs):
        return -1
    return int(not is_close(theirs, mine) and (one, other) in found.decided)


def _risk_sign(one: Contender, other: Contender) -> int:
    return (one.risk < other.risk) - (one.risk > other.risk)


def _sign(mine: float | None, theirs: float | None, factor: float) -> int:
    """Return 1 if the first value is higher by more than a factor, -1 if it is lower by more; 0 otherwise."""
    if mine is None or theirs is None:
        return 0
    return (mine > factor * theirs) - (theirs > factor * mine)


def alternative(who: Sequence[Contender], found: Differences, best: int, undominated: Sequence[int]) -> str:
    """Return which candidate to take where something else counts more than latency; empty where there is none."""
    rest = [i for i in undominated if i != best]
    rules: Mapping[str, Callable[[Contender, Contender], tuple[float, str]]] = {
        tr("throughput"): _gain_of_throughput,
        tr("protection"): _gain_of_protection,
        tr("CPU time"): _gain_of_cpu,
    }
    for what, gain_of in rules.items():
        gains = {i: gain_of(who[i], who[best]) for i in rest}
        winner = max(gains, key=lambda i: gains[i][0], default=None)
        if winner is not None and gains[winner][0] > 0:
            more_pct = 100 * (found.typical_ms[winner] / found.typical_ms[best] - 1)
            cost = tr("at no more latency")
            if more_pct > 0:
                cost = tr("at {more} % more latency").format(more=local_figure(more_pct, 2))
            text = tr("If {what} counts more than latency: {title} {gain}, {cost}.")
            return text.format(what=what, title=who[winner].title, gain=gains[winner][1], cost=cost)
    return ""


def _gain_of_throughput(one: Contender, best: Contender) -> tuple[float, str]:
    mine, theirs = one.worse_mbit_s, best.worse_mbit_s
    if mine is None or theirs is None or theirs <= 0 or _sign(mine, theirs, 1 / (1 - THROUGHPUT_MARGIN)) <= 0:
        return 0.0, ""
    return mine, tr("carries {more} % more ({mine} against {theirs} Mbit/s in the slower direction)").format(
        more=local_figure(100 * (mine / theirs - 1), 2), mine=local_figure(mine), theirs=local_figure(theirs)
    )


def _gain_of_protection(one: Contender, best: Contender) -> tuple[float, str]:
    gain = best.risk - one.risk
    mine, theirs = tr(one.candidate.verdict.value), tr(best.candidate.verdict.value)
    return float(gain), tr("is judged {mine}, not {theirs}").format(mine=mine, theirs=theirs)


def _gain_of_cpu(one: Contender, best: Contender) -> tuple[float, str]:
    cpus = cpu_at_same_rate([one, best])
    if cpus is None or _sign(cpus[1], cpus[0], 1 + CPU_MARGIN) <= 0 or cpus[0] <= 0:
        return 0.0, ""
    words = tr("takes {less} % less CPU at {rate} Mbit/s").format(
        less=local_figure(100 * (1 - cpus[0] / cpus[1]), 2), rate=local_figure(one.result.rate_mbit_s or 0.0)
    )
    return cpus[1] / cpus[0], words
