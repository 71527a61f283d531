from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dropped import drop
from window_driver import Driver

from app.domain.errors import HostUnreachable
from app.domain.linting import LintFinding
from app.domain.verdicts import FindingQuestion, Verdict
from app.linting.messages import KIND_NOT_KNOWN
from support.lint_texts import lint_text
from support.message_checks import shows
from ui.common.guidelines import GuidelinesDialog
from ui.lint.findings_view import finding_appearance, finding_names, worst_appearance
from ui.lint.lint_page import LintPage

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
    driver.window.show_area("lint")
    return driver.page(LintPage)


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


def test_a_file_that_cannot_be_read_is_reported_beside_one_that_can(driver: Driver, tmp_path: Path) -> None:
    page = page_of(driver)
    good = tmp_path / "site.ovpn"
    good.write_text(WEAK)
    drop(page, tmp_path / "gone.conf", good)
    driver.idle()
    assert page.tree.topLevelItem(0).text(1) == "Not checked"
    assert "findings" in page.tree.topLevelItem(1).text(1)
    assert "1 could not be read" in driver.window.footer.status.text()


def test_the_worst_finding_is_selected_first(driver: Driver, tmp_path: Path) -> None:
    page = page_of(driver)
    file = tmp_path / "site.ovpn"
    file.write_text("client\ndev tap\nremote gw\nverb 3\ncipher BF-CBC\n")
    drop(page, file)
    driver.idle()
    assert "cipher BF-CBC" in page.view.textCursor().block().text()


def test_a_file_that_is_not_recognised_is_read_as_the_chosen_kind(driver: Driver, tmp_path: Path) -> None:
    page = page_of(driver)
    file = tmp_path / "noise.conf"
    file.write_text("cipher BF-CBC\nhello there\nnothing else\n")
    drop(page, file)
    driver.idle()
    assert shows(page.reason.text(), KIND_NOT_KNOWN.text)
    page.kinds.setCurrentIndex(page.kinds.findText("OpenVPN"))
    page.kinds.activated.emit(page.kinds.currentIndex())
    driver.idle()
    assert page.tree.topLevelItem(0).childCount() > 0


def test_back_leads_to_the_start(driver: Driver) -> None:
    page_of(driver)
    driver.window.show_previous()
    assert driver.window.current is driver.window.welcome


def test_files_on_the_hosts_of_a_pair_are_read(driver: Driver) -> None:
    page = page_of(driver)
    driver.idle()
    assert [page.pairs.itemText(nth) for nth in range(page.pairs.count())] == ["lab:practice", "plant-north"]
    page.pairs.setCurrentIndex(1)
    driver.click(page.read)
    driver.idle()
    assert "lint_pair" in driver.services.calls
    tops = [page.tree.topLevelItem(nth).text(0) for nth in range(page.tree.topLevelItemCount())]
    assert tops == ["gateway-a: old.conf", "gateway-b: old.conf"]
    assert "cipher BF-CBC" in page.view.toPlainText()
    assert page.busy.isHidden()


def test_hosts_without_configuration_files_are_reported(open_window: Callable[..., Driver]) -> None:
    driver = open_window(texts_on_hosts=())
    page = page_of(driver)
    driver.idle()
    driver.click(page.read)
    driver.idle()
    assert page.notice.text.startswith("Neither host of lab:practice has a configuration file.")


def test_a_host_that_is_away_can_be_tried_again(driver: Driver) -> None:
    page = page_of(driver)
    driver.idle()
    driver.services.faults["lint_pair"] = HostUnreachable("gateway-b does not answer.", hint="Is it on?")
    driver.click(page.read)
    driver.idle()
    assert "gateway-b does not answer" in page.notice.text
    driver.click(page.notice.action("Try again"))
    driver.idle()
    assert page.tree.topLevelItemCount() == 2
    assert page.notice.text == ""


def test_reading_from_hosts_can_be_cancelled(open_window: Callable[..., Driver]) -> None:
    driver = open_window(pace_s=60.0)
    page = page_of(driver)
    driver.idle()
    driver.click(page.read)
    driver.until(page.busy.isVisible)
    driver.window.cancel()
    driver.idle()
    assert page.busy.isHidden()
    assert page.tree.topLevelItemCount() == 0


def words_of(page: LintPage) -> list[str]:
    rows = [
        page.tree.topLevelItem(top).child(nth)
        for top in range(page.tree.topLevelItemCount())
        for nth in range(page.tree.topLevelItem(top).childCount())
    ]
    leaves = [[row.child(nth) for nth in range(row.childCount())] or [row] for row in rows]
    return [leaf.text(1) for found in leaves for leaf in found]


def pick_guideline(driver: Driver, page: LintPage) -> None:
    driver.click(page.guidelines.open)
    dialog = driver.dialog()
    assert isinstance(dialog, GuidelinesDialog)
    dialog.boxes["bsi-tr-02102-2"].setChecked(True)
    driver.click(dialog.yes)
    driver.until(lambda: not dialog.isVisible())
    driver.idle()


