"""Choice of two hosts of a configuration of ssh that become a pair; shows what is taken of each before it is stored."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QLineEdit, QWidget

from app.domain.pair_names import suggest_pair_name
from app.domain.pairs import underlay_problem
from app.domain.ssh_hosts import SshHost, SshHosts
from app.wording.messages import local_text
from ui.common.basics import ChoiceBox, ElidedLabel, button, label, label_for, row
from ui.common.context import PageContext
from ui.common.dropping import FileDrop
from ui.common.file_dialogs import SSH_FOLDER, ask_open
from ui.common.notices import Notice
from ui.common.texts import pair_name_rule, tr
from ui.common.theme import GRID
from ui.common.tips import enable
from ui.shell.panel import CheckedQuestion, name_fault

_LEAST_WIDTH_PX = 680


class SshImportDialog(CheckedQuestion):
    """Two hosts, their underlay addresses, and the pair's name.

    Args:
        parent: The dialog with the pairs.
        hosts: What was read.
        taken: Names of stored pairs.
    """

    def __init__(self, parent: QWidget, context: PageContext, hosts: SshHosts, taken: Collection[str]) -> None:
        super().__init__(
            parent,
            tr("Import hosts from ~/.ssh/config"),
            tr("Choose two hosts, or drop another configuration of ssh here. Only what is shown is taken."),
            tr("Import pair"),
            "install",
        )
        self.setMinimumWidth(_LEAST_WIDTH_PX)
        self._context, self._taken = context, taken
        self._hosts = hosts
        self.notice = Notice()
        self.file = ElidedLabel()
        self.browse = button(tr("Another file…"), "folder", on_click=self._browse)
        self.browse.setAutoDefault(False)
        self.a, self.b = ChoiceBox(), ChoiceBox()
        self.about_a, self.about_b = label("", "muted"), label("", "muted")
        self.underlay_a = self.add_field(tr("Underlay address of host A"))
        self.underlay_b = self.add_field(tr("Underlay address of host B"))
        self._choice = QWidget()
        self.name = self.add_field(tr("Name of the pair"), tip=pair_name_rule())
        self._lay_out()
        for box in (self.a, self.b):
            box.currentIndexChanged.connect(self._on_hosts)
        targets = (self, self.underlay_a, self.underlay_b, self.name)
        refuse = partial(self.notice.show_message, "caution")
        self._drop = FileDrop(targets, lambda paths: self.read(paths[0]), refuse, is_single=True)
        self.show_hosts(hosts)

    def wanted(self) -> tuple[str, SshHosts, tuple[str, str], tuple[str, str]]:
        """Return name, hosts, the aliases of A and B, and their underlay addresses."""
        aliases = (self.a.currentText(), self.b.currentText())
        underlay = (self.underlay_a.text().strip(), self.underlay_b.text().strip())
        return self.name.text().strip(), self._hosts, aliases, underlay

    def check(self) -> tuple[QLineEdit | None, str] | None:
        """Refuse equal hosts, wrong addresses, and names that are not allowed or taken."""
        name, _hosts, (a, b), underlay = self.wanted()
        if not a or not b:
            return None, tr("The file names no host that can be imported. Choose another file.")
        if a == b:
            return None, tr("Choose two different hosts.")
        for field, address in zip((self.underlay_a, self.underlay_b), underlay, strict=True):
            if problem := underlay_problem(address):
                hint = tr("Enter the IPv4 address under which the other host reaches this one.")
                return field, f"{local_text(problem)} {hint}" if address else hint
        if underlay[0] == underlay[1]:
            return self.underlay_b, tr("Both hosts have the same underlay address.")
        fault = name_fault(name, self._taken)
        return (self.name, fault) if fault else None

    def show_hosts(self, hosts: SshHosts) -> None:
        """Offer the hosts of a file; those that cannot be imported are named with the reason."""
        self._hosts = hosts
        self.file.setText(tr("File: %1", hosts.file) if hosts.file else tr("No file was read."))
        usable = [host for host in hosts.hosts if not host.problem]
        first = _gateways_first(usable)
        for nth, box in enumerate((self.a, self.b)):
            with QSignalBlocker(box):
                box.clear()
                box.addItems([host.alias for host in usable])
                box.setCurrentIndex(usable.index(first[min(nth, len(first) - 1)]) if first else -1)
        self._choice.setVisible(self.has_hosts)
        enable(self.yes, is_on=self.has_hosts, reason=tr("Choose a file with two hosts."))
        problems = [f"{host.alias}: {local_text(host.problem)}" for host in hosts.hosts if host.problem]
        problems += map(local_text, hosts.notes)
        self.notice.clear()
        if not self.has_hosts:
            self.notice.show_message("caution", _why_none(hosts, usable), "\n".join(problems))
        elif problems:
            self.notice.show_message("caution", tr("Not everything can be imported."), "\n".join(problems))
        self._on_hosts()
        self._fit()

    @property
    def has_hosts(self) -> bool:
        """Whether there are two hosts that can be imported."""
        return sum(not host.problem for host in self._hosts.hosts) > 1

    def _on_hosts(self) -> None:
        self.show_fault(None, "")
        chosen = [self._host(box) for box in (self.a, self.b)]
        for host, about, field in zip(
            chosen, (self.about_a, self.about_b), (self.underlay_a, self.underlay_b), strict=True
        ):
            about.setText(_words(host) if host is not None else "")
            field.setText(host.underlay if host is not None else "")
        a, b = chosen
        self.name.setText(suggest_pair_name(a.alias, b.alias) if a is not None and b is not None else "")

    def _host(self, box: QComboBox) -> SshHost | None:
        return next((host for host in self._hosts.hosts if host.alias == box.currentText()), None)

    def _browse(self) -> None:
        ask_open(self, tr("Configuration of ssh"), self.read, folder=SSH_FOLDER)

    def read(self, file: Path) -> None:
        """Read another file."""
        services = self._context.services
        self._context.runner.run(
            tr("Reading %1", file),
            lambda _token, _report: services.ssh_hosts(file),
            on_success=self.show_hosts,
            on_failure=self.notice.show_error,
            is_quiet=True,
        )

    def _lay_out(self) -> None:
        self.body.addWidget(self.notice)
        self.body.addLayout(row((self.file, 1), self.browse))
        grid = QGridLayout(self._choice)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(GRID)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
        for nth, (side, box, about, field) in enumerate(
            (("A", self.a, self.about_a, self.underlay_a), ("B", self.b, self.about_b, self.underlay_b))
        ):
            box.setAccessibleName(tr("Host %1", side))
            _add(grid, nth * 2, 0, label_for(tr("Host %1", side), box), box)
            _add(grid, nth * 2, 2, label_for(tr("Underlay address"), field), field)
            grid.addWidget(about, nth * 2 + 1, 1, 1, 3)
        _add(grid, 4, 0, label_for(tr("Name"), self.name), self.name)
        grid.addWidget(label(pair_name_rule(), "muted"), 4, 2, 1, 2)
        self.body.addWidget(self._choice)
        self.body.addWidget(self.fault)


def _gateways_first(hosts: Sequence[SshHost]) -> list[SshHost]:
    """Return hosts in their order, those that others are reached through at the end: they are seldom the pair."""
    jumps = {login for host in hosts for login in host.jumps}
    return sorted(hosts, key=lambda host: f"{host.user}@{host.address}:{host.port}" in jumps)


def _add(grid: QGridLayout, line: int, column: int, name: QLabel, field: QWidget) -> None:
    grid.addWidget(name, line, column)
    grid.addWidget(field, line, column + 1)


def _why_none(hosts: SshHosts, usable: Sequence[SshHost]) -> str:
    """Return why no pair can be made of a file's hosts."""
    if not hosts.file:
        return tr("No file was read: choose one.")
    words = (
        tr("Only %2 of %1 can be imported, and a pair has two hosts. Choose another file.")
        if usable
        else tr("%1 names no host that can be imported. Choose another file.")
    )
    return words.replace("%1", hosts.file).replace("%2", usable[0].alias if usable else "")


def _words(host: SshHost) -> str:
    parts = [f"{host.user}@{host.address}:{host.port}"]
    if host.identity_file:
        parts.append(tr("key %1", host.identity_file))
    if host.jumps:
        parts.append(tr("through %1", ", ".join(host.jumps)))
    return f"{', '.join(parts)}. {local_text(host.note)}".strip()
