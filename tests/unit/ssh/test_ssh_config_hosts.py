"""Hosts of a configuration of ssh, and pairs made of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.domain.errors import InvalidFile, InvalidOption
from app.domain.hosts import AuthKind
from app.domain.messages.inputs import HOST_NOT_IMPORTABLE
from app.measurement.pairs import PairOperations
from app.ssh.config_hosts import read_ssh_hosts, user_ssh_config
from app.ssh.messages import SSH_CONFIG_NO_FILE
from app.ssh.targets import read_ssh_config, resolve
from app.storage import Store
from support.message_checks import has_message

CONFIG = """
Include more
Host jump
  HostName 192.0.2.9
  User hop
Host pump-1 first
  HostName 10.0.0.1
  User root
  Port 2222
  IdentityFile ~/.ssh/pump
  ProxyJump jump
Host pump-2
  HostName 10.0.0.2
Host odd
  ProxyCommand nc %h %p
Host bad-port
  Port 99999
Host circle
  ProxyJump circle
Host aliased
  HostName 10.0.0.3
  HostKeyAlias plant
Host *.example !secret
  User nobody
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh/config").write_text(CONFIG)
    (tmp_path / ".ssh/pump").write_text("key")
    return tmp_path


def test_hosts_of_the_users_file_are_stored_under_their_alias_so_that_connections_follow_it(home: Path) -> None:
    found = read_ssh_hosts(user_ssh_config())
    assert [host.alias for host in found.hosts] == sorted(
        ["jump", "pump-1", "first", "pump-2", "odd", "bad-port", "circle", "aliased"]
    )
    pump = found.find("pump-1")
    assert (pump.address, pump.user, pump.port, pump.jumps) == ("10.0.0.1", "root", 2222, ("hop@192.0.2.9:22",))
    assert (pump.identity_file, pump.note, pump.problem) == (str(home / ".ssh/pump"), "", "")
    target = resolve(pump.importable(), read_ssh_config(user_ssh_config()))
    assert target.login == "root@10.0.0.1:2222"
    assert [hop.address for hop in target.jumps] == ["192.0.2.9"]
    assert found.notes


@pytest.mark.parametrize("alias", ["odd", "bad-port", "circle"])
def test_what_cannot_be_done_is_listed_with_its_reason(home: Path, alias: str) -> None:
    host = read_ssh_hosts(user_ssh_config()).find(alias)
    assert host.problem
    with pytest.raises(InvalidOption, check=has_message(HOST_NOT_IMPORTABLE, alias=alias)):
        host.importable()


def test_hosts_of_another_file_are_stored_with_their_values(home: Path) -> None:
    other = home / "other"
    other.write_text(CONFIG.replace("ProxyJump jump", ""))
    found = read_ssh_hosts(other)
    spec = found.find("pump-1").importable()
    assert (spec.address, spec.user, spec.port, spec.auth) == ("10.0.0.1", "root", 2222, AuthKind.KEY)
    assert spec.identity_file == str(home / ".ssh/pump")
    assert found.find("aliased").problem
    other.write_text(CONFIG)
    assert "ProxyJump" in read_ssh_hosts(other).find("pump-1").problem


def test_a_key_file_that_does_not_exist_is_noted(home: Path) -> None:
    (home / ".ssh/pump").unlink()
    host = read_ssh_hosts(user_ssh_config()).find("pump-1")
    assert "pump" in host.note
    assert not host.problem


@pytest.mark.parametrize(
    "content", [b"\x7fELF\xff\xfe", b"a\0b", b"-----BEGIN OPENSSH PRIVATE KEY-----\n", b"Host", b"x" * (2 << 20)]
)
def test_other_files_are_refused(home: Path, content: bytes) -> None:
    (home / "file").write_bytes(content)
    with pytest.raises(InvalidFile):
        read_ssh_hosts(home / "file")


@pytest.mark.parametrize("name", ["missing", ".ssh"])
def test_what_is_no_file_is_refused(home: Path, name: str) -> None:
    with pytest.raises(InvalidFile):
        read_ssh_hosts(home / name)


class Book(PairOperations):
    def __init__(self, store: Store) -> None:
        self.store = store


@pytest.mark.parametrize(
    ("name", "aliases", "underlay"),
    [
        ("a b", ("pump-1", "pump-2"), ("10.0.0.1", "10.0.0.2")),
        ("north", ("pump-1", "pump-1"), ("10.0.0.1", "10.0.0.2")),
        ("north", ("pump-1", "odd"), ("10.0.0.1", "10.0.0.2")),
        ("north", ("pump-1", "none"), ("10.0.0.1", "10.0.0.2")),
        ("north", ("pump-1", "pump-2"), ("10.0.0.1", "10.0.0.1")),
        ("north", ("pump-1", "pump-2"), ("10.0.0.1", "pump")),
        ("taken", ("pump-1", "pump-2"), ("10.0.0.1", "10.0.0.2")),
    ],
)
def test_an_import_is_refused_before_anything_is_stored(
    home: Path, name: str, aliases: tuple[str, str], underlay: tuple[str, str]
) -> None:
    with Store.open(home / "t.db") as store:
        book = Book(store)
        book.import_pair("taken", book.ssh_hosts(), ("jump", "pump-2"), ("10.0.0.1", "10.0.0.2"))
        with pytest.raises(InvalidOption):
            book.import_pair(name, book.ssh_hosts(), aliases, underlay)
        assert [pair.name for pair in store.list_pairs()] == ["taken"]


def test_a_file_with_match_and_comments_lists_its_hosts_alone(tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_text(
        "Host pump-1 pump-2 # the old ones\n  HostName 192.0.2.7\nMatch host pump-3\n  User plant\n"
        "Host=valve\n  HostName 192.0.2.8\nHost *\n  User root\n"
    )
    assert [one.alias for one in read_ssh_hosts(file).hosts] == ["pump-1", "pump-2", "valve"]


def test_a_pipe_is_no_configuration(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidFile, check=has_message(SSH_CONFIG_NO_FILE)):
        read_ssh_hosts(tmp_path / "pipe")
