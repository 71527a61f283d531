"""Enter on a button that has the focus."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication
from window_driver import Driver

from ui.comparison.hosts_page import HostsPage


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_enter_does_what_the_button_with_the_focus_does(driver: Driver, key: Qt.Key) -> None:
    begin = driver.window.welcome.hosts[1]
    begin.setFocus()
    driver.press(begin, key)
    driver.page(HostsPage)


def test_a_key_that_is_held_does_nothing_more(driver: Driver) -> None:
    begin = driver.window.welcome.hosts[1]
    begin.setFocus()
    held = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, "\r", True)
    QApplication.sendEvent(begin, held)
    assert driver.window.current is driver.window.welcome
