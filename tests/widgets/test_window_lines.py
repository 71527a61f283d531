"""Copied lines of tables, trees and lists; test_ui_accessible goes through those of every page."""

from __future__ import annotations

from line_checks import line_faults
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QListWidget, QWidget
from pytestqt.qtbot import QtBot

from app.domain.deployment import EndpointDryRun, FileDiff
from app.domain.hosts import Side
from ui.common.copying import all_lines, chosen_lines, enable_copying
from ui.common.theme import Theme
from ui.deployments.dry_run_view import EndpointView


def test_lines_of_a_list_are_copied_without_a_header(qtbot: QtBot) -> None:
    view = QListWidget()
    qtbot.addWidget(view)
    view.addItems(["10:00:00  down", "10:00:22  up again"])
    enable_copying(view)
    view.setCurrentRow(1)
    assert chosen_lines(view) == ["10:00:22 up again"]
    assert all_lines(view) == ["10:00:00 down", "10:00:22 up again"]
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    next(action for action in view.actions() if action.text() == "Copy all").trigger()
    assert QApplication.clipboard().text() == "10:00:00 down\n10:00:22 up again"


def test_lines_that_read_the_same_and_those_that_cannot_be_copied_are_faults(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    view = QListWidget(window)
    view.setAccessibleName("Losses")
    view.addItems(["down", "up", "down"])
    with qtbot.waitExposed(window):
        window.show()
    assert list(line_faults(window)) == ["Losses: more than one line is 'down'", "Losses: lines cannot be copied"]
    view.takeItem(2)
    enable_copying(view)
    assert list(line_faults(window)) == []


def test_files_of_one_name_are_listed_with_their_folders(qtbot: QtBot, theme: Theme) -> None:
    view = EndpointView(theme, Side.A)
    qtbot.addWidget(view)
    paths = ("/etc/one/keys", "/etc/two/keys", "/etc/other")
    files = tuple(FileDiff(path, 0o600, "", is_new=True) for path in paths)
    view.show_end(EndpointDryRun(Side.A, "gateway-a", files, (), (), (), (), "tml0", "", "", 1500, None))
    shown = [view.list.item(nth).text() for nth in range(view.list.count())]
    assert shown == ["/etc/one/keys   new", "/etc/two/keys   new", "other   new"]
