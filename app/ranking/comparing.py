"""Two comparisons of a pair side by side: what became faster or slower, and what else changed meanwhile."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.hosts import HostFacts, Side
from app.domain.ranking import Estimate, Ranking, Ratio
from app.domain.results import Attempt, AttemptStatus, CampaignRecord, Candidate
from app.ranking.blocks import round_value_ms
from app.wording.colours import BASELINE_SOLUTION

CONFIDENCE = 0.95
"""Of the interval of each change. Source: the same as everywhere in the program."""

CandidateId = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Change:
    """Change of one candidate from one comparison to another.

    Attributes:
        solution: Solution's name.
        suite: Suite's name.
        title: For people.
        before: Weighted latency in the earlier comparison, in ms; None where it was not measured.
        after: The same in the later one.
        latency: Later over earlier latency, of medians, with its 95 % interval; None without both.
        beyond_link: The same with the change of the bare link taken off; None where that was not measured both times.
        throughput: Later over earlier throughput, mean of both directions; None without both.
        is_significant: Whether the interval of `latency` excludes 1.
    """

    solution: str
    suite: str
    title: str
    before: Estimate | None
    after: Estimate | None
    latency: Ratio | None
    beyond_link: float | None
    throughput: float | None
    is_significant: bool


@dataclass(frozen=True, slots=True)
class ComparedSetting:
    """Something besides the figures that differs between two comparisons: what, and both values in words."""

    what: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ComparisonDiff:
    """Differences of two comparisons.

    Attributes:
        before: The earlier comparison.
        after: The later one.
        changes: One per candidate of either, in the order of the later ranking, then of the earlier one.
        settings: Versions, hosts and conditions that changed.
        is_same_pair: Whether both are of one pair.
    """

    before: CampaignRecord
    after: CampaignRecord
    changes: tuple[Change, ...]
    settings: tuple[ComparedSetting, ...]
    is_same_pair: bool

    @property
    def significant(self) -> tuple[Change, ...]:
        """Candidates whose latency changed beyond chance."""
        return tuple(one for one in self.changes if one.is_significant and one.latency is not None)


def compare_records(before: tuple[CampaignRecord, Ranking], after: tuple[CampaignRecord, Ranking]) -> ComparisonDiff:
    """Compare two comparisons.

    Args:
        before: The earlier one with its ranking.

    Returns:
        The differences. Load and weather of the link differ between two days, so that a change of the bare link is
        shown beside, and taken off in `Change.beyond_link`.
    """
    old, new = before[0], after[0]
    ids = list(dict.fromkeys((one.solution, one.suite) for ranking in (after[1], before[1]) for one in ranking.results))
    bare = _log_change(old, new, next((key for key in ids if key[0] == BASELINE_SOLUTION), None))
    changes = tuple(_change(key, before, after, bare) for key in ids)
    return ComparisonDiff(
        old, new, changes, tuple(changed_settings(old, new)), old.plan.pair.name == new.plan.pair.name
    )


def _change(
    key: CandidateId, before: tuple[CampaignRecord, Ranking], after: tuple[CampaignRecord, Ranking], bare: float | None
) -> Change:
    results = [{(one.solution, one.suite): one for one in ranking.results}.get(key) for _, ranking in (before, after)]
    old, new = results
    known = next(one for one in (new, old) if one is not None)
    latency = ratio_of(_logs(before[0], key), _logs(after[0], key))
    rates = [_rate(one.throughput_mbit_s) if one is not None else None for one in results]
    log_ratio = math.log(latency.value) if latency is not None else None
    is_bare = key[0] == BASELINE_SOLUTION
    return Change(
        solution=key[0],
        suite=key[1],
        title=known.title,
        before=old.weighted_latency_ms if old is not None else None,
        after=new.weighted_latency_ms if new is not None else None,
        latency=latency,
        beyond_link=math.exp(log_ratio - bare) if log_ratio is not None and bare is not None and not is_bare else None,
        throughput=rates[1] / rates[0] if rates[0] and rates[1] else None,
        is_significant=latency is not None and _excludes_one(latency),
    )


def ratio_of(before: Sequence[float], after: Sequence[float]) -> Ratio | None:
    """Return the ratio of later over earlier latency with its interval.

    Args:
        before: Logarithms of the earlier rounds' latencies.
        after: Those of the later rounds.

    Returns:
        The ratio; without an interval where one of them has a single round; None where one has none.

    Source: Welch, The generalization of Student's problem, Biometrika 34 (1947).
    """
    if not before or not after:
        return None
    difference = _mean(after) - _mean(before)
    if len(before) < 2 or len(after) < 2:
        return Ratio(math.exp(difference), None, None)
    parts = [_variance(before) / len(before), _variance(after) / len(after)]
    variance = sum(parts)
    if variance <= 0:
        return Ratio(math.exp(difference), math.exp(difference), math.exp(difference))
    freedom = variance**2 / (parts[0] ** 2 / (len(before) - 1) + parts[1] ** 2 / (len(after) - 1))
    from scipy.special import stdtrit

    half = float(stdtrit(freedom, 0.5 + CONFIDENCE / 2)) * math.sqrt(variance)
    return Ratio(*(math.exp(value) for value in (difference, difference - half, difference + half)))


def _excludes_one(ratio: Ratio) -> bool:
    return ratio.low is not None and ratio.high is not None and not ratio.low <= 1.0 <= ratio.high


def _log_change(old: CampaignRecord, new: CampaignRecord, key: CandidateId | None) -> float | None:
    if key is None:
        return None
    ratio = ratio_of(_logs(old, key), _logs(new, key))
    return math.log(ratio.value) if ratio is not None else None


def _logs(record: CampaignRecord, key: CandidateId) -> list[float]:
    """Return the logarithm of each round's latency of a candidate; rounds with several attempts count once."""
    rounds: dict[int, list[float]] = {}
    for one in record.attempts:
        if (one.key.solution, one.key.suite) == key and one.status is AttemptStatus.COMPLETED:
            value = _value(one)
            if value is not None:
                rounds.setdefault(one.key.round, []).append(math.log(value))
    return [_mean(values) for _, values in sorted(rounds.items())]


