"""All results of each candidate."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.domain.capture import CaptureReport
from app.domain.controllers import Arrivals
from app.domain.gates import Gate
from app.domain.hosts import DIRECTIONS
from app.domain.ranking import CandidateResult, Estimate, LatencySummary
from app.domain.results import (
    Attempt,
    AttemptStatus,
    CampaignRecord,
    CampaignStatus,
    Candidate,
    CandidateId,
    LatencySeries,
)
from app.ranking.controllers import arrivals_of, controller_advice, restart_outage
from app.ranking.failures import silent_rounds
from app.ranking.gates import gates_of, spread_of, worst_gates
from app.ranking.outages import RequestPace, request_pace
from app.ranking.rounds import Measured, RoundFigures, measure, over_rounds, ratio, round_figures
from app.ranking.summaries import summarise_around
from app.ranking.weighted import weighted_latency_ms
from app.wording.language import tr, trn
from app.wording.local_forms import listed_names, short_decimal
from app.wording.messages import local_text
from app.wording.numbers import grouped
from app.wording.stages import stage_word
from app.wording.titles import local_title

_ENDED_BY_USER = (AttemptStatus.SKIPPED, AttemptStatus.CANCELLED)
_WORST_FIRST = (AttemptStatus.FAILED, AttemptStatus.CANCELLED, AttemptStatus.SKIPPED, AttemptStatus.NOT_RUN)


@dataclass(frozen=True, slots=True)
class Contender:
    """A candidate with its attempts and figures.

    Attributes:
        candidate: What was known before.
        attempts: All its attempts, in order.
        figures: Of those that `with_figures` returns, by round.
        result: Over all rounds.
    """

    candidate: Candidate
    attempts: tuple[Attempt, ...]
    figures: RoundFigures
    result: CandidateResult

    @property
    def title(self) -> str:
        """Title for people."""
        return local_title(self.candidate.title)

    @property
    def worse_mbit_s(self) -> float | None:
        """Throughput of the slower direction in Mbit/s; None where one was not measured."""
        found = self.result.throughput_mbit_s
        return min((found[one].mean for one in DIRECTIONS), default=None) if found.keys() >= set(DIRECTIONS) else None

    @property
    def risk(self) -> int:
        """Severity of the verdict; lower is better. How many findings led to it counts nothing."""
        return self.candidate.verdict.severity


def contenders(record: CampaignRecord, condition: str, baseline: str) -> tuple[Contender, ...]:
    """Return every candidate of the plan with what was measured under one condition.

    Args:
        condition: Name of the condition.
        baseline: Name of the solution that the others are compared with.

    Returns:
        In the plan's order.
    """
    attempts: dict[CandidateId, list[Attempt]] = defaultdict(list)
    for attempt in record.attempts:
        if attempt.key.condition == condition:
            attempts[attempt.key.solution, attempt.key.suite].append(attempt)
    bare = [one for (solution, _), found in attempts.items() if solution == baseline for one in with_figures(found)]
    reference = round_figures(measure(bare))
    spreads = [spread for one in bare if (spread := spread_of(one)) is not None]
    bare_spread, pace = min(spreads, default=None), request_pace(record)
    return tuple(
        _contender(record, one, tuple(attempts[one.solution, one.suite]), reference, bare_spread, pace)
        for one in record.plan.candidates
    )


def completed(attempts: Sequence[Attempt]) -> list[Attempt]:
    """Return the attempts that ran to their end."""
    return [attempt for attempt in attempts if attempt.status is AttemptStatus.COMPLETED]


def with_figures(attempts: Sequence[Attempt]) -> list[Attempt]:
    """Return the attempts that a candidate's figures are of.

    Those are the completed ones. Where there is none: those that the user ended in a later stage than the one that
    measured the figure, or, of blocks, once three cycles count. Throughput is kept only once it is measured to the end.
    A candidate whose leak test was not made is not ranked. A failed attempt has no figures: its tunnel broke or leaked.
    """
    done = completed(attempts)
    if done:
        return done
    return [one for one in attempts if one.status in _ENDED_BY_USER and (one.latency or one.throughput)]


def figures_of(record: CampaignRecord) -> tuple[Attempt, ...]:
    """Return the attempts of all candidates that figures are of, see `with_figures`."""
    attempts: dict[CandidateId, list[Attempt]] = defaultdict(list)
    for attempt in record.attempts:
        attempts[attempt.key.solution, attempt.key.suite].append(attempt)
    return tuple(one for found in attempts.values() for one in with_figures(found))


def capture_of(attempts: Iterable[Attempt]) -> CaptureReport | None:
    """Return what the captures showed of a candidate: they are made in one round only. None where none were made."""
    return next((one.capture for one in attempts if one.capture is not None), None)


def _contender(
    record: CampaignRecord,
    candidate: Candidate,
    attempts: tuple[Attempt, ...],
    reference: RoundFigures,
    bare_spread: float | None,
    pace: RequestPace,
) -> Contender:
    done = with_figures(attempts)
    figures = round_figures(measured := measure(done))
    latency = _latency(measured, record.plan.deadline_ms)
    status, reason, message = _outcome(record, attempts)
    arrivals = _arrivals(attempts, done, pace)
    result = CandidateResult(
        solution=candidate.solution,
        suite=candidate.suite,
        title=local_title(candidate.title),
        verdict=candidate.verdict,
        is_unprotected=candidate.is_unprotected,
        status=status,
        reason=reason,
        message=message,
        latency=latency,
        weighted_latency_ms=over_rounds(figures.weighted_ms),
        throughput_mbit_s=_estimates(figures.throughput_mbit_s),
        cpu_pct=_estimates(figures.cpu_pct),
        cpu_pct_per_mbit_s=over_rounds(figures.cpu_per_mbit_s),
        latency_vs_baseline=ratio(figures.weighted_ms, reference.weighted_ms),
        throughput_vs_baseline=ratio(figures.both_mbit_s, reference.both_mbit_s),
        cpu_per_mbit_s_vs_baseline=ratio(figures.cpu_per_mbit_s, reference.cpu_per_mbit_s),
        setup_s=_mean([attempt.setup_s for attempt in done]),
        cleanup_s=_mean([attempt.cleanup_s for attempt in done]),
        doubts=_doubts(attempts, latency),
        stage="" if status is AttemptStatus.COMPLETED else _last_stage(done or attempts),
        loss_pct=_loss_pct(latency),
        gates=_gates(done, bare_spread),
        late_pct=_late_pct(latency),
        arrivals=arrivals,
        controllers=() if arrivals is None or arrivals.silent_rounds else controller_advice(arrivals),
        cpu_at_rate_pct=over_rounds(figures.cpu_at_rate_pct),
        rate_mbit_s=next((one.rate_mbit_s for one in reversed(done) if one.rate_mbit_s is not None), None),
        jitter_ms=weighted_latency_ms({one.frame_bytes: one.jitter_ms for one in latency if one.jitter_ms is not None}),
    )
    return Contender(candidate, attempts, figures, replace(result, restart_outage=restart_outage(done, arrivals)))


def _arrivals(attempts: Sequence[Attempt], done: Sequence[Attempt], pace: RequestPace) -> Arrivals | None:
    """Return the extremes of the attempts that figures are of, with what they leave out."""
    found = arrivals_of(done, *pace)
    if found is None:
        return None
    repeated = sum(one.repeats for one in done if not one.blocks)  # disturbed blocks are kept, disturbed attempts not
    return replace(found, silent_rounds=silent_rounds(attempts), repeated=repeated)


def _last_stage(attempts: Sequence[Attempt]) -> str:
    return next((one.stage for one in reversed(attempts) if one.stage), "")


def _estimates(values: Mapping[str, Mapping[int, float]]) -> dict[str, Estimate]:
    found = {name: over_rounds(by_round) for name, by_round in values.items()}
    return {name: value for name, value in found.items() if value is not None}


def _latency(measured: Sequence[Measured], deadline_ms: float | None) -> tuple[LatencySummary, ...]:
    """Sum up each frame size; its mean is over rounds, so that the weighted latency follows from the means."""
    series: dict[int, list[LatencySeries]] = defaultdict(list)
    means: dict[int, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in measured:
        for each in one.attempt.latency:
            series[each.frame_bytes].append(each)
        for size, mean in one.means_ms.items():
            means[size][one.attempt.key.round].append(mean)
    return tuple(
        summarise_around(series[size], _mean([sum(found) / len(found) for found in means[size].values()]), deadline_ms)
        for size in sorted(series)
    )


def _loss_pct(latency: Sequence[LatencySummary]) -> float | None:
    sent = sum(one.sent for one in latency)
    return 100.0 * sum(one.sent - one.received for one in latency) / sent if sent else None


def _late_pct(latency: Sequence[LatencySummary]) -> float | None:
    sent = sum(one.sent for one in latency if one.over_deadline_pct is not None)
    late = math.fsum((one.over_deadline_pct or 0.0) * one.sent for one in latency)
    return late / sent if sent else None


def _gates(done: Sequence[Attempt], bare_spread: float | None) -> tuple[Gate, ...]:
    spreads = [spread for one in done if (spread := spread_of(one)) is not None]
    least = min(spreads) if len(spreads) > 1 else None
    return worst_gates(gates_of(one, bare_spread=bare_spread, least_spread=least) for one in done)


def _outcome(record: CampaignRecord, attempts: Sequence[Attempt]) -> tuple[AttemptStatus, str, str]:
    if any(attempt.status is AttemptStatus.COMPLETED for attempt in attempts):
        return AttemptStatus.COMPLETED, "", ""
    for status in _WORST_FIRST:
        for attempt in reversed(attempts):
            if attempt.status is status:
                return status, attempt.reason or status.value, attempt.message
    why = {
        CampaignStatus.CANCELLED: ("cancelled", tr("The comparison was cancelled before this candidate's turn came.")),
        CampaignStatus.INTERRUPTED: (
            "interrupted",
            tr("The comparison was interrupted before this candidate's turn came."),
        ),
        CampaignStatus.RUNNING: ("running", tr("This candidate's turn has not come yet.")),
    }
    return AttemptStatus.NOT_RUN, *why.get(record.status, ("not-run", tr("This candidate was not measured.")))


def _doubts(attempts: Sequence[Attempt], latency: Sequence[LatencySummary]) -> tuple[str, ...]:
    """Return each doubt once, with the rounds it belongs to where there are several."""
    found: dict[str, list[int]] = defaultdict(list)
    for attempt in attempts:
        for doubt in attempt.doubts:
            found[doubt].append(attempt.key.round)
    many = len({attempt.key.round for attempt in attempts}) > 1
    texts = [
        f"{local_text(doubt)} ({_rounds(numbers)})" if many else local_text(doubt) for doubt, numbers in found.items()
    ]
    texts.extend(_failed_rounds(attempts))
    texts.extend(_cut_short(attempts))
    texts.extend(_losses(latency, is_loss_reported=any("lost" in doubt for doubt in found)))
    return tuple(texts)


def _losses(latency: Sequence[LatencySummary], *, is_loss_reported: bool) -> list[str]:
    """Return which frames did not cross, or else how many echo requests were lost."""
    silent = [f"{one.frame_bytes}" for one in latency if one.sent and not one.received]
    if silent:
        text = tr("Frames of {sizes} bytes did not cross, so there is no weighted latency.")
        return [text.format(sizes=listed_names(silent))]
    lost, sent = sum(one.sent - one.received for one in latency), sum(one.sent for one in latency)
    if not lost or is_loss_reported:
        return []
    text = tr("{lost} of {sent} echo requests were lost ({share} %).")
    return [text.format(lost=grouped(lost), sent=grouped(sent), share=short_decimal(100 * lost / sent, 2))]


def _failed_rounds(attempts: Sequence[Attempt]) -> list[str]:
    if not completed(attempts):
        return []
    failed = [attempt for attempt in attempts if attempt.status is AttemptStatus.FAILED]
    return [
        tr("Round {round} failed: {why}").format(
            round=attempt.key.round, why=local_text(attempt.message or attempt.reason)
        )
        for attempt in failed
    ]


def _cut_short(attempts: Sequence[Attempt]) -> list[str]:
    """Return which attempts that were ended early have the figures."""
    if completed(attempts):
        return []
    found = [one for one in with_figures(attempts) if one.stage]
    return [
        tr("Round {round} was {how} in the stage “{stage}”: its figures are those until then.").format(
            round=one.key.round, how=tr(one.status.value), stage=tr(stage_word(one.stage))
        )
        for one in found
    ]


def _rounds(numbers: Sequence[int]) -> str:
    unique = [str(number) for number in sorted(set(numbers))]
    return trn("round {numbers}", "rounds {numbers}", len(unique)).format(numbers=listed_names(unique))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
