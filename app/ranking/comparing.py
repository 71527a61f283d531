"""Two comparisons of a pair side by side: what became faster or slower, and what else changed meanwhile."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from app.domain.conditions import is_same_condition
from app.domain.ranking import Estimate, Ranking, Ratio
from app.domain.results import Attempt, AttemptStatus, CampaignRecord, CandidateId
from app.domain.solutions import BASELINE
from app.ranking.blocks import round_value_ms
from app.ranking.compared_settings import ComparedSetting, changed_settings
from app.ranking.intervals import CONFIDENCE
from app.ranking.messages import LINK_CHANGED
from app.wording.language import tr
from app.wording.local_forms import decimal
from app.wording.messages import local_text

_EQUAL_LOG = 1e-9
"""Changes below this, as logarithm, are rounding and not measurement: RTTs come in whole µs."""


@dataclass(frozen=True, slots=True)
class Change:
    """Change of one candidate from one comparison to another.

    Attributes:
        solution: Solution's name.
        suite: Suite's name.
        title: For people.
        before: Weighted latency in the earlier comparison, in ms; None where it was not measured.
        after: The same in the later one.
        latency: Later over earlier latency, of medians, with its own 95 % interval; None without both. What the link
            changed by is in it.
        beyond_link: The same with the change of the bare link taken off, without a test; None where that was not
            measured both times.
        throughput: Later over earlier throughput, mean of both directions; None without both.
        is_significant: Whether `latency` changed beyond chance, all candidates taken together: its interval may exclude
            1 where this does not hold.
        outcomes: How it ended in each of the two comparisons, the earlier one first: completed where a round was; None
            where a comparison does not have it.
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
    outcomes: tuple[AttemptStatus | None, AttemptStatus | None] = (AttemptStatus.COMPLETED, AttemptStatus.COMPLETED)

    @property
    def was_tried(self) -> tuple[bool, bool]:
        """Whether each of the two comparisons, the earlier one first, has the candidate: also where it failed."""
        before, after = self.outcomes
        return before is not None, after is not None

    @property
    def state(self) -> str:
        """Words on what keeps the two from being compared, else on whether it changed beyond chance."""
        before, after = (
            outcome if outcome is not AttemptStatus.COMPLETED or value is not None else AttemptStatus.FAILED
            for outcome, value in zip(self.outcomes, (self.before, self.after), strict=True)
        )
        if before is None or after is None:
            return tr("only in the earlier one") if after is None else tr("only in the later one")
        words = _words_of_ends()
        if before is after and before in words:
            return words[before][2]
        ends = [words[one][nth] for nth, one in enumerate((before, after)) if one in words]
        return ", ".join(ends) or (tr("changed beyond chance") if self.is_significant else "")


@dataclass(frozen=True, slots=True)
class ComparisonDiff:
    """Differences of two comparisons.

    Attributes:
        before: The earlier comparison.
        after: The later one.
        changes: One per candidate of either, in the order of the later ranking, then of the earlier one.
        settings: Versions, hosts, amounts of the profile, limits and conditions that changed.
        is_same_pair: Whether both are of one pair.
    """

    before: CampaignRecord
    after: CampaignRecord
    changes: tuple[Change, ...]
    settings: tuple[ComparedSetting, ...]
    is_same_pair: bool

    @property
    def is_same_condition(self) -> bool:
        """Whether the link was under one condition both times, or as it was found."""
        return is_same_condition(self.before.plan.condition, self.after.plan.condition)

    @property
    def significant(self) -> tuple[Change, ...]:
        """Candidates whose latency changed beyond chance."""
        return tuple(one for one in self.changes if one.is_significant and one.latency is not None)

    @property
    def summary(self) -> str:
        """Sentence on what changed: also that nothing is known, and why."""
        ratios = [one.latency for one in self.changes if one.latency is not None]
        if not ratios:
            return tr("Nothing can be compared: no candidate was measured both times.")
        if all(ratio.interval is None for ratio in ratios):
            return tr(
                "Whether a latency changed is not known: with one round there is no interval. "
                "Measure two rounds or more."
            )
        if not self.significant:
            return tr("No latency changed beyond chance.")
        names = "; ".join(
            tr("{title} ({ratio} times)").format(title=one.title, ratio=decimal(one.latency.value, 2))
            for one in self.significant
            if one.latency is not None
        )
        return tr("Beyond chance: {names}.").format(names=names)

    @property
    def note(self) -> str:
        """Sentences on what the factors are; empty where means have the same ones, and the bare link did not change."""
        notes = []
        if not all(map(_has_factor_of_means, self.changes)):
            notes.append(tr("Factors are of medians; the means beside them may be in another ratio."))
        if any(one.solution == BASELINE for one in self.significant):
            notes.append(local_text(LINK_CHANGED()))
        return " ".join(notes)


