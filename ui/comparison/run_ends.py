"""Notices of the run page on a comparison that did not complete: what can be done then."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.domain.results import CampaignRecord
from app.ranking.outcome import attempts_left, is_unfinished
from app.wording.messages import local_text
from ui.common.live_values import Status
from ui.common.notices import Notice
from ui.common.texts import tr

if TYPE_CHECKING:
    from app.services.interfaces import ComparisonServices


def number_to_resume(services: ComparisonServices, pair_name: str, begun_id: int | None) -> int | None:
    """Return the number of the comparison that goes on: the one that began while it is unfinished, or the newest one.

    Args:
        begun_id: Number of the comparison that began on this page; None where it got none.
    """
    if begun_id is not None and is_unfinished(services.record(begun_id)):
        return begun_id
    return services.unfinished(pair_name)


def show_cancelled(notice: Notice, record: CampaignRecord, resume: Callable[[], None]) -> None:
    """Show that a comparison was cancelled, with a way to go on where an attempt is left.

    Args:
        resume: Goes on.
    """
    hint = tr("Next shows partial results. Resume measures the rest.")
    if not attempts_left(record):
        hint = tr("All attempts had ended before. Next shows the results.")
    actions = {tr("Resume"): resume} if is_unfinished(record) else {}
    notice.show_message("caution", tr("The comparison was cancelled. Both hosts are restored."), hint, actions)


def show_interrupted(
    notice: Notice, status: Status, resume: Callable[[], None], restore: Callable[[], None], *, is_lab_gone: bool
) -> None:
    """Show why a comparison was interrupted; in a practice lab that has ended it cannot go on.

    Args:
        status: Its end.
        resume: Goes on.
        restore: Restores both hosts.
    """
    why = local_text(status.message) or tr("The comparison was interrupted.")
    if is_lab_gone:
        hint = tr("The practice lab has ended, so this comparison cannot be resumed. Results so far are saved.")
        notice.show_message("error", why, hint)
        return
    hint = tr("Results so far are saved. Each host rolls back automatically.")
    if status.left:
        hint = tr("Results so far are saved. A host may not be fully restored; Resume begins with restoring both.")
    notice.show_message("error", why, hint, {tr("Resume"): resume, tr("Restore both hosts"): restore})
