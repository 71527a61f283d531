"""Eligibility of candidates for the recommendation, and the reasons against the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.domain.declared import comparison_only
from app.domain.gates import GateName
from app.domain.ranking import Barrier, BarrierReason
from app.domain.results import AttemptStatus, CampaignPlan
from app.domain.solutions import BASELINE
from app.domain.verdicts import Verdict
from app.ranking.candidates import Contender, completed
from app.ranking.counted_losses import CountedLoss, counted_losses
from app.ranking.failures import own_failures
from app.ranking.gates import busy_gate
from app.ranking.proofs import failed_proofs
from app.wording.language import tr, trn
from app.wording.local_forms import listed_names
from app.wording.numbers import figure

LOSS_LIMIT_PCT = 0.1
"""Share of the frames that a candidate may lose on a link that loses none, in percent.

Source: our choice; 1 400 echo requests on an undisturbed link lose none.
"""

LOSS_TIMES_BARE = 3.0
"""Limit of a candidate's loss as a multiple of the bare link's. Source: our choice; a large frame travels in two
fragments there and back, so that it is lost up to twice as often, and counts of few losses vary."""

MEASURED_BARRIERS = frozenset(BarrierReason) - {
    BarrierReason.UNPROTECTED,
    BarrierReason.NOT_MEASURED,
    BarrierReason.VERDICT,
}
"""Those that what was measured shows; the others are beside the candidate's verdict and state."""

FEWEST_LOST = 3
"""Fewer lost requests bar no candidate: they are no rate yet. Source: our choice."""


_LEFT = (AttemptStatus.FAILED, AttemptStatus.SKIPPED)
"""Ends of an attempt after which an adaptive comparison does not measure its candidate any more."""

LATE_LIMIT_PCT = 5.0
"""Share of the replies that may come after the user's deadline, in percent. Source: our choice; the 95th percentile."""


def with_eligibility(everyone: Sequence[Contender], plan: CampaignPlan) -> tuple[Contender, ...]:
    """Return the candidates with what bars them from the recommendation, in the same order."""
    pairs = list(zip(everyone, counted_losses(everyone), strict=True))
    furthest = max((each.key.round for one in everyone for each in completed(one.attempts)), default=0)
    last_round = furthest if plan.profile.is_adaptive else None
    bare_loss_pct = next((loss.share_pct for one, loss in pairs if one.candidate.solution == BASELINE), None)
    return tuple(
        replace(
            one,
            result=replace(
                one.result,
                barrier=_barrier(one, plan, loss, bare_loss_pct, last_round),
                doubts=(*one.result.doubts, *filter(None, [loss.note])),
            ),
        )
        for one, loss in pairs
    )


def _barrier(
    one: Contender, plan: CampaignPlan, loss: CountedLoss, bare_loss_pct: float | None, last_round: int | None
) -> Barrier | None:
    """Return the first thing that bars a candidate; None if nothing does."""
    words = tr("is judged {verdict}").format(verdict=tr(one.candidate.verdict.value))
    if one.candidate.verdict.is_deployable:
        words = tr("is there for comparison alone and is never deployed")
    by_verdict = Barrier(BarrierReason.VERDICT, words)
    unmeasured = None
    if one.result.status is not AttemptStatus.COMPLETED:
        unmeasured = Barrier(BarrierReason.NOT_MEASURED, tr("was not measured to the end"))
    if one.candidate.is_unprotected:
        measured = unmeasured or _figures_barrier(one) or _needs_barrier(one, plan, loss, bare_loss_pct)
        return Barrier(BarrierReason.UNPROTECTED, tr("has no cryptography and is a reference only"), measured)
    if unmeasured is not None:
        return unmeasured
    if one.candidate.verdict is Verdict.INSECURE or one.candidate.solution in comparison_only():
        return replace(by_verdict, measured=_figures_barrier(one) or _needs_barrier(one, plan, loss, bare_loss_pct))
    measured = _round_barrier(one, last_round) or _figures_barrier(one) or _packet_barrier(one)
    measured = measured or _needs_barrier(one, plan, loss, bare_loss_pct)
    return measured or (None if one.candidate.verdict.is_deployable else by_verdict)


def _round_barrier(one: Contender, last_round: int | None) -> Barrier | None:
    """Return that a tunnel failed in some round, however good it was in others, or that it was not measured on.

    Args:
        last_round: Last round in which a candidate completed; None where all are measured in each round.
    """
    failed = own_failures(one.attempts)
    if failed:
        rounds = listed_names([str(each.key.round) for each in failed])
        words = trn(
            "failed in round {rounds}: its tunnel did not come up, went down or carried nothing any more",
            "failed in rounds {rounds}: its tunnel did not come up, went down or carried nothing any more",
            len(failed),
        )
        return Barrier(BarrierReason.FAILED_ROUND, words.format(rounds=rounds))
    last = max(one.attempts, key=lambda each: each.key.round)
    if last_round is not None and last.status in _LEFT and last.key.round <= last_round:
        words = tr("was not measured on after round {round}, in which its attempt did not end")
        return Barrier(BarrierReason.FAILED_ROUND, words.format(round=last.key.round))
    return None


