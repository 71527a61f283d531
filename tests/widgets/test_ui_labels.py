from __future__ import annotations

from PySide6.QtGui import QTextLayout
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from ui.common.basics import label

SENTENCE = "WireGuard (1.09 ms, 42.1 Mbit/s) and OpenVPN over TCP (1.60 ms, 24.2 Mbit/s)"


def lines(shown: QLabel, width_px: int) -> list[str]:
    """Return a label's text as Qt wraps it at a width."""
    text = QLabel.text(shown)
    layout = QTextLayout(text, shown.font())
    layout.beginLayout()
    found = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width_px)
        found.append(text[line.textStart() : line.textStart() + line.textLength()])
    layout.endLayout()
    return found


def test_no_line_is_broken_within_a_unit(qtbot: QtBot) -> None:
    shown = label(SENTENCE)
    qtbot.addWidget(shown)
    assert shown.text() == SENTENCE
    widths = range(120, 600, 5)
    assert any(len(lines(shown, width)) > 2 for width in widths)
    assert not [width for width in widths if any(line.rstrip().endswith("Mbit/") for line in lines(shown, width))]
