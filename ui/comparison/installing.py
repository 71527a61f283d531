"""The question before missing packages are installed on a host."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from app.domain.hosts import MissingPart
from ui.common.dialogs import Question
from ui.common.texts import tr


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
