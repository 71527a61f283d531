"""Outcome of a comparison in words, and the buttons that lead to the step in which a cause can be removed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from app.measurement.wizard import Step
from app.ranking.outcome import Outcome, Remedy
from ui.common.notices import Actions
from ui.common.texts import tr

_MOST_CAUSES = 4


def outcome_lines(outcome: Outcome) -> tuple[str, ...]:
    """Return the causes of failures, the most frequent first; beyond some only their number."""
    shown = [cause.sentence for cause in outcome.causes[:_MOST_CAUSES]]
    left = len(outcome.causes) - len(shown)
    if left:
        shown.append(tr("%1 more causes: see Configuration in the results.", left))
    return tuple(shown)


def remedy_actions(outcome: Outcome, go: Callable[[Step], object]) -> Actions:
    """Return a button for each step in which a cause can be removed."""
    texts = {
        Remedy.LINK: (tr("Change the link or inner subnet"), Step.LINK),
        Remedy.HOSTS: (tr("Inspect the hosts"), Step.HOSTS),
    }
    wanted = dict.fromkeys(cause.remedy for cause in outcome.causes)
    return {texts[one][0]: partial(go, texts[one][1]) for one in wanted if one in texts}
