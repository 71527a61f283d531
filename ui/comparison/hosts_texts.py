"""Sentences of the hosts page: what was found, what would be installed, and a changed host key explained."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from app.discovery.pair_discovery import Discovery
from app.domain.errors import HostKeyChanged, TunnelmarkError
from app.domain.hosts import MissingPart, PairSpec, Side
from ui.common.dialogs import Question
from ui.common.texts import tr


def summary_of(found: Discovery) -> str:
    """Return how many VPNs are possible on both hosts."""
    protected = {c.solution for c in found.candidates if not c.is_unprotected}
    text = tr("%1: both hosts support %2 VPN solutions.", found.pair.name, len(protected))
    if found.pair.is_lab:
        text += " " + tr("Practice lab: absolute figures are not representative.")
    return text


def side_words(error: TunnelmarkError, pair: PairSpec | None) -> str:
    """Return which host of a pair an error is about, for example `Host A:`; empty where its message names none."""
    sides = sides_in(error, pair)
    return tr("Host %1:", sides[0].value.upper()) if len(sides) == 1 else ""


def sides_in(error: TunnelmarkError, pair: PairSpec | None) -> list[Side]:
    """Return which hosts of a pair the message of an error names."""
    return [side for side in Side if pair is not None and _is_named(pair.host(side).label, error.message)]


def _is_named(label: str, message: str) -> bool:
    """Whether a message has a label that is not part of a longer name or number."""
    return re.search(rf"(?<![\w.:-]){re.escape(label)}(?![\w-]|[.:]\w)", message) is not None


def explained(error: HostKeyChanged) -> HostKeyChanged:
    """Return the error with what may be behind it, where it says nothing of that itself."""
    hint = tr(
        "The connection was refused. Either the host was reinstalled, or the connection is intercepted (man "
        "in the middle). Ask the host's administrator; if it was reinstalled, remove its old line from "
        "known_hosts."
    )
    return HostKeyChanged(error.message, hint=error.hint or hint, context=error.context)


def ask_to_install(window: QWidget, host: str, missing: tuple[MissingPart, ...], install: Callable[[], None]) -> None:
    """Ask whether packages may be installed.

    Args:
        window: Parent of the dialog.
        host: Name of the host.
        missing: What is installed.
        install: Does it.
    """
    names = ", ".join(dict.fromkeys(part.package for part in missing))
    Question(
        window,
        tr("Install on %1?", host),
        tr(
            "The host's package manager installs: %1. A dry run is done first; the installation is "
            "refused if it would remove packages. Installed services are not started."
        ).replace("%1", names),
        tr("Install"),
        tr("Cancel"),
        "install",
    ).ask(install)