def _figures_barrier(one: Contender) -> Barrier | None:
    """Return why a candidate's figures are not to be relied on."""
    if one.result.weighted_latency_ms is None or _silent_sizes(one):
        return Barrier(BarrierReason.FRAME_SIZES, _sizes_words(one))
    busy = busy_gate(one.result.gates)
    if busy is not None:
        text = tr("was measured while its hosts were too busy: {words}")
        if busy.name is GateName.ROUNDS:  # a VPN may do that by itself
            text = tr("varied too much from round to round, by itself or because its hosts were busy: {words}")
        return Barrier(BarrierReason.GATE, text.format(words=busy.words))
    return None


def _packet_barrier(one: Contender) -> Barrier | None:
    failed = failed_proofs(one)
    if not failed:
        return None
    words = tr("failed its packet test: {failures}").format(failures=listed_names(list(failed)))
    return Barrier(BarrierReason.PACKET_TEST, words)


def _needs_barrier(
    one: Contender, plan: CampaignPlan, loss: CountedLoss, bare_loss_pct: float | None
) -> Barrier | None:
    """Return what a candidate loses, or what the user needs and it does not give."""
    return _loss_barrier(loss, bare_loss_pct) or _late_barrier(one, plan, loss) or _rate_barrier(one, plan)


def _silent_sizes(one: Contender) -> tuple[int, ...]:
    """Return the frame sizes in bytes that did not cross in some round."""
    done = (each for each in one.attempts if each.status is AttemptStatus.COMPLETED)
    return tuple(
        sorted({each.frame_bytes for made in done for each in made.latency if each.sent and not each.received})
    )


def _sizes_words(one: Contender) -> str:
    silent = _silent_sizes(one)
    if not silent:
        return tr("was not measured with every frame size")
    return tr("did not carry frames of {sizes} bytes").format(sizes=listed_names([str(size) for size in silent]))


def _loss_barrier(loss: CountedLoss, bare_loss_pct: float | None) -> Barrier | None:
    loss_pct = loss.share_pct
    limit_pct = max(LOSS_LIMIT_PCT, LOSS_TIMES_BARE * (bare_loss_pct or 0.0))
    if loss_pct is None or loss_pct <= limit_pct or loss.lost < FEWEST_LOST:
        return None
    bare = tr("not measured") if bare_loss_pct is None else f"{figure(bare_loss_pct, 2)} %"
    return Barrier(
        BarrierReason.LOSS,
        tr("lost {share} % of its frames (the bare link: {bare})").format(share=figure(loss_pct, 2), bare=bare),
    )


def _late_barrier(one: Contender, plan: CampaignPlan, loss: CountedLoss) -> Barrier | None:
    late_pct = one.result.late_pct
    if late_pct is not None and loss.left_out:  # lost requests are late ones, too
        sent = sum(each.sent for each in one.result.latency)
        late_pct = 100.0 * max(0.0, late_pct / 100.0 * sent - loss.left_out) / loss.sent
    if plan.deadline_ms is None or late_pct is None or late_pct <= LATE_LIMIT_PCT:
        return None
    words = tr(
        "missed the deadline of {deadline} ms with {share} % of its replies (at most {limit} % may be late)"
    ).format(deadline=figure(plan.deadline_ms), share=figure(late_pct, 2), limit=figure(LATE_LIMIT_PCT))
    return Barrier(BarrierReason.DEADLINE, words)


def _rate_barrier(one: Contender, plan: CampaignPlan) -> Barrier | None:
    if plan.min_rate_mbit_s is None:
        return None
    rate = one.worse_mbit_s
    if rate is None:
        return Barrier(BarrierReason.RATE, tr("has no throughput in one direction, so that its rate is not known"))
    if rate >= plan.min_rate_mbit_s:
        return None
    words = tr("carried {rate} Mbit/s in the slower direction, less than the {least} Mbit/s that you need").format(
        rate=figure(rate), least=figure(plan.min_rate_mbit_s)
    )
    return Barrier(BarrierReason.RATE, words)


def barrier_cautions(everyone: Sequence[Contender]) -> tuple[str, ...]:
    """Return which measured candidates are not recommended because of what was measured, as sentences."""
    barred = [(one.title, one.result.barrier) for one in everyone if one.result.barrier is not None]
    return tuple(f"{title} {bar.words}." for title, bar in barred if bar.reason in MEASURED_BARRIERS)
