"""Job of the window, as it is shown where another page is on show."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Job:
    """One comparison, census, study or deployment that runs.

    Attributes:
        area: Its area in the top bar: `comparison`, `census`, `studies` or `deploy`; `leftover` for hosts that are
            to be restored.
        text: What runs, with the pair and its progress.
        state: The same in a few words that do not change by the second.
        fraction: Progress, 0 to 1; None where it is unknown.
        left_s: Predicted seconds to the end, or seconds to confirm; None where that is unknown.
        is_countdown: Whether the user has to confirm a deployment.
        hint: What happens without an answer, or why it waits.
        is_warning: Whether the user has to act.
        action: Name of the button; empty for the one that shows the page.
    """

    area: str
    text: str
    state: str
    fraction: float | None = None
    left_s: float | None = None
    is_countdown: bool = False
    hint: str = ""
    is_warning: bool = False
    action: str = ""
