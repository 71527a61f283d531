"""Help: the guide's page for what is on show, the shortcuts, and what this Tunnelmark is."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from window_driver import Driver

import ui.pages
from app.compose import tunnelmark_version
from app.policy import POLICY_VERSION
from ui.help import _PAGES, Help, find_docs, shortcut_lines
from ui.widgets.dialogs import Information


def _shown(driver: Driver) -> Information:
    found: list[Information] = []

    def is_there() -> bool:
        found[:] = [one for one in driver.window.findChildren(Information) if one.isVisible()]
        return bool(found)

    driver.until(is_there)
    return found[0]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    urls: list[str] = []

    def take(url: QUrl) -> bool:
        urls.append(Path(url.toLocalFile()).name)
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", take)
    return urls


def test_f1_opens_the_guide_for_the_page_on_show(driver: Driver, opened: list[str]) -> None:
    window = driver.window
    driver.press(window, Qt.Key.Key_F1)
    assert opened == ["user-guide.md"]
    window.show_lint()
    driver.idle()
    driver.press(window, Qt.Key.Key_F1)
    assert opened == ["user-guide.md", "linting.md"]


def test_every_page_of_the_guide_that_is_named_is_there() -> None:
    docs = find_docs()
    assert docs is not None
    assert [name for name in _PAGES.values() if not (docs / name).is_file()] == []
    sources = "".join(path.read_text() for path in Path(ui.pages.__path__[0]).glob("*.py"))
    assert [page for page in _PAGES if f"class {page}(" not in sources] == []


def test_without_documents_f1_says_where_things_are(
    driver: Driver, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.help.find_docs", lambda: None)
    Help(driver.window).open_guide()
    dialog = _shown(driver)
    assert opened == []
    assert dialog.lines["Documents"] == "not installed"
    dialog.reject()


def test_about_and_shortcuts_are_in_the_help_menu(
    driver: Driver, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    actions = {action.shortcut().toString(): action for action in driver.window.footer.help.menu().actions()}
    actions["Shift+F1"].trigger()
    about = _shown(driver)
    assert about.lines["Version"] == tunnelmark_version()
    assert about.lines["Data folder"] == str(tmp_path)
    assert about.lines["Policy"].endswith(POLICY_VERSION)
    assert "Apache-2.0" in about.lines["Licence"]
    driver.press(about, Qt.Key.Key_Escape)
    driver.until(lambda: not driver.window.findChildren(Information))
    actions["Ctrl+?"].trigger()
    lines = _shown(driver).lines
    assert lines["Ctrl+L"] == "Check a file"
    assert {"F1", "Alt+Right", "Esc"} <= set(lines)
    _shown(driver).reject()


def test_areas_are_reached_by_their_number_while_a_field_has_the_focus(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    driver.idle()
    field = window.hosts.form_a.address
    field.setFocus()
    driver.press(field, Qt.Key.Key_5, Qt.KeyboardModifier.ControlModifier)
    driver.until(window.top.census.isChecked)
    driver.idle()
    driver.press(window.current.pairs, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)  # type: ignore[union-attr]
    driver.until(window.top.start.isChecked)
    assert "Ctrl+1 … Ctrl+6" in shortcut_lines(window)
