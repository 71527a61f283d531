"""Notice on the end of a run of a study."""

from __future__ import annotations

from collections.abc import Callable

from ui.common.notices import Notice
from ui.common.texts import tr


def show_end(
    notice: Notice, resume: Callable[[], None], *, is_cancelled: bool, is_whole: bool, failed: tuple[str, str]
) -> None:
    """Show how a run ended, with a way to go on where something is left.

    Args:
        resume: Goes on.
        failed: Text and hint where something has no result.
    """
    actions = {tr("Resume"): resume}
    if is_cancelled and not is_whole:
        notice.show_message("caution", tr("The study was stopped."), tr("It can be resumed."), actions)
    elif not is_whole:
        notice.show_message("caution", *failed, actions)
    else:
        notice.show_message("done", tr("The part is measured."))
