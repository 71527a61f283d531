"""Keys in a list to choose from: letters search, Alt and a letter belong to the buttons."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ui.common.basics import ChoiceBox


@pytest.fixture
def box(qtbot: QtBot) -> ChoiceBox:
    made = ChoiceBox()
    qtbot.addWidget(made)
    made.addItems(["WireGuard", "OpenVPN over UDP", "OpenVPN over TCP"])
    made.setCurrentIndex(1)
    made.show()
    return made


def _press(box: ChoiceBox, key: Qt.Key, modifiers: Qt.KeyboardModifier, text: str) -> bool:
    """Press a key as a keyboard does, with its text; return whether the box took it."""
    event = QKeyEvent(QEvent.Type.KeyPress, key, modifiers, text)
    QApplication.sendEvent(box, event)
    return event.isAccepted()


def test_the_letter_of_a_button_that_is_disabled_selects_nothing(box: ChoiceBox) -> None:
    assert not _press(box, Qt.Key.Key_O, Qt.KeyboardModifier.AltModifier, "o")
    assert box.currentIndex() == 1


def test_a_letter_alone_selects_the_next_entry_that_begins_with_it(box: ChoiceBox) -> None:
    assert _press(box, Qt.Key.Key_O, Qt.KeyboardModifier.NoModifier, "o")
    assert box.currentText() == "OpenVPN over TCP"


def test_arrows_select(box: ChoiceBox) -> None:
    _press(box, Qt.Key.Key_Up, Qt.KeyboardModifier.NoModifier, "")
    assert box.currentText() == "WireGuard"
