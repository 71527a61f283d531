"""Files that are dropped: key files on the hosts page, configurations of ssh on the import, files on the linter."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from dropped import drop, drop_data
from PySide6.QtCore import QMimeData, QUrl
from sample_records import pair
from window_driver import Driver

from app.domain.hosts import AuthKind
from app.ssh.messages import SSH_CONFIG_WRONG
from support.message_checks import shows
from ui.comparison.host_form import HostForm
from ui.comparison.key_files import key_file_fault
from ui.lint.lint_page import LintPage
from ui.shell.ssh_import_dialog import SshImportDialog

KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA==\n-----END OPENSSH PRIVATE KEY-----\n"


@pytest.fixture
def form(driver: Driver) -> HostForm:
    driver.window.begin_with_hosts()
    driver.idle()
    return driver.window.hosts.form_a


@pytest.mark.parametrize("field", ["", "identity", "address"])
def test_a_private_key_is_taken_wherever_it_is_dropped_on_the_form(form: HostForm, tmp_path: Path, field: str) -> None:
    (tmp_path / "id").write_text(KEY)
    assert drop(getattr(form, field) if field else form, tmp_path / "id")
    assert form.identity.text() == str(tmp_path / "id")
    assert form.auth.currentData() == AuthKind.KEY
    assert not form.address.text()
    assert not form.fault.text()


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"ssh-ed25519 AAAA eve@laptop\n", "public key"),
        (b"PuTTY-User-Key-File-3: ssh-ed25519\n", "puttygen"),
        (b"192.0.2.1 ssh-ed25519 AAAA\n", "no private key"),
        (b"\x7fELF\0", "no private key"),
        (b"", "no private key"),
        (b"-----BEGIN CERTIFICATE-----\n", "no private key"),
    ],
)
def test_other_files_are_refused_with_a_word(form: HostForm, tmp_path: Path, content: bytes, word: str) -> None:
    form.identity.setText("/former")
    (tmp_path / "file").write_bytes(content)
    assert drop(form, tmp_path / "file")
    assert word in form.fault.text()
    assert form.identity.text() == "/former"


def test_folders_several_files_and_addresses_of_the_web_are_refused(form: HostForm, tmp_path: Path) -> None:
    (tmp_path / "id").write_text(KEY)
    for urls, word in (
        ((tmp_path,), "folder"),
        ((tmp_path / "id", tmp_path / "id"), "one file"),
        ((QUrl("https://example.org/id"),), "not a file on this computer"),
        ((tmp_path / "missing",), "cannot be read"),
    ):
        drop(form, *urls)
        assert word in form.fault.text()
        assert not form.identity.text()


def test_a_fifo_is_refused_and_not_waited_for(form: HostForm, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    drop(form, tmp_path / "fifo")
    assert "not a file" in form.fault.text()


def test_text_is_left_to_the_fields(form: HostForm) -> None:
    data = QMimeData()
    data.setText("gateway.example")
    assert drop_data(form.address, data)
    assert form.address.text() == "gateway.example"
    assert not form.fault.text()


def test_the_hosts_of_a_lab_keep_their_keys(driver: Driver, form: HostForm, tmp_path: Path) -> None:
    driver.window.hosts.show_pair(pair())
    before = form.identity.text()
    (tmp_path / "id").write_text(KEY)
    drop(form, tmp_path / "id")
    assert form.identity.text() == before
    assert "practice lab" in form.fault.text()


def test_every_kind_of_private_key_is_known(tmp_path: Path) -> None:
    for kind in ("OPENSSH ", "RSA ", "EC ", "ENCRYPTED ", ""):
        (tmp_path / "id").write_text(f"\n-----BEGIN {kind}PRIVATE KEY-----\n")
        assert key_file_fault(tmp_path / "id") == ""


def test_the_linter_refuses_folders_and_addresses_and_keeps_what_it_shows(driver: Driver, tmp_path: Path) -> None:
    driver.window.show_area("lint")
    page = driver.page(LintPage)
    (tmp_path / "site.ovpn").write_text("cipher BF-CBC\n")
    drop(page, tmp_path / "site.ovpn")
    driver.idle()
    assert page.tree.topLevelItemCount() == 1
    for url, word in ((tmp_path, "folder"), (QUrl("https://example.org/a.ovpn"), "not a file on this computer")):
        drop(page, url)
        driver.idle()
        assert word in page.notice.text
        assert page.tree.topLevelItemCount() == 1


def test_another_configuration_of_ssh_is_dropped_on_the_import(
    driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    dialog = driver.window.desk.show_pairs()
    assert dialog is not None
    dialog.import_hosts.click()
    driver.idle()
    question = next(one for one in driver.window.findChildren(SshImportDialog) if one.isVisible())
    assert "no file" in question.notice.text
    (tmp_path / "config").write_text("Host a\n HostName 10.0.0.1\nHost b\n HostName 10.0.0.2\n")
    drop(question.name, tmp_path / "config")
    driver.idle()
    assert (question.a.currentText(), question.b.currentText()) == ("a", "b")
    drop(question, tmp_path)
    assert "folder" in question.notice.text
    (tmp_path / "key").write_text(KEY)
    drop(question, tmp_path / "key")
    driver.idle()
    assert shows(question.notice.text, SSH_CONFIG_WRONG.text)
