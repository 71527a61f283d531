"""Choice of what may cross between joined LANs."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QCheckBox

from app.domain.deployment import BROADCASTS_PER_S, MOST_BROADCASTS_PER_S, DeploymentOptions
from ui.common.number_boxes import whole_box
from ui.common.texts import tr
from ui.common.tips import enable, set_tip


class LanGuardRow(QObject):
    """Three widgets in a line of a form; they can be used where a LAN port is chosen."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        name = tr("Limit of broadcasts between the LANs, in frames per second")
        suffix = tr(" broadcasts/s")
        self.limit = whole_box(name, 0, MOST_BROADCASTS_PER_S, BROADCASTS_PER_S, suffix=suffix, step=100)
        self.limit.setSpecialValueText(tr("any number of broadcasts"))
        set_tip(
            self.limit,
            tr(
                "More broadcast frames than this do not cross, in each direction; 0: no limit.\n"
                "Loops inside VLANs and storms of multicasts are neither noticed nor limited."
            ),
        )
        self.dhcp = QCheckBox(tr("Block DHCP between the LANs"))
        set_tip(self.dhcp, tr("Devices get addresses from servers of their own LAN only (DHCP and DHCPv6)"))
        self.advertisements = QCheckBox(tr("Block router advertisements between the LANs"))
        set_tip(self.advertisements, tr("Devices are configured by IPv6 routers of their own LAN only"))
        self.limit.valueChanged.connect(self.changed)
        for box in (self.dhcp, self.advertisements):
            box.toggled.connect(self.changed)
        self.show_joined(is_joined=False)

    def show_joined(self, *, is_joined: bool) -> None:
        """Let it be used only where a LAN port is joined."""
        self.limit.setEnabled(is_joined)  # its tool tip is worth reading before, too
        for widget in (self.dhcp, self.advertisements):
            enable(widget, is_on=is_joined, reason=tr("Only where a LAN port is joined."))

    def added_to(self, options: DeploymentOptions) -> DeploymentOptions:
        """Return options with what is chosen here; without a LAN port there is nothing to block."""
        is_joined = self.limit.isEnabled()
        return replace(
            options,
            broadcast_limit=self.limit.value(),
            blocks_dhcp=is_joined and self.dhcp.isChecked(),
            blocks_router_advertisements=is_joined and self.advertisements.isChecked(),
        )

    def want(self, options: DeploymentOptions) -> None:
        """Choose what an earlier deployment had."""
        self.limit.setValue(options.broadcast_limit)
        self.dhcp.setChecked(options.blocks_dhcp)
        self.advertisements.setChecked(options.blocks_router_advertisements)
