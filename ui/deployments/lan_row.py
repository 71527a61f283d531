"""Choice of one host's LAN port and of the tunnel's address there."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QLineEdit

from app.domain.deployment import LanPort
from app.domain.hosts import Side
from app.wording.messages import local_text
from ui.common.basics import ChoiceBox, label, label_for
from ui.common.texts import plain_tip, tr
from ui.common.tips import set_tip


class LanRow(QObject):
    """Three widgets in a line of a form."""

    changed = Signal()

    def __init__(self, side: Side, parent: QObject) -> None:
        super().__init__(parent)
        letter = side.value.upper()
        self.side = side
        self.name = label(tr("LAN port %1", letter), is_wrapping=False)
        self.port = ChoiceBox(self.name.text())
        self.name.setBuddy(self.port)
        self.port.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.port.setMinimumContentsLength(27)
        self.port.currentIndexChanged.connect(self.changed)
        self.address = QLineEdit()
        self.address_name = label_for(tr("Address of %1", letter), self.address)
        self.address.setPlaceholderText(tr("automatic"))
        self.address.setAccessibleName(tr("Address of %1 in the tunnel, with prefix length", letter))
        set_tip(self.address, tr("With prefix length, for example 10.9.0.1/24; empty: chosen by Tunnelmark"))
        self.address.textChanged.connect(self.changed)
        self._wanted = ""
        self.show_ports((), is_known=False)

    @property
    def bridge(self) -> str:
        """The LAN port that was chosen; empty for none."""
        return str(self.port.currentData() or "")

    def show_host(self, host_label: str) -> None:
        """Show the host's name."""
        letter = self.side.value.upper()
        self.name.setText(tr("LAN port %1", f"{letter}  {host_label}".rstrip()))

    def want(self, port: str, address: str) -> None:
        """Choose a port as soon as it is known, and an address."""
        self._wanted = port
        self.address.setText(address)
        nth = self.port.findData(port)
        if nth >= 0 and self._is_enabled(nth):
            self.port.setCurrentIndex(nth)

    def show_ports(self, ports: Sequence[LanPort], *, is_known: bool) -> None:
        """Offer ports; unusable ones are shown with the reason. Keep the selection."""
        chosen = self.bridge or self._wanted
        with QSignalBlocker(self.port):
            self.port.clear()
            none = tr("none: the tunnel has an address only") if is_known else tr("inspect both hosts first")
            self.port.addItem(none, "")
            self.port.setEnabled(is_known)
            for one in ports:
                self._add(one)
            nth = self.port.findData(chosen) if chosen else 0
            self.port.setCurrentIndex(nth if nth >= 0 and self._is_enabled(nth) else 0)

    def _add(self, one: LanPort) -> None:
        self.port.addItem(f"{one.name}   {local_text(one.refusal or one.note)}".rstrip(), one.name)
        nth = self.port.count() - 1
        self.port.setItemData(nth, plain_tip(local_text(one.refusal or one.note)), Qt.ItemDataRole.ToolTipRole)
        model = self.port.model()
        if one.refusal and isinstance(model, QStandardItemModel):
            model.item(nth).setEnabled(False)

    def _is_enabled(self, nth: int) -> bool:
        return bool(self.port.model().flags(self.port.model().index(nth, 0)) & Qt.ItemFlag.ItemIsEnabled)
