"""Sentences of the hosts page: what was found, and a changed host key explained."""

from __future__ import annotations

from app.discovery.pair_discovery import Discovery
from app.domain.errors import HostKeyChanged
from ui.common.texts import tr


def summary_of(found: Discovery) -> str:
    """Return how many VPNs are possible on both hosts."""
    protected = {c.solution for c in found.candidates if not c.is_unprotected}
    text = tr("%1: both hosts support %2 VPN solutions.").replace("%1", found.pair.name)
    text = text.replace("%2", str(len(protected)))
    if found.pair.is_lab:
        text += " " + tr("Practice lab: absolute figures are not representative.")
    return text


def explained(error: HostKeyChanged) -> HostKeyChanged:
    """Return the error with what may be behind it, where it says nothing of that itself."""
    hint = tr(
        "The connection was refused. Either the host was reinstalled, or the connection is intercepted (man "
        "in the middle). Ask the host's administrator; if it was reinstalled, remove its old line from "
        "known_hosts."
    )
    return HostKeyChanged(error.message, hint=error.hint or hint, context=error.context)
