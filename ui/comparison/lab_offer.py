"""The hosts page before a practice lab runs."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui.common.basics import Card, button, label, row
from ui.common.texts import tr


class LabOffer(QWidget):
    """Offers to start a practice lab, or to enter hosts instead."""

    def __init__(self, start: Callable[[], object], enter_hosts: Callable[[], object]) -> None:
        super().__init__()
        self.start = button(tr("Start the practice lab"), "lab", look="primary", on_click=start)
        card = Card(tr("Practice lab"), "lab")
        card.body.addWidget(
            label(
                tr(
                    "Two virtual gateways, A and B, start on this computer. The first start takes some minutes, later "
                    "ones seconds. Both are inspected as soon as they run."
                )
            )
        )
        card.body.addLayout(row(self.start, button(tr("Enter your hosts"), "host", on_click=enter_hosts), 0))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(card)
        layout.addStretch(1)