def test_the_guidelines_that_are_picked_count_for_what_is_shown(driver: Driver, tmp_path: Path) -> None:
    page = page_of(driver)
    driver.idle()
    path = tmp_path / "site.ovpn"
    path.write_text(WEAK + "data-ciphers AES-256-GCM:CHACHA20-POLY1305\n")
    drop(page, path)
    driver.idle()
    assert "Outside a guideline" not in words_of(page)
    assert "Advice" in words_of(page)
    pick_guideline(driver, page)
    assert words_of(page).count("Outside a guideline") == 2
    assert "BSI TR-02102-2" in page.guidelines.summary.text()
    driver.click(page.read)
    driver.idle()
    assert words_of(page).count("Outside a guideline") == 4


def test_picking_guidelines_without_a_file_reads_nothing(driver: Driver) -> None:
    page = page_of(driver)
    driver.idle()
    pick_guideline(driver, page)
    assert driver.services.chosen_guidelines.count("bsi-tr-02102-2") == 1
    assert "lint_pair" not in driver.services.calls
    assert "lint_file" not in driver.services.calls


def test_rows_of_one_proposal_name_the_algorithm_and_the_file_shows_its_worst_finding() -> None:
    text = "conn plant\n    ike=3des-md5-modp1024\n    esp=3des-md5\n"
    findings = lint_text(text, "/etc/ipsec.conf").findings
    names = finding_names(findings)
    rows = [(name, finding_appearance(one).word) for name, one in zip(names, findings, strict=True)]
    assert ("2: ike 3des", "Insecure") in rows
    assert ("2: ike md5", "Insecure") in rows
    assert len(set(rows)) == len(rows)
    assert worst_appearance(findings).role == "bad"


def test_findings_of_one_algorithm_are_folded_into_one_row(driver: Driver, tmp_path: Path) -> None:
    path = tmp_path / "ipsec.conf"
    path.write_text("conn plant\n    ike=3des-md5-modp1024\n    esp=3des-md5\n")
    page = page_of(driver)
    page.check([path])
    driver.idle()
    file = page.tree.topLevelItem(0)
    names = [file.child(nth).text(0) for nth in range(file.childCount())]
    assert len(names) == len(set(names))
    md5 = file.child(names.index("2: ike md5"))
    assert md5.text(1) == "Insecure (2)"
    assert not md5.isExpanded()
    assert md5.childCount() == 2
    assert md5.child(0).text(1) == "Insecure"
    page.tree.setCurrentItem(md5)
    assert page.reason.text().startswith("Insecure: md5: ")
    page.tree.setCurrentItem(md5.child(2))
    assert "RFC" in page.source.text()
    leaves = sum(max(1, file.child(nth).childCount()) for nth in range(file.childCount()))
    assert leaves == len(page._files[0].findings)


def test_what_is_not_encrypted_is_as_red_as_what_is_insecure() -> None:
    finding = LintFinding(
        3, "esp_proposals", "null-sha256", FindingQuestion.INSECURE, Verdict.UNPROTECTED, "null: No encryption.", ""
    )
    refresh = finding_appearance(finding)
    assert (refresh.word, refresh.role) == ("Not encrypted", "bad")


def test_words_report_how_bad_it_is_that_something_is_missing(driver: Driver, tmp_path: Path) -> None:
    path = tmp_path / "site.ovpn"
    path.write_text("client\ndev tap\nremote gw\nca ca.crt\ncert a.crt\nkey a.key\ncipher AES-256-GCM\n")
    page = page_of(driver)
    page.check([path])
    driver.idle()
    missing = {
        one.verdict: finding_appearance(one)
        for one in page._files[0].findings
        if one.question is FindingQuestion.MISSING
    }
    assert missing[Verdict.INSECURE].word == "Missing (insecure)"
    assert missing[Verdict.LEGACY].word == "Missing (legacy)"
    assert {"Missing (insecure)", "Missing (legacy)"} <= set(words_of(page))
    file = page.tree.topLevelItem(0)
    rows = [file.child(nth) for nth in range(file.childCount())]
    page.tree.setCurrentItem(next(row for row in rows if row.text(1) == "Missing (insecure)"))
    assert page.reason.text().startswith("Missing (insecure): ")
    assert "\u25b2 Missing (legacy): " in page.view.toPlainText()


def test_a_missing_protection_without_which_nothing_is_encrypted_is_as_red_as_an_insecure_one() -> None:
    finding = LintFinding(0, "cipher", "", FindingQuestion.MISSING, Verdict.UNPROTECTED, "No encryption.", "")
    appearance = finding_appearance(finding)
    assert (appearance.word, appearance.role) == ("Missing (unprotected)", "bad")


def test_findings_are_wrapped_to_the_width_of_the_page(driver: Driver, tmp_path: Path) -> None:
    window, page = driver.window, page_of(driver)
    path = tmp_path / "site.ovpn"
    path.write_text(WEAK)
    page.check([path])
    driver.idle()
    for width in (1024, 1280):
        window.resize(width, 700)
        driver.until(lambda: page.view._columns == page.view._fitting_columns())
        assert page.view.horizontalScrollBar().maximum() == 0, width
    finding = page.view.file.findings[0]
    assert "".join(finding.reason.split()) in "".join(page.view.toPlainText().split())
