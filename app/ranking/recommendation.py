"""The recommendation in one sentence, with the reasons for and against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.domain.ranking import AdviceKind, BarrierReason, Drift, Recommendation
from app.domain.results import PROFILES, ProfileName
from app.domain.verdicts import deciding_finding
from app.ranking.candidates import Contender
from app.ranking.choice import Choice
from app.wording.numbers import counted, figure, listed, milliseconds

_STANDARD_ROUNDS = PROFILES[ProfileName.STANDARD].rounds

_MOST_NAMES = 3
"""Candidates that a sentence names with their figures. Source: our choice."""

_LOWER = "its latency is the lower one"
_SAME_QUOTIENT = 0.05
"""Share by which a quotient of medians and one of means may differ before it is named. Source: our choice."""


def recommendation(choice: Choice, cautions: Sequence[str]) -> Recommendation:
    """Put a choice into words.

    Args:
        cautions: What makes it doubtful.

    Returns:
        The recommendation.
    """
    best = choice.best
    is_clear = choice.kind is not AdviceKind.NOT_DECIDED
    sentence = f"Take {best.title}: {_why(choice)}." if is_clear else _no_clear_winner(choice)
    why = (f"{best.title}: {choice.because}.",) if choice.because and not is_clear else ()
    reasons = (*why, *_reasons(best), *filter(None, (choice.alternative, _undominated(choice))))
    return Recommendation(
        best.candidate.solution,
        best.candidate.suite,
        sentence,
        reasons,
        tuple(cautions),
        is_clear,
        choice.kind,
        choice.minutes,
        choice.alternative,
    )


def _undominated(choice: Choice) -> str:
    """Return which candidates no other one outdoes; empty where there was only one to take."""
    if not choice.others:
        return ""
    names = [one.title for one in choice.undominated]
    outdone = 1 + len(choice.others) - len(names)
    if not outdone:
        return "Each candidate that may be taken is better than the others in something."
    left = counted(outdone, "candidate")
    return f"No other candidate outdoes {listed(names)}; {left} {'is' if outdone == 1 else 'are'} better in nothing."


def drifted(advice: Recommendation, choice: Choice, drift: Drift) -> Recommendation:
    """Return advice without a clear winner, because the bare link changed too much meanwhile."""
    pair = " and ".join(f"{one.title} ({_figures(one)})" for one in (choice.best, choice.others[0]))
    sentence = (
        f"No clear winner: while {pair} were measured, the latency of the bare link changed by "
        f"{figure(drift.latency_pct or 0.0, 2)} %, more than half of what they differ by; measure again while hosts "
        "and link are quiet."
    )
    return replace(advice, sentence=sentence, is_clear=False, kind=AdviceKind.NOT_DECIDED)


def _no_clear_winner(choice: Choice) -> str:
    """Return the sentence for a choice that the figures do not carry."""
    if not choice.others:
        return (
            f"No clear winner: of the VPNs that may be deployed only {choice.best.title} ({_figures(choice.best)}) was "
            "measured to the end; measure the others for a decision."
        )
    named = (choice.best, *choice.undecided)[:_MOST_NAMES]
    left = len(choice.undecided) + 1 - len(named)
    names = [f"{one.title} ({_figures(one)})" for one in named] + ([counted(left, "other")] if left else [])
    if choice.rounds < 2:
        return (
            f"No clear winner: one round does not decide between {listed(names)}{_apart(choice)}; "
            f"{_STANDARD_ROUNDS} rounds of the same (about {counted(choice.minutes or 1, 'minute')}) would."
        )
    more = "they differ too little, or vary too much, for more rounds to decide"
    if choice.minutes is not None:
        more = f"about {counted(choice.minutes, 'minute')} more would"
    return f"No clear winner: {counted(choice.rounds, 'round')} do not decide between {listed(names)}; {more}."


def _mbit(one: Contender) -> str:
    values = one.figures.both_mbit_s.values()
    return f"{figure(sum(values) / len(values))} Mbit/s"


def _figures(one: Contender) -> str:
    return f"{_latency(one)}, {_mbit(one)}" if one.figures.both_mbit_s else _latency(one)


def _why(choice: Choice) -> str:
    latency = f"its weighted latency of {_latency(choice.best)}{_times_baseline(choice.best)}"
    if not choice.others:
        return f"{latency} is the only complete result of a candidate that may be deployed"
    over = f"over {counted(choice.rounds, 'round')}"
    if choice.kind is AdviceKind.AS_GOOD_AS:
        names = listed([one.title for one in choice.alike])
        limit = f"at most 10 % above it {over}"
        return f"{latency} is as good as that of {names} or better ({limit}), and {choice.because or _LOWER}"
    rival = choice.others[0]
    less_pct = figure(100 * (1 - 1 / choice.lead), 2)
    sure = "in one round, a lead that chance seldom makes" if choice.rounds < 2 else over
    if choice.rounds > 1 and not choice.is_tied:
        sure = f"more than chance explains {over}"
    by = "" if _is_lead_of_means(choice) else ", by their medians"
    return f"{latency} is {less_pct} % below that of the next best, {rival.title} ({_latency(rival)}){by}, {sure}"


def _is_lead_of_means(choice: Choice) -> bool:
    """Whether the means that are shown have much the same quotient as the medians that decide."""
    means = _mean_ms(choice.others[0]) / _mean_ms(choice.best)
    return abs(means / choice.lead - 1.0) <= _SAME_QUOTIENT


def _apart(choice: Choice) -> str:
    """Return how far the medians of two candidates are apart, where the means beside their names say otherwise."""
    if choice.undecided != choice.others[:1] or _is_lead_of_means(choice):
        return ""
    return f", whose medians differ by a factor of {figure(choice.lead)}"


def _mean_ms(one: Contender) -> float:
    estimate = one.result.weighted_latency_ms
    if estimate is None:
        raise ValueError("only candidates with a weighted latency are compared")
    return estimate.mean


def _latency(one: Contender) -> str:
    return milliseconds(_mean_ms(one))


def _times_baseline(one: Contender) -> str:
    times = one.result.latency_vs_baseline
    return "" if times is None else f", {figure(times, 2)} times the bare link's,"


def _reasons(best: Contender) -> tuple[str, ...]:
    result = best.result
    reasons = [_verdict_reason(best)]
    interval = result.weighted_latency_ms.ci if result.weighted_latency_ms else None
    latency = f"Weighted latency {_latency(best)}"
    if interval is not None:
        latency += f" (95 % interval {figure(interval[0])} to {milliseconds(interval[1])})"
    if result.latency_vs_baseline is not None:
        latency += f", {figure(result.latency_vs_baseline, 2)} times the bare link's"
    reasons.append(latency + ".")
    if best.figures.both_mbit_s:
        reasons.append(_throughput_reason(best))
    if result.cpu_pct_per_mbit_s is not None:
        reasons.append(_cpu_reason(best))
    return tuple(reasons)


def _verdict_reason(best: Contender) -> str:
    word = best.candidate.verdict.value.capitalize()
    deciding = deciding_finding(best.candidate.findings)
    if deciding is None or not deciding.verdict.severity:
        return f"Verdict {word}: nothing was found against its cryptography."
    return f"Verdict {word}: {deciding.subject}: {deciding.reason}"


def _throughput_reason(best: Contender) -> str:
    text = f"Throughput {_mbit(best)}, mean of both directions"
    share = best.result.throughput_vs_baseline
    return text + (f", {figure(100 * share, 2)} % of the bare link's." if share is not None else ".")


def _cpu_reason(best: Contender) -> str:
    estimate = best.result.cpu_pct_per_mbit_s
    text = f"CPU {figure(estimate.mean if estimate else 0.0, 2)} % of both hosts together per Mbit/s"
    times = best.result.cpu_per_mbit_s_vs_baseline
    return text + (f", {figure(times, 2)} times the bare link's." if times is not None else ".")


def no_recommendation(contenders: Sequence[Contender], cautions: Sequence[str], obstacle: str = "") -> Recommendation:
    """Say why nothing can be recommended.

    Args:
        contenders: All candidates.
        cautions: What else is to be known.
        obstacle: Why nothing is recommended although something was measured; empty if nothing could be.

    Returns:
        A recommendation without a candidate.
    """
    why = obstacle or _why_nothing(contenders)
    return Recommendation(None, None, f"Nothing can be recommended: {why}.", (), tuple(cautions))


def _why_nothing(contenders: Sequence[Contender]) -> str:
    protected = [one for one in contenders if not one.candidate.is_unprotected]
    completed = [one for one in protected if one.result.status == "completed"]
    measured = [one for one in completed if one.figures.weighted_ms]
    if not protected:
        return "only references without cryptography were measured, which must not carry plant traffic"
    if not completed:
        if len(protected) == 1:
            return f"the only protected candidate, {protected[0].title}, could not be measured to the end"
        return f"none of the {len(protected)} protected candidates could be measured to the end"
    if not measured:
        return "no candidate carried every frame size, so that none has a weighted latency"
    names = listed([f"{one.title} ({_bar(one)})" for one in measured])
    return f"what was measured completely may not be deployed: {names}"


def _bar(one: Contender) -> str:
    barrier = one.result.barrier
    if barrier is None or barrier.reason is BarrierReason.VERDICT:
        return one.candidate.verdict.value
    return "packet test failed" if barrier.reason is BarrierReason.PACKET_TEST else barrier.words
