"""History: every comparison, census and deployment, with notes; opened, measured again or deleted from here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from app.domain.cancel import CancelToken
from app.domain.errors import NotFound, StorageFault
from app.domain.history import EntryId, EntryKind, HistoryEntry, Winner, conditions_of
from app.domain.progress import ProgressSink
from app.wording.local_forms import minute_text
from ui.common.basics import button, label, row
from ui.common.context import PageContext
from ui.common.dialogs import Question
from ui.common.folding import FoldingRow
from ui.common.page import BusyLine, Page
from ui.common.search_field import SearchField
from ui.common.texts import tr
from ui.common.tips import enable
from ui.results.condition_filter import ConditionFilter
from ui.results.history_order import what_text
from ui.results.history_table import HistoryTable
from ui.results.note_dialog import ask_note
from ui.results.results_page import ResultsPage

_MOST_NAMED = 12
"""Entries that a question names."""


class HistoryPage(Page):
    """Table of what was measured and deployed; opening a line shows its results."""

    opened = Signal(int)
    """Carries the number of a comparison."""
    compare_asked = Signal(object)
    """Carries the numbers of two comparisons, as a tuple."""
    census_opened = Signal(int)
    """Carries the number of a census."""
    deployment_opened = Signal(str, str)
    """Carries the name of the pair that a deployment is on, and the deployment's id."""
    note_changed = Signal(object, str)
    """Carries the `EntryId` of a comparison or census, and its note."""
    deleted = Signal(object)
    """Carries the `EntryId`s of what is gone."""
    lab_chosen = Signal()

    def __init__(self, context: PageContext) -> None:
        super().__init__(
            context,
            tr("History"),
            tr("Every comparison, cipher census and deployment made on this computer, newest first."),
        )
        self.busy = BusyLine()
        self.table = HistoryTable(context.theme)
        self.search = SearchField(tr("Filter by pair, VPN or note (Ctrl+F)"), tr("Filter"))
        self.search.setFixedWidth(320)
        self.search.textChanged.connect(self._filter)
        self.search.returnPressed.connect(self.table.setFocus)
        QShortcut(QKeySequence.StandardKey.Find, self, self.search.setFocus)
        self.condition = ConditionFilter()
        self.condition.currentIndexChanged.connect(self._filter)
        self.number = label("", "muted", is_wrapping=False)
        self.open = button(tr("&Open"), "arrow-right", variant="primary", on_click=self._open)
        self.compare = button(tr("&Compare"), "compare", on_click=self._compare)
        self.note = button(tr("No&te…"), "edit", on_click=self.ask_note, tip=tr("F2"))
        self.delete = button(tr("&Delete…"), "delete", on_click=self.ask_delete, tip=tr("Del"))
        self.nothing = label(tr("No entry fits the filter."), "muted", is_wrapping=False)
        self.every = button(tr("&Show every entry"), "clock", on_click=self._show_every)
        self.table.itemActivated.connect(self._open)
        self.table.itemSelectionChanged.connect(self._on_selection)
        for text, keys, action in (
            (tr("Note…"), "F2", self.ask_note),
            (tr("Delete…"), "Del", self.ask_delete),
        ):
            one = QAction(text, self.table)
            one.setShortcut(QKeySequence(keys))
            one.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            one.triggered.connect(action)
            self.table.addAction(one)
        self.body.addWidget(self.busy)
        buttons = (self.compare, self.note, self.delete, self.open)
        self.body.addWidget(FoldingRow((self.search, self.condition, self.number), buttons, 0))
        self.body.addLayout(row(self.nothing, self.every, 0))
        self.body.addWidget(self.table, 1)
        self.body.addStretch(0)  # keeps the rest together while there is nothing to show
        self._show_rows(is_there=False)

    # --- the page's life ----------------------------------------------------------------------------------------------

    def enter(self) -> None:
        """Read the list again."""
        services = self.context.services
        self.start(tr("Reading the history"), lambda _token, _report: services.history(), self._fill)

    def take_ended(self) -> None:
        """Show how it ended."""
        self.enter()

    def first_focus(self) -> QWidget | None:
        """The table."""
        return self.table if self.table.entries else None

    def _fill(self, entries: tuple[HistoryEntry, ...]) -> None:
        self.condition.show_conditions(conditions_of(entries))
        self.table.filter(self.search.text(), self.condition.name())
        self.table.show_entries(entries)
        self._show_rows(is_there=bool(entries))
        self._on_selection()
        self._count()
        if not entries:
            self.notice.show_message(
                "info",
                tr("No comparisons yet."),
                tr("Try one in the practice lab; it takes a few minutes."),
                {tr("Start the practice lab"): self.lab_chosen.emit},
            )
            return
        self.notice.clear()
        unranked = [one for one in entries if _is_unranked(one)]
        if unranked:
            self._rank(unranked)

    def _show_rows(self, *, is_there: bool) -> None:
        for widget in (self.search, self.number, self.open, self.compare, self.note, self.delete):
            widget.setVisible(is_there)
        self._show_hits()

    def _show_hits(self) -> None:
        """Show the table, or say that the filter leaves nothing of it."""
        has_hits, is_filtered = bool(self.table.shown), bool(self.table.entries)
        self.table.setVisible(has_hits)
        for widget in (self.nothing, self.every):
            widget.setVisible(is_filtered and not has_hits)

    def _rank(self, unranked: list[HistoryEntry]) -> None:
        """Find the winners that no list has shown yet; the table can be used meanwhile."""
        services = self.context.services

        def find(token: CancelToken, report: ProgressSink) -> dict[str, Winner]:
            found: dict[str, Winner] = {}
            for nth, one in enumerate(unranked):
                token.raise_if_cancelled()
                report(tr("Ranking comparison %1", one.key), nth / len(unranked))
                try:
                    found[one.key] = services.winner(int(one.key))
                except (NotFound, StorageFault):  # deleted meanwhile, or damaged: opening it says more
                    found[one.key] = Winner(tr("cannot be read"))
            return found

        self.start(tr("Ranking past comparisons"), find, self._take_winners, busy=self.busy)

    def _take_winners(self, winners: Mapping[str, Winner]) -> None:
        self.table.take_winners(winners)
        self._count()

    def _count(self) -> None:
        shown, whole = len(self.table.shown), len(self.table.entries)
        text = tr("1 entry") if whole == 1 else tr("%1 entries", whole)
        if shown != whole:
            text = tr("%1 of %2 entries", shown, whole)
        self.number.setText(text)
        self.status_reported.emit(text if whole else "")

    def _filter(self) -> None:
        self.table.filter(self.search.text(), self.condition.name())
        self._show_hits()
        self._on_selection()
        self._count()

    def _show_every(self) -> None:
        """Filter nothing."""
        self.condition.choose("")
        self.search.clear()

    def _on_selection(self) -> None:
        chosen = self.table.chosen()
        measured = [one for one in chosen if one.id is not None]
        one, some = tr("Select one line."), tr("Select comparisons or censuses; deployments cannot be deleted.")
        enable(self.open, is_on=len(chosen) == 1, reason=one)
        two = tr("Select two comparisons that have ended, with Ctrl and a click or Shift and an arrow key.")
        enable(self.compare, is_on=len(chosen) == len(_comparisons(chosen)) == 2, reason=two)
        reason = tr("Select one comparison or census.")
        enable(self.note, is_on=len(chosen) == len(measured) == 1, reason=reason)
        enable(self.delete, is_on=bool(measured), reason=some)

    # --- opening ------------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        chosen = self.table.chosen()
        if len(chosen) != 1:
            return
        entry = chosen[0]
        if entry.id is None:
            self.deployment_opened.emit(entry.pair, entry.key)
        elif entry.kind is EntryKind.CENSUS:
            self.census_opened.emit(entry.id.number)
        else:
            self.opened.emit(entry.id.number)

    def _compare(self) -> None:
        numbers = _comparisons(self.table.chosen())
        if len(numbers) == 2:
            self.compare_asked.emit(numbers)

    # --- notes --------------------------------------------------------------------------------------------------------

    def ask_note(self) -> None:
        """Ask for the note on the selected line."""
        chosen = self.table.chosen()
        if len(chosen) != 1 or chosen[0].id is None:
            return
        entry, entry_id = chosen[0], chosen[0].id

        def saved(note: str) -> None:
            self.note_changed.emit(entry_id, note)
            self.enter()

        ask_note(self.context, self.window(), entry_id, what_text(entry), entry.note, saved)

    # --- deleting -----------------------------------------------------------------------------------------------------

    def ask_delete(self) -> None:
        """Show what would be deleted, and delete the selected lines if the user agrees."""
        chosen = self.table.chosen()
        measured = tuple(one for one in chosen if one.id is not None)
        if not measured:
            return
        one = what_text(measured[0])
        many = tr("Delete %1 measurements?", len(measured))
        Question(
            self.window(),
            tr("Delete %1?", one) if len(measured) == 1 else many,
            _what_goes(measured, has_deployments=len(chosen) > len(measured)),
            tr("Delete"),
            tr("Cancel"),
            "warning",
        ).ask(lambda: self._delete(tuple(each.id for each in measured if each.id is not None)))

    def _delete(self, ids: tuple[EntryId, ...]) -> None:
        services = self.context.services

        def gone(_result: None) -> None:
            self.deleted.emit(ids)
            self.enter()

        self.notice.clear()
        self.start(tr("Deleting"), lambda _token, _report: services.delete_measured(ids), gone)


