"""Which candidate to take, in one sentence, with what speaks for and against it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.domain.ranking import BarrierReason, Drift, Recommendation
from app.domain.results import PROFILES, ProfileName
from app.domain.verdicts import deciding_finding
from app.ranking.candidates import Contender
from app.ranking.intervals import significant_pairs
from app.wording.numbers import counted, figure, listed, milliseconds

CLEAR_MARGIN = 0.10
"""With one round there is no test; a lead below this share is then taken for chance.

Source: our choice, the same size as the drift that makes a comparison doubtful.
"""

NOTHING_SEPARATES = "nothing else decides between those that are judged alike, so that the lowest mean among them does"
"""Reason of a choice among candidates between which no difference was shown."""

_STANDARD_ROUNDS = PROFILES[ProfileName.STANDARD].rounds


@dataclass(frozen=True, slots=True)
class Choice:
    """The one to take, and why it and not another.

    Attributes:
        best: The one to take.
        rivals: Those whose latency could not be told from its own.
        others: All other candidates that could have been taken, best first.
        because: What decided among the rivals; empty if there were none.
        rounds: How many rounds the comparison rests on.
        undecided: Rivals between which and the best nothing decided but the lower mean.
    """

    best: Contender
    rivals: tuple[Contender, ...]
    others: tuple[Contender, ...]
    because: str
    rounds: int
    undecided: tuple[Contender, ...] = ()


def choose(eligible: Sequence[Contender]) -> Choice | None:
    """Choose among candidates that may be deployed and have a weighted latency.

    The significantly lowest weighted latency wins. Among candidates whose latency cannot be told apart, the verdict
    decides, then throughput, then CPU per Mbit/s, each only where the difference is not chance; at last the lower mean.

    Args:
        eligible: In the order of their mean weighted latency.

    Returns:
        The choice; None if nobody is eligible.
    """
    if not eligible:
        return None
    pairs = significant_pairs([one.figures.weighted_ms for one in eligible])
    beaten = {slower for _, slower in pairs}
    tied = [one for position, one in enumerate(eligible) if position not in beaten]
    rounds = max(len(one.figures.weighted_ms) for one in eligible)
    best, because = _break_tie(tied, rounds)
    rivals = tuple(one for one in tied if one is not best)
    alike = tuple(one for one in rivals if _worries(one) == _worries(best))
    undecided = alike if because == NOTHING_SEPARATES else ()
    return Choice(best, rivals, tuple(one for one in eligible if one is not best), because, rounds, undecided)


def _break_tie(tied: Sequence[Contender], rounds: int) -> tuple[Contender, str]:
    if len(tied) == 1:
        return tied[0], ""
    safest = min(_worries(one) for one in tied)
    left = [one for one in tied if _worries(one) == safest]
    if len(left) == 1:
        return left[0], "its cryptography is judged better"
    if rounds < 2:
        lowest_ms = min(map(_mean_ms, left))
        left = [one for one in left if lowest_ms / _mean_ms(one) > 1 - CLEAR_MARGIN]
        if len(left) == 1:
            return left[0], "its mean is the lowest of those with the best verdict, by more than a tenth"
    leader = _leader(left, lambda one: one.figures.both_mbit_s, rounds, is_lower_better=False)
    if leader is not None:
        return leader, f"it carries more ({_mbit(leader)} on the mean of both directions)"
    leader = _leader(left, lambda one: one.figures.cpu_per_mbit_s, rounds, is_lower_better=True)
    if leader is not None:
        return leader, "it needs less CPU per Mbit/s"
    return left[0], NOTHING_SEPARATES


def _worries(one: Contender) -> tuple[int, int]:
    """How bad the verdict is, then how many of its parts were found less than recommended."""
    return one.candidate.verdict.severity, sum(1 for finding in one.candidate.findings if finding.verdict.severity)


def _leader(
    tied: Sequence[Contender],
    values_of: Callable[[Contender], Mapping[int, float]],
    rounds: int,
    *,
    is_lower_better: bool,
) -> Contender | None:
    """Return who is better than every other beyond chance; None if nobody is."""
    values = [values_of(one) for one in tied]
    if not all(values):
        return None
    means = [sum(one.values()) / len(one) for one in values]
    order = sorted(range(len(tied)), key=lambda i: means[i] if is_lower_better else -means[i])
    first, second = order[0], order[1]
    if rounds < 2:
        high, low = max(means[first], means[second]), min(means[first], means[second])
        return tied[first] if high > 0 and low / high <= 1 - CLEAR_MARGIN else None
    pairs = significant_pairs(values)
    wins = all(((first, other) if is_lower_better else (other, first)) in pairs for other in order[1:])
    return tied[first] if wins else None


def _mbit(one: Contender) -> str:
    values = one.figures.both_mbit_s.values()
    return f"{figure(sum(values) / len(values))} Mbit/s"


def recommendation(choice: Choice, cautions: Sequence[str], *, is_partial: bool = False) -> Recommendation:
    """Put a choice into words.

    Args:
        choice: The choice.
        cautions: What makes it doubtful.
        is_partial: Whether others that may be deployed were to be measured, and were not measured to the end.

    Returns:
        The recommendation.
    """
    best = choice.best
    is_clear = not (_is_open(choice) or (is_partial and not choice.others))
    sentence = f"Take {best.title}: {_why(choice)}." if is_clear else _no_clear_winner(choice)
    why = (f"{best.title}: {choice.because}.",) if choice.because and not is_clear else ()
    reasons = (*why, *_reasons(best))
    return Recommendation(best.candidate.solution, best.candidate.suite, sentence, reasons, tuple(cautions), is_clear)


def drifted(advice: Recommendation, choice: Choice, drift: Drift) -> Recommendation:
    """Return advice without a clear winner, because the bare link changed too much meanwhile."""
    pair = " and ".join(f"{one.title} ({_figures(one)})" for one in (choice.best, choice.others[0]))
    sentence = (
        f"No clear winner: while {pair} were measured, the latency of the bare link changed by "
        f"{figure(drift.latency_pct or 0.0, 2)} %, more than half of what they differ by; measure again while hosts "
        "and link are quiet."
    )
    return replace(advice, sentence=sentence, is_clear=False)


def _is_open(choice: Choice) -> bool:
    """Whether nothing that was measured or judged tells the best from its rivals beyond chance."""
    return bool(choice.others) and (choice.rounds < 2 or choice.because == NOTHING_SEPARATES)


def _no_clear_winner(choice: Choice) -> str:
    """Return the sentence for a choice that the figures do not carry."""
    if not choice.others:
        return (
            f"No clear winner: of the VPNs that may be deployed only {choice.best.title} ({_figures(choice.best)}) was "
            "measured to the end; measure the others for a decision."
        )
    if choice.rounds < 2:
        names = " and ".join(f"{one.title} ({_figures(one)})" for one in (choice.best, choice.others[0]))
        left = len(choice.others) - 1
        more = f", with {counted(left, 'other')} measured as well" if left else ""
        return (
            f"No clear winner: {names} were measured in one round, which cannot tell a difference from chance{more}; "
            f"measure again with the standard profile ({_STANDARD_ROUNDS} rounds) for a decision."
        )
    everyone = (choice.best, *choice.undecided)
    names = listed([f"{one.title} ({_figures(one)})" for one in everyone])
    leads = ["throughput"] if all(one.figures.both_mbit_s for one in everyone) else []
    leads += ["CPU"] if all(one.figures.cpu_per_mbit_s for one in everyone) else []
    nobody = f", and none of them leads in {' or '.join(leads)}" if leads else ""
    return (
        f"No clear winner: the latency of {names} cannot be told apart after {counted(choice.rounds, 'round')}; they "
        f"are judged alike{nobody}. More rounds may tell them apart."
    )


def _figures(one: Contender) -> str:
    return f"{_latency(one)}, {_mbit(one)}" if one.figures.both_mbit_s else _latency(one)


def _why(choice: Choice) -> str:
    latency = f"its weighted latency of {_latency(choice.best)}{_times_baseline(choice.best)}"
    if not choice.others:
        return f"{latency} is the only complete result of a candidate that may be deployed"
    if choice.rivals:
        names = listed([one.title for one in choice.rivals])
        return (
            f"{latency} cannot be told from that of {names} after {counted(choice.rounds, 'round')}, and "
            f"{choice.because}"
        )
    rival = choice.others[0]
    less_pct = 100 * (1 - _mean_ms(choice.best) / _mean_ms(rival))
    return (
        f"{latency} is {figure(less_pct, 2)} % below that of the next best, {rival.title} ({_latency(rival)}), more "
        f"than chance explains over {counted(choice.rounds, 'round')}"
    )


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
