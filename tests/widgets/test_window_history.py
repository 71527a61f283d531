"""History page: what it lists, opens, annotates and deletes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from history_driver import fill_history
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from sample_records import pair, sample_record
from window_driver import Driver

from app.domain.deployment import DeploymentState
from app.domain.errors import DiskFull
from app.domain.history import EntryId, EntryKind
from app.domain.messages.inputs import NOTE_TOO_LONG, NOTE_WITH_CONTROL_CHARACTER
from app.domain.results import CampaignStatus
from app.measurement.wizard import Step
from support.message_checks import shows
from ui.census.census_page import CensusPage
from ui.common.copying import all_lines
from ui.deployments.deployments_page import DeploymentsPage
from ui.results.history_order import DATE, MEASURED, NOTE, PAIR, PROFILE, WHAT, WINNER
from ui.results.history_page import HistoryPage
from ui.results.note_dialog import NoteDialog


@pytest.fixture
def filled(driver: Driver) -> Driver:
    """A window with comparisons of two pairs, a census and a deployment."""
    fill_history(driver)
    return driver


def history(driver: Driver) -> HistoryPage:
    driver.window.show_area("history")
    page = driver.page(HistoryPage)
    driver.window.activateWindow()  # else keys of actions do nothing
    driver.until(driver.window.isActiveWindow)
    page.table.setFocus()
    return page


def column(page: HistoryPage, nth: int) -> list[str]:
    return [page.table.item(row, nth).text() for row in range(page.table.rowCount())]


def valued(page: HistoryPage, nth: int) -> list[str]:
    return [text for text in column(page, nth) if text not in ("", "–")]


def choose(page: HistoryPage, *keys: str) -> None:
    page.table.choose(keys)


def note_dialog(driver: Driver) -> NoteDialog:
    dialog = driver.dialog()
    assert isinstance(dialog, NoteDialog)
    return dialog


# --- the table --------------------------------------------------------------------------------------------------------


def test_all_kinds_are_listed_newest_first_with_failures_first(filled: Driver) -> None:
    page = history(filled)
    deployment = filled.services.deployed[0].id
    census = "Cipher census c1"
    is_shown = f"Deployment {deployment[:8]}, active"
    assert sorted(column(page, WHAT)) == [census, "Comparison 1", "Comparison 2", "Comparison 3, interrupted", is_shown]
    assert column(page, DATE) == sorted(column(page, DATE), reverse=True)
    cells = dict(zip(column(page, WHAT), zip(column(page, MEASURED), column(page, WINNER), strict=True), strict=True))
    assert cells["Comparison 3, interrupted"] == ("5 failed, 0 of 5 VPNs", "none, because all VPNs failed")
    assert cells["Comparison 2"] == ("4 of 4 VPNs", "WireGuard, ChaCha20-Poly1305")
    assert cells["Comparison 1"][0] == "1 failed, 4 of 5 VPNs"
    assert cells[census] == ("1 failed, 8 of 8 tried", "–")
    assert cells[is_shown] == ("–", "WireGuard, ChaCha20-Poly1305")
    assert page.number.text() == "5 entries"


def test_winners_are_ranked_once_and_shown_when_they_are_there(filled: Driver) -> None:
    history(filled)
    assert filled.services.calls.count("winner") == 3
    history(filled)
    assert filled.services.calls.count("winner") == 3


def test_running_comparison_is_listed_and_not_ranked(driver: Driver) -> None:
    driver.services.records[4] = replace(sample_record(status=CampaignStatus.RUNNING, attempts_kept=2), campaign_id=4)
    page = history(driver)
    assert column(page, WHAT) == ["Comparison 4, running"]
    assert "winner" not in driver.services.calls


def test_header_sorts_and_a_second_click_reverses_the_order(filled: Driver) -> None:
    page = history(filled)
    choose(page, "2")
    header = page.table.horizontalHeader()
    for nth in (DATE, PAIR, WHAT, PROFILE, MEASURED, WINNER, NOTE):
        header.sectionClicked.emit(nth)
        first = valued(page, nth)
        assert page.table.horizontalHeaderItem(nth).text()[-1] in "▴▾"
        header.sectionClicked.emit(nth)
        second = valued(page, nth)
        assert second == first[::-1]
        assert column(page, nth)[: len(second)] == second, "what is empty comes last"
        assert [one.key for one in page.table.chosen()] == ["2"]
        if nth == DATE:
            assert [one.at for one in page.table.shown] == sorted((one.at for one in page.table.entries), reverse=True)


def test_filter_takes_words_of_any_column(filled: Driver) -> None:
    page = history(filled)
    for words, keys in (
        ("plant-north", ["2"]),
        ("OLD firmware", ["2"]),
        ("census", ["c1"]),
        ("interrupted failed", ["3"]),
        ("nothing of the kind", []),
    ):
        page.search.setText(words)
        assert [one.key for one in page.table.shown] == keys
        assert page.open.isEnabled() is bool(keys)
    assert page.number.text() == "0 of 5 entries"


def test_ctrl_c_copies_the_selected_lines_as_tsv(filled: Driver) -> None:
    page = history(filled)
    page.table.sort_by(WHAT)
    choose(page, "1", "2")
    filled.press(page.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = [line.split("\t") for line in QApplication.clipboard().text().split("\n")]
    assert [line[WHAT] for line in lines] == ["Comparison 1", "Comparison 2"]
    assert lines[1][NOTE] == "old firmware"
    assert all_lines(page.table)[0].startswith("Date\tPair\tWhat ▴\t")


def test_no_two_lines_are_alike_and_a_narrow_window_hides_the_profile(filled: Driver) -> None:
    page = history(filled)
    window = filled.window
    window.resize(1024, 700)
    filled.until(lambda: page.table.isColumnHidden(PROFILE))
    assert not any(page.table.isColumnHidden(nth) for nth in (DATE, PAIR, WHAT, MEASURED, WINNER, NOTE))
    lines = all_lines(page.table)
    assert len(set(lines)) == len(lines) == 6
    window.resize(1500, 800)
    filled.until(lambda: not page.table.isColumnHidden(PROFILE))


# --- opening ----------------------------------------------------------------------------------------------------------


def test_enter_and_double_click_open_each_kind_and_back_returns(filled: Driver) -> None:
    window = filled.window
    page = history(filled)
    choose(page, "2")
    filled.press(page.table, Qt.Key.Key_Return)
    filled.until(lambda: window.past.data is not None)
    assert window.current is window.past
    window.show_previous()
    assert window.current is page
    filled.idle()
    assert [one.key for one in page.table.chosen()] == ["2"]
    for key, kind in (("c1", CensusPage), (filled.services.deployed[0].id, DeploymentsPage)):
        choose(page, key)
        page.table.itemActivated.emit(page.table.currentItem())
        filled.page(kind)
        window.show_previous()
        assert window.current is page
        filled.idle()


def test_census_and_pair_that_were_asked_for_are_shown(filled: Driver) -> None:
    window = filled.window
    other = replace(filled.services.made(pair(is_lab=False), "wireguard", "x", "WireGuard"), id="aaaa0000aaaa0000")
    filled.services.deployed.insert(0, other)
    first = filled.services.census_records[1]
    filled.services.census_records[2] = replace(first, census_id=2, pair=replace(first.pair, name="elsewhere"))
    page = history(filled)
    choose(page, "c1")
    filled.click(page.open)
    assert filled.page(CensusPage)._found.record.census_id == 1
    window.show_area("history")
    filled.idle()
    for one in filled.services.deployed:
        choose(page, one.id)
        filled.click(page.open)
        assert filled.page(DeploymentsPage).selected.pair.name == one.pair.name
        window.show_area("history")
        filled.idle()


def test_a_failed_deployment_is_opened_with_its_whole_reason(filled: Driver) -> None:
    reason = "gateway-a uses 198.19.1.2/32 already, and the tunnel's addresses lie in it. " * 3
    made = filled.services.made(pair(), "wireguard", "x", "WireGuard")
    failed = replace(made, id="bbbb0000bbbb0000", state=DeploymentState.FAILED, message=reason.strip(), is_refused=True)
    filled.services.deployed.insert(0, failed)
    page = history(filled)
    row = [one.key for one in page.table.shown].index(failed.id)
    assert column(page, WHAT)[row] == "Deployment bbbb0000, refused"
    assert column(page, WINNER)[row] == "none, refused: WireGuard"
    choose(page, failed.id)
    filled.press(page.table, Qt.Key.Key_Return)
    filled.idle()
    detail = filled.page(DeploymentsPage).detail
    assert detail.tabs.currentWidget() is detail.earlier
    assert detail.earlier.selected == failed
    assert detail.earlier.message.text() == f"Refused, nothing was changed: {reason.strip()}"
    assert detail.earlier.message.isVisible()
    assert detail.earlier.message.height() >= detail.earlier.message.heightForWidth(detail.earlier.message.width())


def test_ctrl_f_filters_and_enter_goes_to_the_lines(filled: Driver) -> None:
    page = history(filled)
    filled.press(page.table, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert page.search.hasFocus()
    page.search.setText("census")
    assert [one.key for one in page.table.shown] == ["c1"]
    filled.press(page.search, Qt.Key.Key_Return)
    assert page.table.hasFocus()
    assert filled.window.current is page


# --- notes ------------------------------------------------------------------------------------------------------------


def test_note_is_typed_stored_and_shown_in_history_and_results(filled: Driver) -> None:
    window = filled.window
    window.show_past(1)
    filled.until(lambda: window.past.data is not None)
    assert not window.past.note.isVisible()
    page = history(filled)
    choose(page, "1")
    filled.press(page.table, Qt.Key.Key_F2)
    dialog = note_dialog(filled)
    dialog.field.setPlainText("after the <b>new</b> firmware\nof gateway B")
    filled.click(dialog.yes)
    filled.until(lambda: filled.services.records[1].note != "")
    filled.idle()
    row = next(nth for nth, one in enumerate(page.table.shown) if one.key == "1")
    assert page.table.item(row, NOTE).text() == "after the <b>new</b> firmware of gateway B"
    assert page.table.item(row, NOTE).toolTip().startswith("<span>after the &lt;b&gt;")
    window.show_past(1)
    assert window.past.note.isVisible()
    assert window.past.note.text() == "Note: after the <b>new</b> firmware of gateway B"
    assert window.past.note.textFormat() is Qt.TextFormat.PlainText


def test_tab_reaches_every_part_of_the_notes_dialog(filled: Driver) -> None:
    page = history(filled)
    choose(page, "1")
    page.ask_note()
    dialog = note_dialog(filled)
    filled.until(dialog.field.hasFocus)
    reached = []
    for _ in range(3):
        filled.press(QApplication.focusWidget(), Qt.Key.Key_Tab)
        reached.append(QApplication.focusWidget())
    assert reached[:2] == [dialog.yes, dialog.no]
    assert "Ctrl+Return" in dialog.yes.toolTip()
    assert "&" in dialog.yes.text()
    dialog.reject()


def test_note_can_be_changed_in_the_results_and_removed(filled: Driver) -> None:
    window = filled.window
    window.show_past(2)
    filled.until(lambda: window.past.data is not None)
    filled.idle()
    assert window.past.note.text() == "Note: old firmware"
    filled.click(window.past.note.edit)
    dialog = note_dialog(filled)
    assert dialog.note == "old firmware"
    dialog.field.clear()
    filled.click(dialog.yes)
    filled.until(lambda: filled.services.records[2].note == "")
    filled.idle()
    assert not window.past.note.isVisible()
    assert window.past.data.record.note == ""


def test_note_that_cannot_be_stored_keeps_what_was_typed(filled: Driver) -> None:
    page = history(filled)
    choose(page, "1")
    page.ask_note()
    dialog = note_dialog(filled)
    dialog.field.setPlainText("x" * 1001)
    dialog.accept()
    assert dialog.isVisible()
    assert shows(dialog.fault.text(), NOTE_TOO_LONG.text, count=1001)
    dialog.field.setPlainText("bell \x07")
    assert not dialog.fault.isVisible()
    dialog.accept()
    assert shows(dialog.fault.text(), NOTE_WITH_CONTROL_CHARACTER.text, character=7)
    filled.services.faults["set_note"] = DiskFull("No space is left on the disk.", hint="Make room.")
    dialog.field.setPlainText("well typed")
    dialog.accept()
    filled.idle()
    again = note_dialog(filled)
    assert again.note == "well typed"
    assert "No space is left" in again.fault.text()
    again.accept()
    filled.until(lambda: filled.services.records[1].note == "well typed")


def test_deployment_has_no_note_and_cannot_be_deleted_here(filled: Driver) -> None:
    page = history(filled)
    choose(page, filled.services.deployed[0].id)
    assert page.open.isEnabled()
    assert not page.note.isEnabled()
    assert not page.delete.isEnabled()
    filled.press(page.table, Qt.Key.Key_Delete)
    filled.press(page.table, Qt.Key.Key_F2)
    assert not [one for one in filled.window.findChildren(NoteDialog) if one.isVisible()]


# --- deleting ---------------------------------------------------------------------------------------------------------


def test_deleting_asks_says_what_goes_and_what_remains(filled: Driver) -> None:
    page = history(filled)
    choose(page, "1", "c1", filled.services.deployed[0].id)
    filled.click(page.delete)
    question = filled.dialog()
    assert question.windowTitle() == "Delete 2 measurements?"
    text = question._text.text()
    for words in ("Comparison 1: lab:practice, 2026-03-04", "Cipher census c1", "audit log", "selected deployments"):
        assert words in text
    assert question.focusWidget() is question.no
    filled.click(question.no)
    assert "delete_measured" not in filled.services.calls
    filled.click(page.delete)
    filled.click(filled.dialog().yes)
    filled.until(lambda: 1 not in filled.services.records)
    filled.idle()
    assert sorted(one.key for one in page.table.shown) == sorted(["2", "3", filled.services.deployed[0].id])
    assert filled.services.census_records == {}


def test_running_one_is_refused_and_nothing_goes(filled: Driver) -> None:
    filled.services.records[3] = replace(filled.services.records[3], status=CampaignStatus.RUNNING)
    page = history(filled)
    choose(page, "2", "3")
    page.ask_delete()
    filled.click(filled.dialog().yes)
    filled.idle()
    assert "Comparison 3 is running" in page.notice.text
    assert len(page.table.shown) == 5


def test_results_that_show_a_deleted_comparison_forget_it(driver: Driver) -> None:
    window = driver.window
    driver.compare()
    driver.idle()
    window.show_past(1)
    driver.idle()
    page = history(driver)
    driver.press(page.table, Qt.Key.Key_Delete)
    driver.click(driver.dialog().yes)
    driver.until(lambda: not driver.services.records)
    driver.idle()
    assert window.past.data is None
    assert window.results.data is None
    assert window.wizard.state.campaign_id is None
    assert not window.wizard.can_enter(Step.RESULTS)
    assert "No comparisons yet" in page.notice.text
    window.top.area_asked.emit("comparison")
    driver.idle()
    assert window.wizard.current is Step.PLAN


def test_note_of_another_comparison_is_not_taken(filled: Driver) -> None:
    window = filled.window
    window.show_past(2)
    filled.until(lambda: window.past.data is not None)
    window.past.take_note(EntryId(EntryKind.CENSUS, 2), "of a census")
    window.past.take_note(EntryId(EntryKind.COMPARISON, 1), "of another one")
    assert window.past.note.text() == "Note: old firmware"