def _value(attempt: Attempt) -> float | None:
    value = round_value_ms(attempt)
    return value if value is not None and value > 0 else None


def _rate(rates: Mapping[str, Estimate]) -> float | None:
    return _mean([one.mean for one in rates.values()]) if rates else None


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    mean = _mean(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def changed_settings(old: CampaignRecord, new: CampaignRecord) -> list[ComparedSetting]:
    """Return versions, hosts and conditions that differ between two comparisons."""
    pairs: list[tuple[str, object, object]] = [
        ("pair", old.plan.pair.name, new.plan.pair.name),
        ("profile", old.plan.profile.name.value, new.plan.profile.name.value),
        ("rounds", _rounds(old), _rounds(new)),
        ("Tunnelmark", old.tunnelmark_version, new.tunnelmark_version),
        ("limit in Mbit/s", old.plan.pair.load_cap_mbit_s, new.plan.pair.load_cap_mbit_s),
        ("underlay A", old.plan.pair.underlay_a, new.plan.pair.underlay_a),
        ("underlay B", old.plan.pair.underlay_b, new.plan.pair.underlay_b),
        ("condition", _conditions(old), _conditions(new)),
    ]
    for side in Side:
        before, after = old.facts.get(side.value), new.facts.get(side.value)
        if before is not None and after is not None:
            pairs += [(f"{side.upper()}: {what}", first, last) for what, first, last in _host_values(before, after)]
    verdicts = [{_key(one): one for one in record.plan.candidates} for record in (old, new)]
    pairs += [
        (f"verdict of {one.title}", verdicts[0][key].verdict.value, one.verdict.value)
        for key, one in verdicts[1].items()
        if key in verdicts[0]
    ]
    return [ComparedSetting(what, _words(first), _words(second)) for what, first, second in pairs if first != second]


def _host_values(before: HostFacts, after: HostFacts) -> list[tuple[str, object, object]]:
    values: list[tuple[str, object, object]] = [
        ("system", before.os_name, after.os_name),
        ("kernel", before.kernel, after.kernel),
        ("CPU", before.cpu_model, after.cpu_model),
        ("CPUs", before.cpu_count, after.cpu_count),
        ("memory in MiB", before.memory_total_mib, after.memory_total_mib),
    ]
    tools = [{name: tool.version for name, tool in facts.tools.items()} for facts in (before, after)]
    values += [(name, tools[0].get(name, ""), tools[1].get(name, "")) for name in sorted(tools[0] | tools[1])]
    known = [{name: one.version for name, one in facts.solutions.items()} for facts in (before, after)]
    values += [(name, known[0].get(name, ""), known[1].get(name, "")) for name in sorted(known[0] | known[1])]
    return values


def _rounds(record: CampaignRecord) -> int:
    return len({one.key.round for one in record.attempts if one.status is AttemptStatus.COMPLETED})


def _conditions(record: CampaignRecord) -> str:
    return ", ".join(sorted({one.key.condition for one in record.attempts}))


def _key(one: Candidate) -> CandidateId:
    return one.solution, one.suite


def _words(value: object) -> str:
    return "none" if value is None or value == "" else str(value)
