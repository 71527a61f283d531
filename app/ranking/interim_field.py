"""Candidates of an adaptive comparison with figures so far, and references beside them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from app.domain.ranking import Ratio
from app.domain.results import Attempt, CampaignPlan, Candidate, CandidateId
from app.domain.solutions import BASELINE
from app.ranking.blocks import round_value_ms
from app.ranking.differences import Differences, fitted
from app.ranking.sequential import is_within_margin, sequential_differences


@dataclass(frozen=True, slots=True)
class InterimField:
    """Candidates with figures, fastest first.

    Attributes:
        who: The candidates.
        series: Their values by round, in ms.
        found: How they differ, by positions.
        is_measured_on: Whether each took part in the last round.
    """

    who: tuple[Candidate, ...]
    series: tuple[Mapping[int, float], ...]
    found: Differences
    is_measured_on: tuple[bool, ...]

    def is_decided(self, first: int, second: int) -> bool:
        """Return whether the order of two candidates is known, or does not matter."""
        pair = (first, second)
        if pair in self.found.decided or pair[::-1] in self.found.decided:
            return True
        return is_within_margin(self.found, first, second)

    def open_pairs(self) -> list[tuple[int, int]]:
        """Return the pairs whose order measuring on would decide."""
        measured_on = [i for i in range(len(self.who)) if self.is_measured_on[i]]
        return [pair for pair in combinations(measured_on, 2) if not self.is_decided(*pair)]


def ratio_to_first(found: Differences, position: int) -> Ratio:
    """Return the latency of a candidate over that of the first, with its interval where two rounds hold both."""
    if position == 0:
        return Ratio(1.0, 1.0, 1.0)
    pair = found.between(position, 0)
    if pair.interval is None:
        return Ratio(found.typical_ms[position] / found.typical_ms[0], None, None)
    return Ratio(math.exp(pair.log_ratio), *pair.interval)


def ranked_of(plan: CampaignPlan) -> list[Candidate]:
    """Return the candidates that are compared: those with cryptography; all of a plan that has none."""
    vpns = _vpns(plan)
    return [one for one in vpns if not one.is_unprotected] or vpns


def references_of(plan: CampaignPlan) -> list[Candidate]:
    """Return the candidates that are measured beside those that are compared, and decide nothing."""
    ranked = ranked_of(plan)
    return [one for one in _vpns(plan) if one not in ranked]


def values_of(done: Sequence[Attempt]) -> dict[CandidateId, dict[int, float]]:
    """Return the value of each round in ms, by candidate."""
    values: dict[CandidateId, dict[int, float]] = defaultdict(dict)
    for attempt in done:
        value = round_value_ms(attempt)
        if value is not None:
            values[attempt.key.solution, attempt.key.suite][attempt.key.round] = value
    return values


def field_of(
    candidates: Sequence[Candidate], values: Mapping[CandidateId, Mapping[int, float]], number: int
) -> InterimField:
    """Return those of some candidates that have figures, and how they differ, after so many rounds."""
    who = [one for one in candidates if values.get((one.solution, one.suite))]
    series = [values[one.solution, one.suite] for one in who]
    typical = fitted(series).typical_ms
    order = sorted(range(len(who)), key=lambda i: typical[i])
    sorted_series = tuple(series[i] for i in order)
    return InterimField(
        tuple(who[i] for i in order),
        sorted_series,
        sequential_differences(sorted_series),
        tuple(number in one for one in sorted_series),
    )


def _vpns(plan: CampaignPlan) -> list[Candidate]:
    return [one for one in plan.candidates if one.solution != BASELINE]
