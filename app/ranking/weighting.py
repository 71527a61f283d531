"""Order of the candidates by weights of the user's own. It is no recommendation, and is neither stored nor reported.

A candidate's score is the weighted geometric mean of its ratios to the best candidate, one ratio per measure:

    score = exp(sum(weight * ln(ratio)) / sum(weight))

A ratio is 1 for the best candidate and larger for worse ones, so that 1.30 means: on the weighted average 1.3 times as
bad as the best in everything. The lowest score is first. Units cancel out in the ratios, and no candidate's place
relative to another depends on which others were measured. Differences are not tested for significance.

The weighted mean of ranks, the heuristic of a study of 2004 (app/ranking/mean_ranks.py), can be taken instead. That
study compares systems of which most are not deployed today, and who still has one wants to see where it lies. So there,
systems for comparison only and insecure candidates have places, which are marked. Ratios help to choose what to deploy,
and leave them out.

The figure of security is 1, doubled for each step of the verdict below recommended and for each property that a packet
test refuted. Of an insecure or unprotected candidate every property counts as refuted, tested or not: a test that found
nothing shows only that the cryptography was not broken while it ran. So it is behind all others by security, those of
one verdict share a rank, and its figure needs no test. A candidate for comparison only whose verdict is another one is
judged as the rest: why it is not deployed (no maintenance, TCP in TCP) is no matter of its cryptography.
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
from app.domain.verdicts import Verdict
from app.ranking.candidates import capture_of
from app.ranking.mean_ranks import mean_ranks, ranks
from app.ranking.messages import NO_MEASURE, NO_WEIGHT, NOTHING_GIVEN, WEIGHT_OUT_OF_RANGE, WEIGHT_TWICE
from app.ranking.proofs import MOST_FAILURES, failures_of
from app.wording.language import mark, tr
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
    SECURITY = "security"  # 1, doubled for each step of the verdict below recommended and each refuted property


MEASURE_WORDS: Mapping[Measure, str] = {
    Measure.LATENCY: mark("latency"),
    Measure.THROUGHPUT: mark("throughput"),
    Measure.CPU: mark("cpu"),
    Measure.OVERHEAD: mark("overhead"),
    Measure.JITTER: mark("jitter"),
    Measure.SECURITY: mark("security"),
}
"""Names of measures in sentences."""


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

    @property
    def mark(self) -> str:
        """Why it cannot be deployed, to be shown beside its place; empty where it can."""
        if self.result.solution in comparison_only():
            return tr("for comparison only, cannot be deployed")
        return tr("insecure, cannot be deployed") if self.result.verdict is Verdict.INSECURE else ""

    @property
    def score_words(self) -> str:
        """The score in a sentence, with a mark where the candidate cannot be deployed."""
        score = figure(self.score)
        return tr("{score}, cannot be deployed").format(score=score) if self.mark else score


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
        words = ", ".join(
            f"{tr(MEASURE_WORDS[measure])} {short_decimal(weight)}" for measure, weight in self.weights.items()
        )
        if self.method is Scoring.RANKS:
            text = tr("Mean ranks, the heuristic of a study of 2004, not Tunnelmark's recommendation: {words}")
            return text.format(words=words)
        return tr("Your weighting, not Tunnelmark's recommendation: {words}").format(words=words)

    @property
    def sentence(self) -> str:
        """The first places with their scores; where none of the first can be deployed, the first one that can."""
        if not self.scored:
            return tr("No candidate has a figure for everything that has weight.")
        first = [one for one in self.scored if one.rank == 1]
        names = [one.result.title for one in first]
        if first[0].mark:
            return self._without_deployable(names, first[0].score_words)
        marked = tr("{title} (cannot be deployed)")
        names = [marked.format(title=one.result.title) if one.mark else one.result.title for one in first]
        words = tr("{names} first ({score})").format(names=listed_names(names), score=first[0].score_words)
        rest = self.scored[len(first) :]
        if not rest:
            return f"{words}."
        then = tr("{words}, then {title} ({score}).")
        return then.format(words=words, title=rest[0].result.title, score=rest[0].score_words)

    def _without_deployable(self, first: Sequence[str], score: str) -> str:
        """Return which candidates are first where none of them can be deployed, and the first one that can.

        Args:
            first: Titles of the first ones.
            score: Their score, with the mark.
        """
        words = tr("{names} first ({score})").format(names=listed_names(first), score=score)
        found = next((one for one in self.scored if not one.mark), None)
        if found is None:
            return tr("{words}. None that has a place can be deployed.").format(words=words)
        then = tr("{words}. The first that can be deployed is {title} (place {rank}, {score}).")
        return then.format(words=words, title=found.result.title, rank=found.rank, score=figure(found.score))


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
        References, those that did not complete and those without a usable figure for a measure that has weight have no
        place; insecure candidates and those for comparison only have one among ranks alone, with a mark.
    """
    wanted = {measure: weights[measure] for measure in Measure if weights.get(measure, 0.0) > 0}
    values: list[tuple[CandidateResult, dict[Measure, float]]] = []
    unscored: list[Unscored] = []
    for result in ranking.results:
        capture = capture_of(record.attempts_of((result.solution, result.suite)))
        found = {measure: value_of(measure, result, capture) for measure in wanted}
        reason = _barred(result, method) or _lacking(found)
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
    """Return the candidates with the lowest score first; of equal ones those that can be deployed."""
    placed = (
        Scored(1 + sum(other < score - _SAME for other, _, _ in found), result, score, parts)
        for score, result, parts in sorted(found, key=lambda one: one[0])
    )
    return tuple(sorted(placed, key=lambda one: (one.rank, bool(one.mark))))


