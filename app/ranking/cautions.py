"""Doubts about a comparison or a choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.ranking import CandidateResult, Drift
from app.domain.results import CampaignRecord, CampaignStatus
from app.ranking.candidates import Contender, completed
from app.ranking.drift import is_doubtful
from app.ranking.eligibility import barrier_cautions
from app.ranking.messages import MEANS_AND_MEDIANS_DIFFER
from app.ranking.missing import missing_caution
from app.ranking.outcome import ended_attempts, outcome_of
from app.ranking.proofs import lost_protocols, untried_proofs
from app.wording.conditions import condition_words, measured_words
from app.wording.language import mark, tr
from app.wording.local_forms import rounds_text
from app.wording.messages import local_text
from app.wording.numbers import figure, grouped, milliseconds

_MEANS_APART = 1.25
"""Ratio of means over ratio of medians, or its reverse, from which both are explained. Our choice."""

_LAB_FIGURES = mark("Figures of the practice lab do not hold for real gateways.")
_LAB_SENTENCE = mark("Figures of the practice lab do not hold for real gateways, and even the order may differ.")


@dataclass(frozen=True, slots=True)
class CampaignDoubts:
    """Doubts about a whole comparison, as sentences.

    Attributes:
        leading: What comes before all cautions on a choice.
        of_figures: What is to be known of the figures.
    """

    leading: tuple[str, ...]
    of_figures: tuple[str, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """All of them, in the order in which they are shown."""
        return (*self.leading, *self.of_figures)


def campaign_doubts(record: CampaignRecord, drift: Drift, rounds: int, *, ranked: int) -> CampaignDoubts:
    """Return what makes the whole comparison doubtful.

    Args:
        drift: How the baseline changed.
        rounds: Rounds in which anything completed.
        ranked: Candidates that have a rank.
    """
    return CampaignDoubts(_leading_doubts(record, ranked), _doubts_of_figures(record, drift, rounds, ranked))


def _leading_doubts(record: CampaignRecord, ranked: int) -> tuple[str, ...]:
    outcome = outcome_of(record)
    doubts: list[str] = []
    if outcome.headline:
        doubts.append(" ".join((f"{outcome.headline}.", *(cause.sentence for cause in outcome.causes))))
    if record.plan.pair.is_lab:
        doubts.append(tr(_LAB_SENTENCE if ranked > 1 else _LAB_FIGURES))
    return tuple(doubts)


def _doubts_of_figures(record: CampaignRecord, drift: Drift, rounds: int, ranked: int) -> tuple[str, ...]:
    doubts: list[str] = []
    if rounds == 1 and ranked > 1:
        doubts.append(
            tr(
                "Only one round was measured: what is chance is not known, so all share rank 1, and only a lead of "
                "more than a third decides."
            )
        )
    if is_doubtful(drift):
        doubts.append(drift.sentence)
    if record.status is not CampaignStatus.COMPLETED:
        doubts.append(_incomplete(record))
    cap = record.plan.pair.load_cap_mbit_s
    if cap is not None:
        doubts.append(
            tr("Throughput was limited to {cap} Mbit/s on purpose, so faster candidates seem alike.").format(
                cap=figure(cap)
            )
        )
    condition, measured = record.plan.condition, record.measured_conditions
    if condition is not None:
        text = tr("The link was emulated ({name}: {condition}). The bare link: {found}.")
        found = measured_words(measured[-1]) if measured else tr("was not measured")
        doubts.append(text.format(name=condition.name, condition=condition_words(condition), found=found))
    return tuple(doubts)


def _incomplete(record: CampaignRecord) -> str:
    done, planned = ended_attempts(record), record.attempts_needed
    word = {
        CampaignStatus.CANCELLED: tr("was cancelled"),
        CampaignStatus.INTERRUPTED: tr("was interrupted"),
        CampaignStatus.RUNNING: tr("is still running"),
    }[record.status]
    if record.plan.profile.is_adaptive:  # how many rounds it needs is not known before
        last = max((one.key.round for one in completed(record.attempts)), default=0)
        return tr("The comparison {word} after {rounds}.").format(word=word, rounds=rounds_text(last))
    return tr("The comparison {word}: {done} of {planned} attempts ended.").format(
        word=word, done=grouped(done), planned=grouped(planned)
    )


def choice_cautions(doubts: CampaignDoubts, best: Contender, everyone: Sequence[Contender]) -> tuple[str, ...]:
    """Return what speaks against a choice, as sentences.

    What can rule the chosen candidate out in a plant (its protection, protocols that it does not carry) comes before
    what is to be known of its figures: some pages show the first sentence only.

    Args:
        doubts: What makes the whole comparison doubtful.
        everyone: All candidates.

    Returns:
        Sentences, gravest first. What is of one candidate names it.
    """
    of_choice = (missing_caution(everyone), untried_proofs(best), lost_protocols(best))
    cautions = [*doubts.leading, *filter(None, of_choice)]
    of_best = (*best.result.doubts, _fragments(best), _wide_interval(best))
    cautions += [*doubts.of_figures, *(with_titles((best.title,), text) for text in of_best if text)]
    cautions.extend(barrier_cautions(everyone))
    cautions.extend(_faster_but_barred(best, everyone))
    return tuple(cautions)


def with_titles(titles: Sequence[str], text: str) -> str:
    """Return a warning for lists in which several candidates have warnings: it names those that it is of."""
    return f"{'; '.join(titles)}: {text}"


def means_caution(result: CandidateResult, best: CandidateResult) -> str:
    """Return why the means that are shown and the medians that decide differ; empty where they agree.

    Args:
        result: A candidate; one without a rank has no ratio of medians.
        best: The fastest one that has a rank.
    """
    mine, theirs, ratio = result.weighted_latency_ms, best.weighted_latency_ms, result.ratio_to_best
    if mine is None or theirs is None or ratio is None or mine.rounds != theirs.rounds:
        return ""
    of_means = mine.mean / theirs.mean
    if 1 / _MEANS_APART <= of_means / ratio.value <= _MEANS_APART:
        return ""
    return local_text(MEANS_AND_MEDIANS_DIFFER(means=of_means, best=best.title, medians=ratio.value))


def _wide_interval(best: Contender) -> str:
    estimate = best.result.weighted_latency_ms
    if estimate is None or estimate.ci is None or estimate.ci[1] - estimate.ci[0] <= estimate.mean:
        return ""
    return tr("Its latency differed a great deal from round to round: the interval is wider than the mean.")


def _fragments(best: Contender) -> str:
    notes = [attempt.path for attempt in best.attempts if attempt.path is not None]
    made = sum(note.fragments_created or 0 for note in notes)
    limits = [note.largest_unfragmented_frame_bytes for note in notes if note.largest_unfragmented_frame_bytes]
    if not made:
        return ""
    if not limits:
        return tr(
            "Large frames travel in pieces: the hosts made {number} IP fragments while latency was probed."
        ).format(number=grouped(made))
    return tr(
        "Large frames travel in pieces: the hosts made {number} IP fragments while latency was probed; frames up to "
        "{bytes} bytes, Ethernet header included, would not need it."
    ).format(number=grouped(made), bytes=min(limits))


def _faster_but_barred(best: Contender, everyone: Sequence[Contender]) -> list[str]:
    mine = best.result.weighted_latency_ms
    found = []
    for one in everyone:
        theirs = one.result.weighted_latency_ms
        if (
            one.result.is_partial
            or mine is None
            or theirs is None
            or one.candidate.is_unprotected
            or one.candidate.is_deployable  # of these, failed packet tests are reported above
        ):
            continue
        if theirs.mean < mine.mean:
            form = tr("{title} had a lower mean ({latency}), but is judged {verdict}.")
            if one.candidate.verdict.is_deployable:
                form = tr("{title} had a lower mean ({latency}), but is there for comparison alone.")
            word = tr(one.candidate.verdict.value)
            found.append(form.format(title=one.title, latency=milliseconds(theirs.mean), verdict=word))
    return found
