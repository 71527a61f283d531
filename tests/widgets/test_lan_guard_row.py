"""Row "Between the LANs" of a form."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from ui.deployments.lan_guard_row import LanGuardRow


def test_the_tool_tip_of_the_limit_says_what_is_neither_noticed_nor_limited(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    row = LanGuardRow(parent)
    for widget in (row.limit, row.dhcp, row.advertisements):
        widget.setParent(parent)
    tip = row.limit.toolTip()
    assert "0: no limit" in tip
    assert "Loops inside VLANs and storms of multicasts are neither noticed nor limited" in tip
