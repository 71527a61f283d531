"""Words and icons of the ranking's cells."""

from __future__ import annotations

from app.domain.declared import comparison_reason
from app.domain.events import Stage
from app.domain.ranking import CandidateResult, Estimate, Ratio
from app.domain.results import AttemptStatus
from app.wording.local_forms import decimal
from ui.common.stage_texts import stage_text
from ui.common.texts import NONE, count, ms, tr


def times_best(ratio: Ratio | None) -> str:
    """Return the latency over that of the fastest, of medians, with its interval where it has one."""
    if ratio is None:
        return NONE
    ends = ratio.interval
    return decimal(ratio.value, 2) + (f" ({decimal(ends[0], 2)}–{decimal(ends[1], 2)})" if ends is not None else "")


def mean_tip(estimate: Estimate | None) -> str:
    """Return a mean with its interval, which says how much rounds differ and does not decide a rank."""
    if estimate is None or estimate.ci is None:
        return ""
    figures = (ms(estimate.mean), *(decimal(end, 2) for end in estimate.ci), count(estimate.rounds))
    return tr("Mean %1, 95 % interval %2 to %3 over %4 rounds", *figures)


def state_icon(result: CandidateResult, *, has_warnings: bool, is_marked: bool = False) -> tuple[str, str]:
    """Return icon and colour of a candidate's state, the same as while it was measured; only failing is bad.

    Args:
        has_warnings: Whether there is something to know of it.
        is_marked: Whether it has a place although it cannot be deployed.
    """
    if result.status is AttemptStatus.COMPLETED:
        return ("warning", "legacy") if has_warnings or is_marked else ("check", "good")
    if result.status is AttemptStatus.FAILED and not result.is_partial:
        return "error", "bad"
    return "stop" if result.status is AttemptStatus.CANCELLED else "skip", "muted"


def place_mark(result: CandidateResult) -> str:
    """Return what a candidate is that has a place although it cannot be deployed."""
    return tr("comparison only") if comparison_reason(result.solution) else tr("insecure")


def state_text(result: CandidateResult, *, is_slow: bool, has_warnings: bool, is_marked: bool = False) -> str:
    """Return the word of a candidate's state; arguments as those of `state_icon`."""
    if result.status is AttemptStatus.COMPLETED:
        done = place_mark(result) if is_marked else tr("done")
        parts = [done, *([tr("slow")] if is_slow else []), *([tr("warnings")] if has_warnings else [])]
        return ", ".join(parts)
    words = {
        AttemptStatus.FAILED: tr("failed"),
        AttemptStatus.NOT_RUN: tr("not run"),
        AttemptStatus.CANCELLED: tr("cancelled"),
        AttemptStatus.SKIPPED: tr("skipped"),
    }
    word = words.get(result.status, str(result.status))
    if result.is_partial and result.stage:
        return tr("%1 in stage: %2", word, stage_text(Stage(result.stage)))
    return word
