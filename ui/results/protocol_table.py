"""Link-layer protocols of one candidate: through the tunnel, and between LANs that it joins."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.domain.link_protocols import ProtocolCrossing, ProtocolVerdict, joined_verdict
from app.wording.link_protocols import (
    BETWEEN_LANS_NOTE,
    PROTOCOL_COLUMNS,
    PROTOCOL_NAMES,
    joined_words,
    protocol_note,
    tunnel_words,
)
from ui.common.basics import column, label
from ui.common.data_table import DataTable
from ui.common.texts import plain_tip, tr
from ui.common.theme import Theme
from ui.common.tips import set_tip

_NAME, _TUNNEL, _JOINED = range(3)
_APPEARANCES = {
    ProtocolVerdict.CROSSES: ("check", "good"),
    ProtocolVerdict.CHANGED: ("warning", "legacy"),
    ProtocolVerdict.LOST: ("error", "bad"),
    ProtocolVerdict.NOT_TRIED: ("info", "muted"),
}


class ProtocolTable(QWidget):
    """A line per protocol, with remarks below."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.table = DataTable(tuple(tr(text) for text in PROTOCOL_COLUMNS[:-1]), (), tr("Link-layer protocols"))
        self.table.size_by_contents(_JOINED)
        self.table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.setSelectionMode(DataTable.SelectionMode.NoSelection)
        self._remarks = label("", "muted", is_selectable=True)
        self.setLayout(column(self.table, self._remarks))

    def show_protocols(self, protocols: Sequence[ProtocolCrossing]) -> None:
        """Show what became of the protocols' frames."""
        self.setVisible(bool(protocols))
        self.table.setRowCount(len(protocols))
        for nth, one in enumerate(protocols):
            note = protocol_note(one)
            name = self.table.cell(nth, _NAME)
            name.setText(tr(PROTOCOL_NAMES[one.protocol]))
            name.setToolTip(plain_tip(note))
            self._show_verdict(nth, _TUNNEL, one.verdict, tunnel_words(one))
            self._show_verdict(nth, _JOINED, joined_verdict(one), joined_words(one))
        self.table.setFixedHeight(self.table.height_for_all_px())
        remarks = [f"{PROTOCOL_NAMES[one.protocol]}: {note}" for one in protocols if (note := protocol_note(one))]
        self._remarks.setText("\n".join((*remarks, tr(BETWEEN_LANS_NOTE))))

    def _show_verdict(self, nth: int, column: int, verdict: ProtocolVerdict, words: str) -> None:
        icon, role = _APPEARANCES[verdict]
        cell = self.table.cell(nth, column)
        cell.setText(words)
        set_tip(cell, words)
        cell.setIcon(self._theme.icon(icon, role))
