"""Traffic that the hosts' firewalls block, and the user's consent to open them for it."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox

from app.discovery.pair_discovery import Discovery
from app.wording.messages import local_text
from app.wording.titles import local_title
from ui.common.basics import Card, label, row
from ui.common.texts import tr
from ui.common.tips import set_tip


class FirewallConsent(Card):
    """A card that is there only where a firewall blocks something."""

    changed = Signal()
    """The user gave or withdrew the consent."""

    def __init__(self) -> None:
        super().__init__(tr("Firewalls"), "shield")
        self._list = label("", is_selectable=True)
        self.box = QCheckBox(tr("Open the &firewalls for this traffic while the tunnel exists"))
        self.box.setAccessibleName(tr("Open the firewalls for the tunnel's traffic"))
        set_tip(self.box, tr("Each rule names protocol, port and the peer's address, and is removed with its tunnel"))
        self.box.toggled.connect(self.changed)
        self.body.addWidget(self._list)
        self.body.addLayout(row(self.box, 0))
        self.measuring = label(
            tr(
                "While a candidate is measured, the ports of iperf3 and of workloads are opened inside its tunnel, too."
            ),
            "muted",
        )
        self.body.addWidget(self.measuring)
        self.hide()

    @property
    def may_open(self) -> bool:
        """Whether the user agreed."""
        return self.box.isChecked()

    def show_blocked(self, found: Discovery, solution: str = "") -> None:
        """Show what is blocked.

        Args:
            solution: Of which solution; empty for all.
        """
        blocked = {name: texts for name, texts in found.blocked.items() if solution in ("", name)}
        titles = {
            name: local_title(found.solutions[name].title) if name in found.solutions else name for name in blocked
        }
        self._list.setText(
            "\n".join(f"{titles[name]}: {'; '.join(map(local_text, texts))}" for name, texts in blocked.items())
        )
        with QSignalBlocker(self.box):
            self.box.setChecked(found.pair.may_open_firewall)
        self.setVisible(bool(blocked))
