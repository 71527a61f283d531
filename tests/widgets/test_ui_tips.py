"""Tool tips are plain text, and say of a disabled control why it is."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtWidgets import QPushButton, QTableWidgetItem
from pytestqt.qtbot import QtBot

import ui
from ui.common.tips import enable, set_tip


def test_a_disabled_control_says_why_and_has_its_usual_tip_back_later(qtbot: QtBot) -> None:
    control = QPushButton("Deploy")
    qtbot.addWidget(control)
    set_tip(control, "WireGuard")
    enable(control, is_on=False, reason="Select a <candidate>.")
    assert not control.isEnabled()
    assert control.toolTip() == "<span>Select a &lt;candidate&gt;.</span>"
    set_tip(control, "OpenVPN")
    assert "candidate" in control.toolTip(), "the reason stays in front"
    enable(control, is_on=True, reason="")
    assert control.isEnabled()
    assert control.toolTip() == "OpenVPN"


def test_what_a_host_reported_is_no_markup_in_a_tool_tip() -> None:
    cell = QTableWidgetItem()
    set_tip(cell, "<img src='http://192.0.2.1/'>")
    assert "<img" not in cell.toolTip()


def test_every_tool_tip_is_made_plain() -> None:
    folder = Path(ui.__file__).parent
    found = [
        f"{path.relative_to(folder)}: {line.strip()}"
        for path in sorted(folder.rglob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"\.setToolTip\(", line) and "plain_tip(" not in line and "_tray." not in line
    ]
    assert found == []
