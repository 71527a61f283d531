"""The two pages of the deployment area, as two buttons beside the title."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QWidget

from ui.common.accessible import Role, set_role
from ui.common.basics import button, row
from ui.common.texts import tr


class AreaSwitch(QWidget):
    """Shows which of two pages is on show and goes to the other.

    Args:
        own: The page that this switch is on: `deploy` or `deployments`.
    """

    other_asked = Signal()

    def __init__(self, own: str) -> None:
        super().__init__()
        set_role(self, Role.PageTabList)
        self.setAccessibleName(tr("Pages of the deployment area"))
        self.deploy = button(tr("Dep&loy"), "deployment", variant="tab", role=Role.PageTab)
        self.deployments = button(tr("Deployed &tunnels"), "eye", variant="tab", role=Role.PageTab)
        self._own, other = (self.deploy, self.deployments) if own == "deploy" else (self.deployments, self.deploy)
        self._group = QButtonGroup(self)
        layout = row()
        self.setLayout(layout)
        for one in (self.deploy, self.deployments):
            one.setCheckable(True)
            self._group.addButton(one)
            layout.addWidget(one)
        other.clicked.connect(self._on_other)
        self.show_area()

    def show_area(self) -> None:
        """Mark the page that is on show."""
        self._own.setChecked(True)

    def _on_other(self) -> None:
        self.show_area()
        self.other_asked.emit()
