from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent
from window_driver import Driver

from ui.pages.lint import LintPage

WEAK = """\
client
dev tap
remote gateway.example 1194
cipher BF-CBC
<key>
-----BEGIN PRIVATE KEY-----
Q0FOQVJZQ0FOQVJZ
-----END PRIVATE KEY-----
</key>
"""


def page_of(driver: Driver) -> LintPage:
    driver.window.show_lint()
    driver.until(lambda: isinstance(driver.window.current, LintPage))
    page = driver.window.current
    assert isinstance(page, LintPage)
    return page


def drop(page: LintPage, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    page.dropEvent(
        QDropEvent(
            QPoint(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        )
    )


def test_without_a_file_the_page_says_what_it_can_read(driver: Driver) -> None:
    page = page_of(driver)
    assert "OpenVPN" in page.notice.text
    assert driver.window.top.lint.isChecked()


def test_a_dropped_file_is_shown_with_its_findings_and_without_its_key(driver: Driver, tmp_path: Path) -> None:
    page = page_of(driver)
    path = tmp_path / "site.ovpn"
    path.write_text(WEAK)
    drop(page, path)
    driver.idle()
    texts = [page.tree.topLevelItem(0).child(n).text(0) for n in range(page.tree.topLevelItem(0).childCount())]
    assert any("cipher BF-CBC" in text for text in texts)
    shown = page.view.toPlainText()
    assert "4  cipher BF-CBC" in shown
    lines = shown.splitlines()
    below = lines[next(n for n, text in enumerate(lines) if "cipher BF-CBC" in text) + 1]
    assert below.strip().startswith("\u25b2 Insecure")
    assert "Q0FOQVJZ" not in shown + " ".join(texts)
    weak = next(nth for nth, text in enumerate(texts) if "cipher BF-CBC" in text)
    page.tree.setCurrentItem(page.tree.topLevelItem(0).child(weak))
    assert page.reason.text()
    assert page.source.text().startswith("Source")
    assert "cipher BF-CBC" in page.view.textCursor().block().text()


def test_a_file_that_cannot_be_read_is_said_beside_one_that_can(driver: Driver, tmp_path: Path) -> None:
    page = page_of(driver)
    good = tmp_path / "site.ovpn"
    good.write_text(WEAK)
    drop(page, tmp_path / "gone.conf", good)
    driver.idle()
    assert page.tree.topLevelItem(0).text(1) == "Not readable"
    assert "findings" in page.tree.topLevelItem(1).text(1)
    assert "1 could not be read" in driver.window.footer.status.text()


def test_back_leads_to_the_start(driver: Driver) -> None:
    page_of(driver)
    driver.window.go_back()
    assert driver.window.current is driver.window.welcome
