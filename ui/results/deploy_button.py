"""The name of a button that deploys one candidate: with the candidate's title, as far as there is room."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from ui.common.texts import tr
from ui.common.tips import set_tip

_NAME_EM, _LEAST_EM = 17, 11
_MOST_PX = 290
"""Leaves width for the other buttons of a page in a window 1024 px wide, also with larger texts."""


def name_deploy(button: QPushButton, title: str) -> None:
    """Show on a button which candidate it deploys; an empty title is none."""
    metrics = button.fontMetrics()
    em_px = metrics.height()
    room_px = max(_LEAST_EM * em_px, min(_NAME_EM * em_px, _MOST_PX))
    shown = metrics.elidedText(title, Qt.TextElideMode.ElideMiddle, room_px)
    button.setText(tr("Dep&loy %1…", shown.replace("&", "&&")) if title else tr("Dep&loy…"))
    button.setAccessibleName(tr("Deploy %1", title) if title else tr("Deploy"))
    set_tip(button, title)