def value_of(measure: Measure, result: CandidateResult, capture: CaptureReport | None) -> float | None:
    """Return a candidate's figure in the unit that `Measure` names; None where there is none above 0."""
    means = [estimate.mean for estimate in result.throughput_mbit_s.values()]
    latency, cpu = result.weighted_latency_ms, result.cpu_pct_per_mbit_s
    value = {
        Measure.LATENCY: latency.mean if latency else None,
        Measure.THROUGHPUT: sum(means) / len(means) if len(means) == 2 else None,
        Measure.CPU: cpu.mean if cpu else None,
        Measure.OVERHEAD: bytes_per_frame(capture),
        Measure.JITTER: result.jitter_ms,
        Measure.SECURITY: _security(result, capture),
    }[measure]
    return value if value is not None and math.isfinite(value) and value > 0 else None


def bytes_per_frame(capture: CaptureReport | None) -> float | None:
    """Return the captured bytes per frame, weighted as the latency is; None where a size was not captured."""
    costs = {cost.frame_bytes: cost.outer_bytes + cost.ack_bytes for cost in capture.overhead} if capture else {}
    if not all(size in costs for size in FRAME_BYTES):
        return None
    return math.fsum(weight * costs[size] for size, weight in zip(FRAME_BYTES, FRAME_WEIGHTS, strict=True))


def _security(result: CandidateResult, capture: CaptureReport | None) -> float | None:
    """Return the figure of security, see above; None where no packet test was made: that is no better than failing."""
    failed = MOST_FAILURES
    if result.verdict.severity < Verdict.INSECURE.severity:
        if capture is None or capture.leak is None:
            return None
        failed = len(failures_of(capture))
    return float(2 ** (result.verdict.severity + failed))


def _barred(result: CandidateResult, method: Scoring) -> str:
    """Return what bars a candidate from a place.

    A verdict that needs a written reason does not, if it may be deployed with one. Among ranks, what is never deployed
    has a place unless its measurement bars it; what has no cryptography has none, unless it is for comparison only.
    """
    barrier = result.barrier
    if barrier is None:
        return ""
    is_for_comparison = result.solution in comparison_only()
    by_verdict = barrier.reason is BarrierReason.VERDICT
    if by_verdict and result.verdict.needs_reason and not is_for_comparison:
        return ""
    has_place = by_verdict and result.verdict is Verdict.INSECURE
    if is_for_comparison:
        has_place = by_verdict or barrier.reason is BarrierReason.UNPROTECTED
    if method is Scoring.RANKS and has_place:
        return barrier.measured.words if barrier.measured is not None else ""
    return barrier.words


def _lacking(found: Mapping[Measure, float | None]) -> str:
    lacking = [tr(MEASURE_WORDS[measure]) for measure, value in found.items() if value is None]
    return tr("no figure for {measures}").format(measures=listed_names(lacking)) if lacking else ""
