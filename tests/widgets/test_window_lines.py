"""Lines of every table, tree and list of the window: no two read the same, and all can be copied."""

from __future__ import annotations

from collections import Counter

from page_tour import tour
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QApplication, QHeaderView, QListWidget
from pytestqt.qtbot import QtBot
from window_driver import Driver

from app.domain.deployment import EndpointDryRun, FileDiff
from app.domain.hosts import Side
from ui.common.copying import _lines, all_lines, chosen_lines, enable_copying, line_text
from ui.common.theme import Theme
from ui.deployments.dry_run_view import EndpointView


def _alike(view: QAbstractItemView) -> list[str]:
    """Return the lines that are there more than once below the same line."""

    def place(index: QModelIndex) -> str:
        above = index.parent()
        return f"{place(above)}{line_text(view, above)}/" if above.isValid() else ""

    found = Counter(place(index) + line_text(view, index) for index in _lines(view))
    return [line for line, number in found.items() if number > 1]


def test_no_two_lines_read_the_same_and_all_can_be_copied(driver: Driver) -> None:
    driver.window.resize(1280, 800)
    alike, fixed, seen = {}, {}, set()
    for page in tour(driver):
        for view in driver.window.findChildren(QAbstractItemView):
            if isinstance(view, QHeaderView) or not view.isVisible() or view.window() is not driver.window:
                continue
            name = view.accessibleName()
            seen.add(name)
            alike |= {f"{name}: {line}": page for line in _alike(view)}
            if not any(action.text() == "Copy all" for action in view.actions()):
                fixed[name] = page
    assert alike == {}
    assert fixed == {}
    assert {"Candidates", "Options", "Files and commands on A", "Audit log"} <= seen


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


def test_files_of_one_name_are_listed_with_their_folders(qtbot: QtBot, theme: Theme) -> None:
    view = EndpointView(theme, Side.A)
    qtbot.addWidget(view)
    paths = ("/etc/one/keys", "/etc/two/keys", "/etc/other")
    files = tuple(FileDiff(path, 0o600, "", is_new=True) for path in paths)
    view.show_end(EndpointDryRun(Side.A, "gateway-a", files, (), (), (), (), "tml0", "", "", 1500, None))
    shown = [view.list.item(nth).text() for nth in range(view.list.count())]
    assert shown == ["/etc/one/keys   new", "/etc/two/keys   new", "other   new"]
