"""Stored pairs: renamed, duplicated, removed, or made of hosts of ~/.ssh/config."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHeaderView, QWidget

from app.domain.errors import TunnelmarkError
from app.domain.hosts import PairSpec
from app.domain.ssh_hosts import SshHosts
from ui.common.basics import button, label, row
from ui.common.context import PageContext
from ui.common.data_table import DataTable
from ui.common.dialogs import Question
from ui.common.texts import tr
from ui.common.theme import GRID
from ui.common.tips import enable
from ui.shell.panel import NameDialog, Panel

if TYPE_CHECKING:
    from ui.shell.ssh_import_dialog import SshImportDialog

T = TypeVar("T")

_SIZE_PX = (960, 480)


class PairsDialog(Panel):
    """A line per stored pair, and what can be done with it."""

    changed = Signal()
    """Stored pairs have changed."""
    renamed = Signal(str, str)
    """Carries the former and the new name of a pair."""
    new_wanted = Signal()
    """Another pair is to be entered."""
    edit_wanted = Signal(object)
    """Carries the PairSpec that is to be changed."""

    def __init__(self, parent: QWidget, context: PageContext) -> None:
        intro = tr("Practice labs are not listed: they are started and stopped in the lab menu.")
        super().__init__(parent, tr("Pairs of hosts"), intro)
        self.resize(*_SIZE_PX)
        self._context = context
        self._pairs: tuple[PairSpec, ...] = ()
        self._is_changing = False
        self.table = DataTable([tr("Pair"), tr("Host A"), tr("Host B"), tr("Underlay")], (), tr("Stored pairs"))
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.table.itemSelectionChanged.connect(self._enable)
        self.table.itemActivated.connect(self._ask_name)
        self.empty = label(tr("No pair is stored yet. Pairs are stored when their hosts are inspected."), "muted")
        self.new = button(tr("&New…"), "host", on_click=self._new, tip=tr("Enter two hosts"))
        self.edit = button(tr("&Edit…"), "edit", on_click=self._edit)
        self.rename = button(tr("&Rename…"), "edit", on_click=self._ask_name)
        self.duplicate = button(tr("&Duplicate…"), "copy", on_click=self._ask_copy)
        self.remove = button(tr("Re&move…"), "close", on_click=self._ask_removal)
        self.import_hosts = button(
            tr("&Import…"), "install", on_click=self._read_hosts, tip=tr("Two hosts of ~/.ssh/config")
        )
        for one in (self.new, self.edit, self.rename, self.duplicate, self.remove, self.import_hosts):
            one.setAutoDefault(False)
        self.body.addWidget(self.empty)
        self.body.addWidget(self.table, 1)
        self.body.addStretch(0)
        self.body.addLayout(
            row(self.new, self.edit, self.rename, self.duplicate, self.remove, GRID, 0, self.import_hosts)
        )
        self._show(())
        self.reload()

    @property
    def selected(self) -> PairSpec | None:
        """The pair of the selected line."""
        nth = self.table.currentRow()
        return self._pairs[nth] if 0 <= nth < len(self._pairs) else None

    def reload(self, select: str = "") -> None:
        """Read the stored pairs.

        Args:
            select: Name of the pair to select afterwards.
        """
        show, failed = partial(self._show, select=select), self.notice.show_error
        self._start(tr("Reading stored pairs"), self._context.services.stored_pairs, show, failed)

    def _start(
        self, name: str, job: Callable[[], T], then: Callable[[T], object], failed: Callable[[TunnelmarkError], None]
    ) -> None:
        operation = self._context.runner.run(
            name, lambda _token, _report: job(), on_success=then, on_failure=failed, is_quiet=True
        )
        self.finished.connect(operation.abandon)

    def done(self, result: int) -> None:
        """Close, unless something is being changed at this moment."""
        if not self._is_changing:
            super().done(result)

    def _show(self, pairs: tuple[PairSpec, ...], select: str = "") -> None:
        self._pairs = pairs
        self.table.show_rows(
            [(one.name, one.a.login_text, one.b.login_text, f"{one.underlay_a}, {one.underlay_b}") for one in pairs],
            has_tips=True,
        )
        wanted = next((nth for nth, pair in enumerate(pairs) if pair.name == select), 0)
        if pairs:
            self.table.selectRow(wanted)
        self.table.setVisible(bool(pairs))
        self.empty.setVisible(not pairs)
        self._enable()
        (self.table if pairs else self.new).setFocus()

    def _enable(self) -> None:
        for one in (self.edit, self.rename, self.duplicate, self.remove):
            enable(one, is_on=self.selected is not None, reason=tr("Select a pair."))

    # --- changing -----------------------------------------------------------------------------------------------------

    def _names(self, but: str = "") -> set[str]:
        return {pair.name for pair in self._pairs} - {but}

    def _change(
        self, what: str, job: Callable[[], object], select: str = "", then: Callable[[], object] | None = None
    ) -> None:
        """Change what is stored; the dialog closes only when that is done, since other pages are notified."""
        self.notice.clear()
        self._is_changing = True

        def done(_result: object) -> None:
            self._is_changing = False
            if then is not None:
                then()
            self.reload(select)
            self.changed.emit()

        def failed(error: TunnelmarkError) -> None:
            self._is_changing = False
            self.notice.show_error(error)

        self._start(what, job, done, failed)

    def _new(self) -> None:
        self.accept()
        self.new_wanted.emit()

    def _edit(self) -> None:
        pair = self.selected
        if pair is not None:
            self.accept()
            self.edit_wanted.emit(pair)

    def _ask_name(self) -> None:
        pair = self.selected
        if pair is None:
            return
        text = tr("Its comparisons, censuses and deployments follow. The audit log does not change.")
        title, taken = tr("Rename %1", pair.name), self._names(pair.name)
        dialog = NameDialog(self, title, text, tr("Rename"), name=pair.name, taken=taken)
        dialog.ask_name(partial(self._rename, pair.name))

    def _rename(self, old: str, new: str) -> None:
        rename = partial(self._context.services.rename_pair, old, new)
        self._change(tr("Renaming a pair"), rename, new, lambda: self.renamed.emit(old, new))

    def _ask_copy(self) -> None:
        pair = self.selected
        if pair is None:
            return
        names = self._names()
        free = next(name for nth in range(2, 10_000) if (name := f"{pair.name[:56]}-{nth}") not in names)
        title, text = tr("Duplicate %1", pair.name), tr("The copy has the hosts and no comparisons.")
        dialog = NameDialog(self, title, text, tr("Duplicate"), name=free, taken=names)
        services = self._context.services
        dialog.ask_name(
            lambda name: self._change(tr("Copying a pair"), lambda: services.copy_pair(pair.name, name), name)
        )

    def _ask_removal(self) -> None:
        pair = self.selected
        if pair is None:
            return
        services = self._context.services
        Question(
            self,
            tr("Remove the pair %1?", pair.name),
            tr("Its hosts are not changed. Its comparisons and past deployments remain in the history."),
            tr("Remove"),
            tr("Cancel"),
            "warning",
        ).ask(lambda: self._change(tr("Removing a pair"), lambda: services.remove_pair(pair.name)))

    # --- import -------------------------------------------------------------------------------------------------------

    def _read_hosts(self) -> None:
        services = self._context.services
        self.notice.clear()
        self._start(tr("Reading ~/.ssh/config"), services.ssh_hosts, self._ask_hosts, self._ask_file)

    def _ask_file(self, error: TunnelmarkError) -> None:
        """Offer the dialog without hosts, so that another file can be chosen."""
        dialog = self._ask_hosts(SshHosts("", ()))
        dialog.notice.show_error(error)

    def _ask_hosts(self, hosts: SshHosts) -> SshImportDialog:
        from ui.shell.ssh_import_dialog import SshImportDialog

        dialog = SshImportDialog(self, self._context, hosts, self._names())
        dialog.ask(partial(self._import, dialog))
        dialog.yes.setDefault(True)
        (dialog.name if dialog.has_hosts else dialog.browse).setFocus()
        return dialog

    def _import(self, dialog: SshImportDialog) -> None:
        services, wanted = self._context.services, dialog.wanted()
        self._change(tr("Importing hosts"), lambda: services.import_pair(*wanted), wanted[0])
