"""Result of a dry run: obstacles, the resulting tunnel, and every file and command of each host."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QListWidgetItem, QTabWidget, QWidget

from app.domain.deployment import DeploymentObstacle, DryRun, EndpointDryRun, FileDiff, PlannedCommand
from app.domain.hosts import Side
from app.wording.deployment_sentences import keepalive_sentence
from app.wording.messages import local_text
from app.wording.titles import local_title
from ui.common.basics import WIDE_PX, ScrollPage, column, holder, icon_label, label, name_tabs, row
from ui.common.splits import split
from ui.common.text_list import text_list
from ui.common.texts import NONE, count, plain_tip, tr
from ui.common.theme import GRID, Theme
from ui.deployments.diff_view import DiffView, count_signs
from ui.deployments.host_table import SidesTable
from ui.deployments.texts import host_name, joined_text, ports_text


class DryRunView(QTabWidget):
    """Three tabs: overview, A, B."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        name_tabs(self, tr("Views of the dry run"))
        self.overview = Overview()
        self.ends = {side: EndpointView(theme, side) for side in Side}
        self.addTab(self.overview, tr("Overview"))
        for side, view in self.ends.items():
            self.addTab(view, side.value.upper())

    def show_run(self, run: DryRun, former: str) -> None:
        """Show a dry run.

        Args:
            run: It.
            former: Title of the deployment whose place it would take; empty where there is none.
        """
        self.overview.show_run(run, former)
        for nth, (side, view) in enumerate(self.ends.items(), start=1):
            end = run.a if side is Side.A else run.b
            view.show_end(end)
            self.setTabText(nth, host_name(side, end.label))
        self.setCurrentIndex(0)


class Overview(QWidget):
    """Obstacles, notes, and facts of both hosts side by side."""

    def __init__(self) -> None:
        super().__init__()
        self._scroll = ScrollPage(QWidget(), WIDE_PX)
        self.sentences: tuple[str, ...] = ()
        self.table = SidesTable(tr("Result"))
        self.setLayout(column(split(self._scroll, self.table, sizes_px=(420, 640)), margin_px=GRID))

    def show_run(self, run: DryRun, former: str) -> None:
        """Show a dry run."""
        lines = list(_known(run, former))
        self.sentences = tuple(f"{what} {hint}".strip() for _icon, _role, what, hint in lines)
        self._scroll.show_content(holder(column(*(_line(*line) for line in lines), 0, margin_px=GRID), "page"))
        self.table.show_sides(run.a.label, run.b.label, _facts(run))


def _line(icon: str, role: str, what: str, hint: str) -> QHBoxLayout:
    texts = column(label(what, is_selectable=True), spacing_px=0)
    if hint:
        texts.addWidget(label(hint, "muted", is_selectable=True))
    result = row()
    result.addWidget(icon_label(icon, role), 0, Qt.AlignmentFlag.AlignTop)
    result.addLayout(texts, 1)
    return result


def _known(run: DryRun, former: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield icon, colour, sentence and hint: first what is in the way."""
    yield (
        ("check", "good", tr("All checks passed. Nothing has been changed yet."), "")
        if run.is_possible
        else ("error", "bad", tr("Cannot be deployed as configured. Nothing has been changed."), "")
    )
    if run.replaces:
        title = former or run.replaces
        hint = tr("If the new one fails, both hosts roll back to it.")
        yield "repeat", "accent", tr("Replaces %1.", local_title(title)), hint
    if sentence := keepalive_sentence(run.keepalive):
        yield "info", "accent", sentence, ""
    for obstacle in sorted(run.obstacles, key=lambda one: not one.is_blocking):
        icon, role = ("error", "bad") if obstacle.is_blocking else ("warning", "legacy")
        yield icon, role, _where(run, obstacle) + local_text(obstacle.what), local_text(obstacle.hint)


def _where(run: DryRun, obstacle: DeploymentObstacle) -> str:
    if obstacle.side is None:
        return ""
    return f"{(run.a if obstacle.side is Side.A else run.b).label}: "


def _facts(run: DryRun) -> list[tuple[str, str, str]]:
    def both(name: str, a: str, b: str) -> tuple[str, str, str]:
        return name, a or NONE, b or NONE

    a, b = run.a, run.b
    return [
        both(tr("Interface"), a.interface, b.interface),
        both(tr("Bridged to"), joined_text(a), joined_text(b)),
        both(tr("MTU"), f"{count(a.mtu_bytes)} {tr('bytes')}", f"{count(b.mtu_bytes)} {tr('bytes')}"),
        both(tr("Largest unfragmented frame"), _largest(a), _largest(b)),
        both(tr("Ports to open"), ports_text(a.ports), ports_text(b.ports)),
        both(tr("Services"), ", ".join(a.services), ", ".join(b.services)),
        both(tr("Firewall"), " ".join(a.firewall), " ".join(b.firewall)),
        both(tr("Files"), str(len(a.files)), str(len(b.files))),
        both(tr("Commands"), str(len(a.commands)), str(len(b.commands))),
    ]


def _largest(end: EndpointDryRun) -> str:
    size = end.largest_unfragmented_frame_bytes
    return tr("any size (byte stream)") if size is None else f"{count(size)} {tr('bytes')}"


class EndpointView(QWidget):
    """Every file and command of one host."""

    def __init__(self, theme: Theme, side: Side) -> None:
        super().__init__()
        letter = side.value.upper()
        self.list = text_list(tr("Files and commands on %1", letter), is_wrapping=False)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.currentRowChanged.connect(self._go_to)
        self.text = DiffView(theme, tr("Text of files and commands on %1", letter))
        both = split(self.list, self.text, sizes_px=(320, 720), stretches=(0, 1))
        self.setLayout(column(both, margin_px=GRID))

    def show_end(self, end: EndpointDryRun) -> None:
        """Show what would be done on a host."""
        self.list.clear()
        parts = []
        names = Counter(_file_name(one) for one in end.files)
        for one in end.files:
            name = _file_name(one)
            self._add(f"{name if names[name] == 1 else one.path}   {_signs(one)}", one.path)
            parts.append((f"{tr('file')}  {one.path}  {one.mode:04o}  {_kind(one)}", _file_text(one)))
        for nth, command in enumerate(end.commands, start=1):
            self._add(f"{nth}  {local_text(command.title)}", command.command)
            parts.append((f"{tr('command')} {nth}  {local_text(command.title)}", _command_text(command)))
        self.text.show_parts_of(parts)
        self.text.go_to(0)

    def _add(self, text: str, more: str) -> None:
        item = QListWidgetItem(text)
        item.setToolTip(plain_tip(more))
        self.list.addItem(item)

    def _go_to(self, nth: int) -> None:
        if nth >= 0:
            self.text.go_to(nth)


def _file_name(one: FileDiff) -> str:
    return one.path.rpartition("/")[2]


def _signs(one: FileDiff) -> str:
    if not one.diff:
        return tr("new") if one.is_new else tr("unchanged")
    more, less = count_signs(one.diff)
    return f"+{more}" if not less else f"+{more} −{less}"


def _kind(one: FileDiff) -> str:
    return tr("new") if one.is_new else tr("changed") if one.diff else tr("unchanged")


def _file_text(one: FileDiff) -> str:
    return "\n".join(part for part in (local_text(one.note), one.diff) if part) or tr("unchanged")


def _command_text(command: PlannedCommand) -> str:
    undo = command.undo or tr("nothing to roll back")
    return f"$ {command.command}\n{tr('rollback')}: {undo}"
