"""Earlier deployments of a pair, and every command that was run on its hosts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHeaderView, QWidget

from app.domain.audit import AuditEntry
from app.domain.deployment import Deployment, DeploymentState
from app.domain.deployment_status import PairStatus
from app.wording.deployment_sentences import state_word
from app.wording.local_forms import decimal, second_text
from app.wording.messages import local_text
from app.wording.titles import local_title
from ui.common.basics import button, column, label, row, show_text
from ui.common.code_view import CodeView
from ui.common.data_table import DataTable
from ui.common.deployment_states import moment, state_appearance
from ui.common.search_field import SearchField
from ui.common.splits import split
from ui.common.texts import NONE, count, duration, tr
from ui.common.theme import GRID, Theme
from ui.common.tips import enable
from ui.common.verdicts import verdict_appearance
from ui.deployments.texts import host_name

MOST_SHOWN = 2_000
"""Lines of the audit log that the table holds."""
_DAY_S = 86_400
_DEPLOYMENT = 3
_ROOMY_EM = 66
"""A narrower audit log leaves the deployment out; the filter and the tool tips still know it."""


class EarlierView(QWidget):
    """Deployments of one pair, newest first, each with its files and commands."""

    again_asked = Signal(object)
    """Carries the Deployment to deploy again."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._deployments: tuple[Deployment, ...] = ()
        headers = [tr("When"), tr("What"), tr("Verdict then"), tr("State"), tr("By"), tr("Message")]
        self.table = DataTable(headers, (), tr("Deployments"))
        self.table.size_by_contents(1, 5)
        self.table.itemSelectionChanged.connect(self._on_line)
        theme.changed.connect(self._fill)
        self.again = button(tr("Deploy a&gain…"), "repeat", on_click=self._ask_again)
        enable(self.again, is_on=False, reason=tr("Select an earlier deployment."))
        self.message = label("", is_selectable=True)
        self.message.setVisible(False)
        self.code = CodeView(theme)
        both = split(self.table, self.code, sizes_px=(160, 200), is_vertical=True)
        self.setLayout(column(self.message, (both, 1), row(self.again, 0), margin_px=GRID))

    def choose(self, deployment_id: str) -> bool:
        """Select the line of a past deployment; return whether there is one of this id."""
        ids = ["" if one.state.is_on_host else one.id for one in self._deployments]
        is_there = bool(deployment_id) and deployment_id in ids
        if is_there:
            self.table.selectRow(ids.index(deployment_id))
        return is_there

    def show_deployments(self, deployments: Sequence[Deployment]) -> None:
        """Show deployments; keep the selected line."""
        if tuple(deployments) == self._deployments:
            return
        former = self.selected
        self._deployments = tuple(deployments)
        self._fill()
        ids = [one.id for one in deployments]
        if ids:
            self.table.selectRow(ids.index(former.id) if former is not None and former.id in ids else 0)
        self._on_line()

    def _fill(self) -> None:
        self.table.setRowCount(len(self._deployments))
        for nth, one in enumerate(self._deployments):
            appearance, word = state_appearance(one.state), verdict_appearance(one.verdict)
            state = state_word(one.state, is_refused=one.is_refused, is_rolled_back=one.is_rolled_back)
            texts = (moment(one.prepared_at), local_title(one.title), word.word, state, one.by, local_text(one.message))
            self.table.show_row(nth, texts, has_tips=True)
            self.table.cell(nth, 2).setIcon(self._theme.icon(word.icon, word.role))
            self.table.cell(nth, 3).setIcon(self._theme.icon(appearance.icon, appearance.role))

    @property
    def selected(self) -> Deployment | None:
        """The deployment of the selected line."""
        nth = self.table.currentRow()
        return self._deployments[nth] if 0 <= nth < len(self._deployments) else None

    def _on_line(self) -> None:
        one = self.selected
        is_past = one is not None and not one.state.is_on_host
        enable(self.again, is_on=is_past, reason=tr("It is active now: select an earlier deployment."))
        items = (*one.a.items, *one.b.items) if one is not None else ()
        self.code.show_items(items)
        self.code.setVisible(bool(items))
        text = local_text(one.message) if one is not None else ""
        if one is not None and one.state is DeploymentState.FAILED:
            why = tr("Refused, nothing was changed: %1") if one.is_refused else tr("Failed: %1")
            text = why.replace("%1", text)
        show_text(self.message, text)

    def _ask_again(self) -> None:
        if self.selected is not None:
            self.again_asked.emit(self.selected)


