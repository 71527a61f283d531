"""A pair of which one host could not be asked: what can be undone on the other one alone."""

from __future__ import annotations

from app.deployment.contact import OnlyHost, is_half_undone
from app.domain.deployment import Deployment
from ui.common.deployment_states import moment
from ui.common.texts import tr


def undo_one_text(alone: OnlyHost) -> str:
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


def nothing_left_words(standing: Deployment, alone: OnlyHost) -> tuple[str, str]:
    """Return why there is nothing to undo on the only host that can be asked: a title and sentences."""
    title = tr("There is nothing to undo on %A, and %B could not be asked.")
    hint = (
        tr("At the next contact with both hosts it is taken back on %B, too: “Look now” once %B can be reached.")
        if is_half_undone(standing)
        else tr("“Look now” once %B can be reached again.")
    )
    return _named(title, alone), _named(hint, alone)


def _named(text: str, alone: OnlyHost) -> str:
    # What a host is called is not searched for the other one's place.
    return alone.reached.label.join(part.replace("%B", alone.silent.label) for part in text.split("%A"))
