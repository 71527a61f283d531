"""Step 1: which two hosts, and what was found on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.errors import AuthenticationFailed, HostKeyChanged, HostUnreachable, InvalidOption, TunnelmarkError
from app.domain.hosts import MissingPart, PairSpec, Side
from app.domain.pairs import PairChoice, Saving
from app.domain.progress import ProgressSink
from app.domain.results import CampaignRecord
from app.measurement.wizard import Step
from app.wording.titles import local_title
from ui.common.basics import WIDE_PX, Card, ScrollPage, button, column, holder, label, label_for, row
from ui.common.context import PageContext
from ui.common.folding import FoldingCards, FoldingForm
from ui.common.host_card import HostCard
from ui.common.page import BusyLine, Page, busy_reason
from ui.common.texts import tr
from ui.common.theme import GRID
from ui.common.tips import enable
from ui.comparison.hosts_texts import ask_to_install, explained, side_words, sides_in, summary_of
from ui.comparison.lab_offer import LabOffer
from ui.comparison.pair_box import PairBox
from ui.comparison.pair_entry import ask_to_replace, name_fault, read_pair, saving_of
from ui.comparison.pair_fields import PairFields, TypedPair

_FORM, _FOUND, _LAB = range(3)
"""Views of the page, in the order of its stack."""

_LEAST_HOST_EM = 18


class HostsPage(Page):
    """Enter or select a pair, inspect it, install missing packages.

    Attributes:
        may_take: Whether the steps may change to hosts that were inspected; not while a comparison is running.
    """

    pairs_asked = Signal()
    """The user wants to manage stored pairs."""
    moves_on = True

    def __init__(self, context: PageContext) -> None:
        super().__init__(
            context,
            tr("Hosts"),
            tr("Inspection is read-only. Private keys never leave this computer; a password is sent to its host only."),
        )
        self.busy = BusyLine()
        self.fields = PairFields()
        self.form_a, self.form_b, self.name = self.fields.a, self.fields.b, self.fields.name
        self.name.textEdited.connect(self._on_edit)
        self.pairs = PairBox()
        self.pairs.activated.connect(self._on_pair)
        self.inspect = button(
            tr("&Inspect both hosts"), "search", variant="primary", on_click=self.discover, shortcut="F5"
        )
        self.new = button(tr("New pair"), "host", on_click=self._begin_empty, tip=tr("Empties the form"))
        self.manage = button(tr("Manage pairs…"), "edit", on_click=self.pairs_asked.emit)
        self.edit = button(tr("Choose &other hosts"), "edit", on_click=self._show_form)
        self.again = button(tr("Inspect a&gain"), "repeat", on_click=self.discover)
        self._choices: dict[str, PairChoice] = {}
        self._pair: PairSpec | None = None
        self._typed: TypedPair | None = None
        self._shown: Discovery | None = None
        self._like: CampaignRecord | None = None
        self._has_agreed = False
        self.working_pair: PairSpec | None = None
        self.may_take: Callable[[], bool] = lambda: True
        for form in (self.form_a, self.form_b):
            form.edited.connect(self._on_edit)
        context.runner.changed.connect(self._enable_inspection)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._make_form())
        self._stack.addWidget(self._make_found())
        self._offer = LabOffer(lambda: self.use_lab(like=self._like), self.begin_new)
        self.start_lab = self._offer.start
        self._stack.addWidget(ScrollPage(self._offer, WIDE_PX))
        self.body.addWidget(self.busy)
        self.body.addWidget(self._stack, 1)

    # --- the page's life ----------------------------------------------------------------------------------------------

    def enter(self) -> None:
        """Fetch stored pairs, and show what the wizard has."""
        if self.context.has_services:
            self.reload_pairs()
        found = self.context.wizard.state.discovery
        if found is not self._shown and found is not None:
            self._show_found(found)

    def rename_pair(self, old: str, new: str) -> None:
        """A stored pair has another name now."""
        if self._pair is not None and not self._pair.is_lab and self._pair.name == old:
            self.show_pair(replace(self._pair, name=new))

    def take_pairs(self) -> None:
        """Offer other pairs."""
        self.reload_pairs()

    def first_focus(self) -> QWidget | None:
        """The address of A; Next where both hosts were inspected."""
        if self._stack.currentIndex() == _LAB:
            return self.start_lab
        if self._stack.currentIndex() == _FOUND:
            return None if self.can_go_next() else self.again
        return self.inspect if self.form_a.address.isReadOnly() else self.form_a.address

    def begins_anew(self) -> bool:
        """While the form is that of a new pair."""
        return self._stack.currentIndex() == _FORM and self._pair is None

    def can_go_next(self) -> bool:
        """Only after both hosts have been inspected."""
        return self._stack.currentIndex() == _FOUND and not self._is_busy()

    def why_not_next(self) -> str:
        """Return what has to be done first."""
        return tr("Inspect both hosts first.")

    def _is_busy(self) -> bool:
        return self.operation is not None and self.operation.is_running

    # --- choosing -----------------------------------------------------------------------------------------------------

    def reload_pairs(self) -> None:
        """Fetch stored pairs and running labs."""
        services = self.context.services
        self.context.runner.run(
            tr("Reading stored pairs"),
            lambda _token, _report: services.pairs(),
            on_success=self._fill_pairs,
            on_failure=self.notice.show_error,
        )

    def _fill_pairs(self, choices: tuple[PairChoice, ...]) -> None:
        self._choices = {choice.pair.name: choice for choice in choices}
        self.pairs.fill(self._choices.values())
        self._mark_pair()

    def _mark_pair(self) -> None:
        """Choose in the box what the form shows."""
        self.pairs.mark(self._pair)
        self._enable_new()

    def _enable_new(self) -> None:
        is_empty = self._pair is None and self.fields.typed() is None
        enable(self.new, is_on=not is_empty, reason=tr("The form is already empty."))

    def _on_pair(self) -> None:
        name = self.pairs.currentData()
        if self.pairs.is_new:
            self.begin_new()
        elif name in self._choices:
            self.notice.clear()  # it was about the pair that was shown before
            self.show_pair(self._choices[name].pair)

    def begin_new(self) -> None:
        """Show an empty form, or what was typed for a new pair so far."""
        self.notice.clear()
        if self._pair is not None:
            self._pair = None
            if self._typed is None:
                self.fields.clear()
            else:
                self.fields.show_typed(self._typed)
        self._mark_pair()
        self._show_form()

    def _begin_empty(self) -> None:
        """Show an empty form, whatever was typed."""
        self._pair = self._typed = None
        self.fields.clear()
        self.begin_new()

    def show_pair(self, pair: PairSpec) -> None:
        """Fill in a stored pair; what was typed for a new one is kept until its form is shown again."""
        if self._pair is None:
            self._typed = self.fields.typed()
        self._pair = pair
        self.fields.show_pair(pair)
        self._mark_pair()
        self.changed.emit()

    def _on_edit(self) -> None:
        """The fault may be fixed now, and the form filled."""
        self._enable_new()
        self.fields.unmark()
        if self.notice.is_about_input:
            self.notice.clear()

    def use_lab(self, *, like: CampaignRecord | None = None) -> None:
        """Start a practice lab (or take the one that is up), then inspect it.

        Args:
            like: A comparison; the lab is of the kind that it ran in. None means the usual kind.
        """
        self.notice.clear()
        self._like = like
        self._stack.setCurrentIndex(_LAB)
        services = self.context.services

        def up(pair: PairSpec) -> None:
            self._offer.show_state(is_up=True)
            self.show_pair(pair)
            self.discover()

        def fail(error: TunnelmarkError) -> None:
            self._offer.show_state(is_up=False)
            self.notice.show_error(error)

        self.start(
            tr("Starting the practice lab"),
            lambda token, report: (
                services.start_lab(token=token, on_progress=report)
                if like is None
                else services.start_lab_like(like, token=token, on_progress=report)
            ),
            up,
            busy=self.busy,
            on_failure=fail,
        )
        enable(self.start_lab, is_on=False, reason=busy_reason())

    def entered_pair(self) -> PairSpec:
        """Return what the form says.

        Raises:
            InvalidOption: Something is missing.
        """
        if self._pair is not None and self._pair.is_lab:
            return self._pair
        return read_pair(self.form_a, self.form_b, self.name.text().strip(), self._pair)

    # --- inspection ---------------------------------------------------------------------------------------------------

    def discover(self) -> None:
        """Inspect both hosts, after a warning where that makes later steps invalid."""
        self.notice.clear()
        try:
            pair = self.entered_pair()
        except InvalidOption as error:
            self._show_fault(error)
            return
        stored = None if pair.is_lab else self._choices.get(pair.name)
        how = saving_of(pair, self._pair, stored.pair if stored is not None else None)
        if stored is not None and how is Saving.REPLACE:
            ask_to_replace(self.window(), pair, stored.pair, lambda: self._ask_change(pair, how))
        else:
            self._ask_change(pair, how)

    def _ask_change(self, pair: PairSpec, how: Saving) -> None:
        wizard = self.context.wizard
        is_asked = wizard.state.pair != pair and not self._has_agreed
        invalid = wizard.invalidated_by_change_in(Step.HOSTS) if is_asked else ()
        self.context.confirm_change(invalid, lambda: self._discover(pair, how))

    def _show_fault(self, error: InvalidOption) -> None:
        """Report once all that is wrong: of a host below the field that is marked, of the name in the notice."""
        is_of_host = self.fields.has_fault
        of_name = name_fault(self.name.text().strip(), self._pair) if is_of_host else error
        if of_name is not None:
            self.notice.show_input_error(of_name)
            self.fields.mark_name(takes_focus=not is_of_host)

    def _discover(self, pair: PairSpec, how: Saving) -> None:
        services = self.context.services
        self.working_pair = pair
        should_save = not pair.is_lab
        self._has_agreed = True

        def inspect(token: CancelToken, report: ProgressSink) -> Discovery:
            if should_save:
                services.check_pair(pair, how)
            services.refuse_if_in_use(pair)  # inspecting hosts disturbs what is measured on them
            found = services.discover(pair, token=token, on_progress=report)
            if should_save:
                services.save_pair(pair, how)
            return found

        self.start(tr("Inspecting both hosts"), inspect, self._on_found, busy=self.busy, on_failure=self._on_fault)
        for control in (self.inspect, self.again, self.start_lab):
            enable(control, is_on=False, reason=busy_reason())

    def _enable_inspection(self) -> None:
        if not self._is_busy():
            for control in (self.inspect, self.again, self.start_lab):
                enable(control, is_on=True, reason="")

    def _on_found(self, found: Discovery) -> None:
        self._has_agreed = False
        if not self.may_take():
            return
        self.context.wizard.set_discovery(found)
        is_new = self._pair is None
        self._show_found(found)
        if is_new:
            self._typed = None  # it is stored now
        self.status_reported.emit(tr("Inspection complete. Nothing was changed."))

    def _on_fault(self, error: TunnelmarkError) -> None:
        if isinstance(error, HostKeyChanged):
            self.notice.show_error(explained(error))
            return
        # A refused login is tried with another password, or once the host has the key.
        can_be_mended = error.is_retryable or isinstance(error, AuthenticationFailed)
        if isinstance(error, HostUnreachable) and self._stack.currentIndex() == _FORM:
            for side in reversed(sides_in(error, self.working_pair)):  # the first one has the focus
                self.fields.of(side).mark_address()
        actions = {tr("Try again"): self.discover} if can_be_mended else {}
        self.notice.show_error(error, actions, side_words(error, self.working_pair))
        self.body.activate()  # the notice takes room from the form
        self._scroll.ensureWidgetVisible(self.inspect, 0, GRID)

    def _show_found(self, found: Discovery) -> None:
        self._shown = found
        self.show_pair(found.pair)
        titles = {name: local_title(info.title) for name, info in found.solutions.items()}
        cards = [HostCard(check, found.pair.host(check.side), titles) for check in (found.a, found.b)]
        for card in cards:
            card.install_asked.connect(self._install)
        self._cards.show_cards(cards)
        self._summary.setText(summary_of(found))
        self._stack.setCurrentIndex(_FOUND)
        self.changed.emit()

    def _show_form(self) -> None:
        self._stack.setCurrentIndex(_FORM)
        self.changed.emit()
        (self.first_focus() or self.inspect).setFocus()

    # --- installing ---------------------------------------------------------------------------------------------------

    def _install(self, side: Side, missing: tuple[MissingPart, ...]) -> None:
        found = self._shown
        if found is None:
            return
        host = found.pair.host(side).label
        ask_to_install(self.window(), host, missing, lambda: self._do_install(found.pair, side, missing))

    def _do_install(self, pair: PairSpec, side: Side, missing: tuple[MissingPart, ...]) -> None:
        services = self.context.services

        def done(sentence: str) -> None:
            self.discover()
            self.notice.show_message("info", sentence)

        self.start(
            tr("Installing packages"),
            lambda token, report: services.install_missing(pair, side, missing, token=token, on_progress=report),
            done,
            busy=self.busy,
        )

    # --- layout -------------------------------------------------------------------------------------------------------

    def _make_form(self) -> QWidget:
        top = Card()
        chooser = holder(row(self.pairs, self.new, self.manage, 0))
        form = FoldingForm((1, 0))
        for nth, widget in enumerate(
            (label_for(tr("Pair"), self.pairs), chooser, label_for(tr("Name"), self.name), self.name)
        ):
            form.add(widget, 0, nth)
        top.body.addWidget(form)
        cards = FoldingCards(_LEAST_HOST_EM, (2, 1))
        cards.show_cards((self.form_a, self.form_b))
        result = column(top, cards, row(self.inspect, 0), 0, spacing_px=2 * GRID)
        self._scroll = ScrollPage(holder(result), WIDE_PX)
        return self._scroll

    def _make_found(self) -> QWidget:
        self._summary = label("")
        self._cards = FoldingCards(_LEAST_HOST_EM, (2, 1))
        head = row((self._summary, 1))
        head.addWidget(self.edit, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.again, 0, Qt.AlignmentFlag.AlignTop)
        return ScrollPage(holder(column(head, self._cards, 0, spacing_px=2 * GRID)), WIDE_PX)
