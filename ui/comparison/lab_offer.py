"""The hosts page before the hosts of a practice lab are inspected."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from ui.common.basics import Card, button, column, label, row
from ui.common.texts import tr


class LabOffer(QWidget):
    """Offers to start a practice lab, or to inspect the one that is up, or to enter hosts instead."""

    def __init__(self, start: Callable[[], object], enter_hosts: Callable[[], object]) -> None:
        super().__init__()
        self.start = button("", "lab", variant="primary", on_click=start)
        self._words = label("")
        card = Card(tr("Practice lab"), "lab")
        card.body.addWidget(self._words)
        card.body.addLayout(row(self.start, button(tr("Enter your hosts"), "host", on_click=enter_hosts), 0))
        self.setLayout(column(card, 0))
        self.show_state(is_up=False)

    def show_state(self, *, is_up: bool) -> None:
        """Show whether the lab is up: then it is not started again."""
        self.start.setText(tr("Inspect the practice lab") if is_up else tr("Start the practice lab"))
        self._words.setText(
            tr("Two virtual gateways, A and B, are up on this computer. They have not been inspected yet.")
            if is_up
            else tr(
                "Two virtual gateways, A and B, start on this computer. The first start takes some minutes, later "
                "ones seconds. Both are inspected as soon as they run."
            )
        )
