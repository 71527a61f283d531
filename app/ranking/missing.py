"""Candidates of a comparison that were not measured to the end, and when too few are left to advise."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.errors import UnderlayDown
from app.domain.results import AttemptStatus, CampaignRecord, CampaignStatus
from app.ranking.candidates import Contender
from app.ranking.gates import busy_gate
from app.wording.language import tr
from app.wording.local_forms import others_text, vpns_text

_MOST_NAMES = 3
"""Names in the sentence of the recommendation; its cautions have all. Source: our choice, two lines of the window."""


def unmeasured(everyone: Sequence[Contender]) -> tuple[Contender, ...]:
    """Return the candidates without a completed attempt, in their order, references and the bare link included."""
    return tuple(one for one in everyone if one.result.status is not AttemptStatus.COMPLETED)


def not_compared(everyone: Sequence[Contender]) -> str:
    """Return a sentence that names what was not measured, or the first of it; empty where all was."""
    missing = unmeasured(everyone)
    if not missing:
        return ""
    names = "; ".join(_name(one) for one in missing[:_MOST_NAMES])
    more = len(missing) - _MOST_NAMES
    return (
        tr("Not compared: {names}; {others}.").format(names=names, others=others_text(more))
        if more > 0
        else tr("Not compared: {names}.").format(names=names)
    )


def missing_caution(everyone: Sequence[Contender]) -> str:
    """Return a sentence that names everything that was not measured; empty where `not_compared` does so."""
    missing = unmeasured(everyone)
    if len(missing) <= _MOST_NAMES:
        return ""
    return tr("Not measured to the end, and so not compared: {names}.").format(
        names="; ".join(_name(one) for one in missing)
    )


def _name(one: Contender) -> str:
    return f"{one.title} ({tr(one.result.status.value.replace('-', ' '))})"


def most_busy(everyone: Sequence[Contender]) -> tuple[Contender, ...]:
    """Return the protected candidates that did not pass the gates, where they are most of those measured; else none."""
    measured = _measured(everyone)
    busy = tuple(one for one in measured if busy_gate(one.result.gates) is not None)
    return busy if 2 * len(busy) > len(measured) else ()


def _measured(everyone: Sequence[Contender]) -> list[Contender]:
    return [
        one for one in everyone if not one.candidate.is_unprotected and one.result.status is AttemptStatus.COMPLETED
    ]


def _too_busy(everyone: Sequence[Contender]) -> str:
    """Return that most candidates did not pass the gates; empty where most did."""
    busy = most_busy(everyone)
    gate = busy_gate(busy[0].result.gates) if busy else None
    if gate is None:
        return ""
    return tr(
        "the hosts were too busy ({words} with {title}; {number} of {vpns} disturbed); end other work "
        "on them and on this computer, then measure again"
    ).format(words=gate.words, title=busy[0].title, number=len(busy), vpns=vpns_text(len(_measured(everyone))))


def _has_link_failed(record: CampaignRecord) -> bool:
    """Return whether attempts are missing because the link died; an adaptive comparison may end without their round."""
    if record.plan.profile.is_adaptive and record.status is CampaignStatus.COMPLETED:
        return False
    done = {one.key.position for one in record.attempts if one.status is AttemptStatus.COMPLETED}
    return any(one.reason == UnderlayDown.reason and one.key.position not in done for one in record.attempts)


def why_no_advice(record: CampaignRecord, everyone: Sequence[Contender]) -> str:
    """Return why too much is missing to recommend anything, with what to do; empty where enough was measured."""
    if _has_link_failed(record):
        return tr(
            "the link between the two hosts failed during the comparison, so that not all candidates met the same "
            "conditions; repair the link, then resume the comparison"
        )
    protected = [one for one in everyone if not one.candidate.is_unprotected]
    busy = _too_busy(protected)
    if busy:
        return busy
    missing = len(unmeasured(protected))
    if 0 < missing < len(protected) and 2 * missing > len(protected):
        return tr("only {number} of {vpns} were measured to the end; measure the others for a decision").format(
            number=len(protected) - missing, vpns=vpns_text(len(protected))
        )
    return ""
