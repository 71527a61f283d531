"""Removal from one host alone, where the other one is unreachable."""

from __future__ import annotations

from app.deployment.contact import OnlyHost, is_half_removed
from app.domain.deployment import Deployment
from ui.common.deployment_states import moment
from ui.common.texts import tr


def one_host_removal_text(alone: OnlyHost) -> str:
    """Return what removal from one host alone means, in three paragraphs."""
    here = tr(
        "%B was unreachable at %T. %A is restored to its previous state: files, service, interfaces. Traffic "
        "through the tunnel is interrupted."
    )
    there = tr(
        "%B keeps its side for now: files, keys and service; it cannot reach %A. At the next contact with "
        "both hosts (“Refresh now” or “Monitor”) it is removed from %B, too, without another question."
    )
    back = tr(
        "If %B may be reachable again: choose “Leave as it is”, then “Refresh now”. “Remove…” then removes "
        "it from both."
    )
    text = f"{here}\n\n{there}\n\n{back}".replace("%T", moment(alone.at))
    return _named(text, alone)


def nothing_left_words(active: Deployment, alone: OnlyHost) -> tuple[str, str]:
    """Return why there is nothing to remove on the only reachable host: a title and sentences."""
    title = tr("Nothing to remove on %A, and %B is unreachable.")
    hint = (
        tr("At the next contact with both hosts it is removed from %B, too: “Refresh now” once %B is reachable.")
        if is_half_removed(active)
        else tr("“Refresh now” once %B is reachable again.")
    )
    return _named(title, alone), _named(hint, alone)


def _named(text: str, alone: OnlyHost) -> str:
    # What a host is called is not searched for the other one's place.
    return alone.reached.label.join(part.replace("%B", alone.silent.label) for part in text.split("%A"))
