"""Step 2: what joins the two hosts, and how much load it may get."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QGridLayout,
    QLineEdit,
    QWidget,
)

from app.discovery.pair_discovery import Discovery
from app.domain.errors import InvalidOption
from app.domain.hosts import PairSpec, Side
from app.domain.link import INNER_MTU_BYTES, INNER_SUBNET, Link
from app.measurement.wizard import Step
from app.wording.messages import local_sentence
from ui.common.accessible import announce
from ui.common.basics import Card, ScrollPage, column, holder, label, label_for, row, set_fault, show_text
from ui.common.context import PageContext
from ui.common.firewall_consent import FirewallConsent
from ui.common.number_boxes import decimal_box
from ui.common.page import Page
from ui.common.texts import count, tr
from ui.common.theme import GRID
from ui.comparison.link_values import (
    addresses_of,
    check_owner,
    mtu_text,
    path_text,
    read_address,
    read_inner_network,
)

_DEFAULT_CAP_MBIT_S = 10.0


@dataclass(frozen=True, slots=True)
class LinkInput:
    """Values of the page: the pair with its underlay addresses and limit, the link, and the consent."""

    pair: PairSpec
    link: Link
    load_cap_mbit_s: float | None
    has_load_consent: bool


class LinkPage(Page):
    """Addresses, MTU, inner subnet, load."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(
            context,
            tr("Link"),
            tr("The underlay is the IP path between the hosts that carries the tunnel's outer packets."),
        )
        self._shown: Discovery | None = None
        self.underlay = {side: self._address_box(side) for side in Side}
        self.subnet = QLineEdit()
        self.subnet.setMaximumWidth(240)
        self.subnet.setAccessibleName(tr("Inner subnet"))
        self.subnet.textEdited.connect(self._on_edit)
        self.subnet_fault = label("", "bad")
        self.subnet_fault.setVisible(False)
        self.has_cap = QCheckBox(tr("Limit &throughput tests to"))
        self.has_cap.toggled.connect(self._on_edit)
        name = tr("Limit for throughput tests in Mbit/s")
        self.cap = decimal_box(name, 0.1, 100_000, _DEFAULT_CAP_MBIT_S, tr(" Mbit/s"))
        self.cap.setMinimumWidth(160)
        self.cap.valueChanged.connect(self._on_edit)
        self.consent = QCheckBox(tr("I am authorised to run &load tests on this link"))
        self.consent.toggled.connect(self._on_edit)
        self.firewalls = FirewallConsent()
        self.firewalls.changed.connect(self._on_edit)
        self._lay_out()

    # --- the page's life ----------------------------------------------------------------------------------------------

    def enter(self) -> None:
        """Fill in the inspected values, once per inspection."""
        found = self.context.wizard.state.discovery
        if found is None or (self._shown is not None and _same_link(found, self._shown)):
            return
        self._shown = found
        for side in Side:
            box = self.underlay[side]
            box.clear()
            check = found.a if side is Side.A else found.b
            box.addItems(addresses_of(check.facts))
            box.setCurrentText(found.link.underlay(side))
        self.subnet.setText(str(ipaddress.ip_interface(found.link.inner_a).network))
        options = self.context.wizard.state.options
        cap = options.load_cap_mbit_s or found.pair.load_cap_mbit_s
        self.has_cap.setChecked(cap is not None)
        self.cap.setValue(cap or _DEFAULT_CAP_MBIT_S)
        self.consent.setChecked(options.has_load_consent or found.pair.is_lab)
        self.consent.setVisible(not found.pair.is_lab)
        self.firewalls.show_blocked(found)
        self._mtu.setText(mtu_text(found.link))
        self._path.setText(path_text(found))
        self._load_text.setText(
            tr("Practice lab: load tests are safe, no consent needed.")
            if found.pair.is_lab
            else tr(
                "Throughput is tested with TCP, as fast as the link allows, for some seconds per direction "
                "and candidate. On a production link this may affect other traffic. The test stops if the "
                "connection to a host suffers."
            )
        )
        self._on_edit()

    def first_focus(self) -> QWidget | None:
        """A's address."""
        return self.underlay[Side.A]

    def can_go_next(self) -> bool:
        """With hosts; further requirements are reported when Next is pressed."""
        return self.context.wizard.state.discovery is not None

    def go_next(self) -> None:
        """Take the link, after a warning where that makes later steps invalid."""
        self.notice.clear()
        try:
            entered = self.entered()
        except InvalidOption as error:
            self._focus_wrong()
            if self.subnet_fault.isHidden() or any(box.property("fault") for box in self.underlay.values()):
                self.notice.show_input_error(error)
            else:  # the text below the field reports it
                announce(self.subnet_fault, self.subnet_fault.text())
            return
        if self.consent.isVisibleTo(self) and not self.consent.isChecked():
            self._ask_consent()
            return
        if self._is_unchanged(entered):
            self.left.emit()
            return
        wizard = self.context.wizard
        invalid = wizard.invalidated_by_change_in(Step.LINK)
        self.context.confirm_change(invalid, lambda: self._take(entered))

    def has_untaken(self) -> bool:
        """Whether another link is entered than was taken last, or one that is invalid."""
        try:
            return self.can_go_next() and not self._is_unchanged(self.entered())
        except InvalidOption:
            return True

    def _focus_wrong(self) -> None:
        """Put the focus on the first field that is marked as wrong."""
        self._judge_subnet()
        for field in (*self.underlay.values(), self.subnet):
            if field.property("fault"):
                self._scroll.ensureWidgetVisible(self.subnet_fault if field is self.subnet else field)
                field.setFocus(Qt.FocusReason.OtherFocusReason)
                return

    def _ask_consent(self) -> None:
        text = tr("Load tests need your consent.")
        hint = tr("Tick “I am authorised to run load tests on this link” below, if that is so.")
        self.notice.show_input_error(InvalidOption(text, hint=hint))
        set_fault(self.consent, is_wrong=True)
        self._scroll.ensureWidgetVisible(self.consent)
        self.consent.setFocus(Qt.FocusReason.OtherFocusReason)

    def _is_unchanged(self, entered: LinkInput) -> bool:
        state = self.context.wizard.state
        return (
            state.is_link_confirmed
            and state.discovery is not None
            and entered.link == state.discovery.link
            and entered.pair == state.pair
            and entered.has_load_consent == state.options.has_load_consent
        )

    def _take(self, entered: LinkInput) -> None:
        wizard = self.context.wizard
        options = wizard.state.options
        wizard.confirm_link(entered.link, entered.pair)
        wizard.set_options(
            replace(options, load_cap_mbit_s=entered.load_cap_mbit_s, has_load_consent=entered.has_load_consent)
        )
        self._shown = wizard.state.discovery
        self.left.emit()

    # --- input --------------------------------------------------------------------------------------------------------

    def entered(self) -> LinkInput:
        """Return what the page says.

        Raises:
            InvalidOption: An address or the subnet cannot be used.
        """
        found = self._shown
        if found is None:
            raise InvalidOption(tr("The hosts have not been inspected yet."), hint=tr("Complete step 1 first."))
        addresses = self._addresses()
        network = read_inner_network(found, self.subnet.text())
        first, second = (f"{address}/{network.prefixlen}" for address in (network[1], network[2]))
        cap = self.cap.value() if self.has_cap.isChecked() else None
        a, b = addresses[Side.A], addresses[Side.B]
        link = replace(found.link, underlay_a=a, underlay_b=b, inner_a=first, inner_b=second)
        pair = replace(found.pair, underlay_a=a, underlay_b=b, load_cap_mbit_s=cap)
        pair = replace(pair, may_open_firewall=self.firewalls.may_open)
        return LinkInput(pair, link, cap, self.consent.isChecked() and not found.pair.is_lab)

    def _addresses(self) -> dict[Side, str]:
        """Return the underlay addresses; mark a field that is wrong.

        Raises:
            InvalidOption: One is none, or both are the same.
        """
        for box in self.underlay.values():
            set_fault(box, is_wrong=False)
        found = {}
        for side, box in self.underlay.items():
            try:
                found[side] = read_address(box.currentText(), side)
            except InvalidOption:
                set_fault(box, is_wrong=True)
                raise
        if found[Side.A] == found[Side.B]:
            for box in self.underlay.values():
                set_fault(box, is_wrong=True)
            hint = tr("Choose each host's own address.")
            raise InvalidOption(tr("Both hosts have the same underlay address."), hint=hint)
        for side, address in found.items():
            try:
                if self._shown is not None:
                    check_owner(self._shown, address, side)
            except InvalidOption:
                set_fault(self.underlay[side], is_wrong=True)
                raise
        return found

    def _judge_subnet(self) -> None:
        """Mark the subnet's field while it cannot be used."""
        text = ""
        try:
            if self._shown is not None:
                read_inner_network(self._shown, self.subnet.text())
        except InvalidOption as error:
            text = local_sentence(error)
        set_fault(self.subnet, is_wrong=bool(text))
        self.subnet.setAccessibleDescription(text)
        show_text(self.subnet_fault, text)

    def _on_edit(self) -> None:
        self.cap.setEnabled(self.has_cap.isChecked())
        if self.consent.isChecked():
            set_fault(self.consent, is_wrong=False)
        if self.notice.is_about_input:
            self.notice.clear()
        for box in self.underlay.values():
            set_fault(box, is_wrong=False)
        self._judge_subnet()
        self.changed.emit()

    def _address_box(self, side: Side) -> QComboBox:
        box = QComboBox()
        box.setEditable(True)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        box.setMinimumWidth(200)
        name = tr("Underlay address of host %1", side.value.upper())
        box.setAccessibleName(name)
        field = box.lineEdit()
        if field is not None:
            field.setAccessibleName(name)
        box.currentTextChanged.connect(self._on_edit)
        return box

    def _lay_out(self) -> None:
        cards = (self._underlay_card(), self._tunnel_card(), self._load_card(), self.firewalls)
        self._scroll = ScrollPage(holder(column(*cards, 0, margin_px=(0, 0, GRID, 0), spacing_px=2 * GRID), "page"))
        self.body.addWidget(self._scroll, 1)

    def _underlay_card(self) -> Card:
        card = Card(tr("Underlay"), "compare")
        self._path = label("", "figure", is_selectable=True)
        card.body.addWidget(self._path)
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID)
        grid.setColumnStretch(2, 1)
        for nth, side in enumerate(Side):
            text = tr("Address of %1", side.value.upper())
            grid.addWidget(label_for(text, self.underlay[side], "muted"), 0, nth)
            grid.addWidget(self.underlay[side], 1, nth)
        grid.addWidget(label(tr("Path MTU"), "muted", is_wrapping=False), 2, 0)
        self._mtu = label("", is_selectable=True)
        grid.addWidget(self._mtu, 3, 0)
        grid.addWidget(label(tr("Condition"), "muted", is_wrapping=False), 2, 1)
        grid.addWidget(label(tr("as it is; step 4, Plan, can emulate another"), is_wrapping=False), 3, 1)
        card.body.addLayout(grid)
        return card

    def _tunnel_card(self) -> Card:
        card = Card(tr("Tunnel"), "shield")
        form = QFormLayout()
        form.setHorizontalSpacing(2 * GRID)
        form.addRow(tr("Inner subnet"), self.subnet)
        form.addRow("", self.subnet_fault)
        form.addRow(
            tr("Inner MTU"),
            label(
                tr("%1 bytes, so that full-size LAN frames pass; the cost of fragmentation is measured").replace(
                    "%1", count(INNER_MTU_BYTES)
                )
            ),
        )
        card.body.addLayout(form)
        card.body.addWidget(
            label(
                tr(
                    "The two addresses exist only while a candidate is measured. %1 is reserved for "
                    "benchmarks (RFC 2544)."
                ).replace("%1", str(INNER_SUBNET)),
                "muted",
            )
        )
        return card

    def _load_card(self) -> Card:
        card = Card(tr("Test load"), "warning")
        self._load_text = label("")
        card.body.addWidget(self._load_text)
        card.body.addLayout(row(self.has_cap, self.cap, 0))
        card.body.addLayout(row(self.consent, 0))
        return card


def _same_link(one: Discovery, other: Discovery) -> bool:
    is_same = one.link == other.link and one.pair.name == other.pair.name and one.a == other.a
    return one is other or (is_same and one.pair.load_cap_mbit_s == other.pair.load_cap_mbit_s)
