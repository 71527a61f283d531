"""The dialog with stored pairs, and the import of hosts of a configuration of ssh."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from sample_records import pair
from window_driver import Driver

from app.domain.errors import StorageFault
from app.ssh.messages import SSH_CONFIG_NO_TEXT
from support.message_checks import shows
from ui.shell.pairs_dialog import PairsDialog
from ui.shell.panel import NameDialog
from ui.shell.ssh_import_dialog import SshImportDialog

OWN = pair(is_lab=False).name
CONFIG = (
    "Host pump-1\n HostName 10.0.0.1\n User root\nHost pump-2\n HostName 10.0.0.2\nHost odd\n ProxyCommand nc %h %p\n"
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh/config").write_text(CONFIG)
    return tmp_path


def _open(driver: Driver) -> PairsDialog:
    driver.window.desk.pairs.trigger()
    driver.idle()
    return next(one for one in driver.window.findChildren(PairsDialog) if one.isVisible())


def _names(dialog: PairsDialog) -> list[str]:
    return [dialog.table.item(nth, 0).text() for nth in range(dialog.table.rowCount())]  # type: ignore[union-attr]


def _answer(driver: Driver, name: str) -> NameDialog:
    driver.until(lambda: any(one.isVisible() for one in driver.window.findChildren(NameDialog)))
    question = next(one for one in driver.window.findChildren(NameDialog) if one.isVisible())
    question.field.setText(name)
    question.yes.click()
    driver.idle()
    return question


def test_a_pair_is_renamed_duplicated_and_removed(driver: Driver) -> None:
    driver.window.begin_with_hosts()
    driver.idle()
    driver.click(driver.window.hosts.manage)
    driver.idle()
    dialog = next(one for one in driver.window.findChildren(PairsDialog) if one.isVisible())
    assert _names(dialog) == [OWN]
    dialog.rename.click()
    _answer(driver, "south")
    assert _names(dialog) == ["south"]
    dialog.duplicate.click()
    question = next(one for one in driver.window.findChildren(NameDialog) if one.isVisible())
    assert question.field.text() == "south-2"
    _answer(driver, "east")
    assert _names(dialog) == ["east", "south"]
    assert dialog.selected is not None
    assert dialog.selected.name == "east"
    dialog.remove.click()
    driver.dialog().no.click()
    driver.idle()
    assert _names(dialog) == ["east", "south"]
    dialog.remove.click()
    driver.dialog().yes.click()
    driver.idle()
    assert _names(dialog) == ["south"]
    boxes = driver.window.hosts.pairs
    assert [boxes.itemData(nth) for nth in range(boxes.count())] == ["", "lab:practice", "south"]


def test_the_dialog_remains_until_a_change_is_done_and_the_window_hears_of_it(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, rename = threading.Event(), driver.services.rename_pair

    def slow(old: str, new: str) -> None:
        assert gate.wait(120)
        rename(old, new)

    monkeypatch.setattr(driver.services, "rename_pair", slow)
    dialog = _open(driver)
    heard: list[tuple[str, str]] = []
    dialog.renamed.connect(lambda old, new: heard.append((old, new)))
    dialog.rename.click()
    question = next(one for one in driver.window.findChildren(NameDialog) if one.isVisible())
    question.field.setText("south")
    question.yes.click()
    driver.until(lambda: not question.isVisible())
    dialog.reject()
    assert dialog.isVisible()
    gate.set()
    driver.idle()
    assert heard == [(OWN, "south")]
    dialog.reject()
    assert not dialog.isVisible()


def test_a_dialog_that_is_closed_while_it_reads_leaves_the_window_in_order(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, stored_pairs = threading.Event(), driver.services.stored_pairs
    monkeypatch.setattr(driver.services, "stored_pairs", lambda: stored_pairs() if gate.wait(120) else ())
    driver.window.desk.show_pairs()
    dialog = next(one for one in driver.window.findChildren(PairsDialog) if one.isVisible())
    dialog.reject()
    gate.set()
    driver.idle()
    assert not driver.window.runner.running


@pytest.mark.parametrize("name", ["a/b", "pump station", "", "lab:x", "taken", "-a"])
def test_a_name_that_the_command_line_refuses_keeps_the_dialog_open(driver: Driver, name: str) -> None:
    driver.services.stored["taken"] = replace(pair(is_lab=False), name="taken")
    dialog = _open(driver)
    dialog.table.selectRow(0)
    dialog.rename.click()
    question = _answer(driver, name)
    assert question.isVisible()
    assert question.fault.text()
    assert "rename_pair" not in driver.services.calls


def test_a_pair_with_an_active_deployment_remains_and_the_reason_is_reported(driver: Driver) -> None:
    driver.services.active.add(OWN)
    dialog = _open(driver)
    dialog.remove.click()
    driver.dialog().yes.click()
    driver.idle()
    assert "deployment" in dialog.notice.text
    assert _names(dialog) == [OWN]


def test_without_a_pair_the_import_is_offered(driver: Driver) -> None:
    driver.services.stored.clear()
    dialog = _open(driver)
    assert dialog.empty.isVisible()
    assert not dialog.rename.isEnabled()
    assert dialog.import_hosts.isEnabled()


def test_new_and_edit_lead_to_the_form_of_the_hosts(driver: Driver) -> None:
    window = driver.window
    dialog = _open(driver)
    driver.click(dialog.edit)
    driver.until(lambda: window.current is window.hosts)
    driver.idle()
    own = pair(is_lab=False)
    assert window.hosts.name.text() == OWN
    assert window.hosts.form_b.address.text() == own.b.address
    assert window.hosts.form_a.address.isVisible()
    assert not window.hosts.form_a.address.isReadOnly()
    window.show_welcome()
    driver.click(_open(driver).new)
    driver.until(lambda: window.current is window.hosts)
    driver.idle()
    assert window.hosts.name.text() == ""
    assert window.hosts.form_a.address.text() == ""


def test_a_pair_that_is_new_can_be_entered_where_none_is_stored(driver: Driver) -> None:
    driver.services.stored.clear()
    dialog = _open(driver)
    assert dialog.new.isEnabled()
    assert not dialog.edit.isEnabled()
    assert dialog.edit.toolTip() == "Select a pair."


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("Host *\n User root\n", "names no host that can be imported"),
        ("Host pump-1\n HostName 10.0.0.1\n", "Only pump-1 of"),
        ("Host odd\n ProxyCommand nc %h %p\nHost odd-2\n ProxyCommand nc %h %p\n", "ProxyCommand"),
    ],
)
def test_a_file_without_two_hosts_says_why_instead_of_empty_boxes(
    driver: Driver, home: Path, config: str, words: str
) -> None:
    (home / ".ssh/config").write_text(config)
    question = _import(driver)
    assert words in question.notice.text
    assert not question.a.isVisible()
    assert not question.name.isVisible()
    assert not question.yes.isEnabled()
    assert question.yes.toolTip()
    assert question.browse.hasFocus()
    (home / "other").write_text(CONFIG)
    question.read(home / "other")
    driver.idle()
    assert question.a.isVisible()
    assert question.yes.isEnabled()


def test_pairs_that_cannot_be_read_are_reported(driver: Driver) -> None:
    driver.services.faults["stored_pairs"] = StorageFault("The database is locked.")
    assert "locked" in _open(driver).notice.text


def test_a_renamed_pair_that_is_loaded_keeps_its_comparison(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    window.hosts.show_pair(pair(is_lab=False))
    window.hosts.discover()
    driver.until(lambda: window.wizard.state.discovery is not None)
    driver.idle()
    dialog = _open(driver)
    dialog.rename.click()
    _answer(driver, "south")
    dialog.close()
    state = window.wizard.state
    assert state.pair is not None
    assert state.discovery is not None
    assert (state.pair.name, state.discovery.pair.name) == ("south", "south")
    assert window.hosts.entered_pair().name == "south"
    assert window.hosts.pairs.currentData() == "south"


@pytest.mark.parametrize(("name", "is_kept"), [("pump station", False), ("a/b", False), ("pump-1", True), ("", True)])
def test_the_form_refuses_the_names_that_the_command_line_refuses(driver: Driver, name: str, is_kept: bool) -> None:
    window = driver.window
    window.begin_with_hosts()
    driver.idle()
    page = window.hosts
    for form, address in ((page.form_a, "fe80::1"), (page.form_b, "192.0.2.11")):
        form.address.setText(address)
        form.underlay.setText("192.0.2.10" if form is page.form_a else address)
    page.name.setText(name)
    page.discover()
    driver.idle()
    assert ("save_pair" in driver.services.calls) is is_kept
    assert bool(page.notice.text) is not is_kept


def _import(driver: Driver) -> SshImportDialog:
    dialog = _open(driver)
    dialog.import_hosts.click()
    driver.idle()
    return next(one for one in driver.window.findChildren(SshImportDialog) if one.isVisible())


def test_two_hosts_of_the_configuration_become_a_pair_after_they_were_shown(driver: Driver, home: Path) -> None:
    question = _import(driver)
    assert "odd" in question.notice.text
    assert [question.a.itemText(nth) for nth in range(question.a.count())] == ["pump-1", "pump-2"]
    assert question.about_a.text().startswith("root@10.0.0.1:22")
    assert (question.underlay_a.text(), question.underlay_b.text()) == ("10.0.0.1", "10.0.0.2")
    assert "import_pair" not in driver.services.calls
    question.name.setText("north")
    question.underlay_a.setText("198.51.100.1")
    question.yes.click()
    driver.idle()
    stored = driver.services.stored["north"]
    assert (stored.a.address, stored.b.address) == ("pump-1", "pump-2")
    assert (stored.underlay_a, stored.underlay_b) == ("198.51.100.1", "10.0.0.2")


def test_a_jump_host_is_not_proposed_as_one_of_the_pair(driver: Driver, home: Path) -> None:
    jump = "Host office\n HostName 10.0.0.9\n User root\n"
    via = "".join(f"Host pump-{n}\n HostName 10.0.0.{n}\n User root\n ProxyJump office\n" for n in (1, 2))
    (home / ".ssh/config").write_text(jump + via)
    question = _import(driver)
    assert [question.a.itemText(nth) for nth in range(question.a.count())] == ["office", "pump-1", "pump-2"]
    assert (question.a.currentText(), question.b.currentText()) == ("pump-1", "pump-2")
    assert question.name.text() == "pump-1-pump-2"


@pytest.mark.parametrize(
    ("field", "text"),
    [("name", "a b"), ("name", OWN), ("underlay_a", "pump"), ("underlay_b", "10.0.0.1"), ("underlay_b", "")],
)
def test_what_is_wrong_is_marked_and_nothing_is_stored(driver: Driver, home: Path, field: str, text: str) -> None:
    question = _import(driver)
    getattr(question, field).setText(text)
    question.yes.click()
    driver.idle()
    assert question.isVisible()
    assert question.fault.text()
    assert getattr(question, field).property("fault")
    assert list(driver.services.stored) == [OWN]


def test_a_configuration_that_cannot_be_read_is_reported_and_another_one_can_be_chosen(
    driver: Driver, home: Path
) -> None:
    (home / ".ssh/config").write_bytes(b"\xff\xfe")
    question = _import(driver)
    assert shows(question.notice.text, SSH_CONFIG_NO_TEXT.text)
    question.yes.click()
    assert question.isVisible()
    (home / "other").write_text(CONFIG)
    question.read(home / "other")
    driver.idle()
    assert question.a.currentText() == "pump-1"
    question.yes.click()
    driver.idle()
    assert driver.services.stored["pump-1-pump-2"].a.address == "10.0.0.1"
