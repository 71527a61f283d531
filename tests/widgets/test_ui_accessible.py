"""Every page: names for a screen reader, lines that differ and can be copied, both colour schemes."""

from __future__ import annotations

import pytest
from dialog_tour import dialogs
from history_driver import fill_history
from line_checks import line_faults, shown_views
from page_tour import tour
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QTabBar,
    QWidget,
)
from window_driver import Driver

from app.measurement.wizard import Step
from ui.comparison.tree_search import every_item

CONTROLS = (QLineEdit, QComboBox, QAbstractSpinBox, QPlainTextEdit, QAbstractItemView, QProgressBar, QTabBar)


def _nameless(root: QWidget) -> list[str]:
    found = []
    for widget in root.findChildren(QWidget):
        if isinstance(widget, QHeaderView) or isinstance(widget.parentWidget(), (QComboBox, QAbstractSpinBox)):
            continue
        if widget.window() is not root.window():
            continue
        is_button = isinstance(widget, QAbstractButton) and widget.focusPolicy() is not Qt.FocusPolicy.NoFocus
        has_name = bool(widget.accessibleName() or (is_button and widget.text()))  # type: ignore[attr-defined]
        if (isinstance(widget, CONTROLS) or is_button) and not has_name:
            found.append(f"{type(widget).__name__} in {type(widget.parentWidget()).__name__}")
    return found


def _clipped(root: QWidget) -> list[str]:
    return [
        button.text()
        for button in root.findChildren(QPushButton)
        if button.isVisible() and button.width() < button.minimumSizeHint().width()
    ]


def _names_of_box(box: QComboBox) -> list[str]:
    """Return the names of a box's labels: Qt tells screen readers on Linux its value instead of its own name."""
    interface = QAccessible.queryAccessibleInterface(box)
    return [label.text(QAccessible.Text.Name) for label, _ in interface.relations(QAccessible.RelationFlag.Label)]


def _unnamed_for_readers(root: QWidget) -> list[str]:
    """Return what can get the focus and has no name for a screen reader."""
    found = []
    for widget in root.findChildren(QWidget):
        parent = widget.parentWidget()
        is_inner = isinstance(parent, (QComboBox, QAbstractSpinBox)) or isinstance(widget, (QHeaderView, QScrollArea))
        is_inner = is_inner or (isinstance(widget, QLabel) and not widget.text())  # its text is its name
        is_passed_on = widget.focusProxy() is not None  # as that of a QTabWidget to its bar
        if widget.focusPolicy() is Qt.FocusPolicy.NoFocus or not widget.isVisible() or is_inner or is_passed_on:
            continue
        if isinstance(widget, QComboBox):
            name = " ".join(_names_of_box(widget))
        else:
            name = QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)
        if not name.strip():
            found.append(f"{type(widget).__name__} {widget.accessibleName()!r} in {type(parent).__name__}")
    return found


def test_every_page_has_names_for_screen_readers_and_lines_that_differ_and_can_be_copied(driver: Driver) -> None:
    """That no button is clipped: `test_no_page_clips_or_hides_anything`."""
    window = driver.window
    window.resize(1024, 700)
    found: dict[str, str] = {}
    boxes: set[str] = set()
    pages: set[str] = set()
    views: set[str] = set()
    for place in tour(driver):
        QApplication.processEvents()
        for fault in (*_unnamed_for_readers(window), *_nameless(window), *line_faults(window)):
            found.setdefault(fault, place)
        boxes |= {name for box in window.findChildren(QComboBox) for name in _names_of_box(box)}
        assert window.current is not None
        assert window.current.accessibleName(), place
        pages.add(type(window.current).__name__)
        views |= {view.accessibleName() for view in shown_views(window)}
    assert found == {}, "\n".join(f"{place}: {fault}" for fault, place in found.items())
    assert len(boxes) > 12
    assert len(pages) >= 14
    assert {"Candidates", "Options", "Files and commands on A", "Audit log"} <= views


@pytest.mark.parametrize("scheme", [Qt.ColorScheme.Dark, pytest.param(Qt.ColorScheme.Light, marks=pytest.mark.full)])
def test_pages_can_be_drawn_in_both_schemes(driver: Driver, scheme: Qt.ColorScheme) -> None:
    window = driver.window
    theme = window.context.theme
    theme.force(scheme)
    try:
        driver.go_to(Step.RESULTS)
        driver.idle()
        for step in Step:
            window.go(step)
            driver.idle()
            image = window.grab().toImage()
            ground = image.pixelColor(4, window.height() // 2)
            assert (ground.lightnessF() < 0.5) is theme.is_dark
    finally:
        theme.force(None)


def test_what_opens_on_request_has_names_and_fits_too(driver: Driver) -> None:
    window = driver.window
    window.resize(1024, 700)
    driver.until(lambda: window.size() == QSize(1024, 700))

    def inspect(root: QWidget) -> None:
        driver.idle()
        for _ in range(3):
            QApplication.processEvents()  # layouts settle on posted events
        assert _nameless(root) == []
        assert _clipped(root) == []

    driver.go_to(Step.CHOOSE)
    choice = window.step_page(Step.CHOOSE)
    for item in every_item(choice.tree):
        choice.tree.setCurrentItem(item)
        driver.until(lambda: choice.details.facts is not None and choice.details.facts.isVisible())
        inspect(window)
    choice.search.field.setText("aes")
    inspect(window)
    choice.search.field.clear()
    driver.click(choice.guidelines.open)
    dialog = driver.dialog()
    inspect(dialog)
    driver.click(dialog.no)
    driver.go_to(Step.RESULTS)
    driver.idle()
    tabs = window.results.tabs
    for nth in range(tabs.count()):
        tabs.setCurrentIndex(nth)
        inspect(window)
    window.show_area("lint")
    driver.idle()
    driver.click(window.current.read)
    inspect(window)
    fill_history(driver)
    window.show_area("history")
    driver.idle()
    inspect(window)
    window.current.table.choose(["1", "2"])  # type: ignore[union-attr]
    window.current.ask_delete()  # type: ignore[union-attr]
    dialog = driver.dialog()
    inspect(dialog)
    driver.click(dialog.no)
    window.show_past(2)
    driver.idle()
    inspect(window)
    driver.click(window.past.note.edit)
    dialog = driver.dialog()
    inspect(dialog)
    driver.click(dialog.no)
    assert (window.width(), window.height()) == (1024, 700)


def test_everything_in_the_dialogs_of_the_menu_has_a_name_for_screen_readers(driver: Driver) -> None:
    found: list[str] = []
    names = []
    for name, dialog in dialogs(driver):
        names.append(name)
        found += [f"{name}: {fault}" for fault in (*_nameless(dialog), *_unnamed_for_readers(dialog))]
        found += [f"{name}: {text} is clipped" for text in _clipped(dialog)]
    assert found == []
    assert len(names) == 10
    for button in (driver.window.top.lab, driver.window.top.menu):
        interface = QAccessible.queryAccessibleInterface(button)
        assert interface.text(QAccessible.Text.Name)
        assert interface.role() is QAccessible.Role.ButtonMenu
