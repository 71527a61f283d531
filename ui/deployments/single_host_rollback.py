"""A pair of which one host could not be asked: what can be undone on the other one alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.domain.deployment import Deployment, DeploymentState
from app.domain.deployment_status import EndpointStatus, PairStatus
from app.domain.hosts import Side
from ui.common.deployment_states import moment
from ui.common.texts import tr


@dataclass(frozen=True, slots=True)
class SingleHostRollback:
    """What the last look showed where exactly one host answered.

    Attributes:
        reached: The host that answered.
        silent: The host that could not be asked.
        at: When, UTC.
    """

    reached: EndpointStatus
    silent: EndpointStatus
    at: datetime

    @property
    def side(self) -> Side:
        """The host that answered."""
        return self.reached.side

    @property
    def can_be_undone(self) -> bool:
        """Whether something stays there that can be taken back."""
        return bool(self.reached.deployment_id) and self.reached.is_confirmed


def one_end(status: PairStatus | None) -> SingleHostRollback | None:
    """Return the only host that could be asked at the last look.

    Args:
        status: What it showed; None where nobody has looked.

    Returns:
        That host; None where both answered, where neither did, and where nobody has looked.
    """
    if status is None or status.a.is_reachable == status.b.is_reachable:
        return None
    reached, silent = (status.a, status.b) if status.a.is_reachable else (status.b, status.a)
    return SingleHostRollback(reached, silent, status.at)


def undo_one_text(alone: SingleHostRollback) -> str:
    """Return what follows from undoing on one host alone, in three paragraphs."""
    here = tr(
        "%B could not be asked at %T. %A is put back as it was before: files, service, interfaces. What goes through "
        "the tunnel now is cut off."
    )
    there = tr(
        "On %B everything stays as it is for now: files, keys and service; it waits in vain for %A. At the next "
        "contact with both hosts (“Look now” or “Watch”) it is taken back on %B, too, without another question."
    )
    back = tr(
        "If %B can be reached again by now: “Leave it as it is”, then “Look now”. Undo takes it back on both then."
    )
    text = f"{here}\n\n{there}\n\n{back}".replace("%T", moment(alone.at))
    return _named(text, alone)


def nothing_left_words(standing: Deployment, alone: SingleHostRollback) -> tuple[str, str]:
    """Return why there is nothing to undo on the only host that can be asked: a title and sentences."""
    title = tr("There is nothing to undo on %A, and %B could not be asked.")
    hint = (
        tr("At the next contact with both hosts it is taken back on %B, too: “Look now” once %B can be reached.")
        if is_half_undone(standing)
        else tr("“Look now” once %B can be reached again.")
    )
    return _named(title, alone), _named(hint, alone)


def is_half_undone(deployment: Deployment) -> bool:
    """Whether one host alone still has what was being taken back."""
    return deployment.is_ending and deployment.state is DeploymentState.HALF_CONFIRMED


def _named(text: str, alone: SingleHostRollback) -> str:
    # What a host is called is not searched for the other one's place.
    return alone.reached.label.join(part.replace("%B", alone.silent.label) for part in text.split("%A"))