class KeysTable(DataTable):
    """Age of keys and certificates on both hosts."""

    def __init__(self) -> None:
        super().__init__([tr("Host"), tr("Key"), tr("Age"), tr("Days left")], {2, 3}, tr("Keys"))
        self.size_by_contents(1)

    def show_status(self, status: PairStatus | None) -> None:
        """Show what was found."""
        keys = [(end, key) for end in (status.a, status.b) for key in end.keys] if status is not None else []
        self.setRowCount(len(keys))
        for nth, (end, key) in enumerate(keys):
            left = tr("no expiry") if key.days_left is None else f"{key.days_left:.0f}"
            self.show_row(nth, (host_name(end.side, end.label), local_text(key.title), _age(key.age_days), left))


def _age(days: float) -> str:
    return tr("%1 days", decimal(days, 1)) if days >= 1 else duration(days * _DAY_S)


class AuditView(QWidget):
    """Every command that changed a host, newest first. It can be read and exported, not changed."""

    export_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._lines: tuple[AuditEntry, ...] = ()
        headers = [tr("When"), tr("Who"), tr("Host"), tr("Deployment"), tr("Exit"), tr("What for"), tr("Command")]
        self.table = DataTable(headers, {4}, tr("Audit log"))
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setMinimumSectionSize(48)
        self.table.set_widths(dict(enumerate((10.5, 9, 7.5, 9, 3.5, 11))))
        header.setStretchLastSection(True)
        self.table.hide_where_narrow((_DEPLOYMENT,), _ROOMY_EM)
        self.search = SearchField(
            tr("Filter by time, user, host, command or deployment"), tr("Filter of the audit log")
        )
        self.search.textChanged.connect(self._filter)
        self.export = button(tr("E&xport…"), "report", on_click=self.export_asked.emit, tip=tr("As CSV or JSON"))
        enable(self.export, is_on=False, reason=tr("No command has changed a host yet."))
        self.more = label("", "muted", is_wrapping=False)
        self.more.setVisible(False)
        self.legend = label(
            tr("Exit “?”: the command was not seen to end, because it was stopped or the connection was lost."), "muted"
        )
        self.legend.setVisible(False)
        head = row((self.search, 1), self.more, self.export)
        self.setLayout(column(head, (self.table, 1), self.legend, margin_px=GRID))

    def show_lines(self, lines: Sequence[AuditEntry]) -> None:
        """Show the newest of what was written down."""
        shown = tuple(lines[:MOST_SHOWN])
        left_out = len(lines) - len(shown)
        text = tr("The newest %1 of %2; the export has all.", count(len(shown)), count(len(lines)))
        show_text(self.more, text if left_out else "")
        if shown == self._lines:
            return
        self._lines = shown
        self.legend.setVisible(any(one.exit_status is None for one in shown))
        self.table.show_rows(list(map(_audit_texts, shown)), has_tips=True)
        enable(self.export, is_on=bool(shown), reason=tr("No command has changed a host yet."))
        self._filter()

    def _filter(self) -> None:
        words = self.search.text().casefold().split()
        for nth, one in enumerate(self._lines):
            text = " ".join(_audit_texts(one)).casefold()
            self.table.setRowHidden(nth, not all(word in text for word in words))


def _audit_texts(entry: AuditEntry) -> tuple[str, ...]:
    return (
        second_text(entry.at.astimezone()),
        entry.who or NONE,
        f"{entry.side.value.upper()}  {entry.host}" if entry.side is not None else entry.host,
        entry.deployment or NONE,
        "?" if entry.exit_status is None else str(entry.exit_status),
        local_text(entry.what),
        entry.command,
    )
