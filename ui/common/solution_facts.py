"""Facts about a solution: where it encrypts, how frames are forwarded, the size of a full mesh."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QSpinBox, QWidget

from app.domain.mesh import MeshEffort
from app.domain.solutions import Carrier, SecurityProperties, SolutionInfo, Space
from app.wording.messages import local_text
from ui.common.basics import column, icon_label, label, row
from ui.common.number_boxes import inset_text
from ui.common.texts import count, tr
from ui.common.theme import GRID, tabular
from ui.common.tips import set_tip

MOST_SITES = 1000
DEFAULT_SITES = 10
_SITES_PX = 120


def space_word(space: Space) -> str:
    """Return where frames are encrypted."""
    return {Space.KERNEL: tr("kernel"), Space.USER: tr("user space"), Space.NONE: tr("not encrypted")}[space]


def carrier_word(carrier: Carrier) -> str:
    """Return what packets travel in."""
    return {
        Carrier.NONE: tr("no tunnel"),
        Carrier.UDP: "UDP",
        Carrier.TCP: "TCP",
        Carrier.IP: "IP",
        Carrier.ESP: "ESP",
        Carrier.ETHERNET: "Ethernet",
    }[carrier]


class SolutionFacts(QWidget):
    """A grid of facts, promises, and limitations.

    Args:
        sites: Number of sites in the mesh at first.
        on_sites: Called when the user sets another number.
    """

    def __init__(self, info: SolutionInfo, sites: int, on_sites: Callable[[int], None]) -> None:
        super().__init__()
        self._mesh = info.mesh
        self._rows = column()
        self.setLayout(self._rows)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(2 * GRID)
        self._grid.setVerticalSpacing(GRID // 2)
        self._grid.setColumnStretch(1, 1)
        self._rows.addWidget(label(local_text(info.summary), is_selectable=True))
        self._rows.addLayout(self._grid)
        self._fact(tr("Encrypts in"), space_word(info.space))
        self._fact(tr("Carried by"), carrier_word(info.carrier))
        if info.routing:
            self._fact(tr("Routing"), local_text(info.routing))
        self.sites = QSpinBox(self)  # without a parent, showing it would open a window
        inset_text(self.sites)
        self.sites.setAccessibleName(tr("Number of sites in a full mesh"))
        self.total = label("")
        self.total.setParent(self)
        self._show_effort(info, sites, on_sites)
        self._show_promises(info.security)
        for sentence in info.limitations:
            self._with_icon("warning", "legacy", local_text(sentence))

    def _show_effort(self, info: SolutionInfo, sites: int, on_sites: Callable[[int], None]) -> None:
        mesh = info.mesh
        self.sites.setVisible(mesh is not None)
        self.total.setVisible(mesh is not None)
        if mesh is None:
            words = tr("%1 configuration files, %2 keys", info.files_per_site, info.keys_per_site)
            self._fact(tr("Per site"), words)
            return
        self._fact(tr("Per site"), _formulas(mesh))
        self.sites.setRange(2, MOST_SITES)
        self.sites.setValue(sites)
        self.sites.setPrefix("N = ")
        self.sites.setMinimumWidth(_SITES_PX)
        set_tip(self.sites, tr("Each site joined with each other one"))
        self.sites.valueChanged.connect(self._show_total)
        self.sites.valueChanged.connect(on_sites)
        self.total.setFont(tabular(self.font()))
        place = self._grid.rowCount()
        self._grid.addWidget(label(tr("All sites"), "muted", is_wrapping=False), place, 0)
        self._grid.addWidget(self.sites, place + 1, 0, 1, 2, Qt.AlignmentFlag.AlignLeft)
        self._grid.addWidget(self.total, place + 2, 0, 1, 2)
        self._show_total(sites)

    def _show_total(self, sites: int) -> None:
        if self._mesh is not None:
            total = tr("%1 configuration items", count(self._mesh.total(sites)))
            self.total.setText(total)
            self.sites.setAccessibleDescription(total)

    def _show_promises(self, security: SecurityProperties) -> None:
        for has, text in (
            (security.has_confidentiality, tr("confidentiality")),
            (security.has_integrity, tr("integrity")),
            (security.has_authentication, tr("peer authentication")),
            (security.has_anti_replay, tr("replay protection")),
            (security.has_forward_secrecy, tr("forward secrecy")),
        ):
            if has:
                self._with_icon("check", "good", text)
            else:
                self._with_icon("error", "muted", f"{tr('no')} {text}", "muted")

    def _with_icon(self, icon: str, role: str, text: str, variant: str = "") -> None:
        words = label(text, variant)
        line = row(icon_label(icon, role), (words, 1))
        line.setAlignment(words, Qt.AlignmentFlag.AlignTop)
        self._rows.addLayout(line)

    def _fact(self, what: str, text: str) -> None:
        place = self._grid.rowCount()
        self._grid.addWidget(label(what, "muted", is_wrapping=False), place, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(label(text, is_selectable=True), place, 1)


def _formulas(mesh: MeshEffort) -> str:
    return tr("files: %1, commands or routes: %2, keys: %3", mesh.files, mesh.routes, mesh.keys)
