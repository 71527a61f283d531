"""Targets of connections: specs and ~/.ssh/config."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Self, cast

import pytest

from app.domain.cancel import CancelToken
from app.domain.errors import HostUnreachable, InvalidFile, InvalidOption
from app.domain.hosts import HostSpec
from app.domain.messages import MessageForm
from app.ssh.dial import Connection, open_socket, open_through
from app.ssh.messages import (
    JUMP_CIRCLE,
    JUMP_FAILED,
    JUMP_WRONG,
    NAME_OF_HOST_UNKNOWN,
    NAME_UNKNOWN,
    PROXY_COMMAND,
    SSH_CONFIG_PORT_WRONG,
    SSH_CONFIG_UNUSABLE,
    TOO_MANY_JUMPS,
)
from app.ssh.targets import SshTarget, read_ssh_config, resolve
from support.message_checks import HasMessage, has_message


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LOGNAME", "engineer")
    monkeypatch.setenv("USER", "engineer")
    return tmp_path


def target(tmp_path: Path, config: str, spec: HostSpec) -> SshTarget:
    file = tmp_path / "config"
    file.write_text(config)
    return resolve(spec, read_ssh_config(file))


def test_without_configuration_the_spec_and_the_defaults_hold(tmp_path: Path) -> None:
    found = resolve(HostSpec("gw", "10.0.0.1"), read_ssh_config(tmp_path / "missing"))
    assert (found.address, found.port, found.user) == ("10.0.0.1", 22, "engineer")
    assert (found.key_name, found.key_port, found.jumps, found.identity_files) == ("10.0.0.1", 22, (), ())
    assert str(found) == "gw (engineer@10.0.0.1:22)"


def test_an_alias_is_looked_up(tmp_path: Path) -> None:
    config = "Host plant-*\n  HostName %h.plant.example\n  Port 2222\n  User operator\n  IdentityFile ~/.ssh/%h_key\n"
    found = target(tmp_path, config + "  IdentitiesOnly yes\n", HostSpec("gw", "plant-a"))
    assert (found.address, found.port, found.user) == ("plant-a.plant.example", 2222, "operator")
    assert found.identity_files == (tmp_path / ".ssh" / "plant-a.plant.example_key",)
    assert found.is_identities_only


def test_the_spec_wins(tmp_path: Path) -> None:
    config = "Host gw\n  HostName 10.0.0.9\n  Port 2222\n  User operator\n  IdentityFile /config/key\n"
    found = target(tmp_path, config, HostSpec("gw", "gw", port=22, user="root", identity_file="/spec/key"))
    assert (found.address, found.port, found.user) == ("10.0.0.9", 22, "root")
    assert found.identity_files == (Path("/spec/key"), Path("/config/key"))


def test_a_host_key_alias_is_up_alone(tmp_path: Path) -> None:
    config = "Host gw\n  HostName 10.0.0.9\n  Port 2222\n  HostKeyAlias plant-gateway\n"
    found = target(tmp_path, config, HostSpec("gw", "gw"))
    assert (found.key_name, found.key_port) == ("plant-gateway", 22)


def test_jump_hosts_come_in_order_with_their_own_settings(tmp_path: Path) -> None:
    config = (
        "Host gw\n  ProxyJump bastion,ops@[2001:db8::1]:2200,ssh://inner:23\n"
        "Host bastion\n  HostName bastion.example\n  User jump\n  ProxyJump outer\n"
    )
    found = target(tmp_path, config, HostSpec("gw", "gw", identity_file="/only/for/gw"))
    assert [hop.login for hop in found.jumps] == [
        "engineer@outer:22",
        "jump@bastion.example:22",
        "ops@2001:db8::1:2200",
        "engineer@inner:23",
    ]
    assert all(hop.jumps == () and hop.identity_files == () for hop in found.jumps)


@pytest.mark.parametrize(
    ("config", "name"),
    [
        ("", "engineer@192.168.1.1:22"),
        ("Host 192.168.1.1\n  HostKeyAlias 192.168.1.1\n", "engineer@192.168.1.1:22"),
        ("Host 192.168.1.1\n  HostKeyAlias plant-a\n", "engineer@192.168.1.1:22 as plant-a"),
        ("Host 192.168.1.1\n  ProxyJump a.example\n", "engineer@192.168.1.1:22 via engineer@a.example:22"),
        ("Host 192.168.1.1\n  ProxyJump b.example\n", "engineer@192.168.1.1:22 via engineer@b.example:22"),
        (
            "Host 192*\n  ProxyJump a.example,b:2\n  HostKeyAlias gw\nHost b\n  HostKeyAlias inner\n",
            "engineer@192.168.1.1:22 as gw via engineer@a.example:22, engineer@b:2 as inner",
        ),
    ],
)
def test_a_password_belongs_to_a_host_and_the_whole_way_to_it(tmp_path: Path, config: str, name: str) -> None:
    # Without alias and jump host it is what earlier versions stored it under.
    assert target(tmp_path, config, HostSpec("gw", "192.168.1.1")).password_name == name


def test_a_jump_host_s_password_belongs_to_the_way_to_it(tmp_path: Path) -> None:
    config = "Host gw\n  ProxyJump near,10.0.0.1\nHost near\n  ProxyJump outer\n"
    found = target(tmp_path, config, HostSpec("gw", "gw"))
    assert [hop.password_name for hop in found.jumps] == [
        "engineer@outer:22",
        "engineer@near:22 via engineer@outer:22",
        "engineer@10.0.0.1:22 via engineer@outer:22, engineer@near:22",
    ]


@pytest.mark.parametrize(
    ("value", "files"),
    [("none", []), ("~/revoked", ["~/revoked"]), ('"/etc/ssh/two words" /b', ["/etc/ssh/two words", "/b"])],
)
def test_files_of_revoked_keys_are_taken_over_for_hosts_and_jump_hosts(
    tmp_path: Path, value: str, files: list[str]
) -> None:
    found = target(tmp_path, f"Host *\n  RevokedHostKeys {value}\nHost gw\n  ProxyJump b\n", HostSpec("gw", "gw"))
    expected = tuple(Path(file).expanduser() for file in files)
    assert [found.revoked_key_files, found.jumps[0].revoked_key_files] == [expected, expected]


def test_jumping_can_be_switched_off(tmp_path: Path) -> None:
    config = "Host gw\n  ProxyJump none\nHost *\n  ProxyJump bastion\n"
    assert target(tmp_path, config, HostSpec("gw", "gw")).jumps == ()


@pytest.mark.parametrize(
    ("config", "refusal"),
    [
        ("Host gw\n  ProxyJump gw\n", has_message(JUMP_CIRCLE)),
        ("Host gw\n  ProxyCommand nc %h %p\n", has_message(PROXY_COMMAND)),
        ("Host gw\n  Port high\n", has_message(SSH_CONFIG_PORT_WRONG)),
        ("Host gw\n  Port 70000\n", has_message(SSH_CONFIG_PORT_WRONG)),
        ("Host gw\n  ProxyJump a:b:c@\n", has_message(JUMP_WRONG)),
        ("Host gw\n  ProxyJump " + ",".join(f"h{n}" for n in range(9)) + "\n", has_message(TOO_MANY_JUMPS, number=8)),
    ],
)
def test_what_cannot_be_done_is_reported(tmp_path: Path, config: str, refusal: HasMessage) -> None:
    with pytest.raises(InvalidOption, check=refusal):
        target(tmp_path, config, HostSpec("gw", "gw"))


@pytest.mark.parametrize("content", [b"Host gw\n  what?\n", b"\xff\xfe\xfa"])
def test_a_configuration_that_cannot_be_read_is_reported(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "config").write_bytes(content)
    with pytest.raises(InvalidFile, check=has_message(SSH_CONFIG_UNUSABLE, file=str(tmp_path / "config"))):
        read_ssh_config(tmp_path / "config")


@pytest.mark.parametrize(("label", "form"), [("gw.invalid", NAME_UNKNOWN), ("pump", NAME_OF_HOST_UNKNOWN)])
def test_a_name_that_is_not_known_is_reported_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, label: str, form: MessageForm
) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(HostUnreachable) as caught:
        open_socket(target(tmp_path, "", HostSpec(label, "gw.invalid")), CancelToken())
    assert has_message(form, name="gw.invalid", reason="Name or service not known")(caught.value)


@pytest.mark.parametrize(("label", "shown"), [("192.0.2.7", "192.0.2.7"), ("pump", "pump (192.0.2.7)")])
def test_a_host_that_a_jump_host_does_not_reach_is_named(tmp_path: Path, label: str, shown: str) -> None:
    class Refusing:
        """A connection whose host forwards nothing."""

        transport: Self

        def open_channel(self, *_: object, **__: object) -> None:
            raise OSError("administratively prohibited")

    jump = Refusing()
    jump.transport = jump
    with pytest.raises(HostUnreachable) as caught:
        open_through(cast("Connection", jump), target(tmp_path, "", HostSpec(label, "192.0.2.7")))
    assert has_message(JUMP_FAILED, address=shown, port=22)(caught.value)
