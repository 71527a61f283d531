"""The name of a button that deploys one candidate: with the candidate's title, as far as there is room."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from ui.texts import tr
from ui.widgets.tips import set_tip

_NAME_EM = 11


def name_deploy(button: QPushButton, title: str) -> None:
    """Say on a button which candidate it deploys; an empty title stands for none."""
    metrics = button.fontMetrics()
    shown = metrics.elidedText(title, Qt.TextElideMode.ElideMiddle, _NAME_EM * metrics.height())
    button.setText(tr("Dep&loy %1…").replace("%1", shown.replace("&", "&&")) if title else tr("Dep&loy…"))
    button.setAccessibleName(tr("Deploy %1").replace("%1", title))
    set_tip(button, title)