def _comparisons(chosen: Sequence[HistoryEntry]) -> tuple[int, ...]:
    """Return the numbers of comparisons that have ended."""
    ended = [one for one in chosen if one.kind is EntryKind.COMPARISON and not one.is_running]
    return tuple(one.id.number for one in ended if one.id is not None)


def _is_unranked(entry: HistoryEntry) -> bool:
    return entry.kind is EntryKind.COMPARISON and entry.winner is None and not entry.is_running


def _what_goes(measured: tuple[HistoryEntry, ...], *, has_deployments: bool) -> str:
    lines = [f"{what_text(one)}: {one.pair}, {minute_text(one.at.astimezone())}" for one in measured[:_MOST_NAMED]]
    if len(measured) > _MOST_NAMED:
        lines.append(tr("and %1 more", len(measured) - _MOST_NAMED))
    goes = tr("Deleted for good: figures, every round-trip time, results of packet captures, configurations and notes.")
    kept_text = tr("The audit log, deployments and reports in files are kept.")
    if has_deployments:
        kept_text = tr("The selected deployments, the audit log and reports in files are kept.")
    return "\n".join([*lines, "", goes, kept_text])


class PastResultsPage(ResultsPage):
    """Results that were opened from the history: they do not belong to the wizard."""

    def enter(self) -> None:
        """Nothing: the window says which comparison is shown."""
