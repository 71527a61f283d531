"""Order of the candidates by weights of the user's own. It is no recommendation, and is neither stored nor reported.

A candidate's score is the weighted geometric mean of its ratios to the best candidate, one ratio per measure:

    score = exp(sum(weight * ln(ratio)) / sum(weight))

A ratio is 1 for the best candidate and larger for worse ones, so that 1.30 means: on the weighted average 1.3 times as
bad as the best in everything. The lowest score is first. Units cancel out in the ratios, and no candidate's place
relative to another depends on which others were measured. Differences are not tested for significance.

The weighted mean of ranks, the heuristic of a study of 2004 (app/ranking/mean_ranks.py), can be taken instead.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.domain.capture import CaptureReport
from app.domain.declared import comparison_only
from app.domain.errors import InvalidOption
from app.domain.profiles import FRAME_BYTES, FRAME_WEIGHTS
from app.domain.ranking import BarrierReason, CandidateResult, Ranking
from app.domain.results import CampaignRecord
from app.ranking.candidates import capture_of
from app.ranking.mean_ranks import mean_ranks, ranks
from app.ranking.messages import NO_MEASURE, NO_WEIGHT, NOTHING_GIVEN, WEIGHT_OUT_OF_RANGE, WEIGHT_TWICE
from app.ranking.proofs import failures_of
from app.wording.language import tr
from app.wording.local_forms import listed_names, short_decimal
from app.wording.numbers import figure

MOST_WEIGHT = 100.0
BALANCED = "balanced"
"""Name of the preset without weights: the order of the ranking itself."""

_SAME = 1e-9
"""Scores that differ by less are equal."""


class Measure(StrEnum):
    """Measures that can be weighted."""

    LATENCY = "latency"  # weighted latency in ms, mean over rounds
    THROUGHPUT = "throughput"  # TCP goodput in Mbit/s, mean of both directions and all rounds
    CPU = "cpu"  # percent of both hosts' CPU together per Mbit/s, mean over rounds
    OVERHEAD = "overhead"  # captured bytes on the underlay per frame inside, over the frame sizes of the latency
    JITTER = "jitter"  # mean difference of successive round-trip times in ms, weighted over the frame sizes
    SECURITY = "security"  # 1, doubled for each step of the verdict below recommended and each property that failed


class Scoring(StrEnum):
    """Methods of making one number of several figures."""

    RATIOS = "ratios"  # weighted geometric mean of ratios to the best candidate
    RANKS = "ranks"  # weighted mean of ranks: the heuristic of the study oslv-2004


Weights = Mapping[Measure, float]

PRESETS: Mapping[str, Weights] = {
    BALANCED: {},
    "latency-first": {Measure.LATENCY: 4, Measure.THROUGHPUT: 1, Measure.SECURITY: 1},
    "throughput-first": {Measure.THROUGHPUT: 4, Measure.LATENCY: 1, Measure.OVERHEAD: 1},
    "low-cpu": {Measure.CPU: 4, Measure.LATENCY: 1, Measure.THROUGHPUT: 1},
    "strongest-security": {Measure.SECURITY: 4, Measure.LATENCY: 1, Measure.THROUGHPUT: 1},
}
"""Weights by name. Source: our choice."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate's place by the user's weights.

    Attributes:
        rank: From 1; candidates of equal score share one.
        result: The candidate.
        score: 1 for the best in everything that has weight, larger for worse.
        parts: What the score is the mean of, for each measure that has weight: ratios to the best candidate, or ranks.
    """

    rank: int
    result: CandidateResult
    score: float
    parts: Mapping[Measure, float]


@dataclass(frozen=True, slots=True)
class Unscored:
    """A candidate that has no place by the user's weights, and why."""

    result: CandidateResult
    reason: str


@dataclass(frozen=True, slots=True)
class Weighting:
    """Candidates in the order of the user's weights.

    Attributes:
        weights: Those above 0.
        scored: Best first.
        unscored: In the order of the ranking.
        method: Method of the scores.
    """

    weights: Weights
    scored: tuple[Scored, ...]
    unscored: tuple[Unscored, ...]
    method: Scoring = Scoring.RATIOS

    @property
    def title(self) -> str:
        """Description of this ranking, with the weights."""
        words = ", ".join(f"{tr(measure)} {short_decimal(weight)}" for measure, weight in self.weights.items())
        if self.method is Scoring.RANKS:
            text = tr("Mean ranks, the heuristic of a study of 2004, not Tunnelmark's recommendation: {words}")
            return text.format(words=words)
        return tr("Your weighting, not Tunnelmark's recommendation: {words}").format(words=words)

    @property
    def sentence(self) -> str:
        """The first places with their scores."""
        if not self.scored:
            return tr("No candidate has a figure for everything that has weight.")
        first = [one.result.title for one in self.scored if one.rank == 1]
        words = tr("{names} first ({score})").format(names=listed_names(first), score=figure(self.scored[0].score))
        rest = [one for one in self.scored if one.rank > 1]
        return (
            tr("{words}, then {title} ({score}).").format(
                words=words, title=rest[0].result.title, score=figure(rest[0].score)
            )
            if rest
            else f"{words}."
        )


def parse_weights(text: str) -> Weights:
    """Return the weights of a preset's name, or of `MEASURE=WEIGHT,…`; empty for `balanced`.

    Raises:
        InvalidOption: It is neither, or no weight is above 0.
    """
    if text in PRESETS:
        return PRESETS[text]
    weights: dict[Measure, float] = {}
    for part in text.split(","):
        name, _, value = (word.strip() for word in part.partition("="))
        if name not in list(Measure):
            raise InvalidOption(
                NO_MEASURE(name=name or NOTHING_GIVEN(), measures=tuple(Measure), presets=tuple(PRESETS)),
            )
        if Measure(name) in weights:
            raise InvalidOption(WEIGHT_TWICE(measure=name))
        weights[Measure(name)] = _weight(name, value)
    if not any(weights.values()):
        raise InvalidOption(NO_WEIGHT())
    return weights


