"""The first page: where to begin."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QPushButton, QWidget

from ui.common.basics import Card, ScrollPage, button, column, holder, icon_label, label, row, set_variant
from ui.common.context import PageContext
from ui.common.folding import FoldingCards
from ui.common.icons import set_icon
from ui.common.page import Page
from ui.common.texts import tr
from ui.common.theme import GRID
from ui.common.tips import enable

_LEAST_CARD_EM = 12
"""In narrower cards a text is a column of single words."""


class WelcomePage(Page):
    """Four ways to begin, and what will happen."""

    lab_chosen = Signal()
    hosts_chosen = Signal()
    history_chosen = Signal()
    lint_chosen = Signal()
    resume_chosen = Signal(str)
    """Carries the name of the pair whose comparison is unfinished."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(
            context,
            tr("Which layer-2 VPN is best for your two gateways?"),
            tr(
                "Tunnelmark checks what both gateways support, sets up each VPN temporarily, measures it, "
                "restores the gateways, and recommends one with reasons."
            ),
        )
        self._offer = ("", 0)
        self._declined: set[int] = set()
        self._make_choices()
        cards = FoldingCards(_LEAST_CARD_EM, (4, 2, 1))
        cards.show_cards([card for card, _ in (self.lab, self.hosts, self.history, self.lint)])
        content = holder(column(cards, self._what_happens(), 0, spacing_px=2 * GRID))
        self.body.addSpacing(GRID)
        self.body.addWidget(ScrollPage(content, max_width_px=None), 1)

    def _make_choices(self) -> None:
        self.lab = self._choice(
            "lab",
            tr("Practice lab"),
            tr(
                "Two small virtual gateways on this computer. Nothing leaves it and nothing can break. The "
                "best place to start."
            ),
            tr("Start the &practice lab"),
            self.lab_chosen.emit,
            is_primary=True,
        )
        self.hosts = self._choice(
            "host",
            tr("Your own hosts"),
            tr(
                "Two Linux hosts reachable over SSH. They are inspected first (read-only); you see every "
                "file and command before anything is changed."
            ),
            tr("Add your &hosts"),
            self.hosts_chosen.emit,
        )
        self.history = self._choice(
            "clock",
            tr("Past results"),
            tr("Open an earlier comparison, export its report, or resume an interrupted run."),
            tr("Open the h&istory"),
            self.history_chosen.emit,
        )
        self.lint = self._choice(
            "search",
            tr("Check a file"),
            tr(
                "Check an existing VPN configuration: what is weak or missing, why, and how to fix it. No "
                "hosts required."
            ),
            tr("&Check a file"),
            self.lint_chosen.emit,
        )

    def first_focus(self) -> QWidget | None:
        """The practice lab, where it can be begun with."""
        return self.lab[1] if self.lab[1].isEnabled() else self.history[1]

    def show_running(self, *, is_any: bool, is_measuring: bool) -> None:
        """Advise nothing while something runs; no comparison can be begun while one is running.

        Args:
            is_any: Whether a comparison, census or deployment is running.
            is_measuring: Whether it is a comparison.
        """
        button = self.lab[1]
        if (button.property("variant") != "primary") is not is_any:
            set_variant(button, "" if is_any else "primary")
            set_icon(button, "arrow-right", "text" if is_any else "on_accent")
        reason = tr("A comparison is running. Wait for its end, or cancel it, before you start another.")
        for _, begin in (self.lab, self.hosts):
            if begin.isEnabled() is is_measuring:
                enable(begin, is_on=not is_measuring, reason=reason)

    def show_lab(self, *, is_up: bool) -> None:
        """Show on the button whether a practice lab is started, or the one that is up is used."""
        text = tr("Use the &practice lab") if is_up else tr("Start the &practice lab")
        if self.lab[1].text() != text:
            self.lab[1].setText(text)
            self.lab[1].setAccessibleName(text.replace("&", ""))

    def offer_resume(self, pair_name: str, campaign_id: int = 0) -> None:
        """Offer to resume the unfinished comparison of a pair; withdraw the offer where the name is empty.

        Another notice, such as an error, is not replaced.

        Args:
            campaign_id: Number of the comparison.
        """
        text = tr("A comparison of %1 was interrupted or cancelled.", pair_name)
        offer = (text, campaign_id) if pair_name and campaign_id not in self._declined else ("", 0)
        former = self._offer[0]
        is_on_show = bool(former) and self.notice.text.startswith(former)
        if self.notice.text and (not is_on_show or offer == self._offer):
            return
        self._offer = offer
        if not offer[0]:
            self.notice.clear()
            return
        self.notice.show_message(
            "caution",
            text,
            tr("Results so far are saved. The hosts have rolled back; this is verified before resuming."),
            {
                tr("Resume"): lambda: self.resume_chosen.emit(pair_name),
                tr("Not now"): lambda: self._decline(campaign_id),
            },
        )

    def _decline(self, campaign_id: int) -> None:
        """Withdraw an offer, and do not offer that comparison again in this window; the history has it still."""
        self._declined.add(campaign_id)
        self.offer_resume("")

    def _choice(
        self, icon: str, title: str, text: str, action: str, on_click: Callable[[], object], *, is_primary: bool = False
    ) -> tuple[Card, QPushButton]:
        card = Card()
        card.setAccessibleName(title)
        card.setMinimumHeight(208)
        card.body.addLayout(row(icon_label(icon, "accent", 32), label(title, "heading"), 0))
        card.body.addWidget(label(text), 1, Qt.AlignmentFlag.AlignTop)
        chosen = button(action, "arrow-right", variant="primary" if is_primary else "", on_click=on_click)
        card.body.addWidget(chosen)
        return card, chosen

    def _what_happens(self) -> Card:
        card = Card(tr("How it works"))
        steps = (
            (tr("Hosts"), tr("Log in to both hosts and inspect them (read-only).")),
            (tr("Link"), tr("Select the addresses the tunnel runs over, and limit the test load.")),
            (tr("Choice"), tr("Select the VPNs to compare; each has a verdict with reason and source.")),
            (tr("Plan"), tr("Review every file and command, and the estimated duration.")),
            (
                tr("Run"),
                tr("Follow it live. If this computer fails, each host rolls back automatically."),
            ),
            (tr("Results"), tr("See the recommendation, its margin and its confidence, and export a report.")),
        )
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(GRID)
        grid.setColumnStretch(1, 1)
        for nth, (name, text) in enumerate(steps):
            grid.addWidget(label(f"{nth + 1}   {name}", "strong", is_wrapping=False), nth, 0)
            grid.addWidget(label(text), nth, 1)
        card.body.addLayout(grid)
        return card
