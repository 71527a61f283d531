"""The recommendation in one sentence, with the reasons for and against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.domain.ranking import AdviceKind, BarrierReason, Drift, Recommendation
from app.domain.verdicts import deciding_finding
from app.ranking.candidates import Contender
from app.ranking.choice import STANDARD_ROUNDS, Choice, Closeness
from app.ranking.criteria import LATENCY_MARGIN, LATENCY_MARGIN_MS
from app.wording.language import mark, tr, trn
from app.wording.local_forms import listed_names, local_figure, minutes_text, rounds_text
from app.wording.messages import local_name, local_text

_MOST_NAMES = 3
"""Candidates that a sentence names with their figures. Source: our choice."""

_VERDICTS = (
    mark("recommended"),
    mark("acceptable"),
    mark("legacy"),
    mark("insecure"),
    mark("unprotected"),
    mark("unknown"),
)
"""Values of verdicts, which sentences contain."""

_LOWER = mark("its latency is the lower one")

_SAME_LEAD, _SAME_LEAD_PCT = 0.1, 0.5
"""By this share of a lead of medians, or so many percent, the one of the means may differ beside which it is shown.

Source: our choice; a reader who divides the means finds much the same lead.
"""


def recommendation(choice: Choice, cautions: Sequence[str]) -> Recommendation:
    """Put a choice into words.

    Args:
        cautions: What makes it doubtful.

    Returns:
        The recommendation.
    """
    best = choice.best
    is_clear = choice.kind is not AdviceKind.NOT_DECIDED
    sentence = (
        tr("Take {title}: {why}.").format(title=best.title, why=_why(choice)) if is_clear else _no_clear_winner(choice)
    )
    why = (f"{best.title}: {choice.because}.",) if choice.because and not is_clear else ()
    reasons = (*why, *_reasons(best), *filter(None, (_faster(choice), choice.alternative, _undominated(choice))))
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


def under(condition: str, sentence: str) -> str:
    """Return advice with the condition of the link that it holds for."""
    return tr("On a link like {condition}: {sentence}").format(condition=condition, sentence=sentence)


def _faster(choice: Choice) -> str:
    """Return which candidates are faster than the one to take, and what bars them; empty where none is."""
    faster = [one for one in choice.faster if _mean_ms(one) < _mean_ms(choice.best)]
    if not faster:
        return ""
    names = [f"{one.title} ({_latency(one)}; {_bar(one)})" for one in faster]
    return tr("Faster, but not to be recommended: {names}.").format(names=listed_names(names))


def _undominated(choice: Choice) -> str:
    """Return which candidates no other one outdoes; empty where there was only one to take."""
    if not choice.others:
        return ""
    names = [one.title for one in choice.undominated]
    outdone = 1 + len(choice.others) - len(names)
    if not outdone:
        return tr("Each candidate that may be taken is better than the others in something.")
    text = trn(
        "{number} candidate has a rival that is better in something and worse in nothing; that leaves {names}.",
        "{number} candidates have rivals that are better in something and worse in nothing; that leaves {names}.",
        outdone,
    )
    return text.format(names=listed_names(names), number=outdone)


def drifted(advice: Recommendation, choice: Choice, drift: Drift) -> Recommendation:
    """Return advice without a clear winner, because the bare link changed too much meanwhile."""
    pair = listed_names([f"{one.title} ({_figures(one)})" for one in (choice.best, choice.others[0])])
    sentence = tr(
        "No clear winner: while {pair} were measured, the latency of the bare link changed by {change} %, more than "
        "half of what they differ by; measure again while hosts and link are quiet."
    ).format(pair=pair, change=local_figure(drift.latency_pct or 0.0, 2))
    return replace(advice, sentence=sentence, is_clear=False, kind=AdviceKind.NOT_DECIDED)


def _no_clear_winner(choice: Choice) -> str:
    """Return the sentence for a choice that the figures do not carry."""
    if not choice.others:
        return tr(
            "No clear winner: of the VPNs that may be deployed only {title} ({figures}) was measured to the end; "
            "measure the others for a decision."
        ).format(title=choice.best.title, figures=_figures(choice.best))
    named = (choice.best, *choice.undecided)[:_MOST_NAMES]
    left = len(choice.undecided) + 1 - len(named)
    names = [f"{one.title} ({_figures(one)})" for one in named] + ([_others(left)] if left else [])
    if choice.rounds < 2:
        return tr(
            "No clear winner: one round does not decide between {names}{apart}; {rounds} of the same (about {minutes}) "
            "would probably do so."
        ).format(
            names=listed_names(names),
            apart=_apart(choice),
            rounds=rounds_text(STANDARD_ROUNDS),
            minutes=minutes_text(choice.minutes or 1),
        )
    more = tr("they differ too little, or vary too much, for more rounds to decide")
    if choice.minutes is not None:
        more = tr("about {minutes} more would probably do so").format(minutes=minutes_text(choice.minutes))
    return tr("No clear winner: {rounds} do not decide between {names}; {more}.").format(
        rounds=rounds_text(choice.rounds), names=listed_names(names), more=more
    )


def _others(number: int) -> str:
    return trn("{number} other", "{number} others", number).format(number=number)


def _mbit(one: Contender) -> str:
    values = one.figures.both_mbit_s.values()
    return f"{local_figure(sum(values) / len(values))} Mbit/s"


def _figures(one: Contender) -> str:
    return f"{_latency(one)}, {_mbit(one)}" if one.figures.both_mbit_s else _latency(one)


def _why(choice: Choice) -> str:
    latency = tr("its weighted latency of {latency}").format(latency=_latency(choice.best))
    latency += _times_baseline(choice.best)
    if not choice.others:
        return tr("{latency} is the only result that nothing bars of the candidates that may be deployed").format(
            latency=latency
        )
    over = tr("over {rounds}").format(rounds=rounds_text(choice.rounds))
    if choice.kind is AdviceKind.AS_GOOD_AS:
        return tr(
            "{latency} is as good as that of {names} or better (its median at most {margin} above it {over}), and "
            "{because}"
        ).format(
            latency=latency,
            names=listed_names([one.title for one in choice.alike]),
            margin=_margin(choice.closeness),
            over=over,
            because=choice.because or tr(_LOWER),
        )
    rival = choice.others[0]
    sure = tr("in one round, a lead that chance seldom makes") if choice.rounds < 2 else over
    if choice.rounds > 1 and not choice.is_tied:
        sure = tr("more than chance explains {over}").format(over=over)
    form = _lead_form(is_of_means=_is_lead_of_means(choice), is_fastest=not choice.faster)
    return form.format(
        latency=latency,
        less=local_figure(_lead_pct(choice.lead), 2),
        rival=rival.title,
        rival_latency=_latency(rival),
        sure=sure,
    )


def _lead_form(*, is_of_means: bool, is_fastest: bool) -> str:
    """Return the text that names the lead of the best.

    Args:
        is_of_means: Whether it is that of the means beside the names.
        is_fastest: Whether no barred candidate is faster.
    """
    if is_of_means and is_fastest:
        return tr("{latency} is {less} % below that of the next best, {rival} ({rival_latency}), {sure}")
    if is_of_means:
        return tr(
            "{latency} is {less} % below that of the next best that may be recommended, {rival} ({rival_latency}), "
            "{sure}"
        )
    if is_fastest:
        return tr(
            "{latency} compares with {rival_latency} of the next best, {rival}; its median, which decides, is "
            "{less} % below, {sure}"
        )
    return tr(
        "{latency} compares with {rival_latency} of the next best that may be recommended, {rival}; its median, which "
        "decides, is {less} % below, {sure}"
    )


def _margin(closeness: Closeness) -> str:
    """Return the margin within which a choice is of those that are as good."""
    share, time = f"{100 * LATENCY_MARGIN:.0f} %", f"{local_figure(LATENCY_MARGIN_MS, 1)} ms"
    if closeness is Closeness.EITHER:
        return tr("{share} or {time}").format(share=share, time=time)
    return share if closeness is Closeness.SHARE else time


def _is_lead_of_means(choice: Choice) -> bool:
    """Whether the means that are shown have much the same lead as the medians that decide."""
    of_medians, of_means = (_lead_pct(one) for one in (choice.lead, _mean_ms(choice.others[0]) / _mean_ms(choice.best)))
    return abs(of_means - of_medians) <= max(_SAME_LEAD * abs(of_medians), _SAME_LEAD_PCT)


def _lead_pct(lead: float) -> float:
    """Return by how much the best is below another one, in percent of that one."""
    return 100 * (1 - 1 / lead)


def _apart(choice: Choice) -> str:
    """Return how far the medians of two candidates are apart, where the means beside their names say otherwise."""
    if choice.undecided != choice.others[:1] or _is_lead_of_means(choice):
        return ""
    return tr(", whose medians differ by a factor of {factor}").format(factor=local_figure(choice.lead))


def _mean_ms(one: Contender) -> float:
    estimate = one.result.weighted_latency_ms
    if estimate is None:
        raise ValueError("only candidates with a weighted latency are compared")
    return estimate.mean


def _latency(one: Contender) -> str:
    return f"{local_figure(_mean_ms(one))} ms"


def _times_baseline(one: Contender) -> str:
    times = one.result.latency_vs_baseline
    return "" if times is None else tr(", {times} times the bare link's,").format(times=local_figure(times, 2))


def _reasons(best: Contender) -> tuple[str, ...]:
    result = best.result
    reasons = [_verdict_reason(best)]
    interval = result.weighted_latency_ms.ci if result.weighted_latency_ms else None
    latency = tr("Weighted latency {latency}").format(latency=_latency(best))
    if interval is not None:
        low, high = local_figure(interval[0]), f"{local_figure(interval[1])} ms"
        latency += tr(" (95 % interval {low} to {high})").format(low=low, high=high)
    if result.latency_vs_baseline is not None:
        latency += _times(result.latency_vs_baseline)
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
        return tr("Verdict {word}: nothing was found against its cryptography.").format(word=tr(word))
    return tr("Verdict {word}: {subject}: {reason}").format(
        word=tr(word), subject=local_name(deciding.subject), reason=local_text(deciding.reason)
    )


def _throughput_reason(best: Contender) -> str:
    text = tr("Throughput {rate}, mean of both directions").format(rate=_mbit(best))
    share = best.result.throughput_vs_baseline
    if share is not None:
        text += tr(", {share} % of the bare link's").format(share=local_figure(100 * share, 2))
    return f"{text}."


def _cpu_reason(best: Contender) -> str:
    estimate = best.result.cpu_pct_per_mbit_s
    text = tr("CPU {share} % of both hosts together per Mbit/s").format(
        share=local_figure(estimate.mean if estimate else 0.0, 2)
    )
    times = best.result.cpu_per_mbit_s_vs_baseline
    return f"{text}{_times(times) if times is not None else ''}."


def _times(times: float) -> str:
    return tr(", {times} times the bare link's").format(times=local_figure(times, 2))


def no_recommendation(contenders: Sequence[Contender], cautions: Sequence[str], obstacle: str = "") -> Recommendation:
    """Return why nothing can be recommended.

    Args:
        contenders: All candidates.
        cautions: What else is to be known.
        obstacle: Why nothing is recommended although something was measured; empty if nothing could be.

    Returns:
        A recommendation without a candidate.
    """
    why = obstacle or _why_nothing(contenders)
    return Recommendation(None, None, tr("Nothing can be recommended: {why}.").format(why=why), (), tuple(cautions))


def _why_nothing(contenders: Sequence[Contender]) -> str:
    protected = [one for one in contenders if not one.candidate.is_unprotected]
    completed = [one for one in protected if one.result.status == "completed"]
    measured = [one for one in completed if one.figures.weighted_ms]
    if not protected:
        return tr("only references without cryptography were measured, which must not carry plant traffic")
    if not completed:
        if len(protected) == 1:
            return tr("the only protected candidate, {title}, could not be measured to the end").format(
                title=protected[0].title
            )
        return tr("none of the {number} protected candidates could be measured to the end").format(
            number=len(protected)
        )
    if not measured:
        return tr("no candidate carried every frame size, so that none has a weighted latency")
    names = listed_names([f"{one.title} ({_bar(one)})" for one in measured])
    return tr("what was measured completely may not be deployed: {names}").format(names=names)


def _bar(one: Contender) -> str:
    barrier = one.result.barrier
    if barrier is None or barrier.reason is BarrierReason.VERDICT:
        is_sound = one.candidate.verdict.is_deployable
        return tr("for comparison alone") if is_sound else tr(one.candidate.verdict.value)
    return tr("packet test failed") if barrier.reason is BarrierReason.PACKET_TEST else barrier.words