def _weight(name: str, text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if not 0 <= weight <= MOST_WEIGHT:
        raise InvalidOption(WEIGHT_OUT_OF_RANGE(measure=name, text=text or NOTHING_GIVEN(), most=MOST_WEIGHT))
    return weight


def weigh(record: CampaignRecord, ranking: Ranking, weights: Weights, method: Scoring = Scoring.RATIOS) -> Weighting:
    """Order candidates by the user's weights.

    Args:
        weights: At least one above 0.
        method: How scores are made of the figures.

    Returns:
        References, insecure candidates, those that did not complete and those without a usable figure for a measure
        that has weight have no place.
    """
    wanted = {measure: weights[measure] for measure in Measure if weights.get(measure, 0.0) > 0}
    values: list[tuple[CandidateResult, dict[Measure, float]]] = []
    unscored: list[Unscored] = []
    for result in ranking.results:
        capture = capture_of(record.attempts_of((result.solution, result.suite)))
        found = {measure: value_of(measure, result, capture) for measure in wanted}
        reason = _barred(result) or _lacking(found)
        if reason:
            unscored.append(Unscored(result, reason))
        else:
            values.append((result, {measure: value for measure, value in found.items() if value is not None}))
    score = _by_ranks if method is Scoring.RANKS else _by_ratios
    return Weighting(wanted, _placed(score(values, wanted)), tuple(unscored), method)


_Values = Sequence[tuple[CandidateResult, Mapping[Measure, float]]]
"""Candidates with their figures for everything that has weight."""

_Found = list[tuple[float, CandidateResult, Mapping[Measure, float]]]
"""Score, candidate, and what the score is the mean of."""


def _by_ratios(values: _Values, weights: Weights) -> _Found:
    best = {
        measure: (max if measure is Measure.THROUGHPUT else min)(own[measure] for _, own in values)
        for measure in (weights if values else ())
    }
    found: _Found = []
    for result, own in values:
        ratios = {
            measure: best[measure] / own[measure] if measure is Measure.THROUGHPUT else own[measure] / best[measure]
            for measure in weights
        }
        total = math.fsum(weight * math.log(ratios[measure]) for measure, weight in weights.items())
        found.append((math.exp(total / math.fsum(weights.values())), result, ratios))
    return found


def _by_ranks(values: _Values, weights: Weights) -> _Found:
    """Score by the heuristic of the study oslv-2004: see `mean_ranks`."""
    if not values:
        return []
    figures = {
        measure.value: {
            str(nth): -own[measure] if measure is Measure.THROUGHPUT else own[measure]
            for nth, (_, own) in enumerate(values)
        }
        for measure in weights
    }
    scores = mean_ranks(figures, {measure.value: weight for measure, weight in weights.items()})
    places = {name: ranks(own) for name, own in figures.items()}
    return [
        (scores[str(nth)], result, {measure: places[measure.value][str(nth)] for measure in weights})
        for nth, (result, _) in enumerate(values)
    ]


def _placed(found: _Found) -> tuple[Scored, ...]:
    """Return the candidates with the lowest score first."""
    return tuple(
        Scored(1 + sum(other < score - _SAME for other, _, _ in found), result, score, parts)
        for score, result, parts in sorted(found, key=lambda one: one[0])
    )


def value_of(measure: Measure, result: CandidateResult, capture: CaptureReport | None) -> float | None:
    """Return a candidate's figure in the unit that `Measure` names; None where there is none above 0."""
    means = [estimate.mean for estimate in result.throughput_mbit_s.values()]
    latency, cpu, failed = result.weighted_latency_ms, result.cpu_pct_per_mbit_s, _failed_properties(capture)
    value = {
        Measure.LATENCY: latency.mean if latency else None,
        Measure.THROUGHPUT: sum(means) / len(means) if len(means) == 2 else None,
        Measure.CPU: cpu.mean if cpu else None,
        Measure.OVERHEAD: bytes_per_frame(capture),
        Measure.JITTER: result.jitter_ms,
        Measure.SECURITY: None if failed is None else 2.0 ** (result.verdict.severity + failed),
    }[measure]
    return value if value is not None and math.isfinite(value) and value > 0 else None


def bytes_per_frame(capture: CaptureReport | None) -> float | None:
    """Return the captured bytes per frame, weighted as the latency is; None where a size was not captured."""
    costs = {cost.frame_bytes: cost.outer_bytes + cost.ack_bytes for cost in capture.overhead} if capture else {}
    if not all(size in costs for size in FRAME_BYTES):
        return None
    return math.fsum(weight * costs[size] for size, weight in zip(FRAME_BYTES, FRAME_WEIGHTS, strict=True))


def _failed_properties(capture: CaptureReport | None) -> int | None:
    """Return how many properties were refuted; None where no packet test was made: that is no better than failing."""
    return None if capture is None or capture.leak is None else len(failures_of(capture))


def _barred(result: CandidateResult) -> str:
    """Return what bars a candidate; a verdict that needs a written reason does not, if it may be deployed with one."""
    if result.barrier is None:
        return ""
    by_verdict = result.barrier.reason is BarrierReason.VERDICT and result.verdict.needs_reason
    return "" if by_verdict and result.solution not in comparison_only() else result.barrier.words


def _lacking(found: Mapping[Measure, float | None]) -> str:
    lacking = [tr(measure) for measure, value in found.items() if value is None]
    return tr("no figure for {measures}").format(measures=listed_names(lacking)) if lacking else ""
