"""State of a stored comparison in words: the line beside the title, and what is left to be measured."""

from __future__ import annotations

from datetime import datetime

from app.domain.conditions import Condition, MeasuredCondition
from app.domain.results import AttemptStatus, CampaignRecord, CampaignStatus
from app.ranking.outcome import attempts_left, is_unfinished, outcome_of
from app.wording.conditions import condition_words, measured_words
from app.wording.local_forms import minute_text
from app.wording.messages import local_text
from app.wording.profiles import profile_word
from ui.common.texts import tr
from ui.plots.result_data import ResultData


def subtitle(data: ResultData) -> str:
    """Return pair, time, profile, rounds and state of a comparison."""
    record = data.record
    words = {
        CampaignStatus.COMPLETED: tr("finished"),
        CampaignStatus.CANCELLED: tr("cancelled"),
        CampaignStatus.INTERRUPTED: tr("interrupted"),
        CampaignStatus.RUNNING: tr("running"),
    }
    started = record.started_at.astimezone()
    outcome = outcome_of(record)
    state = words[record.status] if not outcome.headline else f"{words[record.status]}, {outcome.headline}"
    rounds = tr("1 round") if data.ranking.rounds == 1 else f"{data.ranking.rounds} {tr('rounds')}"
    if not data.ranking.rounds:
        rounds = tr("nothing measured")
    parts = [record.plan.pair.name, minute_text(started), profile_word(record.plan.profile.name)]
    if record.plan.condition is not None:
        parts.append(_condition_text(record.plan.condition, _measured(record)))
    return ", ".join([*parts, rounds, state])


def condition_tip(record: CampaignRecord) -> str:
    """Return the condition of the link as asked for and as measured on the bare link; empty without one."""
    if record.plan.condition is None:
        return ""
    asked = tr("Asked for: %1", condition_words(record.plan.condition))
    found = _measured(record)
    measured = tr("not measured yet") if found is None else measured_words(found)
    return "\n".join((asked, tr("Bare link under it: %1", measured)))


def _condition_text(condition: Condition, found: MeasuredCondition | None) -> str:
    text = tr("link like %1, not measured yet")
    if found is not None:
        text = tr("link like %1, measured as asked for") if found.is_met else tr("link like %1, measured differently")
    return text.replace("%1", condition.name)


def _measured(record: CampaignRecord) -> MeasuredCondition | None:
    """Return the condition as it was measured last on the bare link."""
    return record.measured_conditions[-1] if record.measured_conditions else None


def is_final(record: CampaignRecord) -> bool:
    """Whether nothing is measured for a comparison any more, by whatever process."""
    return record.status is not CampaignStatus.RUNNING and not is_unfinished(record)


def end_words(record: CampaignRecord, *, is_lab_gone: bool) -> tuple[str, str] | None:
    """Return why a comparison is not complete, and what can be done; None where it is.

    Args:
        record: The comparison.
        is_lab_gone: Whether its practice lab has ended.
    """
    if record.status is CampaignStatus.RUNNING:
        hint = tr("Shown as of %1: what is missing here may be measured later, and the recommendation may change.")
        return tr("This comparison is running."), hint.replace("%1", f"{datetime.now().astimezone():%H:%M:%S}")
    if not is_unfinished(record):
        return None
    if is_lab_gone:
        return (
            tr("The practice lab that this comparison ran in has ended, so it cannot be resumed."),
            tr("Results so far are saved. Figures of two labs cannot be mixed."),
        )
    if record.status is not CampaignStatus.INTERRUPTED:
        return None
    why = next((one.message for one in record.attempts if one.status is AttemptStatus.NOT_RUN), "")
    title = local_text(why) or tr("The comparison was interrupted.")
    if attempts_left(record):
        return title, tr("Results so far are saved. Resume measures the rest.")
    return title, tr("All attempts had ended, and results are saved. Resume restores both hosts and completes it.")
