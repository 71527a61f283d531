"""Help: the guide's page for what is on show, the shortcuts, and what this Tunnelmark is."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl, qVersion
from window_driver import Driver

import ui
from app.domain.version import tunnelmark_version
from app.policy import POLICY_VERSION
from app.wording import language
from ui.shell.guide_dialog import GuideDialog
from ui.shell.help import _GUIDE, _PAGES, _PARTS, GLOSSARY, Help, find_docs, shortcut_lines
from ui.shell.panel import Information


def _shown(driver: Driver) -> Information:
    found: list[Information] = []

    def is_there() -> bool:
        found[:] = [one for one in driver.window.findChildren(Information) if one.isVisible()]
        return bool(found)

    driver.until(is_there)
    return found[0]


def _guide(driver: Driver) -> GuideDialog:
    driver.until(lambda: any(one.isVisible() for one in driver.window.findChildren(GuideDialog)))
    (found,) = (one for one in driver.window.findChildren(GuideDialog) if one.isVisible())
    return found


def test_f1_shows_the_guide_for_the_page_on_show(driver: Driver) -> None:
    window = driver.window
    driver.press(window, Qt.Key.Key_F1)
    guide = _guide(driver)
    assert guide.text.source().fileName() == "user-guide.md"
    assert "# " not in guide.text.toPlainText()[:200], "laid out, not as it is in the file"
    assert not guide.isModal(), "it stays open beside the work"
    driver.until(lambda: guide.text.document().size().width() > 100)
    driver.until(lambda: guide.text.horizontalScrollBar().maximum() == 0)  # pictures have room
    driver.until(lambda: guide.text.document().size().width() <= guide.text.viewport().width())
    window.show_area("lint")
    driver.idle()
    window.activateWindow()
    driver.until(window.isActiveWindow)
    driver.press(window, Qt.Key.Key_F1)
    assert _guide(driver) is guide, "one dialog for all"
    assert guide.text.source().fileName() == "linting.md"
    driver.click(guide.back)
    assert guide.text.source().fileName() == "user-guide.md"
    guide.reject()


def test_a_note_names_the_language_of_the_guide_where_the_window_has_another(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    guide = find_docs() / "user-guide.md" if find_docs() else None
    assert guide is not None
    english = GuideDialog(driver.window, guide)
    monkeypatch.setattr(language, "_CHOSEN", ["de"])
    german = GuideDialog(driver.window, guide)
    assert english.note.isHidden()
    assert not german.note.isHidden()
    assert german.note.text().startswith("Die Dokumente sind auf Englisch.")


def test_f1_on_history_shows_its_part_of_the_guide_which_can_be_searched(driver: Driver) -> None:
    window = driver.window
    window.show_area("history")
    driver.idle()
    driver.press(window, Qt.Key.Key_F1)
    guide = _guide(driver)
    bar = guide.text.verticalScrollBar()
    driver.until(lambda: bar.value() > 0)
    top = guide.text.cursorForPosition(QPoint(20, 20)).block()
    assert top.text() == "History" or top.previous().text() == "History"
    guide.activateWindow()
    driver.until(guide.isActiveWindow)
    driver.press(guide.text, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    driver.until(guide.search.hasFocus)
    driver.qtbot.keyClicks(guide.search, "exit status")
    driver.press(guide.search, Qt.Key.Key_Return)
    assert guide.isVisible()
    assert guide.text.textCursor().selectedText().lower() == "exit status"
    guide.reject()


def test_the_glossary_explains_every_term_and_its_links_lead_on(driver: Driver) -> None:
    driver.press(driver.window, Qt.Key.Key_F1, Qt.KeyboardModifier.ControlModifier)
    guide = _guide(driver)
    assert guide.windowTitle() == "Glossary"
    text = guide.text.toPlainText()
    for term in ("Underlay", "Lease", "Rollback", "Leak test", "Injection test", "Fail-closed", "Snapshot", "Verdict"):
        assert term in text
    guide.text.setSource(QUrl("packet-tests.md"))
    assert "leak" in guide.text.toPlainText().lower()
    guide.reject()


def test_every_page_of_the_guide_that_is_named_is_there() -> None:
    docs = find_docs()
    assert docs is not None
    assert [name for name in (_GUIDE, GLOSSARY, *_PAGES.values()) if not (docs / name).is_file()] == []
    headings = {line.lstrip("# ") for line in (docs / _GUIDE).read_text().splitlines() if line.startswith("#")}
    assert set(_PARTS.values()) <= headings
    sources = "".join(path.read_text() for path in Path(ui.__path__[0]).rglob("*.py"))
    assert [page for page in (*_PAGES, *_PARTS) if f"class {page}(" not in sources] == []


def test_without_documents_f1_says_where_things_are(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.shell.help.find_docs", lambda: None)
    Help(driver.window).open_guide()
    dialog = _shown(driver)
    assert not driver.window.findChildren(GuideDialog)
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
    assert about.lines["Python, Qt"] == f"{platform.python_version()}, {qVersion()}"
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
    assert "Ctrl+1 … Ctrl+7" in shortcut_lines(window)


def test_start_is_reached_by_its_key_while_a_field_has_the_focus(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    driver.idle()
    field = window.hosts.form_a.address
    field.setFocus()
    assert window.top.start.shortcut().toString() == "Alt+Home"
    driver.press(field, Qt.Key.Key_Home, Qt.KeyboardModifier.AltModifier)
    driver.until(window.top.start.isChecked)
    assert shortcut_lines(window)["Alt+Home"] == "Start"