def compare_records(before: tuple[CampaignRecord, Ranking], after: tuple[CampaignRecord, Ranking]) -> ComparisonDiff:
    """Compare two comparisons.

    Args:
        before: The earlier one with its ranking.

    Returns:
        The differences. Load and weather of the link differ between two days, so that a change of the bare link is
        shown beside, and taken off in `Change.beyond_link`. Each candidate is tested (Welch), and Holm's procedure
        keeps the probability of calling any unchanged one changed at 5 %.
    """
    old, new = before[0], after[0]
    ids = list(dict.fromkeys((one.solution, one.suite) for ranking in (after[1], before[1]) for one in ranking.results))
    bare = _log_change(old, new, next((key for key in ids if key[0] == BASELINE), None))
    p_values = {key: p for key in ids if (p := _p_value(_logs(old, key), _logs(new, key))) is not None}
    significant = beyond_chance(p_values)
    changes = tuple(_change(key, before, after, bare, is_significant=key in significant) for key in ids)
    return ComparisonDiff(
        old, new, changes, tuple(changed_settings(old, new)), old.plan.pair.name == new.plan.pair.name
    )


def _has_factor_of_means(one: Change) -> bool:
    """Whether a factor is the quotient of the means beside it, as both are shown."""
    if one.latency is None or one.before is None or one.after is None or not one.before.mean:
        return True
    return decimal(one.after.mean / one.before.mean, 2) == decimal(one.latency.value, 2)


def _words_of_ends() -> Mapping[AttemptStatus, tuple[str, str, str]]:
    """Return how a candidate that was not completed ended: in the earlier comparison, in the later one, in both."""
    return {
        AttemptStatus.FAILED: (
            tr("failed in the earlier one"),
            tr("failed in the later one"),
            tr("failed both times"),
        ),
        AttemptStatus.SKIPPED: (
            tr("skipped in the earlier one"),
            tr("skipped in the later one"),
            tr("skipped both times"),
        ),
        AttemptStatus.CANCELLED: (
            tr("cancelled in the earlier one"),
            tr("cancelled in the later one"),
            tr("cancelled both times"),
        ),
        AttemptStatus.NOT_RUN: (
            tr("not measured in the earlier one"),
            tr("not measured in the later one"),
            tr("not measured both times"),
        ),
    }


def _change(
    key: CandidateId,
    before: tuple[CampaignRecord, Ranking],
    after: tuple[CampaignRecord, Ranking],
    bare: float | None,
    *,
    is_significant: bool,
) -> Change:
    results = [{(one.solution, one.suite): one for one in ranking.results}.get(key) for _, ranking in (before, after)]
    old, new = results
    known = next(one for one in (new, old) if one is not None)
    latency = ratio_of(_logs(before[0], key), _logs(after[0], key))
    rates = [_rate(one.throughput_mbit_s) if one is not None else None for one in results]
    return Change(
        solution=key[0],
        suite=key[1],
        title=known.title,
        before=old.weighted_latency_ms if old is not None else None,
        after=new.weighted_latency_ms if new is not None else None,
        latency=latency,
        beyond_link=_beyond_link(latency, bare) if key[0] != BASELINE else None,
        throughput=rates[1] / rates[0] if rates[0] and rates[1] else None,
        is_significant=is_significant,
        outcomes=(old.status if old is not None else None, new.status if new is not None else None),
    )


def _beyond_link(latency: Ratio | None, bare: float | None) -> float | None:
    """Return a change without that of the bare link, which is a logarithm."""
    return math.exp(math.log(latency.value) - bare) if latency is not None and bare is not None else None


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
    difference = fmean(after) - fmean(before)
    if len(before) < 2 or len(after) < 2:
        return Ratio(math.exp(difference), None, None)
    variance, freedom = _variance_of_difference(before, after)
    if variance <= 0:
        return Ratio(math.exp(difference), math.exp(difference), math.exp(difference))
    from scipy.special import stdtrit

    half = float(stdtrit(freedom, 0.5 + CONFIDENCE / 2)) * math.sqrt(variance)
    return Ratio(*(math.exp(value) for value in (difference, difference - half, difference + half)))


def _p_value(before: Sequence[float], after: Sequence[float]) -> float | None:
    """Return the probability of a difference as large as this one between equals; None without two rounds of both."""
    if len(before) < 2 or len(after) < 2:
        return None
    difference = abs(fmean(after) - fmean(before))
    variance, freedom = _variance_of_difference(before, after)
    if variance <= 0:
        return 0.0 if difference > _EQUAL_LOG else 1.0
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -difference / math.sqrt(variance)))


def _variance_of_difference(before: Sequence[float], after: Sequence[float]) -> tuple[float, float]:
    """Return the variance of the difference of two means, and its degrees of freedom (0 where nothing varies)."""
    parts = [variance(some) / len(some) for some in (before, after)]
    whole = sum(parts)
    if whole <= 0:
        return 0.0, 0.0
    return whole, whole**2 / (parts[0] ** 2 / (len(before) - 1) + parts[1] ** 2 / (len(after) - 1))


def beyond_chance(p_values: Mapping[CandidateId, float]) -> frozenset[CandidateId]:
    """Return the candidates that changed, by Holm's procedure."""
    found = set()
    for done, (key, p_value) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        if p_value > (1 - CONFIDENCE) / (len(p_values) - done):
            break
        found.add(key)
    return frozenset(found)


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
    return [fmean(values) for _, values in sorted(rounds.items())]


def _value(attempt: Attempt) -> float | None:
    value = round_value_ms(attempt)
    return value if value is not None and value > 0 else None


def _rate(rates: Mapping[str, Estimate]) -> float | None:
    return fmean([one.mean for one in rates.values()]) if rates else None
